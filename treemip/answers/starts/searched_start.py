"""The search as a start: the best tree of an exact engine or of the search, as a solution."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.obstacle import MORE_TIME, bounded, noted, unknown_split, unproven
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.search import start as tree_search
from treemip.answers.search.open_columns import best_by_rows
from treemip.answers.search.start import Searched
from treemip.answers.search.sums import NoSums
from treemip.answers.starts import exact
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.concepts import no_start
from treemip.answers.starts.fixed import in_words
from treemip.answers.starts.found_tree import Said, as_start
from treemip.answers.starts.given_trees import is_oblique, placed_in
from treemip.answers.starts.own_starts import BestStart
from treemip.answers.starts.problem import Asked, NamedStart, Problem, WarmStart
from treemip.answers.starts.sampled import (
    answers_classes,
    goes_on,
    has_time,
    is_sampled,
    needs_all,
    search_sampled,
)
from treemip.answers.starts.second_look import second_look
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import asked_to_stop, begin_search
from treemip.core.source.deadline import TimeEnded
from treemip.core.source.diagnostic import Diagnostic
from treemip.core.source.memory import give_back
from treemip.core.strategy.incumbent import with_start

if TYPE_CHECKING:
    from treemip.answers.engines.engine import Engine
    from treemip.answers.search.candidate import Candidate

QUICK = 0.5
"""Seconds of the search before the solver's first try."""

WHILE_BETTER = 0.5
"""Of the whole limit, what a search takes as long as it finds better trees, where no engine has a
proof to begin with them."""

MOST_ENTRIES = 1_000_000
"""Entries of a table up to which CART's tree is grown beside the search's own: a second at most."""

BEFORE_ALL = 0.25
"""Of the seconds, for a sample before a search among all points."""

OF_SAMPLE, OF_SAMPLE_SHARE = 15.0, 0.1
"""Seconds, and share of an engine's, for a tree of a sample where its proof is in doubt."""


