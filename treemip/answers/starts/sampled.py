"""The best tree of a search among some of the points, where a table is too large to search whole.

Each point of the sample stands for several, so that what splits cost, what points add and what rows
ask of their number keep their proportion. The trees found are then held against all points: each
leaf gets its best answer, hyperplanes move into the nearest gap that is wide enough, the thresholds
of the best trees are searched, and every row is checked. Where splits are hyperplanes and there is
time, larger samples follow, which begin with the best trees.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from treemip.answers.search import point_sample
from treemip.answers.search.agreement import by_sums
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.clearing import shifted
from treemip.answers.search.complete import complete, never
from treemip.answers.search.start import Searched, as_columns, trivial_bound
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import Sums
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.search.tree_values import HARD
from treemip.answers.starts.cart import cart, of_cart
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap

GROWS, KEPT = 5, 3
"""How many times larger the next sample is, and how many trees it begins with."""

FEW = 3
"""Times the points of a sample, of which hyperplanes are searched among all."""

PER_SECOND = 5_000
"""Points for each second of a search of hyperplanes, at most, so that it improves some trees."""

GROWN = 100_000
"""Points for each second of a search among all of them, at most, so that it grows a tree."""

SHARE = 0.6
"""Of the time, for the search, at least."""

PACE = 2e6
"""Points times leaves a second in the sums of a spec."""

TRIAL = 2.0
"""Seconds of a first search of a sample, whose best tree stands beside that of a longer one: what
keeps all rows in a sample need not do so among all points."""

RANKED, LEAST = 5.0, 1.0
"""How many times the seconds of the sums holding trees against all points takes, and more."""

THRESHOLDS, ROUNDS = 3, 2
"""Of how many trees the thresholds are searched among all points, and how often at most."""

COMPLETED = {"univariate": 0.7, "oblique": 3.0}
"""How many times the seconds of the sums the best tree's completion takes, by kind of split."""

ENGINE = 4.0
"""How many times the seconds of its sums an engine needs at least."""


def is_sampled(instance: Instance, stated: Model) -> bool:
    """Whether a search is among some of the points, since there are more: many more where the rows
    are kept, and for hyperplanes, since those that suit some points are too close to others."""
    if instance.data is None or instance.spec.split not in ("univariate", "oblique"):
        return False
    few = 1 if instance.spec.split == "univariate" and not stated.is_kept else FEW
    return _points(instance) > few * point_sample.POINTS


def goes_on(instance: Instance, seconds: float) -> bool:
    """Whether there is time to search among all points after a sample."""
    return instance.spec.split == "oblique" and _points(instance) <= PER_SECOND * seconds


def needs_all(instance: Instance, found: Searched, seconds: float) -> bool:
    """Whether a search among all points follows a sample that had no tree worth having, and has
    time for one. Without splits is no such tree of hyperplanes, which may have been too close to
    points, or broken rows that count them."""
    if instance.spec.split == "oblique":
        return not found.has_splits and _points(instance) <= GROWN * seconds
    return found.values is None and seconds > 0


def _points(instance: Instance) -> int:
    """How many points a search goes through: for hyperplanes the different ones."""
    table = instance.table
    many = instance.spec.split == "oblique" and len(table.y) > FEW * point_sample.POINTS
    return len(table.distinct[0]) if many else len(table.y)


def has_time(instance: Instance, seconds: float) -> bool:
    """Whether an engine that has so many seconds can read the spec as sums over all points, and
    see that they are what it means."""
    return seconds > ENGINE * _for_sums(instance)


