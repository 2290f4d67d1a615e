"""What the columns of large tables hold, read some rows at a time: numbers or texts, their values,
and a sample of rows to make bins from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from shlex import quote

import numpy as np

from treemip.core.instance.cells import TRUTH
from treemip.core.instance.columns import Column, Unreadable, is_numeric
from treemip.core.instance.decimals import number_of
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.roles import MISSING_WORDS, is_infinite
from treemip.core.instance.row_batches import row_batches
from treemip.core.instance.row_location import RowLocation
from treemip.core.model.arrays import unique
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused

MOST_VALUES = 10_000
"""Numbers of a column that are kept apart."""

MOST_TEXTS = 1000
"""Texts of a column."""

SAMPLE, SAMPLED_CELLS = 200_000, 20_000_000
"""Rows from which bins are made, and cells of these."""


@dataclass(frozen=True)
class Reading:
    """How files are read. columns: those that count, in their order. label: the one without whose
    value a row does not count. weight: the column that says how many rows a row stands for.
    as_text: columns that hold a text somewhere. known: all that a file may have; None for any."""

    columns: tuple[str, ...]
    label: str
    weight: str | None = None
    separator: str | None = None
    marks: tuple[str, ...] = ()
    as_text: frozenset[str] = frozenset()
    known: frozenset[str] | None = None

    def batches(self, path: Path) -> Iterator[tuple[dict[str, Column], np.ndarray, int]]:
        """The columns of some rows at a time, without rows that have no label; what each row counts
        for, float64 (n,); and how many rows were left out. Raises TreemipError E301, E302, E311."""
        batches = row_batches(path, self.separator, self.marks, may_be_empty=True)
        for raw, place in batches:
            self._demand_columns(raw, path)
            columns = {name: _column(raw, name, path) for name in self.columns}
            counts = np.ones(raw.count)
            if self.weight is not None:
                column = _column(raw, self.weight, path)
                counts = _weights(column, self.weight, path, place)
            there = ~columns[self.label].missing
            if not there.all():
                rows = np.flatnonzero(there)
                columns = {name: column.take(rows) for name, column in columns.items()}
            yield columns, counts[there], int((~there).sum())

    def _demand_columns(self, raw: RawTable, path: Path) -> None:
        """Raises E302 where a file has fewer columns than the first one, or more."""
        own = (*self.columns, *([] if self.weight is None else [self.weight]))
        absent = [name for name in own if name not in raw]
        more = [] if self.known is None else [name for name in raw if name not in self.known]
        if absent:
            message = f"'{path}' has no column '{absent[0]}', which other files have"
        elif more:
            message = f"'{path}' has a column '{more[0]}', which other files do not have"
        else:
            return
        remedy = f"leave the file out, or the column: --drop {quote((absent or more)[0])}"
        raise TreemipError(Diagnostic.outside("E302", message, remedy))


@dataclass(frozen=True)
class ColumnHeld:
    """numeric: whether every cell that is there is a number. mixed: whether that holds of some rows
    only. missing: whether some cells are not there. values, texts: its numbers, ascending, and
    texts, each once; None for too many. least: its least number."""

    numeric: bool = True
    mixed: bool = False
    missing: bool = False
    values: np.ndarray | None = None
    texts: frozenset[str] | None = frozenset()
    least: float = np.inf

    @classmethod
    def of(cls, column: Column, as_text: bool) -> ColumnHeld:
        missing = column.missing
        if missing.all():
            return cls(missing=True, values=np.zeros(0))
        numbers = column.numbers[~missing]
        if as_text or not is_numeric(column):
            texts = _few(frozenset(column.texts.levels))
            return cls(False, missing=bool(missing.any()), values=np.zeros(0), texts=texts)
        values, least = _few_values(numbers), float(numbers.min())
        return cls(missing=bool(missing.any()), values=values, least=least)

    def joined(self, other: ColumnHeld) -> ColumnHeld:
        values = texts = None
        if self.values is not None and other.values is not None:
            values = _few_values(np.append(self.values, other.values))
        if self.texts is not None and other.texts is not None:
            texts = _few(self.texts | other.texts)
        numbers = any(each.numeric and each.least < np.inf for each in (self, other))
        numeric = self.numeric and other.numeric
        return ColumnHeld(
            numeric,
            self.mixed or other.mixed or (numbers and not numeric),
            self.missing or other.missing,
            values,
            texts,
            min(self.least, other.least),
        )


@dataclass(frozen=True)
class Held:
    """rows: those that count, unlabelled: those left out. columns by their names. sample: float64
    (n x columns,) numbers of rows drawn without replacement, NaN where there is none. drawn: (n,)
    what they were drawn by, ascending."""

    rows: int
    unlabelled: int
    columns: dict[str, ColumnHeld]
    sample: np.ndarray
    drawn: np.ndarray

    def joined(self, other: Held) -> Held:
        drawn = np.append(self.drawn, other.drawn)
        first = np.argsort(drawn, kind="stable")[: _sampled(len(self.columns))]
        return Held(
            self.rows + other.rows,
            self.unlabelled + other.unlabelled,
            {name: held.joined(other.columns[name]) for name, held in self.columns.items()},
            np.vstack([self.sample, other.sample])[first],
            drawn[first],
        )


def held_by(path: Path, reading: Reading, seed: int) -> Held:
    """What a file holds. seed: of the sample, another for each file. Raises as `batches`, and E902
    for columns with too many values, and for words that may stand for missing ones."""
    rng, width = np.random.default_rng([seed]), len(reading.columns)
    found = Held(
        0,
        0,
        {name: ColumnHeld(values=np.zeros(0)) for name in reading.columns},
        np.zeros((0, width)),
        np.zeros(0),
    )
    for columns, counts, left_out in reading.batches(path):
        _demand_no_words(columns)
        drawn = rng.random(len(counts))
        full = len(found.drawn) == _sampled(width)
        rows = np.flatnonzero(drawn < (found.drawn[-1] if full else 1.0))
        few = [column.take(rows).numbers for column in columns.values()]
        held = {n: ColumnHeld.of(column, n in reading.as_text) for n, column in columns.items()}
        sample = np.stack(few, axis=1)
        found = found.joined(Held(len(counts), left_out, held, sample, drawn[rows]))
        _demand_few(found.columns, reading.label)
    return found


def joined(parts: Sequence[Held], reading: Reading) -> Held:
    """What all files hold. Raises E902 where that is too much."""
    found = reduce(Held.joined, parts)
    _demand_few(found.columns, reading.label)
    _demand_one_writing(found.columns, reading.as_text)
    return found


def _demand_no_words(columns: dict[str, Column]) -> None:
    """Raises E902 where all texts among numbers are words that often stand for a missing value, or
    infinite."""
    for name, column in columns.items():
        others = np.flatnonzero(np.isnan(column.numbers) & ~column.missing)
        if not 0 < len(others) < len(column) - int(column.missing.sum()):
            continue
        words = column.take(others).texts.levels
        if all(word.lower() in MISSING_WORDS or is_infinite(word) for word in words):
            message = f"column '{name}' has '{words[0]}' among numbers"
            remedy = f"--missing {quote(words[0])} if it stands for a missing value, else "
            raise refused(message, f"{remedy}--drop {quote(name)}")


def _demand_one_writing(columns: dict[str, ColumnHeld], as_text: frozenset[str]) -> None:
    """Raises E902 where a column that is numbers or truth values in some rows and text in others
    writes a value in two ways: as text these would be two values."""
    for name in sorted(as_text):
        first: dict[float, str] = {}
        for text in sorted(columns[name].texts or ()):
            number = TRUTH.get(text.capitalize())
            number = number_of(text) if number is None else number
            before = text if number is None else first.setdefault(number, text)
            if before != text:
                message = f"column '{name}' has '{before}' and '{text}', which may be one value"
                remedy = (
                    f"write it the same way in all files, or leave it out: --drop {quote(name)}"
                )
                raise refused(message, remedy)


def _demand_few(columns: dict[str, ColumnHeld], label: str) -> None:
    """Raises E902 as soon as a column has too many values for equal rows to be counted."""
    for name, held in columns.items():
        if held.texts is not None and (held.values is not None or name != label):
            continue
        message = f"column '{name}' has too many different values to count equal rows"
        if name == label:
            raise refused(message, "round the label, or name another one: --label")
        raise refused(message, f"leave it out: --drop {quote(name)}")


def _sampled(width: int) -> int:
    return min(SAMPLE, max(1, SAMPLED_CELLS // width))


def _few(texts: frozenset[str]) -> frozenset[str] | None:
    return texts if len(texts) <= MOST_TEXTS else None


def _few_values(numbers: np.ndarray) -> np.ndarray | None:
    values = unique(numbers)
    return values if len(values) <= MOST_VALUES else None


def _column(raw: RawTable, name: str, path: Path) -> Column:
    """Raises E304 for values that are no cells, such as dates from memory."""
    try:
        return raw[name]
    except Unreadable as fault:
        remedy = f"{fault.remedy or 'convert it'}, or leave it out: --drop {quote(name)}"
        raise TreemipError(
            Diagnostic.outside("E304", f"'{path}': {fault.message}", remedy)
        ) from None


def _weights(column: Column, name: str, path: Path, place: RowLocation) -> np.ndarray:
    weights = column.numbers
    wrong = np.flatnonzero(~(weights > 0))
    if len(wrong):
        row, cell = place.row_at(wrong[:1])[0], column.text(int(wrong[0]))
        message = f"'{path}', row {row}: '{cell}' in column '{name}' is no weight"
        remedy = "a weight is a finite number above 0"
        raise TreemipError(Diagnostic.outside("E311", message, remedy))
    return weights
