"""A spec as sums over points with those rows of its formulation that trees may break.

Most rows of a formulation say what trees are, and hold for each. Some forbid trees: a least size of
leaves, a split at every branch. They are found by what they mean on random trees; those that sums
over one leaf, or limits on one branch, can say are part of the problem. All others, and constraints
of the spec about what sums do not know, are left to the completion of the best tree, and what the
objective says of that is at its least, so that a bound may be too low and never too high.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treemip.answers.engines.duals import directions
from treemip.answers.engines.lowered import Lowered, about_unknown, lowered, unknown_columns
from treemip.answers.engines.problem import Problem, has_shape
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.search.agreement import broken_families, random_tree
from treemip.answers.search.answer_columns import answer_values, split_values
from treemip.answers.search.candidate import Candidate, canonical
from treemip.answers.search.complete import completion_of, never, tables_of
from treemip.answers.search.ratios import ratio_of
from treemip.answers.search.remembered import remembered
from treemip.answers.search.sum_builder import provable_sums
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.lower.value_sources import mentioned
from treemip.core.model.model import Model
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree_map import TreeMap

TREES = 3, 20  # random trees, at least and at most
POINTS = 20_000  # of all these trees together, beyond the least number
MOST_ROWS = 64  # of a family


@dataclass(frozen=True)
class Summed:
    """A spec as the engine for univariate trees takes it, made by `summed`.

    x float64 (M, p): the distinct points. of_point int64 (N,): which of them each point is.
    families: constraints of the formulation that the sums count beside the spec's own. relaxed:
    constraints of the spec that they do not count, since they are about variables without a
    meaning, or about where thresholds are. lowered: the values at which the objective has such
    variables; where there are any, a tree's value by the sums is a bound of what it is worth.
    broken: constraints of the formulation that random trees break. values: float64 low and high
    (L,) of leaves' values, by constraints among `relaxed` that say nothing else.
    """

    instance: Instance
    x: np.ndarray
    of_point: np.ndarray
    sums: Sums
    families: frozenset[str] = frozenset()
    relaxed: frozenset[str] = frozenset()
    lowered: Lowered = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    values: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def problem(self) -> Problem:
        """The same as arrays. Raises Refusal where it is not of that form."""
        return problem_of(self.instance, self.sums)


def summed(instance: Instance, late: Callable[[], bool] = never) -> Summed:
    """The spec's objective and constraints, with rows of the formulation as far as they leave a
    problem as separable as it is without them. Raises NoSums, also once the time is used up."""
    x, of_point = instance.table.distinct
    _demand_time(late)
    spec = Summed(instance, x, of_point, provable_sums(instance, of_point))
    if instance.spec.split != "univariate" or not has_shape(instance.topology):
        return spec
    if unknown_columns(instance, spec.sums):
        spec = _counting(instance, spec, about_unknown(instance, spec.sums))
    if spec.sums.folds and _coupled_rows(spec) is None:
        spec = _without_epigraphs(instance, spec)
    _demand_time(late)
    broken = remembered(
        "broken families",
        lambda: broken_families(instance, _random_trees(instance, spec), MOST_ROWS),
    )
    return replace(with_families(instance, spec, broken), broken=frozenset(broken))


def _demand_time(late: Callable[[], bool]) -> None:
    if late():
        raise NoSums(NO_TIME)


def without_constraints(instance: Instance) -> Summed:
    """The spec's objective alone. Raises NoSums."""
    return without_some(instance, instance.spec.own_names)


def without_some(instance: Instance, names: frozenset[str]) -> Summed:
    """The spec without the constraints of these names. Raises NoSums."""
    x, of_point = instance.table.distinct
    sums = provable_sums(instance, of_point, without=names)
    return Summed(instance, x, of_point, sums, relaxed=names)


