"""Values that a table gives by the names of its indices, over frames: in the text, or from a file.

A file in long form has a row for each value: columns of names, and one of values. A matrix has the
elements of one index as the names of its columns. Both become arrays of elements and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from treemip.core.instance.columns import Column
from treemip.core.instance.lookup import Lookup
from treemip.core.instance.raw_table import RawTable
from treemip.core.lower.frame import Frame, distinct
from treemip.core.lower.index_lookup import IndexLookup
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, offsets_of
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import COLUMN, FEATURE, POINT, Element, Number
from treemip.core.resolve.typed_tables import FileTable, Table
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import did_you_mean, listed


class ValueTables:
    def __init__(self, evaluator: EvaluatorParts, places: IndexLookup) -> None:
        self.evaluator, self.places = evaluator, places

    def values(self, e: Table, frame: Frame) -> np.ndarray:
        """The value of each row's index. Raises E308 where there is none, E309 for a wrong key."""
        which = self._entries(e, frame.column(e.index.name))
        if e.default is None and (which < 0).any():
            self._fail_no_value(e, frame, int(np.argmax(which < 0)))
        entries = (*e.values, *(() if e.default is None else (e.default,)))
        if all(isinstance(entry, t.Const) for entry in entries):
            numbers = np.array([entry.value for entry in entries if isinstance(entry, t.Const)])
            return numbers[which]
        values = np.empty(frame.size)
        order = np.argsort(which % len(entries), kind="stable")
        ends = np.cumsum(np.bincount(which % len(entries), minlength=len(entries)))
        for entry, rows in zip(entries, np.split(order, ends[:-1]), strict=True):
            if len(rows):
                values[rows] = self.evaluator.known(entry, frame.take(rows))
        return values

    def _entries(self, e: Table, indices: np.ndarray) -> np.ndarray:
        """Which entry each index has, -1 for none; a feature's own name goes before a column's."""
        named = [self.places.elements(key) for key in e.keys]
        own = self._own_names(e)
        order = sorted(range(len(named)), key=lambda k: own[k])
        elements = np.concatenate([named[k] for k in order] or [np.zeros(0)])
        entries = np.repeat(np.array(order, np.int64), [len(named[k]) for k in order])
        known, at = np.unique(elements[::-1], return_index=True)
        if not len(known):
            return np.full(len(indices), -1)
        place = np.minimum(np.searchsorted(known, indices), len(known) - 1)
        return np.where(known[place] == indices, entries[::-1][at][place], -1)

    def _own_names(self, e: Table) -> list[bool]:
        """Whether each key is an element's own name, not that of a column."""
        if e.index.of != FEATURE:
            return [True] * len(e.keys)
        features = frozenset(self.places.instance.names(FEATURE))
        return [key.name in features for key in e.keys]

    def _fail_no_value(self, e: Table, frame: Frame, row: int) -> NoReturn:
        index = frame.column(e.index.name)[[row]]
        where = self.places.describe((e.index.of,), [index], 0)
        if isinstance(e.index.of, Number):
            where = f"{e.index.name} = {where}"
        remedy = "add it, or a value for all that are not named: default = …"
        fail("E308", f"the table has no value for {where}", e.span, remedy)


# -------------------------------------------------------------------------------- from files


@dataclass(frozen=True)
class _Names:
    """One index's names in the file: int64 (rows,) which name, the elements of each, and whether
    it is an element's own name, not a column's."""

    codes: np.ndarray
    elements: Ragged
    own: np.ndarray


@dataclass(frozen=True)
class _Known:
    """Values by index tuples."""

    lookup: Lookup
    values: np.ndarray


