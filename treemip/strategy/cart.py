"""A start from scikit-learn's CART: its routing and labels fixed, the rest left to the solver."""

from __future__ import annotations

import numpy as np

from treemip.emit.optional import needed
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.strategy.fixed import fix_tree


def cart_routes(instance: Instance) -> tuple[np.ndarray, dict[int, int]]:
    """CART grown into the topology: each point's last node, int64 (N,), and those nodes' classes.

    A node where CART stops early, or where the topology ends, is where its points end.
    Raises E602 without scikit-learn, E205 without a topology or data.
    """
    if instance.topology is None or instance.data is None:
        raise TreemipError(
            Diagnostic.outside("E205", "a CART start needs a tree and data", "leave it out")
        )
    sklearn = needed("sklearn.tree", "cart")
    topology, table = instance.topology, instance.table
    depth = int(topology.depth.max())
    cart = sklearn.DecisionTreeClassifier(max_depth=depth, random_state=0)
    # a category against all others is a split of both
    inputs = table.inputs if instance.splits_by_category else table.x
    grown = cart.fit(inputs, table.y, sample_weight=table.weight).tree_
    x = inputs.astype(np.float32)
    ends = np.zeros(len(x), np.int64)
    classes: dict[int, int] = {}

    def place(node: int, own: int, rows: np.ndarray) -> None:
        if grown.children_left[own] < 0 or topology.is_leaf[node]:
            ends[rows] = node
            counts = np.bincount(table.y[rows], table.weight[rows], len(table.classes))
            classes[node] = int(counts.argmax())
            return
        left = x[rows, grown.feature[own]] <= grown.threshold[own]
        place(int(topology.left[node]), int(grown.children_left[own]), rows[left])
        place(int(topology.right[node]), int(grown.children_right[own]), rows[~left])

    place(0, 0, np.arange(len(x)))
    return ends, classes


def fixed_model(instance: Instance, model: Model) -> Model:
    """The model with rows added that fix CART's routing and labels.

    Where CART ends at a branch, its points stay under that branch and no leaf below it gets
    another class; which of them a point takes is left open. Raises what `cart_routes` and
    `fix_tree` raise.
    """
    return fix_tree(instance, model, *cart_routes(instance))
