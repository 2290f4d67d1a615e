"""Whether some solution of the stated model has a given tree, known by the features of its splits,
the ways of all points and the labels of its leaves; and the best such solution.

What the tree leaves open is decided by the rows if these leave each column an interval. Otherwise a
completion tries a few places for thresholds, and the rest is a linear program over the open
columns: if that is infeasible, no solution has the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns, complete
from treemip.answers.search.open_columns import best_by_rows, held_rows, tighten
from treemip.answers.search.propagate import numbers_of, propagated, propagated_by_splits
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Limits
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL, PROVEN, TIGHT, VERIFIED
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.solving.solve import choose_continuous, solve
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.residuals import model_violations, row_distance

SECONDS = 10.0  # of one linear program


@dataclass(frozen=True)
class Settled:
    """values float64 (columns of the stated model,): a solution, None where there is none; it may
    have another tree that parts the points alike. worth: its objective, to be minimized. closed:
    whether no solution with this very tree is better, or better than what was asked for."""

    values: np.ndarray | None
    worth: float
    closed: bool


def settle(
    instance: Instance,
    stated: Model,
    tree: Candidate,
    least: float,
    goal: float = np.inf,
    until: float = np.inf,
) -> Settled:
    """The best solution of a tree, as far as it may be better than `goal`. least: a lower bound on
    its solutions. until: when to stop, a time of `perf_counter`."""
    known = propagated(instance, stated, tree, but=numbers_of(stated))
    if tree.has_any_value:
        placed = propagated_by_splits(instance, stated, tree, tree)
        broken = is_broken(stated, np.where(np.isnan(known), np.nan, placed))
    else:
        broken = is_broken(stated, known)
        if not _is_open(stated, known) and _worth(stated, np.nan_to_num(known)) >= goal - EQUAL:
            return Settled(None, np.inf, True)
    if broken and np.isfinite(goal):
        return Settled(None, np.inf, True)
    if not tree.has_any_value and not broken:
        values = best_by_rows(stated, known)
        if values is not None:
            return Settled(values, _worth(stated, values), True)
    found = _completed(instance, stated, tree, until)
    if found.worth <= least + EQUAL * max(1.0, abs(least)) or broken:
        return replace(found, closed=True)
    if tree.has_any_value:
        return found
    if found.values is not None and not _is_open(stated, known):
        own = np.isnan(known) | (np.abs(found.values - known) <= VERIFIED)
        if own.all():  # the objective is that of the tree, whatever the rest is
            return replace(found, closed=True)
    other = _best_numbers(stated, known, until)
    if other is None:
        return found
    return other if other.worth < found.worth else replace(found, closed=other.closed)


def _completed(instance: Instance, stated: Model, tree: Candidate, until: float) -> Settled:
    completion = complete(
        instance, stated, tree, late=lambda: perf_counter() > until or asked_to_stop()
    )
    if completion.violations or completion.unknown:
        return Settled(None, np.inf, False)
    values = as_columns(stated, completion.values)
    return Settled(values, _worth(stated, values), False)


def is_loose(stated: Model, values: np.ndarray, until: float = np.inf) -> bool:
    """Whether a better solution with the same integers as `values`, float64 (columns,), is found by
    `until`: then variables need not have the values that they mean."""
    known = np.where(stated.integer, values, np.nan)
    other, worth = _best_numbers(stated, known, until), _worth(stated, values)
    return other is not None and other.worth < worth - PROVEN * max(1.0, abs(worth))


def _worth(model: Model, values: np.ndarray) -> float:
    return model.objective.sign * objective_value(model, values)


def _is_open(model: Model, known: np.ndarray) -> bool:
    """Whether the objective counts columns that are not known, nan."""
    if model.objective.slots is not None:
        return bool(np.isnan(known).any())
    products = model.objective.quadratic
    counted = np.flatnonzero(model.objective.linear), products.first, products.second
    return any(bool(np.isnan(known[columns]).any()) for columns in counted)


def is_broken(model: Model, known: np.ndarray) -> bool:
    """Whether columns that are known, float64 with nan for the others, break a bound or a row, or
    leave a column no value by rows over it alone."""
    with np.errstate(invalid="ignore"):
        off = np.maximum(model.lower - known, known - model.upper)
        if (off > VERIFIED).any():
            return True
        low, high = model.lower.copy(), model.upper.copy()
        for rows in (*model.rows, *held_rows(model, known)[0]):
            if rows.slots is not None:
                continue
            off, allowed = row_distance(rows, known)
            if (off > allowed).any():
                return True
            tighten(rows, known, low, high)
    return bool((low > high + VERIFIED * np.maximum(1.0, np.abs(high))).any())


def _best_numbers(model: Model, known: np.ndarray, until: float) -> Settled | None:
    """The best solution with the columns that are known; None where no solver says by `until`.

    Functions are left out where their results are known, rows of implications where their guards
    are not: what remains may say that there is no solution, and one is checked against all."""
    seconds = min(SECONDS, until - perf_counter())
    if model.tape.steps or model.special_sets or seconds <= 0:
        return None
    for function in model.functions:
        results = slice(function.result, function.result + function.length)
        if np.isnan(known[results]).any():
            return None
    held, whole = held_rows(model, known)
    program = replace(model, rows=(*model.rows, *held), implications=(), functions=())
    program = program.with_fixed(~np.isnan(known), known)
    free = bool((program.integer & np.isnan(known)).any())
    try:
        solver = "auto" if free else choose_continuous(program)
        answer = solve(program, solver, Limits(time=seconds, gap=EQUAL, feasibility=TIGHT))
    except TreemipError:  # a solver that fails, as HiGHS does at some quadratic programs
        return None
    if answer.status == "infeasible":
        return Settled(None, np.inf, True)
    if answer.values is None:
        return None
    values = np.where(np.isnan(known), answer.values[: model.column_count], known)
    if model_violations(model, model.by_name(values)):
        return None
    closed = answer.status == "optimal" and whole
    return Settled(values, _worth(model, values), closed)
