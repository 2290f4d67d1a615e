"""From a spec and its data to sums over points.

`sums_of` evaluates the spec's rows over the columns of a tree and turns them into arrays over
points, leaves and classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.answers.search.curves.registry import CURVES
from treemip.answers.search.implied_rows import implied_rows
from treemip.answers.search.leaf_answers import (
    LeafAnswers,
    answers_of,
    breakpoints,
    candidates,
    is_linear_between,
    listed_values,
    why_no_values,
    with_between,
)
from treemip.answers.search.rows_of_few_splits import always_by_splits
from treemip.answers.search.sum_arrays import Arrays, Row, squares
from treemip.answers.search.sums import NoSums, Sums
from treemip.answers.search.tree_columns import TreeColumns
from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import alike_points
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.lower.relations import Relations
from treemip.core.resolve.spec import Constraint, Spec
from treemip.core.resolve.typed import Typed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.memory import drop_cycles

MOST_PROVABLE = 1 << 25  # points times leaves times values tried, for a proof: 6 s
AT_ONCE = 1 << 17  # of these at a time, within the processor's cache
MOST_AT_ONCE = 1 << 21  # at most, each of which takes a kilobyte
MANY = 1 << 18  # points times leaves, of which few values are tried at a time


def sums_of(
    instance: Instance,
    of_point: np.ndarray,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Sums:
    """The sums for distinct points; of_point int64 (N,) numbers them. Raises NoSums.

    families: constraints of the formulation, and implications, that are to count like the spec's
    own; without: those of the spec that are not to count. Where leaves
    have values, the sums are those of a curve if they can be, and else of candidates.
    """
    answers, shares = answers_of(instance) or listed_values(instance), instance.spec.has_shares
    if answers is None or shares:
        sums = _by_curve(instance, of_point, families, without)
        if sums is not None:
            return sums
    if shares:
        raise NoSums("the best shares of its leaves do not follow from sums over their points")
    if answers is None:
        answers = candidates(instance)
        if answers is None:
            raise NoSums(why_no_values(instance))
    return sums_among(instance, of_point, answers, families, without)


def provable_sums(
    instance: Instance,
    of_point: np.ndarray,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Sums:
    """As `sums_of`, but where leaves have values and each one's best is a value of the label, as
    with absolute errors, all values of the label are candidates."""
    sums, topology = sums_of(instance, of_point, families, without), instance.topology
    if sums.answers.values is None or sums.curve is not None or topology is None:
        return sums
    values = breakpoints(instance)
    if values is None:
        return sums
    probes = with_between(values)
    if len(instance.table.y) * len(topology.leaves) * probes.count > MOST_PROVABLE:
        return replace(sums, answers=replace(sums.answers, untried=len(values)))
    every = _in_turn(instance, of_point, probes, families, without, False)
    if every is None or not _is_like(every, is_linear_between):
        return sums
    at_values = _some_labels(every, slice(None, None, 2))
    return replace(at_values, answers=LeafAnswers.among(values, complete=True))


def _in_turn(
    instance: Instance,
    of_point: np.ndarray,
    answers: LeafAnswers,
    families: frozenset[str],
    without: frozenset[str],
    free: bool,
) -> Sums | None:
    """As `sums_among`, some of the values at a time. The first and the last are among all of them,
    so that these have the same rows; None where they have not."""
    assert answers.values is not None
    cells = len(instance.table.y) * len(instance.nodes.leaves)
    step, last = max(16 if cells < MANY else 4, AT_ONCE // cells), answers.count - 1
    if answers.count <= step:
        return _among(instance, of_point, answers, families, without, free)
    parts, ends = list[Sums](), slice(0, 2)
    for start in range(0, answers.count, step):
        some = np.r_[0, last, start : min(start + step, answers.count)]
        among = LeafAnswers.among(answers.values[..., some])
        part = _among(instance, of_point, among, families, without, free)
        if parts and not _are_alike(_some_labels(parts[0], ends), _some_labels(part, ends)):
            return None
        parts.append(part)
        drop_cycles()
    whole = [_some_labels(part, slice(2, None)) for part in parts]
    return replace(
        whole[0],
        shared=np.concatenate([part.shared for part in whole], axis=1),
        local=np.concatenate([part.local for part in whole], axis=2),
        label=np.concatenate([part.label for part in whole], axis=1),
        scale=np.max([part.scale for part in whole], axis=0),
        answers=answers,
    )


def _are_alike(one: Sums, other: Sums) -> bool:
    names = "shared local local_rows label constant low high structure"
    same = all(np.array_equal(getattr(one, n), getattr(other, n)) for n in names.split())
    return same and one.constraints == other.constraints and len(one.folds) == len(other.folds)


def _by_curve(
    instance: Instance, of_point: np.ndarray, families: frozenset[str], without: frozenset[str]
) -> Sums | None:
    """The sums at the values that a curve needs, of those at which it was tested; None where what
    points add is none."""
    for kind in CURVES:
        probes = kind.probes(instance)
        if probes is None:
            continue
        curve, tried = probes
        try:
            sums = sums_among(instance, of_point, tried, families, without, free=True)
        except NoSums:  # a function that is not defined at one of the values, or is of the labels
            continue
        if _is_like(sums, curve.fits):
            known = _some_labels(sums, slice(None, None, 2))
            return replace(known, answers=curve.answers, curve=curve)
    return None


def _is_like(sums: Sums, fits: Callable[[np.ndarray], bool]) -> bool:
    """Whether each leaf may have its best value whatever the others have, and what points and
    leaves add to the objective fits, as a function of it."""
    parts = (sums.shared[:, :, 0], sums.label[:, :, 0])
    return sums.free_labels and 0 not in sums.local_rows and all(map(fits, parts))


def _some_labels(sums: Sums, at: slice) -> Sums:
    return replace(
        sums,
        shared=np.ascontiguousarray(sums.shared[:, at]),
        local=np.ascontiguousarray(sums.local[:, :, at]),
        label=np.ascontiguousarray(sums.label[:, at]),
    )


def sums_among(
    instance: Instance,
    of_point: np.ndarray,
    answers: LeafAnswers,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
    free: bool = False,
) -> Sums:
    """The sums where leaves have one of these answers; the rest as of `sums_of`. free: NoSums is
    raised where `free_labels` cannot be, since functions are taken of what labels add: there may be
    one for each point, and then arrays over all of them."""
    cells = len(instance.table.y) * len(instance.nodes.leaves)
    if answers.values is not None and answers.table == "" and cells * answers.count > MOST_AT_ONCE:
        whole = _in_turn(instance, of_point, answers, families, without, free)
        if whole is not None:
            return whole
    return _among(instance, of_point, answers, families, without, free)


def _among(
    instance: Instance,
    of_point: np.ndarray,
    answers: LeafAnswers,
    families: frozenset[str],
    without: frozenset[str],
    free: bool,
) -> Sums:
    """As `sums_among`, all at once."""
    counted = _counted(instance.spec, families, without)
    guarded = any(row.guards for row in counted)
    alike = None if guarded else alike_points(instance, _objectives(instance.spec), counted)
    if alike is None:
        return _sums_over(instance, of_point, answers, families, without, free)
    few, counts = alike.instance, alike.instance.counts
    assert counts is not None
    sums = _sums_over(few, np.arange(len(counts)), answers, families, without, free)
    return _of_all(sums, counts, alike.kind, of_point, instance.counts)


def _of_all(
    sums: Sums,
    counts: np.ndarray,
    kind: np.ndarray,
    of_point: np.ndarray,
    own: np.ndarray | None,
) -> Sums:
    """Sums over points, each of which stands for `counts` float64 (k,), as sums over the distinct
    points, of which the table's are `of_point` int64 (N,). kind int64 (N,): which ones they are
    like. own: what each of the table's points stands for, float64 (N,); None for itself."""
    points = int(of_point.max()) + 1
    shared = sums.shared / counts[:, None, None]
    local = sums.local / counts[:, None, None, None]
    if points < len(of_point) or own is not None:
        shared, local = (_added(each, kind, of_point, points, own) for each in (shared, local))
    else:
        of_distinct = np.empty(points, np.int64)
        of_distinct[of_point] = kind
        shared, local = shared[of_distinct], local[of_distinct]
    scale = np.abs(shared).max(axis=(0, 1), initial=0.0)
    scale[sums.local_rows] = np.abs(local).max(axis=(0, 1, 2), initial=0.0)
    return replace(sums, shared=shared, local=local, scale=np.where(scale > 0, scale, 1.0))


