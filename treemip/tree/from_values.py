"""From values to the tree that is handed out: read out, its wrong splits repaired, its leaves
labelled."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.tree.readout import readout, relabel
from treemip.tree.repair import astray, repair
from treemip.tree.tree import Tree


def tree_from_values(
    instance: Instance, values: dict[str, np.ndarray], end: np.ndarray | None
) -> tuple[Tree, list[int]]:
    """The tree of values by family, and the heap numbers of the splits that were repaired.

    end: int64 (N,), the node each point should pass; None where that is not known.
    """
    tree, x = relabel(instance, readout(instance, values)), instance.table.inputs
    if end is None or not astray(tree, x, end).any():
        return tree, []
    tree, repaired = repair(tree, x, end)
    return relabel(instance, tree), repaired
