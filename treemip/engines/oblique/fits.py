"""Which specs the engine for oblique trees proves a bound for: a closed list.

A bound holds for every spec whose objective is a sum over points and whose branches keep the gap:
side constraints can only make trees worse. So they are no obstacle here; a tree counts only once
the whole model as stated takes it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.engines.oblique.problem import ObliqueProblem, problem_of
from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.search.agreement import agrees
from treemip.search.complete import never, unsplit_left
from treemip.search.sums import Sums

LEAST_GAP = 1e-4
"""Below it, the tolerances of the linear programs count against the gap itself."""

FORMULATIONS = {
    "soct": (
        "eps",
        "active reach label hit coef bias",
        "one_leaf flow one_label hit_reach hit_label no_split unit_norm go_left go_right",
    ),
    "octh": (
        "mu",
        "coef size uses bias active reach occupied label loss",
        "loss_low one_label one_leaf open_leaf unit_norm size_above size_below go_left go_right",
    ),
}
"""The parameter that is the gap, the variables and the rows that a proof rests on."""


def oblique_problem(
    instance: Instance, sums: Sums, x: np.ndarray, late: Callable[[], bool] = never
) -> ObliqueProblem:
    """x float64 (M, p) are the points of `sums`. Raises Refusal, whose text completes "there is no
    engine for this spec: ..."."""
    spec, topology = instance.spec, instance.topology
    if spec.split != "oblique" or spec.formulation not in FORMULATIONS:
        raise Refusal(f"it takes oblique splits by {' or '.join(FORMULATIONS)}")
    if topology is None or topology.families != 1 or topology.is_leaf[0]:
        raise Refusal("it takes one tree with a branch at least")
    if instance.table.categorical or x.shape[1] != instance.table.x.shape[1]:
        raise Refusal("splits may tell categories apart")
    if "bias" in sums.families or "coef" in sums.families:
        raise Refusal("it depends on where hyperplanes are")
    gap, variables, rows = FORMULATIONS[spec.formulation]
    own = {c.name for c in spec.constraints if c.module == spec.formulation}
    known = {v.name for v in spec.variables if v.module == spec.formulation}
    if not own >= set(rows.split()) or known != set(variables.split()):
        raise Refusal(f"the constraints of '{spec.formulation}' are not those of the library")
    width = float(instance.values[gap].values.ravel()[0])
    if not LEAST_GAP <= width <= 1:
        raise Refusal(f"'{gap}' is not between {LEAST_GAP} and 1")
    if x.min() < 0 or x.max() > 1:
        raise Refusal("features are not in [0, 1]")
    problem = problem_of(sums, topology, x, width)
    if not agrees(instance, sums, x, unsplit_left(instance), late=late):
        raise Refusal("its value on random trees is not the sum of what their points add")
    return problem
