"""A model as an `xpress.problem`: one call takes all of its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.flat import CutsAs
from treemip.emit.optional import needed
from treemip.emit.packages.live import Live, live
from treemip.emit.profiles import EVERYTHING
from treemip.model.model import Model

if TYPE_CHECKING:
    import xpress

INFINITE = 1e20
"""What Xpress writes for infinity."""


def to_xpress(
    model: Model,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> xpress.problem:
    """The model in a quiet `xpress.problem`, named as in files: `go_left(12,3)`.

    Columns are in the model's order. A row with two limits is one of type R, of which Xpress
    computes the lower limit as upper minus range. `cuts` are delayed rows or model cuts. `cuts`,
    `start` and what is raised: see `treemip.emit.packages.live`; E602 without xpress.
    """
    said = live(model, "Xpress", EVERYTHING, cuts, start)
    xp = needed("xpress", "xpress")
    made = xp.problem()
    made.setOutputEnabled(False)
    kept, place = _kept(said)
    _load(made, said, kept, place)
    made.addNames(xp.Namespaces.COLUMN, said.columns.tolist(), 0, len(said.columns) - 1)
    if len(kept):
        made.addNames(xp.Namespaces.ROW, said.rows[kept].tolist(), 0, len(kept) - 1)
    maximize = model.objective.sense == "maximize"
    made.chgObjSense(xp.ObjSense.MAXIMIZE if maximize else xp.ObjSense.MINIMIZE)
    # Column -1 is the objective's right side.
    made.chgObj([-1], [-model.objective.constant])
    if len(said.aside):
        separate = made.loadDelayedRows if cuts == "lazy" else made.loadModelCuts
        separate(place[said.aside])
    if len(said.guarded):
        complement = np.where(said.flat.values == 1, 1, -1)
        made.setIndicators(place[said.guarded], said.flat.guards, complement)
    if said.sets.count:
        _special_sets(xp, made, said)
    if said.start is not None:
        made.addMipSol(said.start, name="start")
    return made


def _kept(said: Live) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are passed, ascending, and the place of each row among them."""
    kept = np.sort(np.concatenate([said.plain, said.aside, said.curved, said.guarded]))
    place = np.full(said.arrays.rows, -1)
    place[kept] = np.arange(len(kept))
    return kept, place


def _load(made: xpress.problem, said: Live, kept: np.ndarray, place: np.ndarray) -> None:
    arrays, objective = said.arrays, said.model.objective.quadratic
    lower, upper = arrays.row_lower[kept], arrays.row_upper[kept]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    types = np.select([equal, below & above, below], ["E", "R", "G"], "L")
    matrix = said.matrix[kept].tocsc()
    integer = np.flatnonzero(arrays.integer)
    made.loadMIQCQP(
        probname=said.model.name,
        rowtype=types,
        rhs=np.where(above, upper, lower),
        rng=np.where(below & above, upper - lower, 0.0),
        objcoef=arrays.costs,
        start=matrix.indptr,
        rowind=matrix.indices,
        rowcoef=matrix.data,
        lb=np.maximum(arrays.lower, -INFINITE),
        ub=np.minimum(arrays.upper, INFINITE),
        # Xpress means 1/2 x'Qx in the objective, with both triangles of which one is given.
        objqcol1=objective.first,
        objqcol2=objective.second,
        objqcoef=objective.coef * np.where(objective.first == objective.second, 2.0, 1.0),
        **_row_products(said, place),
        coltype=said.kinds[integer],
        entind=integer,
    )


def _row_products(said: Live, place: np.ndarray) -> dict[str, Any]:
    """Xpress means x'Qx in rows, again with both triangles of which one is given."""
    form = said.arrays.quadratic
    there = place[form.row] >= 0
    first, second = form.first[there], form.second[there]
    rows, counts = np.unique(place[form.row[there]], return_counts=True)
    return {
        "qrowind": rows,
        "nrowqcoefs": counts,
        "rowqcol1": first,
        "rowqcol2": second,
        "rowqcoef": form.coef[there] * np.where(first == second, 1.0, 0.5),
    }


def _special_sets(xp: Any, made: xpress.problem, said: Live) -> None:
    sets = said.sets
    ones = ["1"] * sets.count
    made.addSets(ones, sets.offsets, sets.members, sets.weights.astype(float))
    made.addNames(xp.Namespaces.SET, said.set_names.tolist(), 0, sets.count - 1)
