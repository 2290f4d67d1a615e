"""Points that a model treats alike: whose rows are the same but for the point.

Classes are proposed by hashes and then compared number by number, so that a collision of hashes
leaves points apart and never brings different ones together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.arrays import begins, mixed_bits, numbered, offsets_of
from treemip.core.reform.presolve.point_columns import SHARED, PointColumns
from treemip.core.reform.presolve.row_entries import RowEntries


@dataclass(frozen=True)
class Pieces:
    """A piece is what one point has in one row: its entries, and in a row that no other point has
    a part in (a private row) also the entries of shared columns and the row's bounds.

    Pieces ascend by point and, within one, by hash; entries by piece and key. Row numbers stand
    among the facts of pieces of coupling rows: only pieces of the same row are equal there.

    point, hash (pieces,); facts (pieces, 8); coupling bool (pieces,); entry_piece, key, coef
    (entries,). candidate bool (points,): the others have no pieces and equal no point.
    """

    candidate: np.ndarray
    point: np.ndarray
    hash: np.ndarray
    facts: np.ndarray
    coupling: np.ndarray
    entry_piece: np.ndarray
    key: np.ndarray
    coef: np.ndarray


def private_point(entries: RowEntries, columns: PointColumns) -> np.ndarray:
    """The point of each private row, int64 (rows,): SHARED for rows of no point, -2 for coupling
    rows, which hold columns of several."""
    point = columns.point[entries.column]
    own = point != SHARED
    low, high = np.full(entries.rows, columns.points), np.full(entries.rows, SHARED)
    np.minimum.at(low, entries.row[own], point[own])
    np.maximum.at(high, entries.row[own], point[own])
    return np.where(low < high, -2, high)


def pieces_of(entries: RowEntries, columns: PointColumns) -> Pieces:
    """The pieces of those points in these rows that `_candidates` leaves."""
    of_row = private_point(entries, columns)
    point, owner = columns.point[entries.column], of_row[entries.row]
    key = np.where(
        point == SHARED, columns.positions + entries.column, columns.position[entries.column]
    )
    key = 2 * key + entries.guard
    point = np.where(owner >= 0, owner, point)
    candidate = _candidates(entries, key, of_row, columns.points)
    take = np.append(candidate, False)[point]  # SHARED is the last
    row, point, key, coef = entries.row[take], point[take], key[take], entries.coef[take]

    order = np.lexsort((key, point, row))
    row, point, key, coef = row[order], point[order], key[order], coef[order]
    first = np.flatnonzero(begins(row * columns.points + point))
    piece = np.repeat(np.arange(len(first)), np.diff(first, append=len(row)))
    row, point = row[first], point[first]
    coupling = of_row[row] == -2
    facts = np.column_stack([np.full(len(row), -1.0), entries.facts[row]])
    facts[coupling] = np.inf
    facts[coupling, 0] = row[coupling]
    hashes = mixed(facts) + _sums(mixed(np.column_stack([key, coef])), first)

    order = np.lexsort((hashes, point))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    entry_piece = rank[piece]
    inner = np.argsort(entry_piece, kind="stable")
    return Pieces(
        candidate,
        point[order],
        hashes[order],
        facts[order],
        coupling[order],
        entry_piece[inner],
        key[inner],
        coef[inner],
    )


def _candidates(
    entries: RowEntries, key: np.ndarray, of_row: np.ndarray, points: int
) -> np.ndarray:
    """Points whose private rows have the hash of another point's, bool (points,); no sorting of
    entries, so that data without equal points cost little."""
    inside = np.flatnonzero(of_row[entries.row] >= 0)
    row = entries.row[inside]
    first = np.flatnonzero(begins(row))
    hashes = _sums(mixed(np.column_stack([key[inside], entries.coef[inside]])), first)
    row = row[first]
    total = np.zeros(points, np.uint64)
    np.add.at(total, of_row[row], scrambled(hashes + mixed(entries.facts[row])))
    _, number = numbered(total)
    several: np.ndarray = np.bincount(number)[number] > 1
    return several


def equal_points(
    entries: RowEntries, columns: PointColumns, of_columns: np.ndarray
) -> tuple[np.ndarray, Pieces]:
    """For each point the first one that it equals, int64 (points,), itself where there is none.

    of_columns float64 (columns, any): what equal columns of equal points must share besides rows,
    such as bounds and cost.
    """
    pieces = pieces_of(entries, columns)
    own = np.flatnonzero(columns.point != SHARED)
    own = own[np.lexsort((columns.position[own], columns.point[own]))]
    about = np.column_stack([columns.position[own], of_columns[own]])
    points = columns.points
    total = np.zeros(points, np.uint64)
    np.add.at(total, pieces.point, scrambled(pieces.hash))
    np.add.at(total, columns.point[own], mixed(about))
    _, number = numbered(total)
    first = np.full(number.max(initial=-1) + 1, points)
    np.minimum.at(first, number, np.arange(points))
    first = first[number]

    same = pieces.candidate & pieces.candidate[first]
    if not (same & (first != np.arange(points))).any():
        return np.arange(points), pieces
    entry_point = pieces.point[pieces.entry_piece]
    starts = offsets_of(np.bincount(pieces.point, minlength=points))
    local = pieces.entry_piece - starts[entry_point]
    same &= same_lists(columns.point[own], about, first)
    same &= same_lists(pieces.point, pieces.facts, first)
    same &= same_lists(entry_point, np.column_stack([local, pieces.key, pieces.coef]), first)
    return np.where(same, first, np.arange(points)), pieces


def same_lists(point: np.ndarray, values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Whether the rows of `values` of each point are those of the point `first` names.

    point ascends, (rows,); bool (points,).
    """
    lengths = np.bincount(point, minlength=len(first))
    starts = offsets_of(lengths)[:-1]
    same = lengths == lengths[first]
    at = np.flatnonzero(same[point])
    of = point[at]
    other = starts[first[of]] + at - starts[of]
    differs = (values[at] != values[other]).any(axis=1)
    same[of[differs]] = False
    return same


def mixed(values: np.ndarray) -> np.ndarray:
    """A hash of each row of float64 numbers, uint64 (rows,)."""
    bits = np.ascontiguousarray(values, np.float64) + 0.0  # one zero
    total = np.zeros(len(values), np.uint64)
    for column in bits.view(np.uint64).T:
        total = scrambled(total ^ column)
    return total


def scrambled(values: np.ndarray) -> np.ndarray:
    """A hash of each number, both uint64."""
    return mixed_bits(values, np.uint64(1))


def _sums(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    return np.add.reduceat(values, first) if len(first) else values[:0]
