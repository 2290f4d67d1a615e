"""What the splits and leaves of a tree add to the sums of a spec and to its limits: features used,
branches applied, leaves occupied, coefficients."""

from __future__ import annotations

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.sums import Sums
from treemip.core.instance.trees import Forest
from treemip.core.tree.category_form import CategoryForm
from treemip.core.tree.inputs import Inputs

UNKNOWN = -1

AT_ONCE = 1 << 22
"""Uses of features that are looked at together: 4 MB."""


class Structure:
    """Prices and limits on splits and leaves, by the columns of `Sums.families`."""

    def __init__(
        self, sums: Sums, topology: Forest, inputs: Inputs, form: CategoryForm | None = None
    ) -> None:
        """form: the variables of splits by categories, where there are such splits."""
        self.sums, self.inputs, self.form = sums, inputs, form
        nodes, width = topology.size, inputs.width
        self.leaf_number = np.full(nodes, UNKNOWN)
        self.leaf_number[topology.leaves] = np.arange(len(topology.leaves))
        self.size = len(sums.structure)
        self.uses = self._columns("uses", (nodes, width))
        self.coef = self._columns("coef", (nodes, width))
        self.bias = self._columns("bias", (nodes,))
        self.active = self._columns("active", (nodes,))
        self.anywhere = self._columns("uses_anywhere", (width,))
        self.tests, self.sets = self._of_categories(nodes)
        self.tested_anywhere = self._columns("tested_anywhere", (inputs.columns,))
        self.occupied = self._columns("occupied", (nodes,))[topology.leaves]
        self.by_leaf = bool((self.occupied >= 0).any())
        self.by_feature = _any_known(self.uses, self.anywhere)
        self.by_set = _any_known(*self.sets)
        self.by_column = self.by_set or _any_known(*self.tests, self.tested_anywhere)
        self.matters = self.by_leaf or self.by_feature or self.by_column or _any_known(self.active)

    def _columns(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """The column of each index, UNKNOWN where the family has none."""
        table = np.full(shape, UNKNOWN)
        family = self.sums.families.get(name)
        if family is not None:
            indices = family.indices if len(shape) < 2 else (family.indices[0], family.indices[-1])
            table[indices] = family.start + np.arange(family.length)
        return table

    def _of_categories(self, nodes: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The columns of tests by branch and kept column, of sets by branch and category."""
        if self.form is None:
            return [], []
        columns, categories = self.inputs.columns, int(self.inputs.offsets[-1])
        tests = [self._columns(name, (nodes, columns)) for name in self.form.tests]
        return tests, [self._columns(name, (nodes, categories)) for name in self.form.sets]

    def columns(self, uses: np.ndarray, in_leaf: np.ndarray) -> np.ndarray:
        """The values of all structure columns, float64 (..., columns); uses bool (..., nodes,
        inputs), in_leaf (L,).

        Weights are 1 where they are used, as those of univariate splits are.
        """
        values = np.zeros((*uses.shape[:-2], self.size))
        _mark(values, self.uses, uses)
        _mark(values, self.coef, uses)
        _mark(values, self.active, np.asarray(uses.any(axis=-1)))
        _mark(values, self.anywhere, np.asarray(uses.any(axis=-2)))
        _mark(values, self.occupied, in_leaf > 0)
        if self.form is not None:
            in_set = self.inputs.in_set(uses)
            tested = self.inputs.tested(in_set)
            _mark(values, self.tested_anywhere, np.asarray(tested.any(axis=-2)))
            for table in self.tests:
                _mark(values, table, tested)
            for table in self.sets:
                _mark(values, table, self.form.chosen(self.inputs, in_set))
        return values

    def of(self, tree: Candidate, in_leaf: np.ndarray) -> tuple[np.ndarray, float]:
        """What a tree's splits and leaves add to the sums (R,), and how far they break limits."""
        columns = self.of_tree(tree, in_leaf)
        return self.sums.of_structure.times(columns), float(self.sums.broken_limits(columns))

    def of_tree(self, tree: Candidate, in_leaf: np.ndarray) -> np.ndarray:
        """The values of all structure columns on a tree, float64."""
        columns = self.columns(tree.weights != 0, in_leaf)
        threshold = tree.threshold
        if self.form is not None:
            by_set = self.inputs.is_by_set(tree.weights)
            threshold = np.where(by_set, self.form.bias, threshold)
        for table, numbers in ((self.coef, tree.weights), (self.bias, threshold)):
            columns[table[table >= 0]] = numbers[table >= 0]
        return columns

    def of_supports(
        self, tree: Candidate, node: int, in_leaf: np.ndarray, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for each support that a branch might have, bool (supports, inputs) or, for
        splits without categories, (supports, p).

        float64 (supports, R) and (supports,). Leaves count as they are now.
        """
        now = tree.weights != 0
        now[node] = False
        columns = np.zeros((len(supports), self.size))
        step = max(1, AT_ONCE // now.size)
        for start in range(0, len(supports), step):
            some = slice(start, min(start + step, len(supports)))
            uses = np.repeat(now[None], some.stop - start, axis=0)
            uses[:, node, : supports.shape[1]] = supports[some]
            columns[some] = self.columns(uses, in_leaf)
        return self.sums.of_structure.times(columns), self.sums.broken_limits(columns)


def _any_known(*tables: np.ndarray) -> bool:
    return any((table >= 0).any() for table in tables)


def _mark(values: np.ndarray, table: np.ndarray, holds: np.ndarray) -> None:
    """Puts 1 into the columns float64 (..., columns) that a table names where it holds, bool (...,
    *table.shape)."""
    known = table >= 0
    at = table[known]
    values[..., at] = np.maximum(values[..., at], holds[..., known])
