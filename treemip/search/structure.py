"""What splits themselves add to the sums: features used, branches applied, leaves occupied."""

from __future__ import annotations

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.trees import Forest
from treemip.search.candidate import Candidate
from treemip.search.sums import Sums

UNKNOWN = -1


@dataclass(frozen=True)
class Shape:
    """Which features each branch uses, bool (nodes, p), and how many points each leaf has, (L,)."""

    uses: np.ndarray
    in_leaf: np.ndarray


class Structure:
    """Prices and limits on splits and leaves, by the columns of `Sums.families`."""

    def __init__(self, sums: Sums, topology: Forest, features: int, inputs: int) -> None:
        """features: columns of x; inputs: those and the categories of kept columns behind them."""
        self.sums, self.features = sums, features
        nodes = topology.size
        self.leaf_number = np.full(nodes, UNKNOWN)
        self.leaf_number[topology.leaves] = np.arange(len(topology.leaves))
        self.size = len(sums.structure)
        self.uses = self._columns("uses", (nodes, inputs))
        self.coef = self._columns("coef", (nodes, inputs))
        self.bias = self._columns("bias", (nodes,))
        self.active = self._columns("active", (nodes,))
        self.anywhere = self._columns("uses_anywhere", (inputs,))
        self.occupied = self._columns("occupied", (nodes,))[topology.leaves]
        self.matters = any(
            (table >= 0).any() for table in (self.uses, self.active, self.anywhere, self.occupied)
        )
        self.by_leaf = bool((self.occupied >= 0).any())
        self.by_feature = any((table >= 0).any() for table in (self.uses, self.anywhere))

    def _columns(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """The column of each index, UNKNOWN where the family has none."""
        table = np.full(shape, UNKNOWN)
        family = self.sums.families.get(name)
        if family is not None:
            table[family.indices] = family.start + np.arange(family.length)
        return table

    def columns(self, uses: np.ndarray, in_leaf: np.ndarray) -> np.ndarray:
        """The values of all structure columns, float64; uses bool (nodes, p), in_leaf (L,).

        Weights are 1 where they are used, as those of univariate splits are.
        """
        found = np.zeros(self.size)
        _mark(found, self.uses, uses)
        _mark(found, self.coef, uses)
        _mark(found, self.active, np.asarray(uses.any(axis=1)))
        _mark(found, self.anywhere, np.asarray(uses.any(axis=0)))
        _mark(found, self.occupied, in_leaf > 0)
        return found

    def of(self, tree: Candidate, in_leaf: np.ndarray) -> tuple[np.ndarray, float]:
        """What a tree's splits and leaves add to the sums (R,), and how far they break limits."""
        columns = self.columns(tree.weights != 0, in_leaf)
        for table, numbers in ((self.coef, tree.weights), (self.bias, tree.threshold)):
            columns[table[table >= 0]] = numbers[table >= 0]
        return columns @ self.sums.structure, self.sums.broken_limits(columns)

    def of_supports(
        self, tree: Candidate, node: int, in_leaf: np.ndarray, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for each support that a branch might have, bool (supports, p).

        float64 (supports, R) and (supports,). Leaves count as they are now.
        """
        uses = tree.weights != 0
        added, broken = [], []
        for support in supports:
            uses[node] = support
            columns = self.columns(uses, in_leaf)
            added.append(columns @ self.sums.structure)
            broken.append(self.sums.broken_limits(columns))
        return np.array(added).reshape(-1, self.sums.rows), np.array(broken)


def _mark(values: np.ndarray, table: np.ndarray, holds: np.ndarray) -> None:
    at = table[holds & (table >= 0)]
    values[at] = 1.0