class SearchedStart:
    """One search for a start, whose time runs from here on.

    seconds, hint, obstacle, withdrawn: as of Said. known: the tree of an engine, from which a
    search goes on.
    """

    def __init__(self, problem: Problem, asked: Asked) -> None:
        self.instance, self.model = problem.instance, problem.model
        self.stated = problem.model if problem.stated is None else problem.stated
        self.problem, self.asked = problem, asked
        self.case = Case(self.instance, self.stated)
        self.seconds: dict[str, float] = {}
        self.hint = ""
        self.known: Candidate | None = None
        self.obstacle: Diagnostic | None = None
        self.withdrawn: tuple[Diagnostic, ...] = ()
        self.began = time.perf_counter()

    def begin(self) -> WarmStart:
        """The best tree there is, where an exact engine takes the spec, else that of a search.

        Raises NoStart where the spec's trees cannot be searched.
        """
        why = tree_search.refusal(self.instance)
        if why:
            other = "" if self.instance.spec.other_answers else ", or try --start cart"
            raise no_start(why, f"leave it out{other}")
        begin_search()
        try:
            return self._best()
        except NoSums as error:
            raise no_start(f"the spec cannot be searched: {error}") from None

    def engine_alone(self) -> tuple[WarmStart, bool] | None:
        """What an exact engine finds, and whether it is proven; None where there is none."""
        begin_search()
        try:
            searched = self._engine()
        except NoSums:
            return None
        if searched is None:
            return None
        return self._begun(searched), searched.proven

    def _best(self) -> WarmStart:
        """What an engine proves needs no search; what a search finds, another engine may prove.
        Raises NoSums."""
        engine = prover = None
        if self.asked.engine:
            engine = self._engine()
            if engine is not None:
                if engine.proven or self._is_all(engine):
                    return self._begun(engine)
                self.known = engine.tree
            kept = self.stated.is_kept  # their proofs read all rows
            if kept and not is_sampled(self.instance, self.stated):
                prover = self._prover(none=engine is None)
        if self.asked.attempt is None:
            return self._begun(self._found(engine, prover))
        quick = self._begun(self._with(engine, self._quick()))
        settled, tried = self.asked.attempt(quick, prover is not None and not prover.missing)
        if settled:
            return tried
        return self._joined(self._begun(self._found(engine, prover)), tried)

    def _joined(self, begun: WarmStart, tried: WarmStart) -> WarmStart:
        """The start, or the one that came of a try before it, where that is better."""
        best = BestStart(self.model)
        best.add(begun)
        best.add(replace(tried, notes=(), seconds={}))
        stopped = begun.stopped
        if stopped is not None:
            stopped = with_start(self.model, stopped, best.start.values)
        return replace(best.start, obstacle=self.obstacle, stopped=stopped)

    def _quick(self) -> Searched:
        """What a short search finds."""
        began, seconds = time.perf_counter(), self._left(QUICK)
        searched = self._settled(self._searched(seconds, self.problem.limits.seed, 0.0))
        self.seconds["search"] = time.perf_counter() - began
        return searched

    def _with(self, engine: Searched | None, searched: Searched) -> Searched:
        return searched if engine is None else exact.better_of(engine, searched, self.case.sign)

    def _found(self, engine: Searched | None, prover: Engine | None) -> Searched:
        """The best of what an engine has left open and a search finds, and its proof."""
        try:
            searched = self._settled(self._search(prover))
        except TimeEnded:
            if engine is None or engine.values is None:
                raise
            return engine
        best = self._with(engine, searched)
        if prover is None and self.stated.is_kept and not (searched.stopped or best.proven):
            prover = exact.bounder(self.case)
        if prover is not None and not searched.stopped:
            return self._proof(prover, best)
        return best

    def _settled(self, searched: Searched) -> Searched:
        """With columns that the search leaves open as the rows settle them: its objective does not
        count these."""
        values = searched.values
        if values is None or len(values) != self.stated.column_count or not np.isnan(values).any():
            return searched
        whole = best_by_rows(self.stated, values)
        if whole is None:
            return searched
        return replace(searched, values=whole, objective=objective_value(self.stated, whole))

    def _is_all(self, engine: Searched) -> bool:
        """Whether the engine's tree is what there was time for, or what a signal left."""
        return engine.values is not None and (self._left() == 0 or asked_to_stop())

    def _engine(self) -> Searched | None:
        began, asked = time.perf_counter(), self.asked
        univariate = self.instance.spec.split == "univariate"
        sampled = univariate and is_sampled(self.instance, self.stated)
        if sampled and not has_time(self.instance, asked.engine_seconds):
            self.obstacle = noted(self.instance, Refusal(NO_TIME))
            return None
        effort = Effort(asked.engine_seconds, self._seed, asked.on_progress, threads=self._threads)
        begin = self._of_sample if sampled else None
        searched, refusal = exact.answered(self.case, effort, begin)
        if searched is None:
            if refusal is not None:
                self.obstacle = noted(self.instance, refusal)
            return None
        if not searched.proven:
            self.obstacle = self._unproven(searched, refusal)
        searched, self.withdrawn = second_look(self.instance, self.stated, searched)
        self.seconds["engine"] = time.perf_counter() - began
        return searched

    def _of_sample(self) -> Searched | None:
        """A tree for an engine to begin with, which is the answer after a signal."""
        began, asked = time.perf_counter(), self.asked
        seconds = min(OF_SAMPLE, OF_SAMPLE_SHARE * asked.engine_seconds)
        models = self.instance, self.stated
        try:
            found = search_sampled(*models, seconds, self._seed, asked.on_progress)
        except (NoSums, MemoryError):
            return None
        give_back()
        self.seconds["search"] = time.perf_counter() - began
        return None if found.values is None else found

    def _prover(self, none: bool) -> Engine | None:
        """none: whether there is no other engine either, which then is said."""
        prover = exact.prover(self.case)
        if prover is None and none:
            prover = unknown_split(self.instance.spec)
        if isinstance(prover, Refusal):
            self.obstacle = self.obstacle or noted(self.instance, prover)
            return None
        return prover

    def _unproven(self, searched: Searched, faster: Refusal | None) -> Diagnostic | None:
        """W609, why engines that take the spec prove nothing; at the family that their best tree
        breaks most, where it does, else at what keeps a faster engine from it."""
        failed = searched.failed
        if not failed and not searched.unproven:
            return None
        message = (
            f"the best tree of the exact engine breaks {in_words(failed)}: its value is a bound"
            if failed
            else "the exact engine has no proof"
        )
        message += f"{';' if failed else ':'} {searched.unproven}" if searched.unproven else ""
        most = max(failed, key=failed.__getitem__, default="")
        places = [c.span for c in self.instance.spec.constraints if c.name == most]
        remedy = "" if failed or asked_to_stop() else MORE_TIME
        return unproven(message, faster, next(iter(places), None), remedy)

    @property
    def _seed(self) -> int:
        return self.problem.limits.seed or 0

    @property
    def _threads(self) -> int:
        return self.problem.limits.threads or 1

    def _search(self, prover: Engine | None) -> Searched:
        """A short search where a proof may follow, which needs a tree to begin with."""
        began, longest = time.perf_counter(), 0.0
        most = None if prover is None or prover.missing else prover.search_seconds
        if most is not None and self.asked.seconds is None:
            longest = min(self.asked.left(self.began), 2 * tree_search.SECONDS)
        searched = self._searched(
            self._left(most),
            self.problem.limits.seed,
            longest,
            self._while_better() if prover is None else 0.0,
        )
        took = time.perf_counter() - began
        self.seconds["search"] = self.seconds.get("search", 0.0) + took
        return searched

    def _while_better(self) -> float:
        """Seconds that a search has as long as it finds better trees."""
        whole = self.asked.whole
        if whole is None or self.asked.seconds is not None:
            return 0.0
        return min(self.asked.left(self.began), WHILE_BETTER * whole)

    def _searched(
        self, seconds: float | None, seed: int | None, longest: float, while_better: float = 0.0
    ) -> Searched:
        patient, tell = self.asked.seconds is not None, self.asked.on_progress
        sampled = None
        if is_sampled(self.instance, self.stated):
            limit = tree_search.SECONDS if seconds is None else seconds
            further = goes_on(self.instance, limit)
            of_sample = BEFORE_ALL * limit if further else limit
            found = search_sampled(self.instance, self.stated, of_sample, seed, tell)
            seconds, sampled = limit - found.seconds, found.tree
            if found.stopped or not (further or needs_all(self.instance, found, seconds)):
                return found
        models, first = (self.stated, self.model), self._cart()
        first = (*(tree for tree in (self.known, sampled) if tree is not None), *first)
        seconds_more = longest, while_better
        return tree_search.search(
            self.instance, *models, seconds, seed, patient, tell, first, *seconds_more, self._given
        )

    @cached_property
    def _given(self) -> tuple[Candidate, ...]:
        """The user's trees that are no solutions, as far as the topology has room for them and
        the spec has such splits."""
        x, univariate = self.instance.table.inputs, self.instance.spec.split == "univariate"
        nodes = self.instance.nodes
        placed = (placed_in(nodes, tree, x, univariate) for tree in self.asked.trees)
        return tuple(
            tree
            for tree in placed
            if tree is not None and not (univariate and is_oblique(tree, self.instance))
        )

    def _cart(self) -> tuple[Candidate, ...]:
        """CART's tree as it is the start `cart`: what the search grows has other labels and sets of
        categories, which need not be better where its sums say little, or limits exclude them."""
        instance = self.instance
        if not answers_classes(instance) or instance.table.inputs.size > MOST_ENTRIES:
            return ()
        return (of_cart(instance, cart(instance)),)

    def _left(self, most: float | None = None) -> float | None:
        """Seconds for what comes next, `most` at most; None without any limit."""
        limits = self.problem.limits.time, self.asked.seconds, self.asked.left(self.began), most
        return min((s for s in limits if s is not None and s < inf), default=None)

    def _proof(self, prover: Engine, searched: Searched) -> Searched:
        """The search's tree with a better bound, or a better tree."""
        if prover.missing:
            self.hint = prover.missing
            return searched
        began, asked = time.perf_counter(), self.asked
        rest = min(asked.engine_seconds, asked.left(self.began))
        effort = Effort(rest, self._seed, asked.on_progress, searched, self._threads)
        searched = prover.run(effort)
        if searched.without and self.obstacle is not None:
            self.obstacle = bounded(self.obstacle, searched.without)
        searched, self.withdrawn = second_look(self.instance, self.stated, searched)
        self.seconds["engine"] = time.perf_counter() - began
        return searched

    def _begun(self, searched: Searched) -> WarmStart:
        """What was found as a start."""
        said = Said(self.hint, self.obstacle, self.withdrawn, self.seconds)
        return as_start(self.problem, searched, said, self.asked.left(self.began))


def _begin(problem: Problem, asked: Asked) -> WarmStart:
    return SearchedStart(problem, asked).begin()


START = NamedStart("the best tree of the search", _begin, searches=True)