def _added(
    each: np.ndarray, kind: np.ndarray, of_point: np.ndarray, points: int, own: np.ndarray | None
) -> np.ndarray:
    """What points of each kind (k, ...) add, for the distinct points (points, ...)."""
    flat = each.reshape(len(each), -1)
    whole = np.empty((points, flat.shape[1]))
    for k, column in enumerate(flat.T):
        added = column[kind] if own is None else own * column[kind]
        whole[:, k] = np.bincount(of_point, added, points)
    return whole.reshape(points, *each.shape[1:])


def _sums_over(
    instance: Instance,
    of_point: np.ndarray,
    answers: LeafAnswers,
    families: frozenset[str],
    without: frozenset[str],
    free: bool,
) -> Sums:
    """As `sums_among`, from the columns of each point of the instance."""
    columns = TreeColumns(instance, answers)
    try:
        objective, constraints = _objective(columns), _constraints(columns, families, without)
    except TreemipError as error:  # what a model states may have no value on a tree
        raise NoSums(error.diagnostics[0].message) from None
    constraints = [c for c in constraints if not squares(columns, c.value)]
    constraints = [one for c in constraints if (one := _that_bind(columns, c)).value.size]
    columns.keep_mentioned([objective, *(row.value for row in constraints)])
    if free and any(_differs_by_label(columns, one.arguments) for one in columns.applied):
        raise NoSums("a function is taken of what leaves answer")
    arguments = [Row.free(applied.arguments) for applied in columns.applied]
    of_points = [c for c in constraints if _counts_points(columns, c.value)]
    of_splits = [c for c in constraints if not _counts_points(columns, c.value)]
    return Arrays(columns, of_point, [Row.free(objective), *arguments, *of_points], of_splits).sums


