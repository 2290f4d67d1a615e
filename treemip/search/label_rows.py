"""Rows of a formulation over the labels of leaves alone, such as "each class has a leaf"."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.split_columns import SplitColumns

KEPT = 1e-9


class LabelRows:
    """Linear rows whose variables are all labels. low, high float64 (R,): their bounds;
    each (R, L, K): what a leaf's class adds to them; constant (R,)."""

    def __init__(self, instance: Instance, stated: Model) -> None:
        topology = instance.topology
        assert topology is not None
        leaves, classes = topology.leaves, len(instance.table.classes)
        shape = topology.size, classes
        columns = SplitColumns.of(instance, ("label",))
        none = columns.solved({"label": np.zeros(shape)})
        known = np.flatnonzero(~np.isnan(none))
        self.low, self.high, matrix = self._rows(stated, columns, known)
        self.constant = matrix @ none[known]
        self.each = np.zeros((len(self.low), len(leaves), classes))
        for number, leaf in enumerate(leaves):
            for label in range(classes):
                table = np.zeros(shape)
                table[leaf, label] = 1.0
                added = columns.solved({"label": table})[known] - none[known]
                self.each[:, number, label] = matrix @ added

    @staticmethod
    def _rows(
        stated: Model, columns: SplitColumns, known: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds and dense matrix over the known columns of the rows that have no others."""
        number = np.full(stated.column_count, -1)
        blocks = {block.name: block.start for block in stated.variables}
        for name, start in columns.starts.items():
            own = known[(known >= start) & (known < start + columns.sizes[name])]
            number[blocks[name] + own - start] = np.searchsorted(known, own)
        low, high, dense = [np.zeros(0)], [np.zeros(0)], [np.zeros((0, len(known)))]
        for block in stated.rows:
            rows = block.matrix
            if block.slots is not None or block.quadratic.count or not len(known):
                continue
            other = np.bincount(rows.row_of, number[rows.indices] < 0, rows.count)
            kept = np.flatnonzero((other == 0) & (np.diff(rows.indptr) > 0))
            entry = np.flatnonzero(np.isin(rows.row_of, kept))
            matrix = np.zeros((len(kept), len(known)))
            at = np.searchsorted(kept, rows.row_of[entry]), number[rows.indices[entry]]
            np.add.at(matrix, at, rows.data[entry])
            low.append(block.lower[kept])
            high.append(block.upper[kept])
            dense.append(matrix)
        return np.concatenate(low), np.concatenate(high), np.concatenate(dense)

    def mended(self, labels: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """The labels int64 (L,) with as few changed, one by one, as it takes to keep the rows.

        worth float64 (L, K): of each label in each leaf, to be minimized; among changes that keep
        the rows equally well the cheapest is taken. No change helps: as far as it went.
        """
        labels, leaves = labels.copy(), np.arange(len(labels))
        while (broken := self.broken(labels)) > KEPT:
            sums = self.constant + self.each[:, leaves, labels].sum(axis=1)
            changed = sums[:, None, None] + self.each - self.each[:, leaves, labels][:, :, None]
            off = self._off(changed).sum(axis=0).round(9)
            if off.min() >= broken - KEPT:
                break
            price = worth - worth[leaves, labels][:, None]
            leaf, label = np.unravel_index(np.lexsort((price.ravel(), off.ravel()))[0], off.shape)
            labels[leaf] = label
        return labels

    def broken(self, labels: np.ndarray) -> float:
        """By how much labels int64 (L,) break the rows, summed."""
        sums = self.constant + self.each[:, np.arange(len(labels)), labels].sum(axis=1)
        return float(self._off(sums).sum())

    def _off(self, sums: np.ndarray) -> np.ndarray:
        shape = (-1,) + (1,) * (sums.ndim - 1)
        low, high = self.low.reshape(shape), self.high.reshape(shape)
        off: np.ndarray = np.maximum(low - sums, 0.0) + np.maximum(sums - high, 0.0)
        return off
