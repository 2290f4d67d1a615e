"""Variables of the objective that no tree determines, at the values where it is least.

A variable without a meaning has any value between its bounds, and a threshold any between those of
its variable. With each of them where the objective is least, no solution has a better value than
its tree has by the sums: a bound, which is reached where the tree's completion is worth as much.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.search.folds import Fold
from treemip.answers.search.sums import Sums
from treemip.answers.search.tree_columns import concepts_behind
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.lower import bounds_of
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.blocks import Function
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL
from treemip.core.model.values import objective_value
from treemip.core.resolve.circles import rests_on, symbols_in
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Symbol
from treemip.core.tree.residuals import model_violations
from treemip.core.tree.tree_map import SPLITS

COEF, BIAS = SPLITS

Lowered = dict[str, np.ndarray]
"""Variables by name at the values, float64 over each domain, where the objective is least."""


def unknown_columns(instance: Instance, sums: Sums) -> tuple[str, ...]:
    """The families of columns that rows mention and no tree of the engine settles: variables
    without a meaning, thresholds, and coefficients that may be others than 0 and 1."""
    numbers = {c for v, c in concepts_behind(instance).items() if v.kind != "binary"}
    known = tuple(n for n in (BIAS, COEF) if n in sums.families and n in {BIAS, *numbers})
    return (*sums.opaque, *known)


def about_unknown(instance: Instance, sums: Sums) -> frozenset[str]:
    """The names of the spec's own constraints that rest on unknown columns."""
    unknown = {s.name for s in _variables(instance, sums).values()} | {*sums.opaque}
    return frozenset(c.name for c in instance.spec.own if unknown & _names_behind(c))


def lowered(instance: Instance, sums: Sums) -> tuple[Sums, Lowered]:
    """The sums with unknown columns of the objective at their least; those stay as they are that
    have no such bound, that constraints mention, or that the objective wants both ways."""
    variables, ways = _variables(instance, sums), _ways(sums)
    evaluator, values = Evaluator(instance, Nothing()), Lowered()
    structure, constant, families = sums.structure.copy(), sums.constant.copy(), {**sums.families}
    in_limits = np.zeros(len(structure), bool)
    in_limits[sums.limits[0].indices] = True
    for name, symbol in variables.items():
        own = families[name].columns
        rates = structure[own]
        with np.errstate(invalid="ignore"):
            pull = np.where(rates == 0, 0.0, rates * ways)
        up, down = (pull > 0).any(axis=1), (pull < 0).any(axis=1)
        lower, upper = bounds_of(symbol, evaluator.places.domain_frame(symbol), evaluator)
        at = np.where(up, lower, np.where(down, upper, np.clip(0.0, lower, upper)))
        if np.isnan(pull).any() or (up & down).any() or in_limits[own].any():
            continue
        if not np.isfinite(at).all():
            continue
        constant += at @ rates
        structure[own] = 0.0
        values[symbol.name] = at
        del families[name]
    opaque = tuple(name for name in sums.opaque if name in families or name not in variables)
    known = replace(sums, structure=structure, constant=constant, families=families, opaque=opaque)
    return known, values


def worth_completed(
    stated: Model, given: Lowered, values: np.ndarray
) -> tuple[np.ndarray, float | None]:
    """A completed tree's columns of the stated model, nan where they are unknown, with variables
    of the objective where it is least if they may be there; and what they are worth, None where
    that is not known."""
    filled = values.copy()
    for block in stated.variables:
        if block.name in given:
            here = slice(block.start, block.stop)
            filled[here] = np.where(np.isnan(values[here]), given[block.name], values[here])
    if np.isnan(filled).any():
        return values, None
    if next(iter(model_violations(stated, stated.by_name(filled))), None) is not None:
        return values, None
    return filled, objective_value(stated, filled)


def is_reached(worth: float, bound: float) -> bool:
    return bool(abs(worth - bound) <= EQUAL * max(1.0, abs(bound)))


def _variables(instance: Instance, sums: Sums) -> dict[str, Symbol]:
    """The variables behind unknown columns, by the name of their family; not concepts that have a
    meaning which sums cannot say."""
    by_concept = {name: variable for variable, name in concepts_behind(instance).items()}
    own = {s.name: s for s in instance.spec.variables if s.means is None}
    behind = {n: by_concept.get(n, own.get(n)) for n in unknown_columns(instance, sums)}
    return {n: s for n, s in behind.items() if s is not None and n in sums.families}


def _names_behind(constraint: Constraint) -> set[str]:
    """The names of all that a constraint rests on, by what it means."""
    waiting, seen = [s for e in constraint.sides for s in symbols_in(e)], set[Symbol]()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += rests_on(one)
    return {s.name for s in seen}


def _ways(sums: Sums) -> np.ndarray:
    """Which way each row moves the objective that is to be minimized: 1 and -1 where it rises and
    falls with the row, 0 where it does not move, nan where either; float64 (R,)."""
    ways = np.where(np.isfinite(sums.low) | np.isfinite(sums.high), np.nan, 0.0)
    ways[0] = sums.sign
    for fold in reversed(sums.folds):
        for group, to in enumerate(fold.to):
            pull = to[to != 0] * ways[to != 0]
            signs = np.unique(np.sign(pull[~np.isnan(pull)]))
            way = signs[0] if len(signs) == 1 and not np.isnan(pull).any() else np.nan
            if not len(pull):
                way = 0.0
            rows = fold.rows[fold.offsets[group] : fold.offsets[group + 1]]
            ways[rows] = way if _rises(fold) or way == 0 else np.nan
    return ways


def _rises(fold: Fold) -> bool:
    """Whether results rise with each argument."""
    return fold.function in (Function.MAX, Function.MIN)