class FileTables:
    def __init__(self, evaluator: EvaluatorParts, places: IndexLookup) -> None:
        self.evaluator, self.places = evaluator, places
        self._known: dict[FileTable, _Known] = {}

    def values(self, e: FileTable, frame: Frame) -> np.ndarray:
        """The value of each row's indices. Raises E302, E304, E308, E309 at the table."""
        if e not in self._known:
            self._known[e] = self._read(e)
        known = self._known[e]
        indices = [frame.column(index.name) for index in e.indices]
        at = known.lookup.locate(indices)
        outside = np.flatnonzero(at < 0)
        if not len(outside):
            return known.values[at]
        if e.default is None:
            sorts = tuple(index.of for index in e.indices)
            where = self.places.describe(sorts, [i[outside[:1]] for i in indices], 0)
            remedy = "add a row for it, or a value for all that the file lacks: default = …"
            message = f"'{e.path}' has no value for {where}"
            fail("E308", message, e.span, remedy)
        values = np.empty(frame.size)
        values[at >= 0] = known.values[at[at >= 0]]
        values[outside] = self.evaluator.known(e.default, frame.take(outside))
        return values

    # -------------------------------------------------------------------- file

    def _read(self, e: FileTable) -> _Known:
        assert self.evaluator.instance.data is not None
        raw = self.evaluator.instance.data.tables[e.path, e.separator]
        columns = _key_columns(e, raw)
        rest = [name for name in raw.names if name not in columns]
        values = rest if e.header is not None else [_value_column(e, rest)]
        if not values:
            _unfit(e, "no columns of values beside those of names")
        shown = np.tile(np.arange(raw.count), len(values))  # the file's row of each value
        columns_at = iter(columns)
        names = []
        for k, index in enumerate(e.indices):
            if k == e.header:
                which = np.repeat(np.arange(len(values)), raw.count)
                names.append(self._named(e, index, values, which, None))
            else:
                column = next(columns_at)
                names.append(self._column_names(e, index, raw[column], column, len(values)))
        numbers = np.concatenate([_numbers(e, raw[name], name) for name in values])
        there = np.flatnonzero(~np.isnan(numbers))
        there = there[np.all([n.codes[there] >= 0 for n in names], axis=0)]
        cells = [values[k] for k in (there // raw.count).tolist()] if e.header is not None else []
        _demand_once(e, [n.codes[there] for n in names], shown[there], cells)
        return _expanded(names, numbers, there)

    def _column_names(
        self, e: FileTable, index: t.Bound, column: Column, name: str, times: int
    ) -> _Names:
        """The names in a column, repeated for each column of values."""
        if column.missing.any():
            row = int(np.argmax(column.missing)) + 1
            _fail(e, "E303", f"row {row}, column '{name}': the cell is empty")
        if isinstance(index.of, Number):
            numbers = _numbers(e, column, name)
            levels, codes = np.unique(numbers, return_inverse=True)
            single = Ragged(np.arange(len(levels) + 1), levels)
            return _Names(np.tile(codes, times), single, np.ones(len(levels), bool))
        texts = column.texts
        return self._named(e, index, list(texts.levels), np.tile(texts.codes, times), name)

    def _named(
        self, e: FileTable, index: t.Bound, names: list[str], codes: np.ndarray, column: str | None
    ) -> _Names:
        """The elements of an index that names stand for. `column`: where, None in the header."""
        if isinstance(index.of, Number):
            elements = np.array([_number(name) for name in names])
            if np.isnan(elements).any():
                wrong = names[int(np.argmax(np.isnan(elements)))]
                _fail(e, "E304", f"the header has '{wrong}', not a number")
            return _Names(codes, Ragged(np.arange(len(names) + 1), elements), np.ones(len(names)))
        assert isinstance(index.of, Element)
        own = {name: [k] for k, name in enumerate(self.evaluator.instance.names(index.of))}
        made: dict[str, list[int]] = {}
        if index.of == FEATURE:
            assert self.evaluator.instance.data is not None
            for feature, origin in enumerate(self.evaluator.instance.data.encoder.origin):
                made.setdefault(origin, []).append(feature)
        lists = [own.get(name) or made.get(name) or [] for name in names]
        lengths = np.array([len(one) for one in lists], np.int64)
        if index.of == POINT and own:  # the file may have the points of the test part as well
            codes = np.where(lengths[codes] > 0, codes, -1)
        elif (lengths == 0).any():
            unknown = int(np.argmax(lengths == 0))
            self._unknown(e, index.of, names[unknown], _place(codes == unknown, column))
        items = np.array([element for one in lists for element in one], np.int64)
        flags = np.array([name in own for name in names], bool)
        return _Names(codes, Ragged(offsets_of(lengths), items), flags)

    def _unknown(self, e: FileTable, of: Element, name: str, place: str) -> NoReturn:
        names = list(self.evaluator.instance.names(of))
        what = str(of).removeprefix("an ").removeprefix("a ")
        if of == POINT:
            remedy = "name the column of the points' names in the data block: id …;"
            _fail(e, "E309", f"{place}: the points have no names", remedy)
        if of == FEATURE:
            names = list(dict.fromkeys((*self.evaluator.instance.names(COLUMN), *names)))
            what = "feature or column"
        hint = did_you_mean(name, names)
        _fail(
            e, "E309", f'{place}: there is no {what} "{name}"', hint or f"there are {listed(names)}"
        )


def _key_columns(e: FileTable, raw: RawTable) -> list[str]:
    """The column of each index but that of the header; those not named, in the file's order."""
    taken = {name for name in (*e.keys, e.value) if name is not None}
    for name in taken:
        if name not in raw:
            hint = did_you_mean(name, raw.names)
            remedy = hint or f"there are {listed(raw.names)}"
            _unfit(e, f'no column "{name}"', remedy)
    free = iter([name for name in raw.names if name not in taken])
    columns = []
    for k, key in enumerate(e.keys):
        if k != e.header:
            column = key or next(free, None)
            if column is None:
                _unfit(e, f"no column for {e.indices[k].name}")
            columns.append(column)
    return columns


def _value_column(e: FileTable, rest: list[str]) -> str:
    if e.value is not None:
        return e.value
    if len(rest) != 1:
        remedy = f'name the column of the values, value = "{rest[-1]}"' if rest else ""
        if len(e.indices) > 1 and rest:
            remedy += f", or make the header an index: columns = {e.indices[-1].name}"
        what = f"several columns of values: {listed(rest)}" if rest else "no column of values"
        _unfit(e, what, remedy)
    return rest[0]


def _numbers(e: FileTable, column: Column, name: str) -> np.ndarray:
    """The numbers of a column, NaN where a cell is empty. Raises E304 for a text."""
    numbers = column.numbers
    texts = np.isnan(numbers) & ~column.missing
    if texts.any():
        row = int(np.argmax(texts))
        message = f"row {row + 1}, column '{name}': '{column.text(row)}' is not a finite number"
        _fail(e, "E304", message)
    return numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _demand_once(
    e: FileTable, codes: list[np.ndarray], rows: np.ndarray, cells: Sequence[str]
) -> None:
    """Raises E308 where two rows have a value for the same names."""
    if not len(rows):
        return
    first, which = distinct(codes)
    if len(first) == len(rows):
        return
    earliest = np.full(len(first), len(rows))
    np.minimum.at(earliest, which, np.arange(len(rows)))
    again = np.flatnonzero(earliest[which] < np.arange(len(rows)))[0]
    here, there = int(rows[again]) + 1, int(rows[earliest[which[again]]]) + 1
    where = f"row {here}" + (f", column '{cells[again]}'" if cells else "")
    _fail(
        e, "E308", f"{where}: row {there} has a value for the same names", "leave one of them out"
    )


def _expanded(names: list[_Names], numbers: np.ndarray, there: np.ndarray) -> _Known:
    """The values by elements; a feature's own name goes before that of its column."""
    own = sum((n.own[n.codes[there]].astype(np.int64) for n in names), np.zeros(len(there)))
    there = there[np.argsort(-own, kind="stable")]
    columns: list[np.ndarray] = []
    rows = np.arange(len(there))
    for one in names:
        lists = one.elements.take(one.codes[there][rows])
        columns = [column.repeat(lists.lengths) for column in columns]
        rows = rows.repeat(lists.lengths)
        columns.append(lists.items)
    return _Known(Lookup.of_columns(columns), numbers[there][rows])


def _place(rows: np.ndarray, column: str | None) -> str:
    return "the header" if column is None else f"row {int(np.argmax(rows)) + 1}, column '{column}'"


def _fail(e: FileTable, code: str, message: str, remedy: str = "") -> NoReturn:
    fail(code, f"'{e.path}', {message}", e.span, remedy)


def _unfit(e: FileTable, what: str, remedy: str = "") -> NoReturn:
    """Raises E302, which says which columns the file has or lacks."""
    fail("E302", f"'{e.path}' has {what}", e.span, remedy)
