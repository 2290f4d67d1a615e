"""Local solutions near points that a search has found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.answer import Limits
from treemip.model.blocks import Kind, Variables
from treemip.model.model import Model
from treemip.model.tolerances import COMPLETE
from treemip.solvers.ipopt.solve import Ipopt
from treemip.solving.optional import is_installed
from treemip.source.diagnostic import TreemipError


class Polish:
    """Ipopt from points that are nearly solutions. stopped: the user has ended a run."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.stopped = model, False
        self.limits = Limits(feasibility=COMPLETE, seed=seed)
        self.able = is_installed("casadi")
        self._ipopt: Ipopt | None = None

    def __call__(self, start: np.ndarray, seconds: float) -> np.ndarray | None:
        """The local solution near a start, nan where unknown; integers stay as they are there.

        None where there is none, no time, or a model that Ipopt does not take.
        """
        if not self.able or seconds <= 0:
            return None
        try:
            ipopt = self._built(start)
        except TreemipError:
            self.able = False
            return None
        answer = ipopt.solve([ipopt.point(0, start)], near=1, seconds=seconds)
        self.stopped |= answer.status == "interrupted"
        return answer.values

    def _built(self, start: np.ndarray) -> Ipopt:
        """Ipopt of the model; a new one for each start where integers are fixed to its values."""
        if self.model.integer.any():
            blocks = tuple(_fixed(block, start) for block in self.model.variables)
            return Ipopt(replace(self.model, variables=blocks), self.limits)
        if self._ipopt is None:
            self._ipopt = Ipopt(self.model, self.limits)
        return self._ipopt


def _fixed(block: Variables, start: np.ndarray) -> Variables:
    if block.kind is Kind.CONTINUOUS:
        return block
    own = start[block.start : block.stop]
    return replace(block, lower=own, upper=own, kind=Kind.CONTINUOUS)
