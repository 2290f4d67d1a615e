"""What the columns of a table look like before any spec speaks of them: numbers or text, how many
values, which cells are missing, which column may be the label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import Column, Unreadable
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.roles import MISSING_WORDS, is_infinite
from treemip.core.instance.written_numbers import unread
from treemip.core.model.arrays import unique
from treemip.core.resolve.settings.data_spec import is_parquet

MARKS_IN_TEXT = frozenset(["?", "na", "n/a", "#n/a", "nan", "null", "missing"])
"""Of MISSING_WORDS, those that are no category of a column of text either."""

SEPARATORS = (",", ";", "\t", "|")

LABEL_NAMES = ("class", "label", "target", "y", "outcome", "response", "diagnosis", "species")
OUTCOMES = ("default", "churn", "churned", "fraud", "spam", "died", "survived", "readmitted")
"""Names of labels that have two classes."""

LONG_RUN = 10
"""Consecutive numbers from which on they are no coincidence, wherever they start."""

CALENDAR = re.compile(r"(.*[ _.-])?(year|month|day|weekday|hour)")
"""Names, in small letters, of columns with few values that are no label for their place."""

MOST_CLASSES = 20
"""A column with more values is no label, unless the user names it."""


@dataclass(frozen=True)
class ColumnSurvey:
    """One column of N cells.

    numeric: whether its cells are numbers, apart from words for a missing value or infinity. mixed:
    text with numbers in it. infinite: whether one of its numbers is no finite double. marks: its
    words for a missing value, as they are written. unread: what numbers could stand for
    in a column of text, as `written_numbers.unread` says. levels: its values, missing ones apart.
    distinct: whether every row has a value of its own. running: whether its numbers count
    the rows. rows: N.
    """

    name: str
    numeric: bool
    mixed: bool
    infinite: bool
    marks: tuple[str, ...]
    unread: str
    levels: int
    distinct: bool
    running: bool
    rows: int


def survey(column: Column, name: str) -> ColumnSurvey:
    """What a column, read without marks, looks like."""
    texts = np.flatnonzero(~column.missing & np.isnan(column.numbers))
    words = column.take(texts).texts.levels
    numbers = column.numbers[~np.isnan(column.numbers)]
    finite = {word.lower() for word in words if not is_infinite(word)}
    infinite = len(finite) < len({word.lower() for word in words})
    numeric = (infinite or len(numbers) > 0) and finite <= MISSING_WORDS
    marks = tuple(w for w in words if w.lower() in (MISSING_WORDS if numeric else MARKS_IN_TEXT))
    levels = len(unique(numbers)) if numeric else len(column.texts.levels) - len(marks)
    return ColumnSurvey(
        name,
        numeric,
        mixed=not numeric and bool(len(numbers)),
        infinite=numeric and infinite,
        marks=marks,
        unread="" if numeric else unread(words_of(column)),
        levels=levels,
        distinct=levels == len(column),
        running=len(numbers) > 2 and _counts(column.numbers),
        rows=len(column),
    )


def words_of(column: Column) -> list[str]:
    """The distinct cells, those apart that may stand for a missing value."""
    return [word for word in column.texts.levels if word.lower() not in MISSING_WORDS]


def _counts(numbers: np.ndarray) -> bool:
    """Whether these are 0, 1, 2, … or 1, 2, 3, …, or a long run from elsewhere: 10001, 10002, …"""
    starts = numbers[0] in (0, 1) or len(numbers) >= LONG_RUN
    return starts and bool((np.diff(numbers) == 1).all())


# --------------------------------------------------------------------------------------- the file


def read_guessing(path: Path, separator: str | None = None) -> tuple[RawTable, str | None, bool]:
    """The table, its separator, and whether the spec has to name it. Raises Unreadable.

    Without a separator: the usual one, unless another one parts the rows into more columns.
    """
    usual = "\t" if path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","
    if is_parquet(path.name):
        return read_table(path), None, False
    read: dict[str, RawTable] = {}
    refused: list[Unreadable] = []
    for each in (separator,) if separator else (usual, *SEPARATORS):
        try:
            read.setdefault(each, read_table(path, each))
        except Unreadable as error:
            refused.append(error)
    if not read:
        raise refused[0]
    chosen = max(read, key=lambda each: len(read[each].names))
    _require_header(read[chosen].names)
    return read[chosen], chosen, chosen != usual


_DECIMAL = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


def _require_header(names: tuple[str, ...]) -> None:
    """Raises Unreadable where the first line has decimal numbers, so that it is a row of data."""
    number = next((name for name in names if _DECIMAL.fullmatch(name)), None)
    if number is not None:
        raise Unreadable(
            f"the first line is data, not column names: it has '{number}'",
            "put a line with a name for each column before it",
        )


# -------------------------------------------------------------------------------------- the label


def guess_label(columns: list[ColumnSurvey]) -> tuple[str, str] | None:
    """The column that is most likely the label, and why; None where none is likely.

    A label has 2 to 20 values, each twice on average. One that asks, such as `late?`, has two.
    """
    likely = [one.name for one in columns if _may_be_label(one)]
    pairs = [_plain(one.name) for one in columns if one.levels == 2 and one.name in likely]
    asking = [_plain(one.name) for one in columns if one.levels == 2 and one.name.endswith("?")]
    named = (*LABEL_NAMES, *(n for n in OUTCOMES if n in pairs))
    named += tuple(name for name in asking if len(asking) == 1 and name in pairs)
    if guess := _by_name_or_place(columns, likely, "with few values", named):
        return guess
    return (likely[0], "guessed: the only column with few values") if len(likely) == 1 else None


def guess_number(columns: list[ColumnSurvey]) -> tuple[str, str] | None:
    """The column that is most likely a label to predict as a number, and why; None without one."""
    likely = [one.name for one in columns if _may_be_number(one)]
    return _by_name_or_place(columns, likely, "a number")


def _by_name_or_place(
    columns: list[ColumnSurvey],
    likely: list[str],
    what: str,
    named: tuple[str, ...] = LABEL_NAMES,
) -> tuple[str, str] | None:
    """Of the likely names one that labels usually have, else the last column, else the first."""
    for wanted in named:
        for name in likely:
            if _plain(name) == wanted:
                return name, "guessed by its name"
    for at, place in ((-1, "last"), (0, "first")):
        if columns[at].name in likely and not CALENDAR.fullmatch(columns[at].name.lower()):
            return columns[at].name, f"guessed: the {place} column, {what}"
    return None


def _plain(name: str) -> str:
    """In small letters, without a question mark at the end."""
    return name.lower().removesuffix("?").rstrip()


def unlikely_label(columns: list[ColumnSurvey]) -> ColumnSurvey | None:
    """A column with the name of a label and values that are none: a single one, or too many.

    None where another column with such a name is likely; `y` may well be a coordinate.
    """
    named = [one for one in columns if _plain(one.name) in LABEL_NAMES and _plain(one.name) != "y"]
    if any(_may_be_label(one) for one in named):
        return None
    return next((one for one in named if one.levels <= 1 or 2 * one.levels <= one.rows), None)


def _may_be_number(one: ColumnSurvey) -> bool:
    return one.numeric and not one.infinite and one.levels > 2 and not one.running


def _may_be_label(one: ColumnSurvey) -> bool:
    return 2 <= one.levels <= min(MOST_CLASSES, one.rows / 2)


POSITIVE = re.compile(
    r"yes|y|true|t|\+|\+1|pos|positive|malignant|bad|sick|ill|disease|default|fraud|spam|churn|died"
    r"|dead|fail|failure"
)
"""Names, in small letters, that a positive class usually has."""


def classes_of(column: Column) -> dict[str, int]:
    """The number of rows of each class, by the name that the language has for it."""
    levels = Levels.of(column)
    codes = levels.codes(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels.names))
    return dict(zip(levels.names, counts.tolist(), strict=True))


def guess_positive(classes: dict[str, int]) -> tuple[str, str]:
    """Of two classes, the one with a usual name, else the rarer one; and why."""
    named = [name for name in classes if POSITIVE.fullmatch(name.lower())]
    if set(classes) in ({"0", "1"}, {"-1", "1"}):
        named = ["1"]
    if len(named) == 1:
        return named[0], "by its name"
    return min(reversed(classes), key=lambda name: classes[name]), "the rarer one"
