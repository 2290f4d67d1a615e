"""Rows of a spec that sums over points do not know, such as an order of leaves: watched from the
first tree that breaks them.

What such rows ask for is seen from values of a few variables alone, a small part of what a tree's
completion takes. Where a tree breaks them, other answers of its leaves may keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.answer_columns import answer_values, split_values
from treemip.answers.search.candidate import Candidate, canonical
from treemip.answers.search.complete import as_columns, by_meaning, tables_of
from treemip.answers.search.sums import Sums
from treemip.answers.search.tree_columns import ROUTED
from treemip.answers.search.tree_forms import placements
from treemip.core.instance.instance import Instance
from treemip.core.model.blocks import Rows
from treemip.core.model.model import Model
from treemip.core.resolve.builtins import is_only_on_a_tree
from treemip.core.resolve.circles import closure, rests_on
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.residuals import Violation, guard_holds, row_distance
from treemip.core.tree.tree_map import TreeMap

MOST = 20_000
"""Rows of a family that is watched: about leaves and splits, and not about each point."""

REMEMBERED = 6
"""Splits whose values are kept: those of one tree in each place of its hyperplanes."""

TRIED = 24
"""Answers of a tree's leaves that are tried, the best by the sums first."""


class WatchedRows:
    """families: of the spec's own that trees have broken and the search's sums do not count."""

    def __init__(self, instance: Instance, model: Model, search: Alternation) -> None:
        self.instance, self.model, self.search = instance, model, search
        self.families: frozenset[str] = frozenset()
        self._known: dict[bytes, bool] = {}
        self._answered = _resting_on_answers(instance)
        self._of_splits: dict[bytes, dict[str, np.ndarray]] = {}

    def note(self, broken: Iterable[str], sums: Sums) -> None:
        """What a tree has broken is watched from now on, where it can be."""
        counted = {*sums.constraints, *sums.limiting}
        fresh = (set(broken) & self.instance.spec.own_names) - counted - self.families
        if not fresh or not self.model.is_kept:
            return
        families = self.families | fresh
        rows = [r for r in self.model.rows if r.name in families]
        implications = [r for r in self.model.implications if r.name in families]
        bodies = [*rows, *(one.body for one in implications)]
        if any(r.length > MOST or r.slots is not None for r in bodies):
            return
        columns = [*map(_columns, bodies), *(one.guard.indices for one in implications)]
        mentioned = np.unique(np.concatenate(columns))
        blocks = self.model.variables
        self._needed = frozenset(b.name for b in blocks if _some(mentioned, b.start, b.stop))
        if any(f.name in self._needed for f in self.model.functions):
            return
        self._rows, self._implications = rows, implications
        self.families, self._known, self._of_splits = families, {}, {}

    def explains(self, broken: Iterable[Violation]) -> bool:
        """Whether some rows are broken, and all are of those that are watched."""
        names = {one.name for one in broken}
        return bool(names) and names <= self.families

    def keeps(self, tree: Candidate) -> bool:
        """Whether a tree keeps the rows that are watched."""
        if not self.families:
            return True
        shape = self.search.shape(tree)
        if shape not in self._known:
            self._known[shape] = self._keeps(tree)
        return self._known[shape]

    def _keeps(self, tree: Candidate) -> bool:
        instance, x = self.instance, self.instance.table.inputs
        tree = canonical(tree, x, TreeMap.of(instance).unsplit_left)
        tables = tables_of(instance, tree)
        forms = placements(tree, x, Inputs.of(instance))
        return any(self._holds(placed, tables) for placed in forms)

    def _holds(self, tree: Candidate, tables: dict[str, np.ndarray]) -> bool:
        """Whether the rows hold for a tree with its hyperplanes where they are. tables: as of
        `completion_of`."""
        answers = answer_values(self.instance, tree)
        known = self._by_splits(tree, tables, answers)
        others = {n: v for n, v in known.items() if n not in self._answered}
        values = by_meaning(self.instance, self.model, tables, others | answers, self._needed)
        x = as_columns(self.model, values)
        broken = [(r, np.ones(r.length, bool)) for r in self._rows]
        broken += [(one.body, guard_holds(one, x)) for one in self._implications]
        for rows, holds in broken:
            off, allowed = row_distance(rows, x)
            if (holds & (off > allowed)).any():
                return False
        return True

    def _by_splits(
        self, tree: Candidate, tables: dict[str, np.ndarray], answers: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The needed values of a tree, of which those that its splits settle are the same for all
        answers of its leaves."""
        splits = tree.threshold.tobytes() + tree.weights.tobytes()
        if splits not in self._of_splits:
            if len(self._of_splits) >= REMEMBERED:
                self._of_splits.clear()
            of_tree = split_values(self.instance, tree) | answers
            known = by_meaning(self.instance, self.model, tables, of_tree, self._needed)
            self._of_splits[splits] = known
        return self._of_splits[splits]

    def mended(self, tree: Candidate, late: Callable[[], bool]) -> tuple[float, Candidate] | None:
        """The tree with the best answers of its leaves that keep the rows, and its value; None
        where none of those tried does."""
        for value, labels in self.search.best_labellings(tree, TRIED):
            if late():
                break
            other = tree.copy()
            other.labels[:] = labels
            if self.keeps(other):
                return value, other
        return None


def _columns(rows: Rows) -> np.ndarray:
    q = rows.quadratic
    return np.concatenate([rows.matrix.indices, q.first, q.second])


def _some(columns: np.ndarray, start: int, stop: int) -> bool:
    """Whether some of ascending columns are among these."""
    return bool(np.searchsorted(columns, start) < np.searchsorted(columns, stop))


def _resting_on_answers(instance: Instance) -> frozenset[str]:
    """The names of variables whose values depend on what leaves answer."""
    return frozenset(
        s.name
        for s in instance.spec.variables
        if s.means is None
        or any(is_only_on_a_tree(b.name) and b.name != ROUTED for b in closure([s], rests_on))
    )
