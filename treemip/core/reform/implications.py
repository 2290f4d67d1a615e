"""Implications g = v ==> a x <= b as big-M rows, indicators or special ordered sets.

The big-M is the one given, or the greatest value that the variables' bounds leave for a x - b. An
equation becomes rows for both of its sides.

Several guards g_1 = 1 and ... and g_n = 1 come as one, g = g_1 + ... + g_n - (n - 1), which is 1
where all of them hold and 0 or less elsewhere. So a big-M row is

    a x <= b + M (n - g_1 - ... - g_n),

which is exact for every M that serves a single guard. An indicator and a special ordered set take a
column z >= g within 0..1: z must be 1 where all guards hold, and may be 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from treemip.core.lower.linear import Linear
from treemip.core.lower.relations import literal
from treemip.core.model.blocks import (
    Implications,
    Index,
    Kind,
    Literals,
    Method,
    Rows,
    SparseRows,
    SpecialSets,
    binary_columns,
)
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import (
    add_triplets,
    append_columns,
    as_part,
    interval,
    take_rows,
)
from treemip.core.model.tolerances import INFINITE
from treemip.core.reform.editing import Editing, Note, demand_bounded
from treemip.core.reform.formulas import BIG_M
from treemip.core.reform.target import Target
from treemip.core.source.diagnostic import fail

if TYPE_CHECKING:
    from scipy import sparse


REMEDY = "give the variable bounds in its declaration, or write by big_m(M) with a valid M"
OR_INDICATORS = (
    "; or take indicators (compile --for scip, or solve --solver scip) or special ordered sets "
    "(--implications sos1)"
)


def open_implications(model: Model) -> bool:
    """Whether there are implications that have not become indicators."""
    return any(block.body.made_by != INDICATOR for block in model.implications)


def rewrite_implications(model: Model, target: Target) -> tuple[Model, list[Note]]:
    """Each implication as big-M rows, an indicator or a special ordered set, as the target takes.

    Raises E501 where bounds prove no big-M, E502 for guards other than 0 and 1 and for bodies that
    are not linear.
    """
    method = target.method
    if not model.implications:
        return model, []
    check_guards(model)
    editing = Editing(model)
    indicators: list[Implications] = []
    special: list[SpecialSets] = []
    for block in model.implications:
        _require_linear(block.body)
        chosen = _chosen(editing, block, target) if method is Method.AUTO else method
        if chosen is Method.SOS1:
            special.append(as_special_sets(editing, block))
        elif chosen is Method.INDICATOR:
            indicators += as_indicators(editing, block)
        else:
            _rewrite(editing, block if method is Method.AUTO else replace(block, method=method))
    reformed = editing.finish(implications=tuple(indicators), special_sets=tuple(special))
    return reformed, editing.notes


def _chosen(editing: Editing, block: Implications, target: Target) -> Method:
    """The method that the source asks for, if the target supports it."""
    if block.method is Method.SOS1:
        return Method.SOS1 if target.sos else Method.BIG_M
    return Method.INDICATOR if target.indicators and _stays(editing, block) else Method.BIG_M


def _stays(editing: Editing, block: Implications) -> bool:
    """Whether the source asks for an indicator, or for nothing and the bounds prove no big-M."""
    if block.method is not Method.AUTO or block.big_m is not None:
        return block.method is Method.INDICATOR
    low, high = editing.interval(block.body.matrix, np.zeros(block.length))
    open_above = np.isfinite(block.body.upper) & ~np.isfinite(high)
    open_below = np.isfinite(block.body.lower) & ~np.isfinite(low)
    return bool((open_above | open_below).any())


def _require_linear(body: Rows) -> None:
    if not body.is_affine:
        degree = "nonlinear" if body.slots is not None else "quadratic"
        message = f"the right side of '==>' must be linear, and this one is {degree}"
        fail("E502", message, body.span)


INSTEAD = {Method.INDICATOR: "indicators", Method.SOS1: "special ordered sets"}


def _rewrite(editing: Editing, block: Implications) -> None:
    body = block.body
    above, below = np.isfinite(body.upper), np.isfinite(body.lower)
    both = bool(above.any() and below.any())
    if above.any():
        _one_side(editing, block, 1.0, "_upper" if both else "")
    if below.any():
        _one_side(editing, block, -1.0, "_lower" if both else "")


def _one_side(editing: Editing, block: Implications, side: float, suffix: str) -> None:
    body = block.body
    big_m = block.big_m if block.big_m is not None else proven(editing, block, side)
    positive = block.value == 1
    values = {
        "a": Linear(block.length, None, (as_part(body.matrix),)),
        "b": Linear.known(body.upper if side > 0 else body.lower),
        "M": Linear.known(big_m),
        "g": _holds(block),
    }
    inequality = BIG_M["<=" if side > 0 else ">="]
    name = body.name + suffix
    editing.state(name, body.index, inequality, values, body.span, "big_m")
    origin = "given" if block.big_m is not None else "proven by the bounds"
    formula = inequality.text if positive.all() else inequality.text.replace("(1 - g)", "g")
    if block.conjuncts:
        count = len(block.conjuncts)
        broken = " - ".join([str(count), *(f"g{k}" for k in range(1, count + 1))])
        formula = formula.replace("(1 - g)", f"({broken})")
    detail = f"{block.length} rows, M {_range(big_m)}, {origin}"
    span = (float(big_m.min()), float(big_m.max()))
    instead = INSTEAD.get(block.method, "")
    editing.notes.append(Note(name, "big-M rows", formula, body.span, detail, span, instead))


def _holds(block: Implications) -> Linear:
    """1 where the body must hold, else 0: the guard, or 1 less it where its value is 0."""
    return literal(Linear(block.length, block.guard_constant, (as_part(block.guard),)), block.value)


def proven(editing: Editing, block: Implications, side: float) -> np.ndarray:
    """The greatest violation the bounds allow, at least 0. Raises E501 naming the variable."""
    body = block.body
    low, high = editing.interval(body.matrix, np.zeros(block.length))
    most = high - body.upper if side > 0 else body.lower - low
    infinite = ~np.isfinite(most) & np.isfinite(body.upper if side > 0 else body.lower)
    demand_bounded(editing, body.matrix, infinite, body.span, "a big-M", REMEDY + OR_INDICATORS)
    return np.maximum(np.where(np.isfinite(most), most, 0.0), 0.0)


def _range(big_m: np.ndarray) -> str:
    low, high = float(big_m.min()), float(big_m.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


# ----------------------------------------------------------------------------------------- guards


def check_guards(model: Model) -> None:
    """Raise E502 where a guard may have another value than 0 and 1.

    A big-M row is exact only then: with g = 1/2 it asks for something that the implication does
    not, and with g = 2 it cuts off solutions.

    A guard passes when its variables are integer and their bounds leave 0 and 1 only, or when it
    is a sum of binaries, or 1 less such a sum, of which some row allows one at most.
    """
    integer, lower, upper = model.integer, model.lower, model.upper
    packing: sparse.csr_matrix | None = None
    for block in model.implications:
        own = Literals(block.guard, block.guard_constant)
        for literals in block.conjuncts or (own,):
            guard, constant = literals.matrix, literals.constant
            _require_whole(model, block, literals, integer)
            low, high = interval(guard, constant, lower, upper)
            wide = np.flatnonzero((low < 0) | (high > 1))
            if not len(wide):
                continue
            if packing is None:
                packing = _packing(model.rows, lower)
            if not _packed(guard, constant, wide, packing):
                _refuse(block, "its variables may add up to another value")


def _require_whole(
    model: Model, block: Implications, literals: Literals, integer: np.ndarray
) -> None:
    guard = literals.matrix
    broken = ~integer[guard.indices]
    if broken.any():
        column = int(guard.indices[np.argmax(broken)])
        _refuse(block, f"'{model.family_of(column).name}' is continuous")
    if (guard.data % 1).any() or (literals.constant % 1).any():
        _refuse(block, "it has a coefficient that is not whole")


def _packing(rows: Sequence[Rows], lower: np.ndarray) -> sparse.csr_matrix:
    """0/1 matrix of the rows that allow at most one of their variables to be 1."""
    from scipy import sparse

    parts = []
    for block in rows:
        matrix = block.matrix
        fits = (matrix.data >= 1) & (lower[matrix.indices] >= 0)
        whole = np.bincount(matrix.row_of, fits, matrix.count) == np.diff(matrix.indptr)
        whole &= block.upper <= 1
        if block.quadratic.count:
            whole[block.quadratic.row] = False
        ones = _ones(matrix, len(lower))[np.flatnonzero(whole)]
        if ones.shape[0]:
            parts.append(ones)
    return sparse.vstack(parts, "csr") if parts else sparse.csr_matrix((0, len(lower)))


def _ones(matrix: SparseRows, width: int) -> sparse.csr_matrix:
    from scipy import sparse

    ones = np.ones(matrix.nonzeros)
    return sparse.csr_matrix((ones, matrix.indices, matrix.indptr), (matrix.count, width))


def _packed(
    guard: SparseRows, constant: np.ndarray, wide: np.ndarray, packing: sparse.csr_matrix
) -> bool:
    """Whether each of these guards is s or 1 - s with s at most 1 by one packing row."""
    sign = np.where(constant[wide] == 0, 1.0, -1.0)
    usual = (constant[wide] == 0) | (constant[wide] == 1)
    wanted = _ones(guard, packing.shape[1])[wide]
    lengths = np.diff(wanted.indptr)
    same = guard.data[np.isin(guard.row_of, wide)] == np.repeat(sign, lengths)
    if not (usual.all() and same.all() and packing.shape[0]):
        return False
    shared = (wanted @ packing.T).max(axis=1).toarray().ravel()
    return bool((shared == lengths).all())


def _refuse(block: Implications, why: str) -> NoReturn:
    message = f"the left side of '==>' must be 0 or 1 always: {why}"
    remedy = "use one binary variable, or a sum of binaries of which a row allows at most one"
    fail("E502", message, block.body.span, remedy)


# ------------------------------------------------------------------------------------- indicators


INDICATOR = "indicator"


def as_indicators(editing: Editing, block: Implications) -> list[Implications]:
    """The implications for targets with indicators: a guard is one binary column, a row one
    relation; `guard_constant` is 0 and coefficients of guards are 1.

    A guard of several columns gets a binary equal to it, and several guards one that is 1 where all
    hold; a row bounded on both sides by different
    numbers becomes two; rows without bounds go.
    """
    columns, value = _guards(editing, block)
    body = block.body
    equal = body.lower == body.upper
    sides = (
        (np.isfinite(body.upper) & ~equal, "_upper"),
        (np.isfinite(body.lower) & ~equal, "_lower"),
        (equal, "_equal"),
    )
    used = [(np.flatnonzero(rows), suffix) for rows, suffix in sides if rows.any()]
    implications = []
    for rows, suffix in used:
        name = body.name + (suffix if len(used) > 1 else "")
        implications.append(_part(block, rows, columns[rows], value[rows], name, suffix))
        formula = "g = 1 -> row" if (value[rows] == 1).all() else "g = 0 -> row"
        detail = f"{len(rows)} rows"
        editing.notes.append(Note(name, "indicators", formula, body.span, detail))
    return implications


def _part(
    block: Implications,
    rows: np.ndarray,
    columns: np.ndarray,
    value: np.ndarray,
    name: str,
    suffix: str,
) -> Implications:
    body, index = block.body, block.body.index
    far = np.full(len(rows), np.inf)
    part = Rows(
        name,
        index.take(rows),
        take_rows(body.matrix, rows),
        -far if suffix == "_upper" else body.lower[rows],
        far if suffix == "_lower" else body.upper[rows],
        body.span,
        made_by=INDICATOR,
    )
    count = np.arange(len(rows) + 1, dtype=np.int64)
    guard = SparseRows(count, columns.astype(np.int32), np.ones(len(rows)))
    return Implications(part, guard, np.zeros(len(rows)), value, Method.INDICATOR)


def _guards(editing: Editing, block: Implications) -> tuple[np.ndarray, np.ndarray]:
    """A binary column for each row, int32 (rows,), and the value that makes the row hold."""
    guard, constant = block.guard, block.guard_constant
    if (np.diff(guard.indptr) == 1).all() and binary_columns(editing.variables)[
        guard.indices
    ].all():
        plain = (guard.data == 1) & (constant == 0)
        turned = (guard.data == -1) & (constant == 1)
        if (plain | turned).all():
            return guard.indices, np.where(turned, 1.0 - block.value, block.value)
    guards = Linear(block.length, constant, (as_part(guard),))
    note = Note(f"{block.name}_guard", "binaries", "z = g", block.body.span)
    return _tied(editing, block, guards, block.body.index, Kind.BINARY, note), block.value


def _tied(
    editing: Editing, block: Implications, g: Linear, index: Index, kind: Kind, note: Note
) -> np.ndarray:
    """New columns z, int32, that equal g, or where several guards leave g below 0 are no less.

    note: of the columns' name and of the formula for z = g.
    """
    made_by = INDICATOR if kind is Kind.BINARY else SOS1
    columns = editing.add_variables(note.source, index, kind, note.span, made_by).astype(np.int32)
    matrix = append_columns(g.matrix(), columns, np.full(g.size, -1.0))
    sides = -g.constant
    lower = np.full(g.size, -np.inf) if block.conjuncts else sides
    editing.add_rows(Rows(note.source, index, matrix, lower, sides, note.span, made_by=made_by))
    formula = "z >= g" if block.conjuncts else note.formula
    editing.notes.append(replace(note, formula=formula, detail=f"{g.size} rows"))
    return columns


# --------------------------------------------------------------------------- special ordered sets


SOS1 = "sos1"
Slacks = tuple[np.ndarray, np.ndarray]
"""Rows, ascending, and the column that each of them has got: int64 (slacks,)."""


def as_special_sets(editing: Editing, block: Implications) -> SpecialSets:
    """l <= a x <= u where g = v, by l <= a x - over + under <= u and special ordered sets (Beale
    and Tomlin 1970): of {literal, over, under}, one at most is not 0.

    `literal` is 1 where the row must hold (g for v = 1, 1 - g for v = 0), so both slacks are 0
    there; where it is 0, one of them takes what a x has beyond its bound. No big-M is needed; where
    the bounds prove one, it bounds the slack. Adds the rows, the slacks and the literals; one set
    for each row that has a bound.
    """
    body = block.body
    low, high = editing.interval(body.matrix, np.zeros(block.length))
    stated = np.flatnonzero(np.isfinite(body.lower) | np.isfinite(body.upper))
    literals = _literals(editing, block)
    over = _slacks(editing, body, "over", body.upper, high, 1.0)
    under = _slacks(editing, body, "under", body.lower, low, -1.0)
    matrix = add_triplets(body.matrix, *over, np.full(len(over[0]), -1.0))
    matrix = add_triplets(matrix, *under, np.ones(len(under[0])))
    index, matrix = body.index.take(stated), take_rows(matrix, stated)
    ends = body.lower[stated], body.upper[stated]
    editing.add_rows(Rows(body.name, index, matrix, *ends, body.span, made_by=SOS1))
    set_of = np.concatenate([stated, over[0], under[0]])
    order = np.argsort(set_of, kind="stable")
    members = np.concatenate([literals[stated], over[1], under[1]])[order].astype(np.int32)
    offsets = np.searchsorted(set_of[order], np.append(stated, block.length))
    _tell(editing, block, len(stated), len(members) - len(stated))
    return SpecialSets(body.name, index, offsets, members, body.span, SOS1)


def _slacks(
    editing: Editing, body: Rows, name: str, ends: np.ndarray, reach: np.ndarray, side: float
) -> Slacks:
    """Columns for the rows that have that end, which take by how much a x, up to `reach`, exceeds
    it."""
    rows = np.flatnonzero(np.isfinite(ends))
    if not len(rows):
        return rows, rows
    upper = np.maximum(side * (reach[rows] - ends[rows]), 0.0)
    upper[~(upper < INFINITE)] = np.inf
    index, name = body.index.take(rows), f"{body.name}_{name}"
    kind = Kind.CONTINUOUS
    return rows, editing.add_variables(name, index, kind, body.span, SOS1, 0.0, upper)


def _literals(editing: Editing, block: Implications) -> np.ndarray:
    """A column for each row, int64 (rows,), that is 1 where the row must hold and else 0.

    The guard itself where it is one column; else a new one, equal to the guard or to 1 less it.
    """
    holds = _holds(block)
    wanted = holds.matrix()
    single = np.diff(wanted.indptr) == 1
    single[single] = wanted.data[wanted.indptr[:-1][single]] == 1
    single &= holds.constant == 0
    columns = np.zeros(block.length, np.int64)
    columns[single] = wanted.indices[wanted.indptr[:-1][single]]
    new = np.flatnonzero(~single)
    if len(new):  # continuous, since they are affine in binaries
        index, kind = block.body.index.take(new), Kind.CONTINUOUS
        note = Note(f"{block.name}_on", "literals", "z = g or 1 - g", block.body.span)
        columns[new] = _tied(editing, block, holds.spread(new), index, kind, note)
    return columns


def _tell(editing: Editing, block: Implications, sets: int, slacks: int) -> None:
    formula = f"{'g' if (block.value == 1).all() else '1 - g'} or slack is 0"
    detail = f"{sets} sets, {slacks} slacks"
    name, span = block.name, block.body.span
    editing.notes.append(Note(name, "special ordered sets", formula, span, detail))