def with_families(instance: Instance, spec: Summed, names: Iterable[str]) -> Summed:
    """With constraints of the formulation by these names, as far as sums can say them."""
    fresh = sorted(set(names) - spec.families - instance.spec.required_names)
    before = _coupled_rows(spec) if fresh else None
    for name in fresh:
        try:
            more = _counting(instance, spec, spec.relaxed, spec.families | {name})
        except (NoSums, TreemipError):
            continue
        after = _coupled_rows(more)
        if after is not None and (before is None or after <= before):
            spec, before = more, after
    return spec


def _coupled_rows(spec: Summed) -> int | None:
    """How many rows couple leaves; None where the engine does not take the sums. A ratio counts as
    its numerator does."""
    ratio = ratio_of(spec.sums)
    if ratio is not None:
        spec = replace(spec, sums=ratio.at(ratio.fraction.top))
    try:
        problem = spec.problem
        if problem.coupled:
            directions(problem)
        return len(problem.constant)
    except Refusal:
        return None


def _counting(
    instance: Instance,
    spec: Summed,
    relaxed: frozenset[str],
    families: frozenset[str] = frozenset(),
) -> Summed:
    """The spec with these constraints relaxed, and those families of the formulation counted."""
    sums = provable_sums(instance, spec.of_point, families, relaxed)
    sums, values = lowered(instance, sums)
    return replace(spec, sums=sums, families=families, relaxed=relaxed, lowered=values)


def _without_epigraphs(instance: Instance, spec: Summed) -> Summed:
    """Without the constraints of the spec about variables that are functions of sums, by what they
    mean: such rows say no more than that, or are seen by completion."""
    functions = frozenset(
        c.name
        for c in instance.spec.own
        if any(
            s.role is Role.VARIABLE
            and s.means is not None
            and (s.module == SPEC or not s.domain.names)
            for s in mentioned(*c.sides)
        )
    )
    return _counting(instance, spec, spec.relaxed | functions)


def _random_trees(instance: Instance, spec: Summed) -> list[Candidate]:
    rng, left = np.random.default_rng(0), TreeMap.of(instance).unsplit_left
    trees = []
    fewest, most = TREES
    for _ in range(min(most, max(fewest, POINTS // len(instance.table.y)))):
        trees.append(best_answered(random_tree(instance, spec.sums, spec.x, rng, left), spec, left))
    return trees


def best_answered(tree: Candidate, spec: Summed, unsplit_left: bool) -> Candidate:
    """The tree in the shape that formulations have it in, each leaf with its best answer."""
    leaf = np.searchsorted(tree.topology.leaves, tree.ends(spec.x))
    tree.labels[:] = spec.sums.choice.best(spec.sums.sign * spec.sums.by_leaf(leaf)[:, :, 0])
    return canonical(tree, spec.x, unsplit_left)


def demand_meanings(instance: Instance, model: Model) -> None:
    """Raises Refusal where a variable has no value on a tree: none could be claimed to be proven,
    and a proof takes long."""
    topology = instance.topology
    assert topology is not None
    tree = Candidate.empty(topology, instance.table.inputs.shape[1])
    of_tree = split_values(instance, tree) | answer_values(instance, tree)
    unknown = completion_of(instance, model, of_tree, tables_of(instance, tree)).unknown
    if unknown:
        raise Refusal(f"its variable '{unknown[0]}' has no meaning on a tree")


def relaxed_lines(instance: Instance, rest: str) -> list[str]:
    """What an engine leaves to the completion of trees: the spec's constraints, and the rest."""
    title = "Relaxed, and seen when a tree is completed"
    return ["", title, *quoted_constraints(instance), f"  {rest}"]


def quoted_constraints(instance: Instance) -> list[str]:
    """The spec's own constraints with their places, a line each."""
    return [f"  {quoted(c)}" for c in instance.spec.own]


def quoted(constraint: Constraint) -> str:
    """A constraint as the spec writes it, with its place."""
    return f"{' '.join(constraint.span.text.split()).rstrip(';')} ({constraint.span})"
