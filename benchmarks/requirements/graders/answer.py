"""An answer as a grader sees it: a table's rows, and what the tree says of each, as arrays.

Counts, rates and costs are computed from these by numpy. Nothing here knows the spec's rows.
"""

from __future__ import annotations

import csv
import json
from functools import cached_property
from pathlib import Path

import numpy as np

import treemip


class Answer:
    """table: a CSV file. tree: a tree.json of treemip."""

    def __init__(self, table: Path, tree: Path) -> None:
        with table.open(encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.tree = treemip.load_tree(tree)
        self.saved = json.loads(tree.read_text(encoding="utf-8"))

    def column(self, name: str) -> np.ndarray:
        """Texts (N,)."""
        return np.array([row[name] for row in self.rows])

    def numbers(self, name: str) -> np.ndarray:
        """float64 (N,)."""
        return self.column(name).astype(float)

    @cached_property
    def _table(self) -> dict[str, list[str]]:
        return {name: [row[name] for row in self.rows] for name in self.rows[0]}

    @cached_property
    def given(self) -> np.ndarray:
        """What the tree answers: texts, or float64 of a regression (N,)."""
        found = np.asarray(self.tree.predict(self._table))
        return found if found.dtype.kind == "f" else found.astype(str)

    @cached_property
    def leaf(self) -> np.ndarray:
        """The number of each row's leaf: the children of t are 2t and 2t + 1."""
        return np.asarray(self.tree.leaf_numbers(self.tree.encode(self._table)))

    @cached_property
    def used(self) -> dict[int, set[str]]:
        """The features that each split uses, as the encoding calls them."""
        nodes = self.saved["tree"]["nodes"]
        return {
            one["node"]: set(one.get("weights") or ())
            | ({one["column"]} if "column" in one else set())
            for one in nodes
            if "weights" in one or "column" in one
        }

    @cached_property
    def columns(self) -> dict[int, set[str]]:
        """The columns of the table that each split uses."""
        cut = {
            t: {one.partition("=")[0].partition("<")[0] for one in f} for t, f in self.used.items()
        }
        return {t: {one.strip().strip('"') for one in f} for t, f in cut.items()}

    @property
    def splits(self) -> int:
        return sum(bool(f) for f in self.used.values())

    def counts(self) -> dict[int, int]:
        """Rows of each leaf that has some."""
        leaves, found = np.unique(self.leaf, return_counts=True)
        return dict(zip(leaves.tolist(), found.tolist(), strict=True))

    # ------------------------------------------------------------------------------- classes

    @cached_property
    def label(self) -> np.ndarray:
        return self.column(list(self.rows[0])[-1])

    @cached_property
    def wrong(self) -> np.ndarray:
        return self.given != self.label

    def errors(self) -> float:
        return float(self.wrong.sum())

    def recall(self, name: str) -> float:
        return float((~self.wrong)[self.label == name].mean())

    def count(self, label: str, given: str) -> int:
        return int(((self.label == label) & (self.given == given)).sum())

    def rate(self, given: str, among: np.ndarray) -> float:
        """The share of some rows that is given a class."""
        return float((self.given == given)[among].mean())
