"""Tree search as a start: which specs are searched, the best tree completed to a solution, and a
lower bound that no tree can beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns
from treemip.answers.search.intervals import least_value
from treemip.answers.search.margin_trees.margin_search import MarginSearch
from treemip.answers.search.search_report import SearchReport, TooNarrow
from treemip.answers.search.sums import NoSums, Sums
from treemip.answers.search.tree_search import TreeSearch
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.model import Model
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.residuals import Violation
from treemip.core.tree.tree_map import ZERO_ONE, TreeMap

MOST_CHOICES = 2000


def trivial_bound(sums: Sums, leaves: int) -> float:
    """A lower bound of the objective, to be minimized; -inf where nothing is proven.

    leaves: of the topology.
    """
    listed = sums.answers.values is not None and sums.curve is None
    if listed:
        return -np.inf
    if any(fold.to[:, 0].any() for fold in sums.folds):
        return -np.inf if sums.curve is not None else least_value(sums)
    if sums.opaque or 0 in sums.local_rows:
        return -np.inf
    prices = sums.sign * sums.structure[:, 0]
    known = np.isin(np.arange(len(prices)), _known_columns(sums))
    if (prices[known] < 0).any() or prices[~known].any():
        return -np.inf
    worth = sums.sign * sums.shared[:, :, 0]
    of_label = sums.sign * sums.label[:, :, 0]
    if sums.curve is not None:
        base = sums.sign * float(sums.constant[0]) + float(sums.curve.lowest(of_label).sum())
        return base + float(sums.curve.lowest(worth).sum())
    least_label = leaves * min(0.0, float(of_label.min(initial=0.0)))
    base = sums.sign * float(sums.constant[0]) + least_label
    return base + _by_points(worth, leaves)


def _known_columns(sums: Sums) -> np.ndarray:
    """Columns that are 0 or 1, so that a price not below 0 adds nothing below 0."""
    families = [sums.families[n] for n in ZERO_ONE if n in sums.families]
    parts = [family.start + np.arange(family.length) for family in families]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _by_points(worth: np.ndarray, leaves: int) -> float:
    """The sum over points of their best label, of as many labels as there are leaves.

    worth float64 (M, K).
    """
    classes = worth.shape[1]
    if classes <= leaves or comb(classes, leaves) > MOST_CHOICES:
        return float(worth.min(axis=1).sum())
    choices = combinations(range(classes), leaves)
    return min(float(worth[:, list(choice)].min(axis=1).sum()) for choice in choices)


SECONDS = 10.0
"""The most that a search takes without a time limit."""

KINDS = ("univariate", "oblique", "margin", "randomized")
"""Splits that are searched."""

BY_CATEGORY = ("univariate", "oblique")
"""Those beside which splits by sets of categories are."""


@dataclass(frozen=True)
class Searched:
    """values float64 (columns of the stated model or more,): a solution, None where none was found.

    failed: how many of the trees tried break which family of rows; empty with a solution.
    bound: what no tree is better than, in the spec's own sense; infinite where nothing is known.
    starts, seconds: of the search. objective: of the solution, in the same sense. proven: that no
    tree is better, or where there is no solution, that there is none.
    points float64 (k, columns of the model): where a local solver may begin beside the solution,
    nan where unknown. stopped: whether the user ended the search. not_handed, cut_off, narrow: as
    of SearchReport. by: who has found the solution, "search" or "engine". unproven: why engines
    that take the spec have not proven it, in words. tree: of the solution, where an engine has it.
    without: the constraints without which an engine has found the bound, in words.
    """

    values: np.ndarray | None
    failed: dict[str, int]
    bound: float
    starts: int
    seconds: float
    objective: float = np.nan
    proven: bool = False
    points: np.ndarray | None = None
    stopped: bool = False
    not_handed: str = ""
    cut_off: tuple[Violation, ...] = ()
    by: str = "search"
    unproven: str = ""
    narrow: TooNarrow | None = None
    tree: Candidate | None = None
    without: str = ""

    @property
    def has_splits(self) -> bool:
        """Of its tree, where it has one."""
        return self.tree is not None and bool(self.tree.weights.any())

    @property
    def infeasible(self) -> bool:
        return self.proven and self.values is None


def refusal(instance: Instance) -> str:
    """Why a spec's trees cannot be searched, in words; empty where they can."""
    if instance.topology is None or instance.data is None:
        return "it needs a tree and data"
    if why := other_answers_refused(instance):
        return why
    if instance.spec.split not in KINDS:
        kind = instance.spec.split
        return f"trees of {kind} splits are not searched" if kind else "the spec has no 'split'"
    if not Inputs.of(instance).columns:
        return ""
    if instance.spec.split not in BY_CATEGORY:
        return f"{instance.spec.split} splits by categories are not searched"
    if TreeMap.of(instance).categories is None:
        return "its route does not say which categories of a branch's kept column go left"
    return ""


