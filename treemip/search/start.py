"""Tree search as a start: the best tree found, completed to a solution, and what bounds it."""

from __future__ import annotations

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.bound import trivial_bound
from treemip.search.sum_builder import NoSums
from treemip.search.tree_search import TreeSearch

SECONDS = 10.0
"""The most that a search takes without a time limit."""

KINDS = ("univariate", "oblique")
"""Splits that are searched."""


@dataclass(frozen=True)
class Searched:
    """values float64 (columns of the stated model,): a solution, None where none was found.

    failed: how many of the trees tried break which family of rows; empty with a solution.
    bound: what no tree is better than, in the spec's own sense; infinite where nothing is known.
    starts, seconds: of the search. objective: of the solution, in the same sense. proven: that no
    tree is better, or where there is no solution, that there is none.
    """

    values: np.ndarray | None
    failed: dict[str, int]
    bound: float
    starts: int
    seconds: float
    objective: float = np.nan
    proven: bool = False

    @property
    def infeasible(self) -> bool:
        return self.proven and self.values is None


def refusal(instance: Instance) -> str:
    """Why a spec's trees cannot be searched, in words; empty where they can."""
    if instance.topology is None or instance.data is None:
        return "it needs a tree and data"
    if instance.spec.split not in KINDS:
        return f"trees of {instance.spec.split or 'unnamed'} splits are not searched"
    if instance.splits_by_category and instance.table.categorical:
        return "splits by categories are not searched"
    return ""


def search(
    instance: Instance,
    stated: Model,
    seconds: float | None,
    seed: int | None,
    patient: bool = False,
) -> Searched:
    """The best tree of a search as a solution of the stated model.

    seconds: of wall clock, SECONDS where it is None. seed: fixes the trees that are tried, not how
    many there is time for. patient: whether it uses all its seconds, though nothing better turns up
    for long. Raises NoSums where the spec is none that a search understands.
    """
    tree_search = TreeSearch(instance, stated, SECONDS if seconds is None else seconds, seed or 0)
    goal = trivial_bound(tree_search.sums, len(tree_search.search.topology.leaves))
    report = tree_search.run(goal, patient)
    bound = tree_search.sums.sign * goal
    if report.best is None:
        return Searched(None, dict(report.failed), bound, report.starts, report.seconds)
    x = as_columns(stated, report.best.completion.values)
    return Searched(x, {}, bound, report.starts, report.seconds, report.best.objective)


def as_columns(stated: Model, values: dict[str, np.ndarray]) -> np.ndarray:
    """Values by family as columns of the stated model, float64, nan where there are none."""
    columns = (values.get(b.name, np.full(b.length, np.nan)) for b in stated.variables)
    return np.concatenate(list(columns))


__all__ = ["NoSums", "Searched", "refusal", "search"]
