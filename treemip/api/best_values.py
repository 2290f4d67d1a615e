"""A tree that is worth more than the solution it was read from: the best solution of this tree.

A solver that is stopped leaves variables that follow from the tree at values that rows allow and
that are not their best, such as points that count as errors though nothing makes them so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from treemip.api.optimality import closed
from treemip.model.answer import Answer, Limits
from treemip.model.tolerances import EQUAL, TIGHT
from treemip.model.values import objective_value
from treemip.search.complete import as_columns
from treemip.search.propagate import numbers_of, propagated
from treemip.solving.solve import solve
from treemip.source.diagnostic import TreemipError
from treemip.strategy.starts.from_tree import holds, with_implied
from treemip.strategy.starts.given_trees import placed_in, splits_of_tree
from treemip.tree.from_values import settled_values
from treemip.tree.randomized import RandomizedTree
from treemip.tree.readout import by_name
from treemip.tree.verify import better_by

if TYPE_CHECKING:
    from treemip.api.result import Result
    from treemip.instance.instance import Instance
    from treemip.search.candidate import Candidate
    from treemip.tree.tree import Tree
    from treemip.tree.verify import VerifyReport

SECONDS = 10.0
"""For a solver, at most."""

Values = dict[str, np.ndarray]
Judge = Callable[[Values], "tuple[Tree, VerifyReport]"]
Read = tuple[Values, "Tree", "VerifyReport"]


def is_better(report: VerifyReport, objective: float | None, sense: str) -> bool:
    """Whether a verified tree is better than the objective of the solution it was read from."""
    own = report.tree_objective if report.verified else None
    if own is None or objective is None or closed(own, objective):
        return False
    return better_by(sense, own, objective) > 0


def at_best(bare: Result, read: Read, judge: Judge, until: float) -> tuple[Read, Answer] | None:
    """A tree that is no worse with a solution that is worth as much, and the answer that has it;
    None where none is found by `until`, a time of `perf_counter`.

    read: the values, the tree that is better than they are, and its report. judge: reads a tree
    out of values and verifies it.
    """
    compiled, own = bare.compiled, read[2].tree_objective
    model, sense = compiled.model, compiled.model.objective.sense
    assert own is not None
    for x in _solutions(bare, read, until):
        if np.isnan(x).any() or not holds(model, x):
            continue
        values = by_name(compiled.reformed.original, compiled.reformed.invert(x))
        tree, report = judge(values)
        worth, value = report.tree_objective, objective_value(model, x)
        if not report.verified or worth is None or not closed(worth, value):
            continue
        if closed(worth, own) or better_by(sense, worth, own) > 0:
            return (values, tree, report), replace(bare.answer, values=x, objective=value)
    return None


def _solutions(bare: Result, read: Read, until: float) -> Iterator[np.ndarray]:
    """Columns of the model, float64, nan where unknown: what everything means on the tree; then
    the best solution that has the tree's integers and answers, wherever its thresholds are."""
    instance, model = bare.compiled.instance, bare.compiled.model
    values, tree, _ = read
    stated = bare.compiled.reformed.original
    by_meaning = settled_values(instance, tree, values, frozenset(values))
    yield with_implied(model, as_columns(stated, by_meaning))
    placed, seconds = _placed(instance, tree), min(SECONDS, until - perf_counter())
    if placed is None or seconds <= 0 or model.special_sets:
        return
    known = np.full(model.column_count, np.nan)
    known[: stated.column_count] = propagated(instance, stated, placed, but=numbers_of(stated))
    fixed = model.with_fixed(~np.isnan(known), np.nan_to_num(known))
    try:
        answer = solve(fixed, "auto", Limits(time=seconds, gap=EQUAL, feasibility=TIGHT))
    except TreemipError:  # of a solver that does not take it, or fails
        return
    if answer.values is not None:
        yield answer.values[: model.column_count]


def _placed(instance: Instance, tree: Tree) -> Candidate | None:
    """The tree as the search has it; None of probabilities, and where it has no room."""
    if isinstance(tree, RandomizedTree):
        return None
    try:
        parts = splits_of_tree(instance, tree, "the tree")
    except (TreemipError, TypeError):  # TypeError: of answers that are no labels
        return None
    univariate = instance.spec.split == "univariate"
    return placed_in(tree.topology, parts, instance.table.inputs, univariate)