def search_sampled(
    instance: Instance,
    stated: Model,
    seconds: float,
    seed: int | None,
    on_progress: OnProgress | None = None,
) -> Searched:
    """As `search`. CART's tree of the sample is completed however little time there is, and after a
    signal the best one that is known by then, if any is. Raises NoSums."""
    began, far = time.perf_counter(), stated.objective.no_bound
    if asked_to_stop():
        return Searched(None, {}, far, 0, 0.0, stopped=True)

    for_sums = _for_sums(instance)
    with_sums = seconds > 2 * for_sums
    seconds = max(0.0, seconds - COMPLETED[instance.spec.split or ""] * for_sums)
    rest = seconds - RANKED * for_sums - LEAST
    for_trees = max(SHARE * seconds, rest) if with_sums else 0.0

    def late() -> bool:
        return time.perf_counter() - began > seconds or asked_to_stop()

    trees, starts, gap = _trees(instance, for_trees, seed or 0, on_progress)
    with_sums = with_sums and not asked_to_stop()
    sums, x = None, instance.table.distinct[0] if with_sums else instance.table.inputs
    if with_sums:
        sums = sums_of(instance, instance.table.distinct[1])
        far = sums.sign * trivial_bound(sums, len(instance.nodes.leaves))
    last, failed = _unsplit(instance, sums, x), Counter[str]()
    wide = _with_gap(instance, x, trees if last is None else [*trees, last], gap)
    if sums is not None:
        wide = _in_order(instance, sums, x, wide, gap, began + seconds)
    for tree in _while_time(wide, last, late):
        completion = complete(instance, stated, tree, late=late if failed else never)
        failed.update(violation.name for violation in completion.violations)
        if not completion.violations and not completion.unknown:
            values = as_columns(stated, completion.values)
            worth = objective_value(stated, values)
            return Searched(values, {}, far, starts, _since(began), worth, tree=tree)
    return Searched(None, dict(failed), far, starts, _since(began), stopped=asked_to_stop())


def _trees(
    instance: Instance, seconds: float, seed: int, on_progress: OnProgress | None
) -> tuple[list[Candidate], int, float]:
    """Trees of the samples, the best of the last one first, then CART's; how many were tried; and
    the gap that hyperplanes need."""
    sizes, starts, gap = _sizes(instance, seconds), 0, 0.0
    trees: list[Candidate] = []
    for size in sizes:
        try:
            sample, stated = point_sample.sample_of(instance, size, seed)
        except TreemipError:  # it need not have what the spec requires of all points
            break
        own: list[Candidate] = []
        if not trees and answers_classes(sample):
            own = [of_cart(sample, cart(sample))]
        if own and (seconds <= 0 or asked_to_stop()):
            return own, 0, 0.0
        share = seconds / len(sizes)
        if not trees and instance.spec.split == "oblique":
            tried = TreeSearch(sample, stated, min(TRIAL, share), seed, on_progress).run(first=own)
            own += [tried.best.tree] if tried.best is not None else []
            share -= tried.seconds
            if tried.best is None or not tried.best.tree.weights.any():
                share /= 2  # a search among all points may follow
        search = TreeSearch(sample, stated, share, seed, on_progress)
        report = search.run(first=own, given=trees[:KEPT])
        starts += report.starts
        best = [] if report.best is None else [report.best.tree]
        pooled = (entry.tree for pool in search.pools for entry in pool.entries)
        trees, gap = [*best, *own, *pooled, *trees[:KEPT]], search.gaps.needed
        if asked_to_stop():
            break
    return trees, starts, gap


def _unsplit(instance: Instance, sums: Sums | None, x: np.ndarray) -> Candidate | None:
    """The tree without splits, which keeps every gap, with its best answer where the sums are
    known; None where it is not known what its leaf may answer."""
    tree = Candidate.empty(instance.nodes, x.shape[1], TreeMap.of(instance).unsplit_left)
    if sums is not None:
        return _answered(sums, x, tree)
    return tree if answers_classes(instance) else None


def _while_time(
    trees: Iterable[Candidate], last: Candidate | None, late: Callable[[], bool]
) -> Iterator[Candidate]:
    """The trees until the time is used up, and one more where that one was not among them."""
    for tree in trees:
        yield tree
        last = last if tree.weights.any() else None
        if late():
            break
    if last is not None:
        yield last


