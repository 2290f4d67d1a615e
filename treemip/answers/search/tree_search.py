"""Search for a good tree of any spec: random trees improved branch by branch, a pool, restarts.

What a tree is worth comes from the spec's own objective and side constraints (`sums`). A tree
counts once it is a complete solution of the model, every row checked (`complete`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.considered_trees import ConsideredTrees
from treemip.answers.search.gapped_trees import gapped_trees
from treemip.answers.search.pool import LASTING, PATIENCE, SIZE, Stall
from treemip.answers.search.prices import WEIGHTED, Prices
from treemip.answers.search.search_report import Reports, SearchReport
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH

FRESH = 12  # trees from random starts before the first perturbed one
RESTART = 0.3  # share of random starts after that
FEWER = 4  # the same where there are many points
SAMPLE = 6000  # points by which trees are improved first, where there are clearly more
CLEARLY_MORE = 1.5  # times SAMPLE
CUTS_MORE = 5.0  # the same for single features, whose sorting costs most, and is done once for all
FARTHER = 0.05  # of the way from the pool to no split, beyond which a tree is improved no further
AXIS_SHARE = 0.15  # of the time, that one turn of trees of single features begins within
AXIS_LARGE = 4  # visits from one tree of single features to the next among many points
ALL_FORMS = 20_000  # points up to which CART's tree without dear splits is tried in every form
SMOOTH = 0.03  # width in which points near a hyperplane count first, among many points
DEAR = 30.0  # in units of the objective, what broken rows of given trees cost
TURNS = 16  # visits after which it is asked for gaps in the same order again
HARDENED = (0,)  # turns whose trees are improved once more with the gap
AXIS_EVERY = 3  # starts from one tree of univariate splits to the next, where numbers matter


class TreeSearch(ConsideredTrees):
    """seconds of wall clock; `seed` fixes the sequence of trees. on_progress: told of each better
    solution, and routinely; `nodes` are the trees tried. The rest as of ConsideredTrees."""

    def __init__(
        self,
        instance: Instance,
        model: Model,
        seconds: float,
        seed: int,
        on_progress: OnProgress | None = None,
        reformed: Model | None = None,
    ) -> None:
        super().__init__(instance, model, seconds, seed, reformed)
        self.prices = Prices(self.search, self.large)
        self.begin = self.prices.begin
        few = 1 + len(self.begin.few_cuts) if self.univariate else 0
        self.fresh = FEWER if self.large else max(FRESH, few)
        self.with_gap = range(1, TURNS, 2) if self.large else (TURNS - 1,)
        self.stall = Stall()
        self.reports = Reports(on_progress, self.sums.sign)

    def run(
        self,
        goal: float = -np.inf,
        patient: bool = True,
        first: Sequence[Candidate] = (),
        longest: float = 0.0,
        while_better: float = 0.0,
        given: Sequence[Candidate] = (),
    ) -> SearchReport:
        """goal: a value, to be minimized, that no tree is below. patient: whether all seconds are
        used, also where nothing better turns up for long. CART's tree, the first, is looked at
        however little time there is. first: trees that are looked at before it, as they are.
        longest: seconds for as long as there is no solution, where these are more; while_better:
        the same for as long as better ones turn up. given: trees that are improved before others,
        with the answers that are best here."""
        starts = 0
        self.stall.patience = LASTING if while_better > 0 else PATIENCE
        for tree in first:
            self._looked_at(tree)
        self.search.price = self.unit * DEAR
        for tree in given:
            self._tried(self._with_answers(tree), goal)
        while starts == 0 or not self._is_over(patient, starts, longest, while_better):
            value = self._visit(starts, goal)
            if starts == 0:
                self._unsplit()
            starts += 1
            value = min(value, self._of_single_features(starts, goal))
            self.stall.note(self.solutions.standing(value), starts, self.seconds)
            self.reports.tell(self.seconds, self.best, goal, starts)
            if self._has_met(goal):
                break
        self._complete_waiting()
        if self.best is None:
            self._try_constant()
        done = self.solutions
        return SearchReport(
            self.best,
            starts,
            self.seconds,
            done.failed,
            self._has_met(goal),
            done.not_handed,
            done.cut_off,
            self._too_narrow(),
        )

    def _looked_at(self, tree: Candidate) -> None:
        """A tree from elsewhere. One that is a solution is in the pool, for others like it."""
        self._considered(tree)
        if self.best is not None and self.best.tree is tree:
            self._keep(self.search.worth(tree)[0], np.inf, tree.copy())

    def _has_met(self, goal: float) -> bool:
        return self.solutions.best_value <= goal + SAME_WORTH

    def _unsplit(self) -> None:
        """The tree without a split, which keeps most limits on splits and leaves. It is looked at
        however little time there is where it may be better than what the first tree has come to:
        no points are too close to a hyperplane of it."""
        tree = self.search.empty()
        value = self.unsplit_value = self.search.relabelled(tree)
        if not self._late_and_done():
            self._keep(value, *self._considered(tree))
        else:
            self._considered_late(tree)

    def _without_dear_splits(self, tree: Candidate) -> None:
        """CART's tree without the splits that cost more than they are worth, however little time
        there is."""
        if self.search.structure.matters:
            bare = self.begin.shorn(tree)
            if not self._late_and_done():
                self._considered(bare)
            self._considered_late(bare, ALL_FORMS)

    def _swept(self, tree: Candidate, goal: float) -> None:
        """One sweep over the branches of CART's tree, however little time there is: of cuts that
        part its points alike, it takes the cheapest. Not for many points, which cost time, nor for
        hyperplanes."""
        if not self.univariate or self.large or not self.search.structure.matters:
            return
        until, self.search.until = self.search.until, np.inf
        self.search.improve(tree, goal, rounds=1)
        self.search.until = until
        self._considered_late(tree)

    def _visit(self, starts: int, goal: float) -> float:
        """One tree improved and considered; its value. Among many points, trees of single features
        are searched before the first one, whose hyperplanes may take all the time.

        Where the gaps of the best trees have proven too narrow for the formulation, one of sixteen
        trees is searched with the gap it needs, among many points three of four: there the gap is
        seldom met by chance. Where it hardly ever is, half of the trees are. Some of the others
        that are too narrow are improved once more with it.
        """
        turn = starts % TURNS
        self.search.price = self.unit * self.prices.at(starts, self.best is not None)
        asked = turn in self.with_gap or (self.gaps.seldom_wide and turn % 4 in (1, 2))
        self.search.gap = self.gaps.asked if asked else 0.0
        self.search.smooth = SMOOTH if self.large and turn % 2 else 0.0
        tree = self._next(starts, goal)
        if starts == 0:
            self._before_first(tree, goal)
        value, gap, tree = self._tried(tree, goal)
        if self.search.gap == 0:
            self.gaps.note(gap)
        if self.search.gap > 0 or not self.gaps.narrow or self.gaps.is_wide(gap):
            return value
        seldom = turn not in HARDENED and not (self.large and gap > 0)
        if seldom or self.search.late:
            return value
        self.search.gap = self.gaps.needed
        tree = tree.copy()
        value = self.search.improve(tree, goal)
        self._keep(value, *self._considered(tree))
        return value

    def _tried(self, tree: Candidate, goal: float) -> tuple[float, float, Candidate]:
        """A tree improved, considered and put into the pool; its value, and as `_considered`."""
        self._with_siblings(tree)
        value = self._improved(self.search, tree, goal)
        gap, tree = self._considered(tree)
        self._with_siblings(tree)
        if not self.watched.keeps(tree):
            mended = self._keeping(tree)
            if mended is None:
                return value, gap, tree
            value, tree = mended
            gap, tree = self._considered(tree)
        self._keep(value, gap, tree)
        return value, gap, tree

    def _keeping(self, tree: Candidate) -> tuple[float, Candidate] | None:
        """A tree that keeps the rows that are watched, by other answers or other splits than one
        that breaks them; and its value."""
        mended = self.watched.mended(tree, self._late_and_done)
        if not self.univariate:
            return mended
        best = self.solutions.best_value
        below = best if mended is None else min(best, mended[0])
        other = self.barred.kept(tree, below, self._kept, self._late_and_done)
        return mended if other is None else other

    def _kept(self, tree: Candidate) -> tuple[float, Candidate] | None:
        """The tree and its value, with other answers where it breaks rows that are watched."""
        if self.watched.keeps(tree):
            return self.search.relabelled(tree), tree
        return self.watched.mended(tree, self._late_and_done)

    def _with_siblings(self, tree: Candidate) -> None:
        """The tree with two neighbouring branches split anew together, where that is better than
        the solution so far: rows that couple them keep one alone as it is."""
        if self.large or not self.siblings.applies:
            return
        best = self.solutions.best_value
        other = self.siblings.improved(tree, min(best, self.solutions.waiting.objective))
        if other is not None:
            self._keep(self.search.worth(other)[0], *self._considered(other))

    def _before_first(self, tree: Candidate, goal: float) -> None:
        """What is looked at before CART's tree is improved: it as it is, and others that need
        little time."""
        self._considered(tree)
        if self._late_and_done():  # one of `first` is known
            self._considered_late(tree)
        self._without_dear_splits(tree)
        self._swept(tree, goal)
        self._by_weights()
        if self.gaps.narrow and not self._late_and_done():
            self._with_gap(goal)
        if self.large:
            price = self.search.price
            self._of_single_features(0, goal)
            self.search.price, self.search.gap = price, 0.0

    def _with_gap(self, goal: float) -> None:
        """CART's tree with the gap that the formulation needs, and what one round makes of it."""
        self.search.gap = self.gaps.needed
        tree = self.begin.purest_tree()
        self._considered(tree)
        self.search.improve(tree, goal, sweeps=1, rounds=1)
        self._considered(tree)
        self._grown_with_gap(goal)
        self.search.gap = 0.0

    def _grown_with_gap(self, goal: float) -> None:
        """Trees grown with the gap, and what is made of them: the best ones first."""
        if self.univariate or not self.search.sums.answers.are_classes:
            return
        trees = [self._considered(one) for one in gapped_trees(self.search, self.gaps.needed)]
        for gap, tree in trees:
            self._keep(self.search.relabelled(tree), gap, tree)
        for _, tree in sorted(trees, key=lambda one: self.search.worth(one[1])[::-1]):
            if self._late_and_done():
                break
            improved = tree.copy()
            value = self.search.improve(improved, goal, bands=())
            self._keep(value, *self._considered(improved))

    def _by_weights(self) -> None:
        """CART's trees of weighted points, where its own is no solution: quick ones, for the case
        that nothing better is found in time."""
        if self.best is not None:
            return
        size = self.search.counts.sum(axis=1)
        for gap in (0.0, 1.0):
            self.search.gap = gap * self.gaps.asked
            tree = self.prices.kept_by_weights(size)
            if tree is not None:
                self._considered(tree)
                if self.univariate and not self.search.late:
                    self._considered(self.prices.improved_by_weights(tree))
            if self.best is not None or not self.gaps.narrow:
                break
        self.search.gap = 0.0

    def _is_over(self, patient: bool, starts: int, longest: float, while_better: float) -> bool:
        """Whether a search ends, which goes on beyond its time as `run` says."""
        if self.search.late:
            seconds = longest if self.best is None else 0.0
            if not self.stall.over(starts, self.seconds):
                seconds = max(seconds, while_better)
            for one in self._searches:
                one.until = max(one.until, self.began + seconds)
        return self.search.late or (not patient and self.stall.over(starts, self.seconds))

    def _of_single_features(self, starts: int, goal: float) -> float:
        """Trees of single features, and what hyperplanes make of the best of them where it is new;
        the best value."""
        axis, best, lead = self.axis, np.inf, None
        rare = self.large and starts % AXIS_LARGE > 0
        longest = self.seconds + AXIS_SHARE * (self.search.until - self.began)
        for k in range(axis.due if axis is not None and not rare else 0):
            late = self.search.late or self.seconds > longest
            if self._late_and_done() or (k and late) or self._has_met(goal):
                break
            assert axis is not None
            price = self.unit * self.prices.at(starts + k, self.best is not None)
            value, tree = axis.next(goal, price, self.gaps.asked, self._improved)
            self._considered(tree)
            best = min(best, value)
            worth, shape = self.search.worth(tree)[::-1], self.search.shape(tree)
            if axis.keep(value / self.unit, worth, tree, shape):
                lead = tree
        if lead is None or self.search.late:
            return best
        self.search.gap = self.gaps.asked
        return min(best, self._tried(lead.copy(), goal)[0])

    def _improved(self, search: Alternation, tree: Candidate, goal: float) -> float:
        """The tree improved, among many points for a sample first; its value."""
        times = CUTS_MORE if search.univariate else CLEARLY_MORE
        if len(search.x) <= times * SAMPLE:
            return search.improve(tree, goal)
        return search.improve_by_sample(tree, goal, SAMPLE, self._is_near)

    def _is_near(self, value: float) -> bool:
        """Whether a tree of that value may become one of the best."""
        pool = self.pools[self.search.gap > 0].entries
        if len(pool) < SIZE:
            return True
        worst = pool[-1].value * self.unit
        return value <= worst + FARTHER * abs(self.unsplit_value - worst)

    def _next(self, starts: int, goal: float) -> Candidate:
        """CART's tree first, then random trees, and those of the pool perturbed;
        CART's again where a gap is asked for and the pool is empty."""
        pool = self.pools[self.search.gap > 0]
        if starts == 0 or (self.search.gap > 0 and not pool):
            return self.begin.purest_tree()
        numbers = self.solutions.reformed is not None
        if self.axis is not None and numbers and starts % AXIS_EVERY == 0:
            tree = self.axis.random_tree(goal, self.search.price)
            self._considered(tree)
            return tree.copy()
        if self.best is None and starts <= WEIGHTED:
            weighted = self.prices.weighted_tree()
            if weighted is not None:
                return weighted
        if starts < self.fresh or not pool or self.rng.random() < RESTART:
            return self.begin.random_tree(self.classes)
        return self.begin.perturbed(pool.random(self.rng))
