"""The columns of a stated model that a proof for oblique trees is about.

What a proof rests on is read from the model that is solved, not trusted by name: `hyperplanes.py`
reads the gap and the norm, `losses.py` what each point adds to the objective.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.model.blocks import Kind, Rows, Variables
from treemip.model.model import Model
from treemip.search.split_columns import SplitColumns

NONE = -1


class Stated:
    """The columns of a stated model by what they stand for.

    coef int64 (nodes, p) and bias int64 (nodes,): columns, NONE for leaves. reach int64 (N, nodes):
    NONE where the model has no column for a node. label int64 (nodes, K).
    """

    def __init__(self, instance: Instance, model: Model) -> None:
        assert instance.topology is not None
        self.instance, self.model, self.topology = instance, model, instance.topology
        table = instance.table
        nodes, self.features = self.topology.size, table.inputs.shape[1]
        self.reach = self.table("reach", ("point", "node"), (len(table.y), nodes))
        self.label = self.table("label", ("node", "class"), (nodes, len(table.classes)))
        self.coef = np.full((nodes, self.features), NONE)
        self.bias = np.full(nodes, NONE)
        columns = SplitColumns.of(instance)
        starts = {block.name: block.start for block in model.variables}
        every = np.full(sum(columns.sizes.values()), NONE)
        for name, start in columns.starts.items():
            size = columns.sizes[name]
            every[start : start + size] = starts[name] + np.arange(size)
        for name, where in (("coef", self.coef), ("bias", self.bias)):
            at, column, rate, constant = columns.cells[name]
            if (rate != 1).any() or constant.any():
                raise Refusal(f"its {name} is no variable for each branch")
            where[at] = every[column]
        branches = self.topology.branches
        if (self.coef[branches] == NONE).any() or (self.bias[branches] == NONE).any():
            raise Refusal("its hyperplanes are no variables for each branch")
        leaves = self.topology.leaves
        if (self.reach[:, leaves] == NONE).any() or (self.label[leaves] == NONE).any():
            raise Refusal("its leaves have no variables for each point and class")

    def table(
        self, name: str, sorts: tuple[str, ...], shape: tuple[int, ...], binary: bool = True
    ) -> np.ndarray:
        """The columns of a variable by point, node or class, NONE where it has none."""
        block = self.variable(name)
        if block.index.sorts != sorts or (binary and block.kind is not Kind.BINARY):
            what = "binary" if binary else "variable"
            raise Refusal(f"its '{name}' is no {what} for each {' and '.join(sorts)}")
        found = np.full(shape, NONE)
        found[self.places(block)] = block.start + np.arange(block.length)
        return found

    def variable(self, name: str) -> Variables:
        try:
            return self.model.block(name)
        except KeyError:
            raise Refusal(f"it has no variable '{name}'") from None

    def places(self, block: Variables | Rows) -> tuple[np.ndarray, ...]:
        """The indices of a block's entries as positions of points, nodes, features and classes."""
        names = {
            "point": self.instance.table.row_numbers,
            "node": self.topology.heap,
            "feature": 1 + np.arange(self.features),
            "class": 1 + np.arange(len(self.instance.table.classes)),
        }
        return tuple(
            _positions(names[sort], labels)
            for sort, labels in zip(block.index.sorts, block.index.columns, strict=True)
        )

    @property
    def coef_width(self) -> int:
        return int(self.instance.table.inputs.shape[1])

    @cached_property
    def branch_of(self) -> np.ndarray:
        """The branch whose hyperplane a column belongs to, NONE for others."""
        owner = np.full(self.model.column_count, NONE)
        for node in self.topology.branches:
            owner[self.coef[node]] = owner[self.bias[node]] = node
        return owner

    @cached_property
    def feature_of(self) -> np.ndarray:
        """The feature of a coefficient's column, NONE for others."""
        found = np.full(self.model.column_count, NONE)
        branches = self.topology.branches
        found[self.coef[branches]] = np.arange(self.features)
        return found


def _positions(names: np.ndarray, labels: np.ndarray) -> np.ndarray:
    order = np.argsort(names)
    return order[np.searchsorted(names, labels, sorter=order)]