def other_answers_refused(instance: Instance) -> str:
    """Why no tree can be had whose leaves answer what the spec's do, in words; empty where one
    can."""
    other, split = instance.spec.other_answers, instance.spec.split
    if other and split in ("margin", "randomized"):
        return f"{split} trees whose leaves predict {other} are not searched"
    return ""


def search(
    instance: Instance,
    stated: Model,
    model: Model,
    seconds: float | None,
    seed: int | None,
    patient: bool = False,
    on_progress: OnProgress | None = None,
    first: Sequence[Candidate] = (),
    longest: float = 0.0,
    while_better: float = 0.0,
    given: Sequence[Candidate] = (),
) -> Searched:
    """The best tree of a search as a solution of the stated model.

    model: the stated one reformulated for its solver, in which randomized trees are polished, and
    whose big-M may cut off trees of the stated one.
    seconds: of wall clock, SECONDS where it is None. seed: fixes the trees that are tried, not how
    many there is time for. patient: whether it uses all its seconds, though nothing better turns up
    for long. first: trees that are looked at before others. longest: seconds as long as there is no
    solution, where these are more; while_better: the same as long as better ones turn up. given:
    trees that are improved before others, where splits are univariate or oblique. Raises NoSums
    where the search does not support the spec.
    """
    limit = SECONDS if seconds is None else seconds
    if instance.spec.split == "randomized":
        return _randomized(instance, stated, model, limit, seed or 0, patient)
    if instance.spec.split == "margin":
        margins = MarginSearch(instance, stated, limit, seed or 0)
        far = stated.objective.no_bound
        return _searched(stated, margins.run(model, patient=patient), far)
    tree_search = TreeSearch(instance, stated, limit, seed or 0, on_progress, model)
    goal = trivial_bound(tree_search.sums, len(tree_search.search.topology.leaves))
    report = tree_search.run(goal, patient, first, longest, while_better, given)
    return _searched(stated, report, tree_search.sums.sign * goal)


def _searched(stated: Model, report: SearchReport, bound: float) -> Searched:
    if report.best is None:
        none = Searched(None, dict(report.failed), bound, report.starts, report.seconds)
        return replace(none, cut_off=report.cut_off)
    x = as_columns(stated, report.best.completion.values)
    searched = Searched(x, {}, bound, report.starts, report.seconds, report.best.objective)
    return replace(
        searched,
        not_handed=report.not_handed,
        cut_off=report.cut_off,
        narrow=report.narrow,
    )


def _randomized(
    instance: Instance, stated: Model, model: Model, seconds: float, seed: int, patient: bool
) -> Searched:
    from treemip.answers.search.randomized_trees.randomized_search import RandomizedSearch

    report = RandomizedSearch(instance, stated, model, seconds, seed).run(patient)
    bound = model.objective.no_bound
    return Searched(
        report.values,
        {} if report.values is not None else dict(report.failed),
        bound,
        report.starts,
        report.seconds,
        points=report.points,
        stopped=report.stopped,
    )


__all__ = ["NoSums", "Searched", "as_columns", "refusal", "search"]
