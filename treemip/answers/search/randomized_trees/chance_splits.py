"""The variables behind a route with probabilities, by the splits that they are to give.

A branch sends points left with probability logistic(weights x - threshold). Its weights are
multiples of its coefficients, as its threshold is of its intercept: how great, is read off the
route itself at a few values of coef and bias.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL, LEAST_DIVISOR
from treemip.core.tree.meaning import split_variables
from treemip.core.tree.readout import chance_splits
from treemip.core.tree.tree_map import TreeMap

STEEPEST = 1000.0
"""Root mean square of the arguments of a branch's logistic function where no bound limits them."""


class ChanceSplits:
    """Raises NoSums where coef and bias do not settle the splits one by one."""

    def __init__(self, instance: Instance, stated: Model) -> None:
        topology = instance.nodes
        self.instance = instance
        self.columns = TreeMap.of(instance)
        self.cells = self.columns.coef, self.columns.bias
        self.shape = topology.size, instance.table.inputs.shape[1]
        own = slice(self.columns.count)
        self.lower, self.upper = stated.lower[own], stated.upper[own]
        none, one = np.zeros(self.shape), np.ones(self.shape)
        weights, threshold = self._read(none, none[:, 0])
        self.base = weights, threshold
        self.rate = self._read(one, none[:, 0])[0] - weights, self._read(none, one[:, 0])[1]
        self.rate[1][:] -= threshold
        self._require_single()

    def _read(self, coef: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (nodes, p) and thresholds (nodes,) of these values of the concepts."""
        values = self.by_name(self._columns(coef, bias))
        if not split_variables(self.instance.spec) <= values.keys():
            raise NoSums("its splits are not settled by 'coef' and 'bias'")
        return chance_splits(self.instance, values)

    def _require_single(self) -> None:
        """That each weight and threshold is a multiple of one coefficient or intercept."""
        rng = np.random.default_rng(0)
        coef, bias = rng.uniform(-1, 1, self.shape), rng.uniform(-1, 1, self.shape[0])
        read = self._read(coef, bias)
        for on_route, concept, rate, base in zip(
            read, (coef, bias), self.rate, self.base, strict=True
        ):
            if not np.allclose(on_route, base + rate * concept, rtol=EQUAL, atol=EQUAL):
                raise NoSums("a split depends on more than its own 'coef' and 'bias'")
        for cells, rate in zip(self.cells, self.rate, strict=True):
            if not rate[cells.at].all():
                raise NoSums("a split does not depend on its 'coef' or 'bias'")

    def solved(self, weights: np.ndarray, threshold: np.ndarray) -> np.ndarray:
        """The columns of the spec's variables that give these splits, nan for all others."""
        with np.errstate(divide="ignore", invalid="ignore"):
            pairs = zip((weights, threshold), self.base, self.rate, strict=True)
            coef, bias = ((wanted - base) / rate for wanted, base, rate in pairs)
        return self._columns(coef, bias)

    def _columns(self, coef: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return self.columns.solved(zip(self.cells, (coef, bias), strict=True))

    def by_name(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """The same by variable."""
        return self.columns.by_name(columns)

    def greatest(self, weights: np.ndarray, threshold: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The greatest multiplier of each branch's weights and threshold within the bounds of the
        variables, float64 (nodes,); where there are none, within STEEPEST at the points x."""
        none = self.solved(np.zeros(self.shape), np.zeros(self.shape[0]))
        slope = self.solved(weights, threshold) - none
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(slope > 0, self.upper - none, self.lower - none) / slope
        room = np.where(slope == 0, np.inf, room)
        spread = np.sqrt(((x @ weights.T - threshold) ** 2).mean(axis=0))
        most = STEEPEST / np.maximum(spread, LEAST_DIVISOR)
        for cells in self.cells:
            np.minimum.at(most, cells.at[0], room[cells.column])
        return np.maximum(most, 0.0)
