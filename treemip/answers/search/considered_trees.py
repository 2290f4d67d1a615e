"""What becomes of the trees that a search improves: the promising ones are completed to solutions.

A completion checks every row of the model. Before it, hyperplanes get the widest gaps between the
points, or are moved away from points that are too near; rows that a tree breaks count from then on,
where they can. Where completions take long, a tree waits for a better one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.barred_features import BarredFeatures
from treemip.answers.search.beginnings import Beginnings, best_labels, class_weights
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.clearing import cleared, shifted
from treemip.answers.search.complete import never
from treemip.answers.search.gaps import widened
from treemip.answers.search.learned_rows import Learned
from treemip.answers.search.needed_gaps import NeededGaps
from treemip.answers.search.pool import Pool
from treemip.answers.search.search_report import Found, TooNarrow
from treemip.answers.search.single_features import SingleFeatures
from treemip.answers.search.solutions import Solutions
from treemip.answers.search.splits.sibling_cuts import SiblingCuts
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import Sums
from treemip.answers.search.watched_rows import WatchedRows
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.residuals import Violation
from treemip.core.tree.tree_map import TreeMap

LARGE = 3000  # points from which on completions are rare
MUCH = 0.05  # of what the solution is better than no split, as NOISE
NOISE = 0.02  # relative; a tree that is better by more does not wait


class ConsideredTrees:
    """seconds of wall clock; `seed` fixes the random numbers.

    model: the stated one. reformed: what becomes of it, with which a tree gets its best numbers
    where the objective counts them; None for leaving them where they are.
    met: is told every improved tree that keeps the constraints, and its objective, to be minimized.
    """

    def __init__(
        self, instance: Instance, model: Model, seconds: float, seed: int, reformed: Model | None
    ) -> None:
        self.instance = instance
        self.began = time.perf_counter()
        self.rng = np.random.default_rng(seed)
        x, of_point = instance.table.distinct
        self.sums: Sums = sums_of(instance, of_point)
        self.learned = Learned(instance, model, of_point)
        self.solutions = Solutions(instance, model, reformed, self.sums, seconds, self.began)
        self.univariate = instance.spec.split == "univariate"
        counts = class_weights(self.sums, instance.table, of_point)
        self.classes = best_labels(self.sums, instance.table, of_point)
        until = self.began + seconds
        by_category = Inputs.of(instance), TreeMap.of(instance).categories

        def alternation(rng: np.random.Generator, univariate: bool) -> Alternation:
            return Alternation(
                instance.nodes, x, self.sums, rng, until, univariate, counts, *by_category
            )

        self.search = alternation(self.rng, self.univariate)
        self.siblings = SiblingCuts(self.search)
        self.barred = BarredFeatures(self.search)
        self.axis: SingleFeatures | None = None
        if not self.univariate:
            axis = alternation(self.rng.spawn(1)[0], True)
            self.axis = SingleFeatures(Beginnings(axis), self.classes)
        self.large = len(x) > LARGE
        self.unit = self.sums.unit
        self.pools = Pool(), Pool()  # without a gap asked for, and with
        self.gaps = NeededGaps(instance, model, self.search, not self.large, self._late_and_done)
        self.watched = WatchedRows(instance, model, self.search)
        self.unsplit_value = np.inf
        self.met: Callable[[Candidate, float], None] | None = None

    @property
    def _searches(self) -> list[Alternation]:
        """Of all splits, and of those by single features where these are searched beside."""
        return [self.search] if self.axis is None else [self.search, self.axis.search]

    @property
    def best(self) -> Found | None:
        return self.solutions.best

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self.began

    def _considered(self, tree: Candidate) -> tuple[float, Candidate]:
        """The narrowest gap of a tree's hyperplanes and the tree with the widest ones.

        A tree that is better than the best so far is completed to a solution first; one that is
        no better has a gap of 0.
        """
        objective, violation = self.search.worth(tree)
        if violation > SAME_WORTH:
            return 0.0, tree
        if self.met is not None:
            self.met(tree, objective)
        if not self.solutions.promising(objective, self.seconds) or not self.watched.keeps(tree):
            return 0.0, tree
        if self._late_and_done():
            self._put_late(tree, objective)
            return 0.0, tree
        return self._widened(tree, objective)

    def _widened(self, tree: Candidate, objective: float) -> tuple[float, Candidate]:
        """A promising tree with the widest gaps, completed where they are wide enough; as
        `_considered`."""
        given, gap = tree, np.inf
        if not self.univariate:
            tree, gap = widened(self.search, tree, 0.0 if self.large else self.gaps.asked)
            if self.large and gap < np.inf:
                self.gaps.narrow = self.gaps.narrow or not self.gaps.is_wide(gap)
        if self.gaps.narrow and not self.gaps.is_wide(gap):
            if self.large:
                self.gaps.narrowest = min(self.gaps.narrowest, (objective, gap))
            if self.gaps.rows:
                self.solutions.failed[self.gaps.rows] += 1
            self._cleared(tree)
            return gap, tree
        if self._waits(objective):
            self.solutions.waiting.put(objective, tree)
            return gap, tree
        broken = self._complete(tree, objective)
        if self.watched.explains(broken):
            return gap, tree
        if broken and ((given.weights != 0) & (tree.weights == 0)).any():
            # splits that part nothing of worth are left out, for which others may have moved up
            self._complete(given, objective)
        if broken and self.univariate:
            if self.gaps.measure_cuts(tree):
                self.pools = Pool(), Pool()
        elif broken and not self.gaps.is_wide(gap):
            self.gaps.narrow, self.gaps.rows = True, broken[0].name
        return gap, tree

    def _cleared(self, tree: Candidate) -> None:
        """A tree whose gaps are too narrow, with its hyperplanes moved away from the points, or
        else with its thresholds in the nearest gaps that are wide enough."""
        if self.univariate:
            return
        search, needed = self.search, self.gaps.needed
        other = cleared(search, tree, needed)
        if other is None:
            other = shifted(tree, search.x, needed, search.inputs)
            if other is None:
                return
            search.relabelled(other)
        objective, violation = self.search.worth(other)
        if violation <= SAME_WORTH and self.solutions.promising(objective, self.seconds):
            self._complete(other, objective)
            shape = self.search.shape(other)
            self.pools[1].add(objective / self.unit, self.gaps.needed, other, shape)

    def _put_late(self, tree: Candidate, objective: float) -> None:
        """A tree that was improved until the time was used up is completed last of all, with its
        thresholds in gaps that are wide enough."""
        gap = self.gaps.needed if self.large else self.gaps.asked
        if not self.univariate and gap > 0:
            moved = shifted(tree, self.search.x, gap, self.search.inputs)
            if moved is None:
                return
            self.search.relabelled(moved)
            tree, (objective, violation) = moved, self.search.worth(moved)
            if violation > SAME_WORTH:
                return
        if objective < min(self.solutions.best_value, self.solutions.waiting.objective):
            self.solutions.waiting.put(objective, tree)

    def _waits(self, objective: float) -> bool:
        """Whether a tree is completed later, and only if no better one turns up."""
        if self.best is None or not (self.gaps.narrow or self.univariate) or self.search.late:
            return False
        better = self.solutions.best_value - objective > NOISE * self._gain
        return not better and self.solutions.waiting.pays(self.seconds)

    @property
    def _gain(self) -> float:
        """By how much the solution is better than no split."""
        return abs(self.unsplit_value - self.solutions.best_value)

    def _complete_waiting(self) -> None:
        """The best tree that has waited and breaks no row, where no better one has come."""
        for objective, tree in self.solutions.waiting.taken():
            if objective < self.solutions.best_value - SAME_WORTH:
                self._complete(tree, objective)

    def _complete(
        self, tree: Candidate, objective: float, late: Callable[[], bool] | None = None
    ) -> tuple[Violation, ...]:
        """Makes a tree a solution, which is kept where it is the best; the rows that it breaks.

        objective: by the sums. late: see `complete`. Nothing is done, and none are told, where a
        tree of the same shape broke some before.
        """
        shape = self.search.shape(tree)
        if shape in self.solutions.refuted:
            return ()
        late = late or self._late_and_done
        broken = self.solutions.complete(tree, shape, objective, late, self.search.until)
        for one in self._searches:
            one.until = min(one.until, self.solutions.until)
        if broken:
            self._learn(broken)
            self.watched.note((one.name for one in broken), self.sums)
        return broken

    def _late_and_done(self) -> bool:
        """Whether the time is used up and there is a solution, so that others need not be had."""
        return self.best is not None and self.search.late

    def _try_constant(self) -> None:
        """Trees without splits, of one label each, the best by the sums first, for as long as there
        is time, and at least one. Then the pool's, of which `failed` counts what they break."""
        constant, values = [], None if self.sums.curve is None else self.sums.answers.values
        for label in range(self.sums.classes):
            tree = replace(self.search.empty(), unsplit_left=TreeMap.of(self.instance).unsplit_left)
            tree.labels[:] = label if values is None else values[label]
            constant.append((*self.search.worth(tree)[::-1], label, tree))
        for _, objective, _, tree in sorted(constant, key=lambda entry: entry[:3]):
            self._complete(tree, objective)
            if self.best is not None or self.search.late:
                return
        for entry in [*self.pools[0].entries, *self.pools[1].entries]:
            if not self.search.late:
                self._complete(entry.tree, entry.value * self.unit)

    def _learn(self, broken: Sequence[Violation]) -> None:
        """Rows of the formulation that a tree has broken count from now on, where they can."""
        sums = self.learned.from_broken((v.name for v in broken), self.sums)
        if sums is not None:
            self.sums = sums
            self.search.count(sums)
            self.siblings.seen.clear()
            self.barred.seen.clear()
            if self.axis is not None:
                self.axis.search.count(sums)
                self.axis.clear()
            self.pools = Pool(), Pool()

    def _considered_late(self, tree: Candidate, many: int = LARGE) -> None:
        """A tree that may be the best is completed, however late it is; among few points in every
        form, since formulations differ in what a branch without a split is. many: points beyond
        which there are not few."""
        objective, violation = self.search.worth(tree)
        if violation <= SAME_WORTH and objective < self.solutions.best_value - SAME_WORTH:
            large = len(self.search.x) > many
            self._complete(tree, objective, self._late_and_done if large else never)

    def _too_narrow(self) -> TooNarrow | None:
        """The best tree whose gap is too narrow, where it is much better than the solution."""
        objective, gap = self.gaps.narrowest
        if self.best is None or not objective < self.solutions.best_value - MUCH * self._gain:
            return None
        return TooNarrow(self.sums.sign * objective, gap, self.gaps.needed)

    def _keep(self, value: float, gap: float, tree: Candidate) -> None:
        """Puts a tree into the pool."""
        self.pools[self.search.gap > 0].add(value / self.unit, gap, tree, self.search.shape(tree))

    def _with_answers(self, tree: Candidate) -> Candidate:
        """The splits of a tree, with answers that its leaves may have here."""
        other = replace(self.search.empty(), unsplit_left=tree.unsplit_left)
        other.weights[:], other.threshold[:] = tree.weights, tree.threshold
        self.search.relabelled(other)
        return other
