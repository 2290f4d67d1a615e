"""The tree of a solution: read out, repaired, verified, and given the best solution it has.

A solver that is stopped leaves variables that follow from the tree at values that rows allow and
that are not their best, such as points that count as errors though nothing makes them so. Then the
tree is worth more than the solution it was read from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.search.complete import as_columns
from treemip.answers.search.propagate import numbers_of, propagated
from treemip.answers.starts.from_tree import holds, with_implied
from treemip.answers.starts.given_trees import placed_in, splits_of_tree
from treemip.api.optimality import closed, gap_of_tree, held_against, objective_of_tree
from treemip.api.spec_of_tree import SolvedSpec
from treemip.api.unverified import why_unverified
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL, TIGHT
from treemip.core.model.values import objective_value
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.from_values import settled_values, tree_from_values
from treemip.core.tree.leaf_outcomes import outcomes_of
from treemip.core.tree.leaf_shares import class_weights
from treemip.core.tree.placement import unclear
from treemip.core.tree.prune_weights import prune_weights
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.readout import by_name, routed_by_solution
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import VerifyReport, better_by, verify

if TYPE_CHECKING:
    from treemip.answers.search.candidate import Candidate
    from treemip.api.result import Result
    from treemip.core.strategy.settings import Settings

SECONDS = 10.0
"""For a solver that looks for the best solution of a tree, at most."""

Values = dict[str, np.ndarray]
Read = tuple[Values, Tree, VerifyReport]


def with_tree(bare: Result, asked: Settings | None, until: float) -> Result:
    """The result with its tree, its verification, and the gap and proof that remain after it. A
    tree that is better than its solution gets its best one, by `until` of the clock.

    bare: the result with the values of a solution. asked: the settings of the solve; None where
    the values come from elsewhere.
    """
    compiled = bare.compiled
    instance, stated, sense = compiled.instance, compiled.solved.original, compiled.sense
    end = routed_by_solution(instance, bare.values)
    values, tree, report = prune_weights(
        instance,
        stated,
        bare.values,
        lambda values: tree_of(instance, stated, values, end),
        lambda: perf_counter() > until,
    )
    notes = why_unverified(replace(bare, values=values, tree=tree, report=report), end, asked)
    assert bare.optimality is not None
    answer, optimality, false = held_against(bare.answer, bare.optimality, report, sense)
    if is_better(report, answer.objective, sense) and not optimality.local:
        best = at_best(replace(bare, answer=answer), (values, tree, report), until)
        if best is not None:
            (values, tree, report), answer = best
    answer, optimality = gap_of_tree(answer, optimality, report, sense)
    counts = tree.counts_of(instance.table.inputs, instance.table.y)
    weights = None if instance.data is None else class_weights(tree, instance.data.whole)
    return replace(
        bare,
        answer=objective_of_tree(answer, report),
        tree=replace(
            tree,
            counts=counts,
            spec=SolvedSpec(instance, values),
            leaf_weights=weights,
            outcomes=outcomes_of(tree, instance),
        ),
        report=report,
        values=values,
        warnings=[*bare.warnings, *notes, *false, *unclear(instance, tree)],
        optimality=optimality,
    )


def tree_of(
    instance: Instance, stated: Model, values: Values, end: np.ndarray | None
) -> tuple[Tree, VerifyReport]:
    """The tree that values of the stated model stand for, read out and repaired, and what
    verification says of it.

    end: the leaf of each point by the solution itself; None where that says none.
    """
    tree, repaired, moved = tree_from_values(instance, values, end)
    return tree, verify(instance, stated, values, tree, end, tuple(repaired), moved)


def is_better(report: VerifyReport, objective: float | None, sense: str) -> bool:
    """Whether a verified tree is better than the objective of the solution it was read from."""
    own = report.tree_objective if report.verified else None
    if own is None or objective is None or closed(own, objective):
        return False
    return better_by(sense, own, objective) > 0


def at_best(bare: Result, read: Read, until: float) -> tuple[Read, Answer] | None:
    """A tree that is no worse with a solution that is worth as much, and the answer that has it;
    None where none is found by `until`, a time of `perf_counter`.

    read: the values, the tree that is better than they are, and its report.
    """
    compiled, own = bare.compiled, read[2].tree_objective
    instance, stated = compiled.instance, compiled.reformed.original
    model, sense = compiled.model, compiled.model.objective.sense
    assert own is not None
    for x in _solutions(bare, read, until):
        if np.isnan(x).any() or not holds(model, x):
            continue
        values = by_name(stated, compiled.reformed.invert(x))
        tree, report = tree_of(instance, stated, values, routed_by_solution(instance, values))
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