def answers_classes(instance: Instance) -> bool:
    """Whether leaves answer classes of the table, as those of CART's tree do."""
    return not (instance.spec.other_answers or instance.table.without_classes)


def _sizes(instance: Instance, seconds: float) -> list[int]:
    """Of the samples: several where splits are hyperplanes and there is time for them."""
    sizes = [point_sample.POINTS]
    while instance.spec.split == "oblique":
        size = GROWS * sizes[-1]
        if 2 * size > _points(instance) or size * (len(sizes) + 1) > PER_SECOND * seconds:
            break
        sizes.append(size)
    return sizes


def _in_order(
    instance: Instance,
    sums: Sums,
    x: np.ndarray,
    trees: Iterable[Candidate],
    gap: float,
    until: float,
) -> Iterator[Candidate]:
    """The trees, those first that are worth most among all points, with the best answers of their
    leaves there; of the best ones also with the best thresholds there. Trees that are not held
    against all points in half of the time, `until` of the clock, are left out, but for CART's."""
    ranked: list[tuple[tuple[bool, float, int], Candidate]] = []
    known, now = set[bytes](), time.perf_counter()
    half = now + (until - now) / 2

    def add(tree: Candidate) -> None:
        parts = (tree.weights, tree.threshold, tree.labels)
        if (key := b"".join(part.tobytes() for part in parts)) in known:
            return
        known.add(key)
        value, violation = by_sums(instance, sums, x, tree)
        ranked.append(((violation > SAME_WORTH, sums.sign * value, len(ranked)), tree))

    for number, tree in enumerate(trees):
        late = time.perf_counter() > half
        if number and (asked_to_stop() or (late and number > 1)):
            break
        add(_answered(sums, x, tree))
        if tree.answers is None:  # no number values of the sample
            add(tree)
    ranked.sort(key=lambda pair: pair[0])
    for moved in _with_thresholds(instance, sums, x, [tree for _, tree in ranked], gap, until):
        add(moved)
    ranked.sort(key=lambda pair: pair[0])
    yield from (tree for _, tree in ranked)


def _with_thresholds(
    instance: Instance,
    sums: Sums,
    x: np.ndarray,
    trees: list[Candidate],
    gap: float,
    until: float,
) -> Iterator[Candidate]:
    """The first trees with the thresholds that are worth most among all points, as far as there is
    time, `until` of the clock. One that brings other points to the branches below has these moved
    into a gap that is wide enough there."""
    by_category = Inputs.of(instance), TreeMap.of(instance).categories
    rng, univariate = np.random.default_rng(0), instance.spec.split == "univariate"
    search = Alternation(instance.nodes, x, sums, rng, until, univariate, None, *by_category)
    search.price, search.gap = sums.unit * HARD, gap
    for tree in trees[:THRESHOLDS]:
        if not search.late:
            moved = tree.copy()
            search.rethreshold(moved, ROUNDS)
            yield from _with_gap(instance, x, [moved], gap)


def _with_gap(
    instance: Instance, x: np.ndarray, trees: list[Candidate], gap: float
) -> Iterator[Candidate]:
    """The trees with every hyperplane as far from all points as is needed, where it need not go
    far for that."""
    columns = Inputs.of(instance)
    for tree in trees:
        moved = tree if gap <= 0 else shifted(tree, x, gap, columns)
        if moved is not None:
            yield moved


def _answered(sums: Sums, x: np.ndarray, tree: Candidate) -> Candidate:
    """The tree with the answer in each leaf that is worth most among all points alone."""
    leaf = np.searchsorted(tree.topology.leaves, tree.ends(x))
    best = sums.choice.best(sums.sign * sums.by_leaf(leaf)[:, :, 0])
    return replace(tree, labels=best, answers=sums.listed)


def _for_sums(instance: Instance) -> float:
    """Seconds that the sums of the spec take."""
    return len(instance.table.y) * len(instance.nodes.leaves) / PACE


def _since(began: float) -> float:
    return time.perf_counter() - began
