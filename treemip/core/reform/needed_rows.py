"""Which way a spec's objective and own rows push variables, and which rows come in because of that.

`uses` may be 1 for a coefficient of 0: as long as nothing asks for it, that is never better, and
the rows that forbid it are left out (`drop … unless uses rises`). A formulation's own rows do not
count: they are what defines the variable.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.model.blocks import NO_QUADRATIC, Function, Functions, Rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import interval
from treemip.core.model.tape import Affine
from treemip.core.reform.monotonicity import Monotonicity
from treemip.core.resolve.spec import Press, Spec


def pressed(model: Model, spec: Spec) -> frozenset[Press]:
    """Those of `spec.watched` that hold in the model as lowered, before functions are rewritten.

    "rises": something would get harder, or worse, if a variable of the family fell. What the
    variables' bounds ensure anyway does not count.
    """
    blocks = {block.name: block for block in model.variables}
    watched = [(blocks[name], name, way) for name, way in spec.watched if name in blocks]
    if not watched:
        return frozenset()
    polarity = _polarity(model, _blocks(spec))
    held = set()
    for block, name, way in watched:
        may = polarity.can_fall if way == "rises" else polarity.can_rise
        if not may[block.start : block.stop].all():
            held.add((name, way))
    return frozenset(held)


def counted(spec: Spec) -> frozenset[str]:
    """Names of the constraints that are the spec's own, or came in because of them."""
    return spec.own_names | spec.called_back


def _blocks(spec: Spec) -> set[str]:
    """Names of their row blocks."""
    names = counted(spec)
    return {name + side for name in names for side in ("", "_first", "_second")}


def _polarity(model: Model, names: set[str]) -> Monotonicity:
    own = model.with_(
        rows=tuple(r for r in model.rows if r.name in names),
        implications=tuple(i for i in model.implications if i.name in names),
    )
    polarity = Monotonicity(model.column_count)
    for rows in own.rows:
        polarity.rows(_not_implied(rows, model))
    for implications in own.implications:
        polarity.rows(implications.body)
        polarity.guards(implications)
    polarity.objective(model.objective)
    if model.tape.steps:
        polarity.tape(own)
    for block in reversed(model.functions):
        _arguments(polarity, block, model)
    return polarity


def _arguments(polarity: Monotonicity, block: Functions, model: Model) -> None:
    """What the uses of a function ask of its arguments; nothing if its result is not used."""
    used = ~(polarity.can_fall & polarity.can_rise)[block.result + block.owner]
    q = block.quadratic
    if q.count:
        polarity.fixed(np.concatenate([q.first, q.second])[np.tile(used[q.row], 2)])
    if block.slots is not None and used[block.slots.row_of].any():
        for step in model.tape.steps:
            if isinstance(step, Affine):
                polarity.fixed(step.columns.indices)
    if block.function in (Function.MAX, Function.MIN):
        polarity.arguments(replace(block, quadratic=NO_QUADRATIC))
        polarity.fixed(_without_range(polarity, block, model))
    else:
        polarity.fixed(block.arguments.indices[used[block.arguments.row_of]])


def _without_range(polarity: Monotonicity, block: Functions, model: Model) -> np.ndarray:
    """Unbounded columns in the arguments of results that have to be attained, int32.

    Inequalities do not state such a result. The binaries that do need the range of each argument,
    which may be that of rows left out.
    """
    held = polarity.can_rise if block.function is Function.MIN else polarity.can_fall
    attained = ~held[block.result + block.owner]
    q, rows = block.quadratic, block.arguments
    ids = np.concatenate(
        [
            rows.indices[attained[rows.row_of]],
            *([q.first[attained[q.row]], q.second[attained[q.row]]] if q.count else []),
        ]
    )
    return ids[~(np.isfinite(model.lower[ids]) & np.isfinite(model.upper[ids]))]


def _not_implied(rows: Rows, model: Model) -> Rows:
    """Rows without the sides that the variables' bounds imply: `uses = 0` asks for no more than
    `uses <= 0`."""
    if not rows.is_affine:
        return rows
    low, high = interval(rows.matrix, np.zeros(rows.length), model.lower, model.upper)
    lower = np.where(low >= rows.lower, -np.inf, rows.lower)
    return replace(rows, lower=lower, upper=np.where(high <= rows.upper, np.inf, rows.upper))
