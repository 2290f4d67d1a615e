"""Results: the tree with all that was measured and checked, as saved in tree.json."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.table import Table
from treemip.model.answer import Answer
from treemip.source.diagnostic import Diagnostic
from treemip.tree.randomized import RandomizedTree
from treemip.tree.score import Score, score
from treemip.tree.sparsity import Sparsity, sparsity
from treemip.tree.tree import Tree
from treemip.tree.verify import VerifyReport

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


@dataclass(frozen=True)
class Result:
    """`tree` and `report` are None when the solver found no solution or the spec has no tree.

    `values` are the variables of the spec by name, float64 over each family. `seconds` per stage.
    """

    compiled: Compiled
    answer: Answer
    tree: Tree | None
    report: VerifyReport | None
    values: dict[str, np.ndarray]
    seconds: dict[str, float]
    warnings: list[Diagnostic]

    @property
    def status(self) -> str:
        return self.answer.status

    @property
    def objective(self) -> float | None:
        return self.answer.objective

    @property
    def bound(self) -> float | None:
        return self.answer.bound

    @property
    def gap(self) -> float | None:
        return self.answer.gap

    @property
    def verified(self) -> bool:
        return self.report is not None and self.report.verified

    @property
    def points(self) -> int:
        return len(self.compiled.instance.table.y)

    @property
    def train_errors(self) -> int | None:
        """Training points the decoded tree gets wrong, counted by routing each of them."""
        return self.report.errors if self.report else None

    @property
    def test_errors(self) -> int | None:
        """The same for the test part; None without one."""
        return self.test_score.errors if self.test_score else None

    @cached_property
    def train_score(self) -> Score | None:
        """What papers report of the tree, on the training part; None without a tree."""
        data = self.compiled.instance.data
        return None if self.tree is None or data is None else _on(self.tree, data.train)

    @cached_property
    def test_score(self) -> Score | None:
        """The same on the test part; None without one."""
        data = self.compiled.instance.data
        if self.tree is None or data is None or data.test is None:
            return None
        return _on(self.tree, data.test)

    @property
    def sparsity(self) -> Sparsity | None:
        """Which share of the features a randomized tree leaves unused; None for other trees."""
        return sparsity(self.tree) if isinstance(self.tree, RandomizedTree) else None

    def to_json(self) -> dict[str, Any]:
        from treemip.api.store import result_json

        return result_json(self)

    def save(self, path: str | Path) -> None:
        """Write tree.json: a temporary file renamed. Raises E603."""
        from treemip.api.store import save

        save(self, path)


def _on(tree: Tree, table: Table) -> Score:
    return score(tree, table.inputs, table.y)
