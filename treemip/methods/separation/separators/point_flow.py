"""Cuts through the flow networks of points: Benders' decomposition of FlowOCT.

Aghaei, Gómez and Vayanos (2021): what arrives of a point's flow is at most the capacity of each cut
between source and sink. The cut of least capacity of every point is found at once
(`separation/flows.py`), at fractional solutions as at integral ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.separated import FlowCuts
from treemip.core.model.blocks import Quadratic, Variables
from treemip.core.model.model import Model
from treemip.core.model.tolerances import FEASIBILITY, SEPARATED
from treemip.methods.separation.flows import KEEP, Networks
from treemip.methods.separation.separator import Find, Job, Parameter, Separator, Unfit, Values

TOLERANCE = SEPARATED * FEASIBILITY


def _prepare(job: Job) -> Find:
    networks = Networks(job.instance, job.stated)
    most = int(job.number("most"))
    only_integral = job.settings["solutions"] == "integral"

    def find(values: Values, integral: bool) -> FlowCuts | None:
        if only_integral and not integral:
            return None
        x = np.concatenate([values[block.name] for block in job.stated.variables])
        capacities = networks.capacities(x)
        maximum = networks.maximum(capacities)
        excess = networks.arriving(x) - maximum[:, networks.root]
        points = np.flatnonzero(excess > TOLERANCE)
        if len(points) > most:
            points = np.sort(points[np.argpartition(-excess[points], most)[:most]])
        return networks.minimum_cuts(capacities, maximum, points) if len(points) else None

    return find


@dataclass(frozen=True)
class LeftOutFlows:
    """The rows of the networks: see `LeftOut`. In their place, all that arrives of a point's flow
    leaves at the root, one column for each point; the other flows are 0."""

    networks: Networks
    names: frozenset[str]

    @classmethod
    def of(cls, job: Job) -> LeftOutFlows:
        """Raises Refusal where anything else depends on single flows."""
        networks = Networks(job.instance, job.stated)
        _demand_all(networks, job.rows)
        _demand_sums(networks, job.stated)
        return cls(networks, frozenset(job.rows))

    def reduced(self, model: Model) -> Model:
        lower, upper = model.lower, model.upper
        enter, leave = self.networks.columns
        upper[leave[:, self.networks.root]] = upper[enter[:, self.networks.root]]
        upper[enter] = 0.0
        upper[np.delete(leave, self.networks.root, axis=1)] = 0.0
        return model.with_(
            variables=_bounded(model.variables, lower, upper),
            rows=tuple(block for block in model.rows if block.name not in self.names),
        )

    def as_start(self, x: np.ndarray) -> np.ndarray:
        return self._arriving(x, self.networks.arriving(x))

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        most = self.networks.maximum(self.networks.capacities(x))[:, self.networks.root]
        return self._arriving(x, np.minimum(self.networks.arriving(x), most))

    def completed(self, x: np.ndarray) -> np.ndarray:
        return self.networks.routed(x)

    def _arriving(self, x: np.ndarray, flow: np.ndarray) -> np.ndarray:
        values = x.copy()
        values[self.networks.columns] = 0.0
        values[self.networks.columns[1][:, self.networks.root]] = flow
        return values


def _demand_all(networks: Networks, names: tuple[str, ...]) -> None:
    """Raises Unfit unless `names` are all families about single flows, and all can be read."""
    about = networks.about_flows
    name_all = f"name all rows of the flows:  separate {', '.join(about)} by point_flow;"
    for name in names:
        if name not in about:
            raise Unfit(f"the rows '{name}' are not about the points' flows", name_all)
    if networks.unreadable:
        why = (
            f"the rows '{networks.unreadable[0]}' do more than conserve flow or limit it from above"
        )
        raise Unfit(why, KEEP)
    for name in about:
        if name not in names:
            raise Unfit(f"the rows '{name}' are about the points' flows as well", name_all)


def _demand_sums(networks: Networks, model: Model) -> None:
    """Raises Refusal where anything but rows mentions flows in another way than by all that
    arrives of a point's."""
    objective = model.objective
    costs = np.zeros(model.column_count)
    costs[: len(objective.linear)] = objective.linear
    enter, leave = costs[networks.columns]
    uneven = enter.any() or (leave != leave[:, :1]).any()
    if uneven or objective.slots is not None or _multiplies(networks, objective.quadratic):
        raise Refusal("the objective depends on single flows")
    for block in model.rows:
        if block.slots is not None or _multiplies(networks, block.quadratic):
            raise _depends(block.name)
    for implied in model.implications:
        if networks.single(implied.body.matrix).any() or networks.single(implied.guard).any():
            raise _depends(implied.name)
    for function in model.functions:
        if not function.is_affine or networks.single(function.arguments).any():
            raise _depends(function.name)
    for special in model.special_sets:
        if (networks.place[special.members] >= 0).any():
            raise _depends(special.name)


def _multiplies(networks: Networks, products: Quadratic) -> bool:
    place = networks.place
    return bool((place[products.first] >= 0).any() or (place[products.second] >= 0).any())


def _depends(name: str) -> Refusal:
    return Refusal(f"'{name}' depends on single flows")


def _bounded(
    variables: tuple[Variables, ...], lower: np.ndarray, upper: np.ndarray
) -> tuple[Variables, ...]:
    """The blocks with other bounds, float64 (columns,)."""
    return tuple(
        replace(b, lower=lower[b.start : b.stop], upper=upper[b.start : b.stop]) for b in variables
    )


SEPARATOR = Separator(
    "point_flow",
    (
        Parameter("most", 1000, least=1),
        Parameter("solutions", "all", words=("all", "integral")),
    ),
    _prepare,
    KEEP,
    over="flow_cuts",
    leave_out=LeftOutFlows.of,
)
