"""Whether the sums and the evaluator agree on random trees; checked before the sums are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from treemip.answers.search.answer_columns import answer_values, likely_split_values
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import never, tables_of
from treemip.answers.search.structure import Structure
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import alike_points
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.lower.relations import Relations
from treemip.core.lower.value_sources import Meaning, Nothing
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.sorts import POINT
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Typed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.inputs import Inputs

TREES = 50  # among few points
POINTS = 1_000_000  # of all trees together, beyond FEWEST
FEWEST = 4
NO_VALUE = ""  # among the names of constraints: a function has no value on the tree
NOTHING: Mapping[str, np.ndarray] = MappingProxyType({})


def reproduces_objective(
    instance: Instance,
    sums: Sums,
    x: np.ndarray,
    unsplit_left: bool,
    late: Callable[[], bool] = never,
    families: frozenset[str] = frozenset(),
    relaxed: frozenset[str] = frozenset(),
    trees: int | None = None,
    given: Mapping[str, np.ndarray] = NOTHING,
) -> bool:
    """Whether objective and constraints are the same on so many random trees.

    x float64 (M, p): the points of the sums. The evaluator's side is what every concept and
    variable means on the tree; both sides must agree on the value and on which constraints the tree
    breaks, one by one: a random tree often breaks some, and would hide disagreement on the others.
    late: whether the time is used up; what was not compared by then counts as not agreeing.
    families: constraints of the formulation that the sums count; relaxed: those of the spec that
    they do not; given: values, by name, of variables that the objective of the sums sets itself.
    trees: how many; None for a number that is smaller for many points.
    """
    rng = np.random.default_rng(0)
    if trees is None:
        trees = min(TREES, max(FEWEST, POINTS // len(instance.table.y)))
    for _ in range(trees):
        if late():
            return False
        tree = random_tree(instance, sums, x, rng, unsplit_left)
        rows, columns = _rows_of(instance, sums, x, tree)
        value, broken = float(sums.sign * sums.worth(rows)[0]), broken_by_sums(sums, rows, columns)
        true, violated = by_meaning(instance, tree, families, relaxed, given)
        if np.isnan(true) and NO_VALUE in violated & broken:
            continue
        if not abs(value - true) <= EQUAL * max(1.0, abs(true)) or violated != broken:
            return False
    return True


def random_tree(
    instance: Instance,
    sums: Sums,
    x: np.ndarray,
    rng: np.random.Generator,
    unsplit_left: bool,
) -> Candidate:
    """Random features, thresholds at values of random points, labels; some branches unsplit. Where
    splits are hyperplanes, some have all features. A random value is one of those that the sums
    know."""
    topology = instance.nodes
    answers = sums.answers.table_rows
    tree = Candidate.empty(topology, x.shape[1], unsplit_left, sums.no_labels, answers)
    for node in topology.branches:
        if rng.random() < 0.85:
            feature = int(rng.integers(x.shape[1]))
            tree.weights[node, feature] = 1.0
            if instance.spec.split != "univariate" and rng.random() < 0.5:
                tree.weights[node] = rng.normal(size=x.shape[1])
            tree.threshold[node] = x[rng.integers(len(x))] @ tree.weights[node]
    labels = rng.integers(sums.classes, size=len(tree.labels))
    if sums.curve is None:
        tree.labels[:] = labels
        return tree
    assert sums.answers.values is not None
    return replace(tree, labels=sums.answers.values[labels], answers=None)


def by_sums(instance: Instance, sums: Sums, x: np.ndarray, tree: Candidate) -> tuple[float, float]:
    """A tree's objective in the spec's sense and its violation, by the sums."""
    rows, columns = _rows_of(instance, sums, x, tree)
    objective, violation = sums.worth(rows)
    return float(sums.sign * objective), float(violation + sums.broken_limits(columns))


def broken_by_sums(sums: Sums, rows: np.ndarray, columns: np.ndarray) -> set[str]:
    """The names of constraints that a tree breaks, by its rows (R,) and columns of the structure,
    NO_VALUE among them."""
    results, defined = sums.with_results(rows)
    broken = {sums.constraints[r] for r in np.flatnonzero(sums.off(results) > EQUAL)}
    broken |= {sums.limiting[r] for r in np.flatnonzero(sums.limits_off(columns) > EQUAL)}
    return broken if defined else broken | {NO_VALUE}


def _rows_of(
    instance: Instance, sums: Sums, x: np.ndarray, tree: Candidate
) -> tuple[np.ndarray, np.ndarray]:
    """A tree's rows (R,) and columns of the structure."""
    topology = tree.topology
    leaf = np.searchsorted(topology.leaves, tree.ends(x))
    ends = np.searchsorted(topology.leaves, tree.ends(instance.table.inputs))
    structure = Structure(sums, topology, Inputs.plain(x.shape[1]))
    columns = structure.of_tree(tree, np.bincount(ends, minlength=len(topology.leaves)))
    points = sums.added(np.arange(len(leaf)), leaf, tree.labels).sum(axis=0)
    added = sums.of_structure.times(columns)
    return sums.constant + sums.label_part(tree.labels) + points + added, columns


