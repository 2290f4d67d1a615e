"""Which specs over univariate trees can be proven by lists of trees, and as which rows: those whose
objective is at least what sums over points, labels and splits say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Work
from treemip.answers.engines.frontier.lists import MOST_PARTS
from treemip.answers.engines.frontier.rows import Rows, rows_of
from treemip.answers.engines.frontier.sweeps import Sweeps
from treemip.answers.engines.frontier.value_limits import value_limits
from treemip.answers.engines.own_rows import MOST_ROWS, TREES, Summed, best_answered
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.search.agreement import NO_VALUE, broken_families, by_meaning
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import never
from treemip.answers.search.curves.curve import NO_BEST
from treemip.answers.search.leaf_answers import has_slopes
from treemip.answers.search.sum_builder import provable_sums
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.lower import bounds_of
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.lower.relations import Relations
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.module_files import SPEC
from treemip.core.source.diagnostic import TreemipError

DEEPEST = 4
SAMPLES = 40  # random trees on which rows are held against what the spec means
MOST_GIVEN = 3  # of variables that trees do not settle, where bounds allow it
SPEED, EACH = 1e9, 2e-4  # numbers a second in sums of points, and seconds for any list
SORTED = 30.0  # times as long takes a number of a tree in a list, where rows are compared
LONGEST = 3600.0  # seconds that anybody may give a proof
HOPEFUL = 30.0  # times as long as there is time for, all lists may take: bounds rule out many


def fitted(
    instance: Instance, stated: Model, late: Callable[[], bool] = never
) -> tuple[Summed, Rows]:
    """The spec by sums and as rows. late: whether the time for finding out is used up. Raises
    NoSums, and Refusal, with a text that completes "there is no engine for this spec: ..."."""
    _demand_shape(instance)
    spec = _summed(instance)
    if spec.sums.answers.values is not None and not (
        spec.sums.answers.complete or spec.sums.curve is not None
    ):
        raise Refusal(spec.sums.answers.why_incomplete)
    _demand_best_values(spec.sums)
    rows = rows_of(instance, stated, spec)
    demand_few(rows, LONGEST)
    rng, left = np.random.default_rng(0), rows.options.unsplit_left
    trees = [best_answered(_random_tree(rows, spec, rng), spec, left) for _ in range(TREES[0])]
    broken = broken_families(instance, trees, MOST_ROWS)
    more = with_families(instance, spec, broken)
    if more is not spec:
        spec, rows = more, rows_of(instance, stated, more)
    if not reproduces(instance, spec, rows, late):
        raise Refusal(NO_TIME if late() else "its objective or a row is no sum over points")
    return spec, rows


def _demand_shape(instance: Instance) -> None:
    spec, topology = instance.spec, instance.topology
    if spec.split != "univariate":
        raise Refusal("it takes univariate splits")
    if topology is None or topology.families != 1 or not len(topology.branches):
        raise Refusal("it takes one tree with a branch")
    if topology.depth.max() > DEEPEST:
        raise Refusal(f"it takes trees of depth {DEEPEST} at most")
    if spec.predict is None or spec.predict.kind == "distribution":
        raise Refusal("it takes leaves with one answer, and these have shares")
    if has_slopes(instance):
        raise Refusal("the values of its leaves depend on features")


def _demand_best_values(sums: Sums) -> None:
    """Of leaves follow from sums, whatever points they have."""
    if sums.curve is None:
        return
    for worth in (sums.shared[:, :, 0], sums.label[:, :, 0]):
        if not sums.curve.is_convex(sums.sign * worth):
            raise Refusal(NO_BEST)


def demand_few(rows: Rows, seconds: float) -> None:
    """Raises Refusal where there is no chance in so many seconds."""
    least, labels = work(rows), rows.label.shape[1]
    if least.seconds > HOPEFUL * seconds or (not rows.free_labels and labels**2 > MOST_PARTS):
        raise Refusal(f"it has too many trees to go through: {least}")


def work(rows: Rows) -> Work:
    """All lists of trees: a branch above leaves has one for each way to it, by the splits above."""
    topology, options = rows.topology, rows.options.count
    levels = int(topology.depth[topology.last_branches].max())
    labels = 1 if rows.free_labels else rows.label.shape[1]
    trees, lists = options * labels**2, 2.0 * float(options) ** levels
    numbers = Sweeps(rows.options).passes * rows.points[0].size
    numbers += int(trees * rows.width * (SORTED if rows.width > 1 else 1.0))
    return Work(lists * trees, "trees", lists * (numbers / SPEED + EACH))


# --------------------------------------------------------------------------------- sums


def _summed(instance: Instance) -> Summed:
    """The spec's objective and constraints as sums, as far as there are any: a constraint that has
    none, or very many rows, is left to completion. Raises NoSums."""
    x, of_point = instance.table.distinct
    own = instance.spec.own_names
    relaxed = frozenset(_long(instance) & own)
    limits = value_limits(instance, of_point, own - relaxed)
    if limits is not None:
        relaxed, own = relaxed | limits.names, own - limits.names
    try:
        sums = provable_sums(instance, of_point, without=relaxed)
    except (NoSums, TreemipError):
        relaxed |= own
        sums = _sums(instance, of_point, relaxed)
        for name in sorted(own - _long(instance)):
            try:
                sums = _sums(instance, of_point, relaxed - {name})
                relaxed -= {name}
            except NoSums:
                continue
    ends = None if limits is None else (limits.low, limits.high)
    spec = Summed(instance, x, of_point, sums, relaxed=relaxed, values=ends)
    return with_families(instance, spec, (c.name for c in instance.spec.constraints if c.guards))


def _sums(instance: Instance, of_point: np.ndarray, relaxed: frozenset[str]) -> Sums:
    try:
        return provable_sums(instance, of_point, without=relaxed)
    except TreemipError as error:
        raise NoSums(error.diagnostics[0].message) from None


def _long(instance: Instance) -> set[str]:
    """The constraints with more than MOST_ROWS rows: those that say what trees are."""
    relations = Relations(ModelBuilder(instance), Evaluator(instance, Nothing()))
    return {c.name for c in instance.spec.constraints if relations.count(c) > MOST_ROWS}


def with_families(instance: Instance, spec: Summed, names: Iterable[str]) -> Summed:
    """With constraints of the formulation, or implications, by these names, as far as sums can say
    them; itself where there are no new ones."""
    known = {c.name for c in instance.spec.constraints if c.guards or c.module != SPEC}
    known -= spec.families
    for name in sorted(set(names) & (known - _long(instance))):
        families = spec.families | {name}
        try:
            sums = provable_sums(instance, spec.of_point, families, spec.relaxed)
        except (NoSums, TreemipError):
            continue
        same = sums.answers.count == spec.sums.answers.count
        if same and (sums.curve is None) == (spec.sums.curve is None):
            spec = replace(spec, sums=sums, families=families)
    return spec


# ----------------------------------------------------------------------- rows and meaning


def _random_tree(rows: Rows, spec: Summed, rng: np.random.Generator) -> Candidate:
    """Random options and labels, one in six branches without a split."""
    sums, options = spec.sums, rows.options
    width = options.inputs.width
    tree = Candidate.empty(rows.topology, width, options.unsplit_left, sums.no_labels, sums.listed)
    for node in rows.topology.branches:
        option = 0 if rng.random() < 1 / 6 else int(rng.integers(options.count))
        options.place(tree, int(node), option)
    labels = rng.integers(sums.classes, size=len(tree.labels))
    if sums.curve is None:
        tree.labels[:] = labels
        return tree
    assert sums.answers.values is not None
    tree.labels[:] = sums.answers.values[labels]
    return tree


def rows_on(rows: Rows, spec: Summed, tree: Candidate) -> tuple[float, set[str]]:
    """The objective of a tree, to be minimized, and the constraints of whose rows it breaks some,
    NO_VALUE among them."""
    options, topology = rows.options, rows.topology
    total, bits = rows.constant.copy(), 0
    for number, node in enumerate(topology.branches.tolist()):
        same = (options.weights == tree.weights[node]).all(axis=1)
        one = int(np.flatnonzero(same & (options.threshold == tree.threshold[node]))[0])
        total += rows.by_option[number, one]
        bits |= int(rows.uses[one])
    leaf = np.searchsorted(topology.leaves, tree.ends(spec.x))
    for number in range(len(topology.leaves)):
        here = leaf == number
        each = rows.points[rows.kind[number], here].sum(axis=0) + rows.label[number]
        each += rows.occupied[number] * bool(here.any())
        total += spec.sums.labelled(each[None], tree.labels[number : number + 1])[0]
    for bit, added in enumerate(rows.anywhere):
        total += added * (bits >> bit & 1)
    total, defined = rows.with_results(total)
    broken = {rows.constraints[r] for r in np.flatnonzero(rows.broken(total))}
    return float(total[0]), broken if defined else broken | {NO_VALUE}


def _of_no_tree(instance: Instance, sums: Sums, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Variables that trees do not settle, by name, at random values between their bounds: no tree
    is worth more by the rows, or breaks fewer of them, than with any of these."""
    evaluator, values = Evaluator(instance, Nothing()), {}
    for symbol in instance.spec.variables:
        if symbol.name in sums.opaque and symbol.means is None:
            lower, upper = bounds_of(symbol, evaluator.places.domain_frame(symbol), evaluator)
            there = rng.integers(-MOST_GIVEN, MOST_GIVEN + 1, len(lower))
            values[symbol.name] = np.clip(there.astype(float), lower, upper)
    return values


def reproduces(instance: Instance, spec: Summed, rows: Rows, late: Callable[[], bool]) -> bool:
    """Whether no random tree is better by what the spec means than by the rows, or breaks rows of a
    constraint that it keeps."""
    rng = np.random.default_rng(1)
    for _ in range(SAMPLES):
        if late():
            return False
        tree = _random_tree(rows, spec, rng)
        value, broken = rows_on(rows, spec, tree)
        given = _of_no_tree(instance, spec.sums, rng)
        true, violated = by_meaning(instance, tree, spec.families, spec.relaxed, given)
        true *= spec.sums.sign
        if not np.isfinite(true):
            continue
        # With values at random that rows do not allow, the objective may be anything.
        better = value > true + EQUAL * max(1.0, abs(true)) and not (given and violated)
        if better or not broken <= violated:
            return False
    return True
