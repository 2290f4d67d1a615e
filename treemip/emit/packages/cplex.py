"""A model as a `cplex.Cplex`: rows and columns by `copylp`, which takes the whole matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.flat import CutsAs
from treemip.emit.optional import needed
from treemip.emit.packages.live import Live, live
from treemip.emit.profiles import EVERYTHING
from treemip.model.blocks import Quadratic
from treemip.model.model import Model

if TYPE_CHECKING:
    import cplex
    from scipy.sparse import csc_array

INFINITE = 1e20
"""What CPLEX writes for infinity."""


def to_cplex(
    model: Model,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> cplex.Cplex:
    """The model in a quiet `cplex.Cplex`, named as in files: `go_left(12,3)`.

    Columns are in the model's order. A row with two limits is one with a range, of which CPLEX
    computes the upper limit as lower plus range. Branching priorities of the strategy are in it.
    `cuts`, `start` and what is raised: see `treemip.emit.packages.live`; E602 without cplex.
    """
    said = live(model, "CPLEX", EVERYTHING, cuts, start)
    made = needed("cplex", "cplex").Cplex()
    for stream in ("log", "results", "warning", "error"):
        getattr(made, f"set_{stream}_stream")(None)
    _copy(made, said)
    made.set_problem_name(model.name)
    if said.arrays.integer.any():
        made.variables.set_types(list(enumerate(said.kinds.tolist())))
    made.objective.set_name(model.objective.name)
    made.objective.set_offset(model.objective.constant)
    if model.objective.quadratic.count:
        made.objective.set_quadratic(_symmetric(model.objective.quadratic, said.arrays.columns))
    for r, sense, limit in said.sided(said.curved):
        triple = [part.tolist() for part in said.products(r)]
        made.quadratic_constraints.add([*said.entries(r)], triple, sense, limit, said.rows[r])
    _cuts(made, said, cuts)
    _indicators(made, said)
    for name, each in zip(said.set_names.tolist(), said.sets.each(), strict=True):
        made.SOS.add(type=made.SOS.type.SOS1, SOS=[*each], name=name)
    _search(made, said)
    return made


def _copy(made: cplex.Cplex, said: Live) -> None:
    arrays, kept = said.arrays, said.plain
    lower, upper = arrays.row_lower[kept], arrays.row_upper[kept]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    senses = np.select([equal, below & above, below], ["E", "R", "G"], "L")
    matrix = said.matrix[kept].tocsc()
    if len(kept) and not matrix.nnz:
        matrix = _one_zero(*matrix.shape)
    maximize = said.model.objective.sense == "maximize"
    sense = made.objective.sense
    made.copylp(
        numcols=arrays.columns,
        numrows=len(kept),
        objsense=sense.maximize if maximize else sense.minimize,
        obj=arrays.costs.tolist(),
        rhs=np.where(below, lower, upper).tolist(),
        senses="".join(senses.tolist()),
        matbeg=matrix.indptr[:-1].tolist(),
        matcnt=np.diff(matrix.indptr).tolist(),
        matind=matrix.indices.tolist(),
        matval=matrix.data.tolist(),
        lb=np.maximum(arrays.lower, -INFINITE).tolist(),
        ub=np.minimum(arrays.upper, INFINITE).tolist(),
        range_values=np.where(below & above, upper - lower, 0.0).tolist(),
        colnames=said.columns.tolist(),
        rownames=said.rows[kept].tolist(),
    )


def _one_zero(rows: int, columns: int) -> csc_array:
    """A matrix with a stored zero: copylp refuses rows and columns without any entry."""
    from scipy.sparse import csc_array

    indptr = np.ones(columns + 1, np.int32)
    indptr[0] = 0
    return csc_array((np.zeros(1), np.zeros(1, np.int32), indptr), shape=(rows, columns))


def _symmetric(form: Quadratic, columns: int) -> list[list[list[Any]]]:
    """Rows of Q in 1/2 x'Qx, indices and values."""
    from scipy.sparse import coo_array

    half = coo_array((form.coef, (form.first, form.second)), shape=(columns, columns))
    full = (half + half.T).tocsr()
    indices = np.split(full.indices, full.indptr[1:-1])
    values = np.split(full.data, full.indptr[1:-1])
    return [[i.tolist(), v.tolist()] for i, v in zip(indices, values, strict=True)]


def _cuts(made: cplex.Cplex, said: Live, cuts: CutsAs) -> None:
    if not len(said.aside):
        return
    rows, senses, limits = zip(*said.sided(said.aside), strict=True)
    advanced = made.linear_constraints.advanced
    add = advanced.add_lazy_constraints if cuts == "lazy" else advanced.add_user_cuts
    add([[*said.entries(r)] for r in rows], "".join(senses), limits, said.rows[said.aside].tolist())


def _indicators(made: cplex.Cplex, said: Live) -> None:
    if not len(said.guarded):
        return
    rows, senses, limits = zip(*said.sided(said.guarded), strict=True)
    made.indicator_constraints.add_batch(
        lin_expr=[[*said.entries(r)] for r in rows],
        sense="".join(senses),
        rhs=limits,
        indvar=said.flat.guards.tolist(),
        complemented=[int(value == 0) for value in said.flat.values],
        name=said.rows[said.guarded].tolist(),
    )


def _search(made: cplex.Cplex, said: Live) -> None:
    """What only helps a search: a start and priorities."""
    if said.start is not None:
        level = made.MIP_starts.effort_level.solve_MIP
        made.MIP_starts.add([list(range(len(said.start))), said.start.tolist()], level, "start")
    either = made.order.branch_direction.default
    blocks = [block for block in said.model.variables if block.priority is not None]
    orders = chain.from_iterable(
        zip(range(b.start, b.stop), b.priority.tolist(), [either] * b.length, strict=True)
        for b in blocks
        if b.priority is not None
    )
    if blocks and said.arrays.integer.any():
        made.order.set(list(orders))
