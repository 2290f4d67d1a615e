"""An objective over very many columns: its coefficients are made when they are asked for.

What a solution is worth is known without them. Whoever needs the coefficients, as a solver or a
file does, has the model lowered; so they are hardly ever made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from treemip.core.model.blocks import Quadratic, SparseRows
from treemip.core.model.model import Objective


class ObjectiveOnDemand(Objective):
    """alike: its like over few points. make: the whole objective. worth: its value at values of the
    variables by name."""

    def __init__(
        self,
        alike: Objective,
        make: Callable[[], Objective],
        worth: Callable[[dict[str, np.ndarray]], float],
    ) -> None:
        known = {"sense": alike.sense, "name": alike.name, "span": alike.span}
        self.__dict__.update(known, _alike=alike, make=make, worth=worth)

    _alike: Objective
    make: Callable[[], Objective]
    worth: Callable[[dict[str, np.ndarray]], float]

    @property
    def alike(self) -> Objective:
        return self._alike

    @cached_property
    def whole(self) -> Objective:
        return self.make()

    @property
    def constant(self) -> float:
        return self.whole.constant

    @property
    def linear(self) -> np.ndarray:
        return self.whole.linear

    @property
    def quadratic(self) -> Quadratic:
        return self.whole.quadratic

    @property
    def slots(self) -> SparseRows | None:
        return self.whole.slots
