"""The objective of a model whose rows are made on demand, if many points are alike to it.

Lowered over all points it may have several products for each of them. So at first it is lowered
over one or two points of each kind only, which finds what is wrong with it, and a solution is
evaluated over one point of each kind of points that are alike there.
"""

from __future__ import annotations

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import alike_points
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import bounds_of, objective_of
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.telling_points import TellingPoints, evaluator_at
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Objective
from treemip.core.model.objective_on_demand import ObjectiveOnDemand
from treemip.core.resolve.sorts import Degree


def of_alike_points(instance: Instance, telling: TellingPoints) -> ObjectiveOnDemand | None:
    """None if it may depend on more of the points than a few of them show. Raises TreemipError as
    `objective_of` does."""
    stated = instance.spec.objective
    if stated is None or stated.value.degree > Degree.QUADRATIC:
        return None
    nothing = np.zeros(len(instance.table.y), np.int64)
    alike = alike_points(instance, [stated.value], (), solved=lambda _: nothing)
    if alike is None:
        return None
    first = _lowered(alike.instance)
    return ObjectiveOnDemand(
        first,
        lambda: _lowered(instance),
        lambda values: _worth(instance, telling, values),
    )


def _lowered(instance: Instance) -> Objective:
    building = ModelBuilder(instance)
    evaluator = Evaluator(instance, ModelColumns(building))
    for symbol in instance.spec.variables:
        frame = evaluator.places.domain_frame(symbol)
        lower, upper = bounds_of(symbol, frame, evaluator)
        index = building.index(symbol.domain.names, symbol.domain.sorts, frame)
        start = building.add_variables(
            symbol.name, index, lower, upper, Kind(symbol.kind), symbol.span
        )
        building.starts[symbol.name] = start
    return objective_of(instance, evaluator)


def _worth(instance: Instance, telling: TellingPoints, values: dict[str, np.ndarray]) -> float:
    """The objective at values of the variables."""
    stated = instance.spec.objective
    assert stated is not None
    value = stated.value

    def worth() -> np.ndarray:
        evaluator = evaluator_at(instance, values, [value], telling=telling)
        return np.asarray(evaluator.known(value, Frame.empty()), float)

    telling.at(values)
    return float(telling.once("objective", worth)[0])
