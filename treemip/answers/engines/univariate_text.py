"""What the engine for univariate trees makes of a spec, in words: its trees, its objective, which
constraints couple leaves, and what is left to the completion of its best tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Case
from treemip.answers.engines.own_rows import quoted
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.sum_builder import provable_sums
from treemip.answers.search.sums import NoSums
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree_map import TreeMap

MOST_FEATURES = 12  # that are listed one by one
MOST_NUMBERS = 4  # different ones that are listed


def described(case: Case) -> str:
    """Plain text in sections. Call it where the engine takes the case. Raises NoSums."""
    spec = case.spec
    problem = spec.problem
    parts = {
        "Trees": _trees(case, problem),
        "Objective": _objective(case, problem),
        "Constraints": _constraints(case),
        "Rows of the formulation that are added": _added(case),
        "Relaxed, and seen when the best tree is completed": _relaxed(case),
    }
    return "\n\n".join(f"{title}\n{_list(lines)}" for title, lines in parts.items())


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"  {line}" for line in lines) or "  none"


# --------------------------------------------------------------------------- trees


def _trees(case: Case, problem: Problem) -> Iterator[str]:
    topology, bins = problem.topology, problem.bins
    leaves = len(topology.leaves)
    branches = "1 branch" if leaves == 2 else f"{leaves - 1} branches"
    yield f"complete, depth {problem.depth}: {branches}, {leaves} leaves"
    points = f"{len(case.instance.table.y)} points"
    yield f"{points}, {len(problem.x)} of them different in their features"
    own = (
        "of the formulation"
        if TreeMap.of(case.instance).listed_thresholds
        else "between two values"
    )
    number = bins.count - int(bins.last.sum())
    yield f"each split is one feature at one of its thresholds, {number} in all, {own}:"
    yield from _thresholds(case, problem)
    if problem.unsplit is None:
        yield "each branch must split"
    else:
        side = "left" if problem.unsplit else "right"
        yield f"a branch without a split sends its points {side}"
    if not problem.allowed.all():
        of = np.unique(problem.allowed.sum(axis=1))
        yield f"constraints leave a branch {_numbers(of)} of {problem.allowed.shape[1]} features"
    yield _answers(problem)


def _thresholds(case: Case, problem: Problem) -> Iterator[str]:
    names, bins = case.instance.table.features, problem.bins
    each = np.bincount(bins.column[~bins.last], minlength=len(names))
    if len(names) > MOST_FEATURES:
        yield f"  {_numbers(each)} for each of {len(names)} features"
        return
    width = max(map(len, names))
    for name, count in zip(names, each.tolist(), strict=True):
        yield f"  {name.ljust(width)}  {count}"


def _answers(problem: Problem) -> str:
    answers = problem.sums.answers
    if answers.values is None:
        return f"a leaf has one of {answers.count} labels"
    if problem.sums.curve is not None:
        what = "shares of classes that are" if answers.are_shares else "value that is"
        return f"a leaf has the {what} best for its points, by {answers.count} sums over them"
    return f"a leaf has one of {answers.count} values of the label"


# ----------------------------------------------------------------------- objective


def _objective(case: Case, problem: Problem) -> Iterator[str]:
    objective = case.instance.spec.objective
    if objective is None:
        yield "none: any tree that keeps the constraints"
        return
    yield f"{objective.sense} {' '.join(objective.value.span.text.split())}"
    sign = case.sign
    if problem.sums.curve is None:
        added = _numbers(sign * problem.points[:, :, 0])
        yield f"points with the same features add {added}, by their leaf's label"
    else:
        yield "points add a convex curve of their leaf's value"
    splits = problem.by_split[:, :, 0][problem.allowed]
    if splits.any():
        yield f"a split adds {_numbers(sign * splits)}"
    if problem.anywhere[:, 0].any():
        yield f"a feature that any branch splits adds {_numbers(sign * problem.anywhere[:, 0])}"
    if problem.by_leaf[0]:
        yield f"a leaf with points adds {_numbers(sign * problem.by_leaf[:1])}"
    if problem.constant[0]:
        yield f"and {_numbers(sign * problem.constant[:1])} in all"
    for fold in problem.folds:
        if fold.to[:, 0].any():
            yield f"and {_function(fold.function)} of sums over all points"
    yield (
        "rows or prices couple the leaves: bounds come from multipliers of these rows"
        if problem.coupled
        else "leaves do not depend on each other: the best subtree follows from its points alone"
    )


def _function(function: object) -> str:
    return str(getattr(function, "value", function))


def _numbers(values: np.ndarray) -> str:
    """A few different numbers, or the least and the greatest."""
    every = np.unique(np.round(np.asarray(values, float), 12)) + 0.0
    if len(every) <= MOST_NUMBERS:
        texts = [f"{v:.6g}" for v in every]
        return " or ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
    return f"{every[0]:.6g} to {every[-1]:.6g}"


# --------------------------------------------------------------------- constraints


def _constraints(case: Case) -> Iterator[str]:
    for c in case.instance.spec.own:
        if not c.guards and c.name not in case.spec.relaxed:
            yield f"{quoted(c)}: {_kind(case, c)}"


def _added(case: Case) -> Iterator[str]:
    for c in case.instance.spec.constraints:
        if c.module != SPEC and c.name in case.spec.families:
            yield f"{quoted(c)}: {_kind(case, c)}"


def _relaxed(case: Case) -> Iterator[str]:
    spec = case.spec
    for c in case.instance.spec.own:
        if c.guards:
            yield f"{quoted(c)}: an implication"
        elif c.name in spec.relaxed:
            yield f"{quoted(c)}: it is about what does not follow from points and splits"
    others = [c for c in case.instance.spec.constraints if c.module != SPEC]
    others = [c for c in others if c.name not in spec.families]
    for c in others:
        if c.name in spec.broken:
            yield f"{quoted(c)}: trees can break it, and no sum over one leaf says when"
    rest = len({c.name for c in others} - spec.broken)
    if rest:
        yield f"{rest} other families of rows of the formulation, none seen to forbid a tree"


def _kind(case: Case, constraint: Constraint) -> str:
    """What the engine makes of a constraint alone, without an objective."""
    instance, name = case.instance, constraint.name
    kept = tuple(c for c in instance.spec.constraints if c.module != SPEC or c is constraint)
    alone = replace(instance.spec, constraints=kept, objective=None)
    instance = replace(instance, spec=alone)
    families = frozenset({name}) & case.spec.families
    try:
        sums = provable_sums(instance, case.spec.of_point, families)
        problem = problem_of(instance, sums)
    except (Refusal, NoSums, TreemipError):
        return "counted beside the others"
    rows, conditions = len(problem.constant) - 1, len(problem.conditions.stats)
    if rows:
        of = f", of {', '.join(sorted({_function(f.function) for f in problem.folds}))}"
        what = f"{rows} {'row' if rows == 1 else 'rows'} over all leaves"
        return f"{what}{of if problem.folds else ''}; couples them"
    if conditions:
        return "a condition of each leaf alone"
    if problem.unsplit is None:
        return "each branch must split"
    if not problem.allowed.all():
        return "which features a branch may split"
    return "no tree breaks it"