def _differs_by_label(columns: TreeColumns, value: Linear) -> bool:
    """Whether what a point adds to some of the rows is not the same with every label."""
    form = value.products
    if form is None or not len(form.coef):
        return False
    start, stop = columns.label_start, columns.structure_start
    of_label = (form.first < start) & (form.second >= start) & (form.second < stop)
    at, each = np.unique(form.row[of_label] * start + form.first[of_label], return_inverse=True)
    if not len(at):
        return False
    coef = form.coef[of_label]
    least, most = np.full(len(at), np.inf), np.full(len(at), -np.inf)
    np.minimum.at(least, each, coef)
    np.maximum.at(most, each, coef)
    every = np.bincount(each) == columns.answers.count
    return not (every & (least == most)).all()


def _objective(columns: TreeColumns) -> Linear:
    objective = columns.instance.spec.objective
    if objective is None:
        return Linear.known(np.zeros(1))
    return columns.evaluator.linear(objective.value, Frame.empty())


def _constraints(
    columns: TreeColumns, families: frozenset[str], without: frozenset[str]
) -> list[Row]:
    """The spec's own constraints, but for implications, and `families`; most rows of a formulation
    say what its trees are."""
    instance, rows = columns.instance, list[Row]()
    relations = Relations(ModelBuilder(instance), columns.evaluator)
    for constraint in _counted(instance.spec, families, without):
        frame = relations.frame(constraint)
        if frame.size and constraint.guards:
            rows += implied_rows(columns, relations, constraint, frame)
        elif frame.size:
            between = relations.all_between(constraint.relation, frame)
            rows += [Row(*each, constraint.name) for each in between]
    return rows


def _objectives(spec: Spec) -> list[Typed]:
    return [] if spec.objective is None else [spec.objective.value]


def _counted(spec: Spec, families: frozenset[str], without: frozenset[str]) -> list[Constraint]:
    """What the spec requires, but for implications, and `families`."""
    own = {id(c) for c in spec.required if not c.guards}
    counted = (c for c in spec.constraints if id(c) in own or c.name in families)
    return [c for c in counted if c.name not in without]


def _counts_points(columns: TreeColumns, value: Linear) -> bool:
    """Whether rows depend on where points go or on labels, be it through a function."""
    if value.products is not None:
        return True
    first = columns.structure_start
    return any(
        (part.var < first).any() or any(one.gives(part.var).any() for one in columns.applied)
        for part in value.parts
    )


def _that_bind(columns: TreeColumns, row: Row) -> Row:
    """The rows without those that hold on every tree, such as those stating that an absolute value
    is at least its argument."""
    always = columns.layout.always(row.value, row.low, row.high)
    rest = np.flatnonzero(~(always | always_by_splits(columns, row)))
    if len(rest) == row.value.size:
        return row
    return replace(row, value=row.value.spread(rest), low=row.low[rest], high=row.high[rest])