def by_meaning(
    instance: Instance,
    tree: Candidate,
    families: frozenset[str] = frozenset(),
    relaxed: frozenset[str] = frozenset(),
    given: Mapping[str, np.ndarray] = NOTHING,
) -> tuple[float, set[str]]:
    """The objective, and the names of constraints that are violated, of those of the spec that are
    not `relaxed` and of `families`, by what things mean; given: values of variables in place of
    those. Implications count that are among `families`. Where the objective has no value, as where
    it divides by 0, it is nan, and NO_VALUE is violated."""
    on_tree = _OnTree(instance, tree, given)
    objective, value = instance.spec.objective, 0.0
    if objective is not None:
        try:
            evaluator = on_tree.evaluator([objective.value])
            value = float(evaluator.known(objective.value, Frame.empty())[0])
        except TreemipError:
            return np.nan, {NO_VALUE}
    own = [
        c
        for c in instance.spec.constraints
        if (c.module == SPEC and not c.guards and c.name not in relaxed) or c.name in families
    ]
    return value, on_tree.broken(own)


def broken_families(instance: Instance, trees: list[Candidate], most: int) -> set[str]:
    """The names of the formulation's constraints that some tree breaks by their meaning.

    Constraints over points, implications, and families of more than `most` rows are left out.
    """
    constraints = [c for c in instance.spec.constraints if c.module != SPEC]
    relations = Relations(ModelBuilder(instance), Evaluator(instance, Nothing()))
    constraints = [
        c
        for c in constraints
        if POINT not in c.domain.sorts and not c.guards and relations.count(c) <= most
    ]
    broken: set[str] = set()
    for tree in trees:
        broken |= _OnTree(instance, tree).broken([c for c in constraints if c.name not in broken])
    return broken


class _OnTree:
    """What things mean on a tree, evaluated over fewer points where these are alike."""

    def __init__(
        self, instance: Instance, tree: Candidate, given: Mapping[str, np.ndarray] = NOTHING
    ) -> None:
        self.instance, self.tree = instance, tree
        split, answers = likely_split_values(instance, tree), answer_values(instance, tree)
        self.values = split | answers | dict(given)
        self.ends = tree.ends(instance.table.inputs)

    @cached_property
    def _every_point(self) -> Evaluator:
        return self._over(self.instance)

    def _over(self, instance: Instance) -> Evaluator:
        return Evaluator(instance, Meaning(tables_of(instance, self.tree), self.values))

    def evaluator(self, expressions: Sequence[Typed], rows: Sequence[Constraint] = ()) -> Evaluator:
        alike = alike_points(self.instance, expressions, rows, self.ends)
        return self._every_point if alike is None else self._over(alike.instance)

    def broken(self, constraints: list[Constraint]) -> set[str]:
        """The names of those that do not hold, as far as they have values."""
        return {c.name for c in constraints if _is_broken(c, self.evaluator((), [c]))}


def _is_broken(constraint: Constraint, evaluator: Evaluator) -> bool:
    relations = Relations(ModelBuilder(evaluator.instance), evaluator)
    frame = relations.frame(constraint)
    if not frame.size:
        return False
    off = np.zeros(frame.size, bool)
    for row, low, high in relations.all_between(constraint.relation, frame):
        size = EQUAL * np.maximum(1.0, np.abs(row.constant))
        off |= (row.constant < low - size) | (row.constant > high + size)
    for guard in constraint.guards:
        left, value = relations.guard(guard, frame)
        off &= np.abs(left.constant - value) < 0.5
    return bool(off.any())
