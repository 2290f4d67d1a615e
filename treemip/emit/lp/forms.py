"""Rows of an LP file as a stream of pieces, each a number and a name from two tables.

An entry is a piece, "+ 3" and "x". Where a row ends the number is its right side, "<= 5", and the
name is the head of the next, a new line with "cap(2):". A product is two pieces, "2" and "x", then
"*" and "y", or "^2" and nothing. So all of a file's rows go through one Lines, whatever they hold,
and a row costs one piece beyond its entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.emit.numbers import shortest
from treemip.emit.sides import AT_LEAST, AT_MOST, EQUAL

LINE = 160  # characters; CPLEX documents a limit of 560, CBC splits tokens at 1023

RELATIONS = {AT_MOST: b" <=", AT_LEAST: b" >=", EQUAL: b" ="}
FIRST, INNER, WRAPPED = 0, 1, 2
MARKS = (b"", b" *", b"^2", b" [", b" + [", b" ]", b" ] / 2")
NONE, TIMES, SQUARED, OPEN, PLUS_OPEN, CLOSE, CLOSE_HALF = range(len(MARKS))


@dataclass(frozen=True)
class Numbers:
    """The table of numbers, 'S': coefficients in three forms, sides in three relations, MARKS.

    A coefficient is the first of a form, an inner one with its sign apart, or opens a new line;
    1 is only its sign.
    """

    table: np.ndarray
    coefficients: int
    sides: int

    def side(self, sense: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Places of `<= side`, `>= side`, `= side`; senses are those of emit/sides.py."""
        return 3 * self.coefficients + (sense.astype(np.int64) - AT_MOST) * self.sides + code

    def mark(self, which: int) -> int:
        return len(self.table) - len(MARKS) + which


def number_table(coefficients: np.ndarray, sides: np.ndarray) -> Numbers:
    """From the different coefficients and right sides, float64 and finite."""
    size = np.abs(coefficients)
    bare = np.where(size == 1, _text(""), shortest(size, lead=True))
    negative = coefficients < 0
    first = np.strings.add(np.where(negative, _text(" -"), _text("")), bare)
    inner = np.strings.add(np.where(negative, _text(" -"), _text(" +")), bare)
    stated = [np.strings.add(RELATIONS[k], shortest(sides, lead=True)) for k in sorted(RELATIONS)]
    wrapped = np.strings.add(_text("\n  "), inner)
    marks = np.array(MARKS)
    return Numbers(
        np.concatenate([first, inner, wrapped, *stated, marks]), len(coefficients), len(sides)
    )


def _text(what: str) -> np.ndarray:
    return np.array(what.encode())


@dataclass(frozen=True)
class Forms:
    """Some rows: entries by row and products by row, with codes in place of numbers.

    lengths int64 (rows,): entries of each row; columns, codes (entries,). products: row in
    these forms, columns, columns, codes, all (products,). half: brackets end with `/ 2`.
    """

    lengths: np.ndarray
    columns: np.ndarray
    codes: np.ndarray
    products: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    half: bool = False


def no_products() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    nothing = np.zeros(0, np.int64)
    return nothing, nothing, nothing, nothing


def pieces(
    forms: Forms, numbers: Numbers, heads: np.ndarray, ends: np.ndarray, per_line: int, empty: int
) -> tuple[np.ndarray, np.ndarray]:
    """The stream: places in `numbers.table`, places in the names' table, both (pieces,).

    heads: places of the rows' heads in the names' table. ends: places of their right sides in the
    numbers' table. `empty`: the place of no name. A new line begins after `per_line` entries.
    """
    start = np.cumsum(forms.lengths) - forms.lengths
    place = np.arange(len(forms.codes)) - np.repeat(start, forms.lengths)
    entries = _coefficients(forms.codes, place, per_line, numbers)
    if len(forms.products[0]):
        return _with_products(forms, numbers, heads, ends, entries, per_line, empty)
    rows = len(heads)
    number = np.empty(len(entries) + rows + 1, np.int64)
    name = np.empty(len(number), np.int64)
    here = np.arange(len(entries)) + np.repeat(np.arange(rows), forms.lengths) + 1
    number[here], name[here] = entries, forms.columns
    between = np.append(start + np.arange(rows), len(number) - 1)
    number[between] = np.concatenate([[numbers.mark(NONE)], ends])
    name[between] = np.append(heads, empty)
    return number, name


def _coefficients(
    codes: np.ndarray, place: np.ndarray, per_line: int, numbers: Numbers
) -> np.ndarray:
    form = np.where(place == 0, FIRST, np.where(place % per_line == 0, WRAPPED, INNER))
    return form * numbers.coefficients + codes


def _with_products(
    forms: Forms,
    numbers: Numbers,
    heads: np.ndarray,
    ends: np.ndarray,
    entries: np.ndarray,
    per_line: int,
    empty: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The same with brackets: parts of rows made one kind after the other, then put in order."""
    at, first, second, codes = forms.products
    rows = np.arange(len(heads))
    count = np.bincount(at, minlength=len(heads))
    curved = np.flatnonzero(count)
    place = np.arange(len(at)) - np.repeat((np.cumsum(count) - count)[curved], count[curved])
    square = first == second
    factor = np.where(square, numbers.mark(SQUARED), numbers.mark(TIMES))
    opening = np.where(forms.lengths[curved] > 0, numbers.mark(PLUS_OPEN), numbers.mark(OPEN))
    closing = np.full(len(curved), numbers.mark(CLOSE_HALF if forms.half else CLOSE))
    blank = np.full(len(curved), empty)
    product_numbers = np.stack([_coefficients(codes, place, per_line, numbers), factor], 1)
    product_names = np.stack([first, np.where(square, empty, second)], 1)
    parts = (
        (rows, np.full(len(rows), numbers.mark(NONE)), heads),
        (np.repeat(rows, forms.lengths), entries, forms.columns),
        (curved, opening, blank),
        (np.repeat(at, 2), product_numbers.ravel(), product_names.ravel()),
        (curved, closing, blank),
        (rows, ends, np.full(len(rows), empty)),
    )
    key, number, name = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(key, kind="stable")
    return number[order], name[order]
