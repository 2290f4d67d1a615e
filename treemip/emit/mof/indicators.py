"""Implications in MathOptFormat: the binary and the row's body, two outputs of one function.

``"activate_on":"one"`` is meant as JuMP reads it, of a binary that is 1; the description in the
format's schema has it the other way round.

A row is a stream of pieces, each from two tables: its name and the binary; then a coefficient and
its column for each entry; then the row's side and the value of the binary.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from treemip.emit.flat import Flat
from treemip.emit.lines import Lines, right
from treemip.emit.lp.content import LpContent, forms_of
from treemip.emit.lp.forms import Forms
from treemip.emit.numbers import shortest
from treemip.emit.sides import AT_LEAST, AT_MOST, EQUAL

HEAD = b'","function":{"type":"VectorAffineFunction","terms":['
GUARD = b'{"output_index":1,"scalar_term":{"coefficient":1,"variable":"'
ENTRY = b',\n {"output_index":2,"scalar_term":{"coefficient":'
SIDES = b'],"constants":[0,0]},"set":{"type":"Indicator","set":{"type":'
SETS = {
    AT_MOST: b'"LessThan","upper":',
    AT_LEAST: b'"GreaterThan","lower":',
    EQUAL: b'"EqualTo","value":',
}
VALUES = np.array([b'zero"}}', b'one"}}'])


def write_indicators(
    file: BinaryIO, flat: Flat, said: LpContent, rows: np.ndarray, columns: np.ndarray
) -> None:
    """The guarded rows, each one relation. rows, columns: names of written rows and of columns."""
    wanted = np.flatnonzero(said.relations.row >= flat.guarded)
    if not len(wanted):
        return
    comma = np.where(wanted > 0, np.array(b',\n{"name":"'), np.array(b'\n{"name":"'))
    heads = np.strings.add(np.strings.add(comma, rows[wanted]), HEAD + GUARD)
    terms = np.strings.add(ENTRY, shortest(said.coefficients.values))
    terms = np.strings.add(terms, b',"variable":"')
    side = shortest(said.sides.values)
    ends = [
        np.strings.add(np.strings.add(SIDES + SETS[k], side), b'},"activate_on":"')
        for k in sorted(SETS)
    ]
    names = np.concatenate([np.strings.add(columns, b'"}}'), VALUES])
    lines = Lines(file, np.concatenate([heads, terms, *ends]), right(names))
    first_end = len(heads) + len(terms)
    for part, forms in forms_of(said, flat, wanted):
        own = part - wanted[0]  # guarded rows are the last ones, each of one side
        relations = said.relations
        sense = relations.sense[part].astype(np.int64) - AT_MOST
        end = first_end + sense * len(side) + relations.side[part]
        value = len(columns) + flat.values[own].astype(np.int64)
        lines.write(*_stream(forms, own, len(heads), flat.guards[own], end, value))


def _stream(
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
