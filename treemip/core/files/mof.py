"""MathOptFormat, JuMP's JSON format (version 1.2): linear and quadratic models, implications,
special ordered sets.

https://jump.dev/MathOptFormat/. Bounds and kinds of columns are constraints like the rows; a row
with two sides is two of them, as in LP files; a quadratic function means 1/2 x'Qx, of which one
triangle is written. The text is made like that of an LP file, piece by piece (linear_forms.py).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from treemip.core.files.atomic import replacing, replacing_beside, together, written_size
from treemip.core.files.flat_model import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    CutsAs,
    Flat,
    Sets,
    flatten,
    special_sets,
)
from treemip.core.files.linear_forms import (
    MARKS,
    NONE,
    OPEN,
    PLUS_OPEN,
    Forms,
    LpContent,
    Numbers,
    counted,
    forms_of,
    lp_content,
    pieces,
    written_names,
)
from treemip.core.files.lines import Lines, right, shortest
from treemip.core.files.mapfile import mapping
from treemip.core.files.model_files import WriteReport
from treemip.core.files.names import Names, Style, name_model
from treemip.core.files.profiles import PORTABLE, Profile, Reads
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Report

READS = Reads(objective=True, rows=True, indicators=True, sos=True)

PER_LINE = 4  # terms

RELATIONS = {
    AT_MOST: b'],"constant":0},"set":{"type":"LessThan","upper":',
    AT_LEAST: b'],"constant":0},"set":{"type":"GreaterThan","lower":',
    EQUAL: b'],"constant":0},"set":{"type":"EqualTo","value":',
}

AFFINE = b'"function":{"type":"ScalarAffineFunction","terms":['

QUADRATIC = b'"function":{"type":"ScalarQuadraticFunction","affine_terms":['

OPENERS = np.array([b'",' + AFFINE, b'",' + QUADRATIC])  # of a row, behind its name

PRODUCTS = b'],"quadratic_terms":['

SEPARATORS = np.array([b"\n", b",\n"])

OF_COLUMN = b'{"function":{"type":"Variable","name":"'


def write_mof(
    model: Model,
    path: str | Path,
    *,
    names: Style = "spec",
    map_path: str | Path | None = None,
    profile: Profile = PORTABLE,
    cuts: CutsAs = "rows",
) -> WriteReport:
    """Write `model` as a MathOptFormat file, compressed when `path` ends in ``.gz``.

    Arguments and promises are those of `write_mps`; every profile gets the same file. Raises
    TreemipError: E601 for functions and smooth expressions left in the model, for cuts in a section
    and for a model without variables, E402, E403 and E603 as `write_mps`.
    """
    report = Report()
    flat = flatten(model, READS, "MathOptFormat", cuts, report)
    if model.column_count == 0:
        report.error("E601", "the model has no variables", model.objective.span)
    report.raise_errors()
    with together(), replacing_beside(map_path, path) as beside, replacing(path) as file:
        content, settled = lp_content(flat), name_model(flat.model, names)
        _write(file, flat, content, settled)
        if beside is not None:
            beside.write(mapping(flat.model, settled))
    return WriteReport(
        path=Path(path),
        map_path=None if map_path is None else Path(map_path),
        columns=model.column_count,
        bytes=written_size(path),
        negated=False,
        constant_column=None,
        **counted(flat, content),
    )


def _write(file: BinaryIO, flat: Flat, content: LpContent, names: Names) -> None:
    model, column = flat.model, names.columns()
    head = json.dumps({"version": {"major": 1, "minor": 2}, "name": model.name})
    file.write(head[:-1].encode() + b',\n"variables":[')
    every = np.arange(len(column))
    lines = Lines(file, SEPARATORS, b'{"name":"', column, b'"}')
    lines.write((every > 0).astype(np.int64), every)
    sense = "min" if model.objective.sense == "minimize" else "max"
    file.write(f'],\n"objective":{{"sense":"{sense}",'.encode())
    _write_functions(file, flat, content, names, column)
    _write_columns(file, model, column, len(content.relations.row))
    write_special_sets(file, model, names.sets(), column)
    file.write(b"]}\n")


def _write_functions(
    file: BinaryIO, flat: Flat, content: LpContent, names: Names, column: np.ndarray
) -> None:
    """The objective's function, then all rows."""
    model, count = flat.model, len(column)
    objective = _objective(model, content)
    content, numbers = _with_products(content)
    form = content.products[0]
    kind = np.isin(content.relations.row, form.row).astype(np.int64)
    comma = np.where(np.arange(len(kind)) > 0, np.array(b',\n{"name":"'), np.array(b'\n{"name":"'))
    rows = written_names(content.relations, names, "")
    plain, before = (np.strings.add(column, end) for end in (b'"}', b'","variable_2":"'))
    name = right(np.concatenate([plain, before, np.strings.add(comma, rows), np.array([b""])]))
    lines, head, empty = Lines(file, numbers.table, name), 2 * count, len(name) - 1

    def write(forms: Forms, heads: np.ndarray, ends: np.ndarray) -> None:
        row, first, second, codes = forms.products
        shifted = (row, first + count, second, codes + len(content.coefficients.values))
        forms = replace(forms, products=shifted)
        number, name = pieces(forms, numbers, heads, ends, PER_LINE, empty)
        # What stands between a row's name and its terms is long: no part of the table of names.
        begun = np.flatnonzero((name >= head) & (name < empty))
        opened = numbers.mark(0) - len(OPENERS) + kind[name[begun] - head]
        lines.write(np.insert(number, begun + 1, opened), np.insert(name, begun + 1, empty))

    file.write(QUADRATIC if len(objective.products[0]) else AFFINE)
    write(objective, np.array([empty]), np.array([numbers.mark(NONE)]))
    (constant,) = shortest(np.array([model.objective.constant + 0.0])).tolist()
    file.write(b'],"constant":' + constant + b'}},\n"constraints":[')
    always = np.flatnonzero(content.relations.row < flat.guarded)
    for part, forms in forms_of(content, flat, always):
        ends = numbers.side(content.relations.sense[part], content.relations.side[part])
        write(forms, head + part, ends)
    write_indicators(file, flat, content, rows, column)


