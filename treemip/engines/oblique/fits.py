"""Which specs the engine for oblique trees proves a bound for: a closed list.

The rows that a proof rests on are read from the stated model; a formulation's name alone proves
nothing. A bound holds for every spec whose objective is a sum over points and whose branches keep
the gap: side constraints can only make trees worse. So they are no obstacle here; a tree counts
only once the whole model as stated takes it.
"""

from __future__ import annotations

import numpy as np

from treemip.engines.oblique.hyperplanes import gap_of
from treemip.engines.oblique.losses import demand_losses
from treemip.engines.oblique.problem import ObliqueProblem, problem_of
from treemip.engines.oblique.stated import Stated
from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.sums import Sums

LEAST_GAP = 1e-4
"""Below it, the tolerances of the linear programs count against the gap itself."""

FORMULATIONS = ("soct", "octh")


def oblique_problem(
    instance: Instance, model: Model, sums: Sums, x: np.ndarray, of_point: np.ndarray
) -> ObliqueProblem:
    """model: as stated. x float64 (M, p) are the points of `sums`, of_point int64 (N,) which of
    them each point of the table is.

    Raises Refusal, whose text completes "there is no engine for this spec: ...".
    """
    spec, topology = instance.spec, instance.topology
    if spec.split != "oblique" or spec.formulation not in FORMULATIONS:
        raise Refusal(f"it takes oblique splits by {' or '.join(FORMULATIONS)}")
    if topology is None or topology.families != 1 or topology.is_leaf[0]:
        raise Refusal("it takes one tree with a branch at least")
    if instance.table.categorical or x.shape[1] != instance.table.x.shape[1]:
        raise Refusal("splits may tell categories apart")
    if "bias" in sums.families or "coef" in sums.families:
        raise Refusal("it depends on where hyperplanes are")
    if x.min() < 0 or x.max() > 1:
        raise Refusal("features are not in [0, 1]")
    stated = Stated(instance, model)
    problem = problem_of(sums, topology, x, _gap(stated))
    demand_losses(stated, problem, of_point)
    return problem


def _gap(stated: Stated) -> float:
    gap = gap_of(stated)
    if not LEAST_GAP <= gap <= 1:
        raise Refusal(f"the gap at a branch, {gap:.3g}, is not between {LEAST_GAP} and 1")
    return gap
