"""What LP files and MathOptFormat say of a model: numbers first, then a stream of pieces.

A piece is a number and a name, each from a table. An entry is a piece, "+ 3" and "x". Where a row
ends the number is its right side, "<= 5", and the name is the head of the next, a new line with
"cap(2):". A product is two pieces, "2" and "x", then "*" and "y", or "^2" and nothing. So all of a
file's rows go through one Lines, whatever they hold, and a row costs one piece beyond its entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from treemip.core.files.flat_model import AT_LEAST, AT_MOST, EQUAL, Flat, joined_quadratic
from treemip.core.files.lines import shortest
from treemip.core.files.names import Names
from treemip.core.files.value_codes import Distinct
from treemip.core.model.arrays import Ragged, joined, unique
from treemip.core.model.blocks import Quadratic, Rows
from treemip.core.model.model import Model

AT_ONCE = 1 << 16  # entries

PLAIN, LOW, HIGH = 0, 1, 2


@dataclass(frozen=True)
class Relations:
    """The rows of the file, as (written rows,) arrays: a row with two sides is two of them.

    `row` of the model, ascending; `sense` as in flat_model.py; `side` its code; `part` PLAIN, or
    LOW and HIGH of a row that is two.
    """

    row: np.ndarray
    sense: np.ndarray
    side: np.ndarray
    part: np.ndarray


@dataclass(frozen=True)
class LpContent:
    """`codes`: of each block's coefficients. `objective`: one form, with a zero for each column
    that nothing else mentions. `columns`: how many there are, a last one that is always 1 among
    them when `constant`."""

    relations: Relations
    coefficients: Distinct
    sides: Distinct
    codes: list[np.ndarray]
    products: tuple[Quadratic, np.ndarray]
    objective: Forms
    columns: int
    constant: bool


def lp_content(flat: Flat) -> LpContent:
    """Gather what is said of `flat`, which must have passed requirements.py."""
    model = flat.model
    coefficients, sides = Distinct(), Distinct()
    zero = coefficients.codes(np.zeros(1))
    assert zero[0] == ZERO
    relations = _relations(model, sides)
    codes = [_narrow_codes(block.matrix.data, coefficients) for block in model.rows]
    form = joined_quadratic(model)
    products = form, coefficients.codes(form.coef).astype(np.int64)
    constant = model.objective.constant != 0 or model.column_count == 0
    objective = _objective(model, constant, _mentioned(model, relations), coefficients)
    columns = model.column_count + constant
    return LpContent(relations, coefficients, sides, codes, products, objective, columns, constant)


def counted(flat: Flat, content: LpContent) -> dict[str, int]:
    """What a `WriteReport` counts of rows and of what goes with them, by its fields."""
    row = content.relations.row
    lengths = joined([np.diff(block.matrix.indptr) for block in flat.model.rows], np.int64)
    return {
        "rows": len(row),
        "nonzeros": int(lengths[row].sum()),
        "free_rows": flat.model.row_count - len(unique(row)),
        "indicators": len(flat.guards),
        "cuts": int(np.count_nonzero(flat.aside)),
        "special_sets": sum(block.length for block in flat.model.special_sets),
    }


ZERO = 0
"""The code of the coefficient 0."""


def _relations(model: Model, sides: Distinct) -> Relations:
    low, high = model.row_lower, model.row_upper
    below, above, equal = np.isfinite(low), np.isfinite(high), low == high
    both = below & above & ~equal
    row = np.repeat(np.arange(len(low)), np.where(both, 2, (below | above).astype(np.int64)))
    second = np.zeros(len(row), bool)
    second[1:] = row[1:] == row[:-1]
    part = np.where(second, HIGH, np.where(both[row], LOW, PLAIN))
    at_least = below[row] & ~second
    sense = np.select([equal[row], at_least], [EQUAL, AT_LEAST], AT_MOST)
    value = np.where(at_least, low[row], high[row])
    return Relations(row, sense, sides.codes(value).astype(np.int64), part)


def _narrow_codes(values: np.ndarray, distinct: Distinct) -> np.ndarray:
    """Codes in as few bytes as they need; a few entries at a time, to hold no 4 bytes of all."""
    parts = []
    for k in range(0, len(values), AT_ONCE):
        codes = distinct.codes(values[k : k + AT_ONCE])
        parts.append(codes.astype(np.min_scalar_type(codes.max(initial=0))))
    return joined(parts, np.uint8)


def _mentioned(model: Model, relations: Relations) -> np.ndarray:
    """Columns that some written row has, bool (columns,)."""
    found = np.zeros(model.column_count, bool)
    written = np.zeros(model.row_count, bool)
    written[relations.row] = True
    first = 0
    for block in model.rows:
        here, matrix, form = written[first : first + block.length], block.matrix, block.quadratic
        found[matrix.indices if here.all() else matrix.indices[here[matrix.row_of]]] = True
        found[form.first[here[form.row]]] = True
        found[form.second[here[form.row]]] = True
        first += block.length
    return found


def _objective(
    model: Model, constant: bool, mentioned: np.ndarray, coefficients: Distinct
) -> Forms:
    """One row: costs, zeros for what nothing mentions, the constant, twice the products.

    All of it to be minimized, so a maximized one changes sign.
    """
    form = model.objective.quadratic
    sign = model.objective.sign
    mentioned[form.first] = True
    mentioned[form.second] = True
    listed = (model.costs != 0) | ~mentioned
    values = sign * model.costs
    if constant:
        listed, values = np.append(listed, True), np.append(values, sign * model.objective.constant)
    if not (listed.any() or form.count):
        listed[0] = True
    columns = np.flatnonzero(listed)
    order = np.lexsort((form.second, form.first))
    products = (
        np.zeros(form.count, np.int64),
        form.first[order].astype(np.int64),
        form.second[order].astype(np.int64),
        coefficients.codes(2.0 * sign * form.coef[order]).astype(np.int64),
    )
    codes = coefficients.codes(values[columns]).astype(np.int64)
    return Forms(np.array([len(columns)]), columns, codes, products, half=True)


def written_names(relations: Relations, names: Names, lead: str) -> np.ndarray:
    """Names of the written rows with `lead` before each, an 'S' array (written rows,).

    A row that is two has ``.lo`` and ``.hi`` behind its name, which no other row ends with.
    """
    bases = tuple(family.base for family in names.row_families)
    for number in count(1):
        low, high = (f".{end}{number if number > 1 else ''}" for end in ("lo", "hi"))
        if not any(base.endswith((low, high)) for base in bases):
            break
    ends = np.array(["", low, high], "S")
    return np.strings.add(names.rows(lead)[relations.row], ends[relations.part])


def forms_of(said: LpContent, flat: Flat, wanted: np.ndarray) -> Iterator[tuple[np.ndarray, Forms]]:
    """The written rows `wanted`, ascending, about AT_ONCE entries at a time: which, and forms."""
    relations, first = said.relations, 0
    for block, codes in zip(flat.model.rows, said.codes, strict=True):
        stretch = np.searchsorted(relations.row[wanted], [first, first + block.length])
        own = wanted[stretch[0] : stretch[1]]
        lengths = np.diff(block.matrix.indptr)[relations.row[own] - first]
        ends = np.cumsum(lengths)
        begin = 0
        while begin < len(own):
            done = ends[begin - 1] if begin else 0
            stop = max(begin + 1, int(np.searchsorted(ends, done + AT_ONCE, side="right")))
            part = own[begin:stop]
            yield part, _forms(said, block, codes, relations.row[part], first)
            begin = stop
        first += block.length


def _forms(said: LpContent, block: Rows, codes: np.ndarray, rows: np.ndarray, first: int) -> Forms:
    """Model rows `rows` of a block whose first one is `first`; a row may come twice."""
    matrix = block.matrix
    starts = matrix.indptr[rows - first]
    lengths = matrix.indptr[rows - first + 1] - starts
    products = _row_products(said, rows) if block.quadratic.count else no_products()
    at = Ragged.runs(starts, lengths).items
    columns, taken = matrix.indices[at].astype(np.int64), codes[at].astype(np.int64)
    bare = lengths == 0
    bare[products[0]] = False
    if bare.any():  # a row needs something on its left side
        at = (np.cumsum(lengths) - lengths)[bare]
        columns, taken = np.insert(columns, at, 0), np.insert(taken, at, ZERO)
        lengths = lengths + bare
    return Forms(lengths, columns, taken, products)


def _row_products(
    said: LpContent, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    form, codes = said.products
    starts = np.searchsorted(form.row, rows)
    counts = np.searchsorted(form.row, rows, side="right") - starts
    at = Ragged.runs(starts, counts).items
    own = np.repeat(np.arange(len(rows)), counts)
    return own, form.first[at].astype(np.int64), form.second[at].astype(np.int64), codes[at]


# ----------------------------------------------------------------------------- the stream of pieces

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
        """Places of `<= side`, `>= side`, `= side`; senses are those of flat_model.py."""
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