def _objective(model: Model, content: LpContent) -> Forms:
    """Costs, and products as entries of a triangle of Q."""
    form, costs = model.objective.quadratic, model.costs
    columns = np.flatnonzero(costs)
    codes = content.coefficients.codes(costs[columns]).astype(np.int64)
    values = _triangle(form)
    products = (
        np.zeros(form.count, np.int64),
        form.first.astype(np.int64),
        form.second.astype(np.int64),
        content.coefficients.codes(values).astype(np.int64),
    )
    return Forms(np.array([len(columns)]), columns, codes, products)


def _triangle(form: Quadratic) -> np.ndarray:
    return form.coef * np.where(form.first == form.second, 2.0, 1.0)


def _with_products(content: LpContent) -> tuple[LpContent, Numbers]:
    """The rows' products as entries of triangles, and the table of all numbers.

    Of coefficients it has those of variables, then those of products; OPENERS before the marks.
    """
    form = content.products[0]
    codes = content.coefficients.codes(_triangle(form)).astype(np.int64)
    value = np.strings.add(b'{"coefficient":', shortest(content.coefficients.values))
    linear, products = (
        np.strings.add(value, end) for end in (b',"variable":"', b',"variable_1":"')
    )
    first = np.concatenate([linear, products])
    inner, wrapped = np.strings.add(b",", first), np.strings.add(b",\n ", first)
    side = shortest(content.sides.values)
    sides = [np.strings.add(np.strings.add(RELATIONS[k], side), b"}}") for k in sorted(RELATIONS)]
    marks = [b""] * len(MARKS)
    marks[OPEN] = marks[PLUS_OPEN] = PRODUCTS
    table = np.concatenate([first, inner, wrapped, *sides, OPENERS, np.array(marks)])
    return replace(content, products=(form, codes)), Numbers(table, len(first), len(side))


def _write_columns(file: BinaryIO, model: Model, column: np.ndarray, begun: int) -> None:
    """Bounds and kinds of columns as constraints; `begun` others stand before them."""
    (lower, upper), binary = model.box, model.binary
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    usual = binary & (lower == 0) & (upper == 1)
    sets: tuple[tuple[str, np.ndarray, dict[str, np.ndarray]], ...] = (
        ("EqualTo", equal, {"value": lower}),
        ("Interval", below & above & ~equal & ~usual, {"lower": lower, "upper": upper}),
        ("GreaterThan", below & ~above, {"lower": lower}),
        ("LessThan", above & ~below, {"upper": upper}),
        ("ZeroOne", binary, {}),
        ("Integer", model.integer & ~binary, {}),
    )
    for name, kept, ends in sets:
        some = np.flatnonzero(kept)
        places = np.arange(len(some))
        parts: list[bytes | np.ndarray] = [SEPARATORS, OF_COLUMN, column]
        parts.append(f'"}},"set":{{"type":"{name}"'.encode())
        codes = [(begun + places > 0).astype(np.int64), some]
        for end, values in ends.items():
            distinct, which = np.unique(values[some] + 0.0, return_inverse=True)
            parts += [f',"{end}":'.encode(), shortest(distinct)]
            codes.append(which)
        if len(some):
            Lines(file, *parts, b"}}").write(*codes)
        begun += len(some)


# ------------------------------------------------------------------------------------- implications

OF_INDICATOR = b'","function":{"type":"VectorAffineFunction","terms":['

GUARD = b'{"output_index":1,"scalar_term":{"coefficient":1,"variable":"'

ENTRY = b',\n {"output_index":2,"scalar_term":{"coefficient":'

