"""How few features a tree uses: the indices of Amaldi, Consolo and Manno (2023, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.tree.tree import Tree


@dataclass(frozen=True)
class Sparsity:
    """In percent: of the features, those that a branch does not use, averaged over the branches
    (`local`, the paper's delta^L), and those that no branch uses (`everywhere`, delta^G)."""

    local: float
    everywhere: float

    def to_json(self) -> dict[str, float]:
        return {"local": self.local, "global": self.everywhere}


def sparsity(tree: Tree) -> Sparsity:
    """Of a tree's weights; a feature is used where its weight is not 0."""
    unused = tree.weights[tree.topology.branches] == 0
    return Sparsity(100.0 * float(unused.mean()), 100.0 * float(np.all(unused, axis=0).mean()))
