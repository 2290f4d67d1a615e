"""Special ordered sets in MathOptFormat: columns in the set SOS1, with their weights."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from treemip.emit.lines import Lines
from treemip.emit.special_sets import Sets, special_sets
from treemip.model.model import Model

HEAD = b'","function":{"type":"VectorOfVariables","variables":['
END = ']}},"set":{{"type":"SOS1","weights":[{}]}}}}'


def write_special_sets(
    file: BinaryIO, model: Model, names: np.ndarray, columns: np.ndarray
) -> None:
    """The sets, behind the bounds of their members. names: of sets; columns: of columns.

    A set is a stream of pieces of one table: its head, the first member, the others with a comma,
    and an end for so many.
    """
    sets = special_sets(model)
    if not sets.count:
        return
    heads = np.strings.add(np.strings.add(b',\n{"name":"', names), HEAD)
    first = np.strings.add(np.strings.add(b'"', columns), b'"')
    weights = [range(1, k + 1) for k in range(int(np.diff(sets.offsets).max()) + 1)]
    ends = np.array([END.format(",".join(map(str, said))) for said in weights], "S")
    table = np.concatenate([heads, first, np.strings.add(b",", first), ends])
    Lines(file, table).write(_stream(sets, len(columns)))


def _stream(sets: Sets, columns: int) -> np.ndarray:
    """Places in the table, int64 (pieces,): for each set its head, its members, its end."""
    count, lengths = np.arange(sets.count), np.diff(sets.offsets)
    found = np.empty(len(sets.members) + 2 * sets.count, np.int64)
    member = np.arange(len(sets.members)) + 2 * np.repeat(count, lengths) + 1
    found[member] = sets.count + sets.members + np.where(sets.weights > 1, columns, 0)
    found[sets.offsets[:-1] + 2 * count] = count
    found[sets.offsets[1:] + 2 * count + 1] = sets.count + 2 * columns + lengths
    return found