SIDES = b'],"constants":[0,0]},"set":{"type":"Indicator","set":{"type":'

INDICATOR_RELATIONS = {
    AT_MOST: b'"LessThan","upper":',
    AT_LEAST: b'"GreaterThan","lower":',
    EQUAL: b'"EqualTo","value":',
}

VALUES = np.array([b'zero"}}', b'one"}}'])


def write_indicators(
    file: BinaryIO, flat: Flat, content: LpContent, rows: np.ndarray, columns: np.ndarray
) -> None:
    """The guarded rows, each one relation. rows, columns: names of written rows and of columns.

    Implications in MathOptFormat: the binary and the row's body, two outputs of one function.

    ``"activate_on":"one"`` is meant as JuMP reads it, of a binary that is 1; the description in the
    format's schema has it the other way round.

    A row is a stream of pieces, each from two tables: its name and the binary; then a coefficient
    and its column for each entry; then the row's side and the value of the binary.
    """
    wanted = np.flatnonzero(content.relations.row >= flat.guarded)
    if not len(wanted):
        return
    comma = np.where(wanted > 0, np.array(b',\n{"name":"'), np.array(b'\n{"name":"'))
    heads = np.strings.add(np.strings.add(comma, rows[wanted]), OF_INDICATOR + GUARD)
    terms = np.strings.add(ENTRY, shortest(content.coefficients.values))
    terms = np.strings.add(terms, b',"variable":"')
    side = shortest(content.sides.values)
    ends = [
        np.strings.add(np.strings.add(SIDES + INDICATOR_RELATIONS[k], side), b'},"activate_on":"')
        for k in sorted(INDICATOR_RELATIONS)
    ]
    names = np.concatenate([np.strings.add(columns, b'"}}'), VALUES])
    lines = Lines(file, np.concatenate([heads, terms, *ends]), right(names))
    first_end = len(heads) + len(terms)
    for part, forms in forms_of(content, flat, wanted):
        own = part - wanted[0]  # guarded rows are the last ones, each of one side
        relations = content.relations
        sense = relations.sense[part].astype(np.int64) - AT_MOST
        end = first_end + sense * len(side) + relations.side[part]
        value = len(columns) + flat.values[own].astype(np.int64)
        lines.write(*_indicator_stream(forms, own, len(heads), flat.guards[own], end, value))


def _indicator_stream(
    forms: Forms,
    heads: np.ndarray,
    first_term: int,
    guards: np.ndarray,
    ends: np.ndarray,
    values: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Places in both tables, (pieces,): for each row its head, its entries, its end."""
    count = np.arange(len(heads))
    stop = np.cumsum(forms.lengths)
    start = stop - forms.lengths
    total = len(forms.codes) + 2 * len(heads)
    text, name = np.empty(total, np.int64), np.empty(total, np.int64)
    entry = np.arange(len(forms.codes)) + 2 * np.repeat(count, forms.lengths) + 1
    text[entry], name[entry] = first_term + forms.codes, forms.columns
    text[start + 2 * count], name[start + 2 * count] = heads, guards
    text[stop + 2 * count + 1], name[stop + 2 * count + 1] = ends, values
    return text, name


# ----------------------------------------------------------------------------- special ordered sets

OF_SET = b'","function":{"type":"VectorOfVariables","variables":['

SET_END = ']}},"set":{{"type":"SOS1","weights":[{}]}}}}'


def write_special_sets(
    file: BinaryIO, model: Model, names: np.ndarray, columns: np.ndarray
) -> None:
    """The sets, behind the bounds of their members. names: of sets; columns: of columns.

    A set is a stream of pieces of one table: its head, the first member, the others with a comma,
    and the end for a set of its length.
    """
    sets = special_sets(model)
    if not sets.count:
        return
    heads = np.strings.add(np.strings.add(b',\n{"name":"', names), OF_SET)
    first = np.strings.add(np.strings.add(b'"', columns), b'"')
    weights = [range(1, k + 1) for k in range(int(np.diff(sets.offsets).max()) + 1)]
    ends = np.array([SET_END.format(",".join(map(str, some))) for some in weights], "S")
    table = np.concatenate([heads, first, np.strings.add(b",", first), ends])
    Lines(file, table).write(_set_stream(sets, len(columns)))


def _set_stream(sets: Sets, columns: int) -> np.ndarray:
    """Places in the table, int64 (pieces,): for each set its head, its members, its end."""
    count, lengths = np.arange(sets.count), np.diff(sets.offsets)
    stream = np.empty(len(sets.members) + 2 * sets.count, np.int64)
    member = np.arange(len(sets.members)) + 2 * np.repeat(count, lengths) + 1
    stream[member] = sets.count + sets.members + np.where(sets.weights > 1, columns, 0)
    stream[sets.offsets[:-1] + 2 * count] = count
    stream[sets.offsets[1:] + 2 * count + 1] = sets.count + 2 * columns + lengths
    return stream
