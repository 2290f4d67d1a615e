"""A tree as a solution of the spec's model, without a solver: a value for every variable.

Coefficients and right-hand sides are those of the tree's hyperplanes, placed where they break the
fewest rows; every other variable has its meaning on the tree. All rows are checked. Where the
objective counts slack, norms or other continuous variables, `best_numbers` then solves the model
with its integers fixed, a linear or convex quadratic program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.alike_points import MANY, alike_points
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import in_slices
from treemip.lower.value_sources import Meaning, mentioned
from treemip.model.answer import Limits
from treemip.model.blocks import Implications, Kind, Rows, family
from treemip.model.model import Model
from treemip.model.sparse_rows import some_rows
from treemip.model.tolerances import EQUAL, TIGHT
from treemip.model.values import function_values, objective_value, slot_values
from treemip.resolve.modules import own_cuts
from treemip.resolve.sorts import POINT
from treemip.resolve.typed import at_all
from treemip.search.answer_columns import answer_tables, answer_values, split_values
from treemip.search.candidate import Candidate, canonical, weighted
from treemip.search.open_columns import without_room
from treemip.search.sums import Sums
from treemip.solving.handover import has_room_for, is_hopeless, why_not
from treemip.solving.solve import choose_continuous, solve
from treemip.tree.inputs import Inputs
from treemip.tree.residuals import Violation, first_violations, guard_holds, row_distance
from treemip.tree.tree_map import SPLITS, TreeMap

PROBES = (np.nan, 0.0, 1.0)
"""In place of numbers that nothing settles: what depends on them has another value with one of
these. Comparisons with nan are false, so that nan alone does not show it."""

FILLERS = 6
"""Features tried for splits that part nothing, where a formulation wants one at every branch."""


@dataclass(frozen=True)
class Completion:
    """Values of the spec's variables by name, nan where nothing says; the rows they violate.

    tree: what was completed, in the shape that these values give it; it sends points where they
    do. placed: the same with its hyperplanes where the values have them, which a point may touch on
    the side that the formulation says."""

    values: dict[str, np.ndarray]
    violations: tuple[Violation, ...]
    unknown: tuple[str, ...]
    tree: Candidate | None = None
    placed: Candidate | None = None


def cut_off(instance: Instance, completion: Completion) -> tuple[Violation, ...]:
    """What a completion violates where that is only cuts of the spec: they exclude a solution."""
    broken, own = completion.violations, own_cuts(instance.spec)
    known = own and broken and not completion.unknown
    return broken if known and all(family(row.name) in own for row in broken) else ()


def never() -> bool:
    return False


def complete(
    instance: Instance,
    model: Model,
    tree: Candidate,
    as_given: bool = False,
    late: Callable[[], bool] = never,
) -> Completion:
    """The completion of a tree that breaks the fewest rows of the stated model.

    Formulations differ in what a branch is that parts no points: one without a split, or, where
    each has to apply one (BinOCT), any split above leaves of one class. Of several completions
    that break no row, the one with the best objective. as_given: the tree's own shape is tried
    first, and its own thresholds before others. late: whether the time is used up; from then on no
    other form or place is tried, the first one always.
    """
    best, worth, first, helps = None, (0, 0.0), frozenset[str](), False
    inputs, unsplit_left = Inputs.of(instance), TreeMap.of(instance).unsplit_left
    forms = shapes(tree, instance.table.inputs, unsplit_left, inputs)
    for shaped, final in (*(((tree, True),) if as_given else ()), *forms):
        completion = _placed(instance, model, shaped, as_given, late)
        rank = len(completion.violations), _objective(model, completion)
        broken = frozenset(violation.name for violation in completion.violations)
        if best is None:
            first = broken
        if best is None or rank < worth:
            best, worth = completion, rank
        if (final and not best.violations) or late():
            break
        if not final and first and first <= broken:
            break  # a split at every branch is not what the formulation misses
        helps = helps or not final
    assert best is not None
    if not helps or not best.violations or late():
        return best
    x = instance.table.inputs
    idle = with_idle_splits(canonical(tree, x, unsplit_left), x, inputs.features)
    completion = _placed(instance, model, idle, as_given, late)
    return completion if len(completion.violations) < len(best.violations) else best


def shapes(
    tree: Candidate, x: np.ndarray, unsplit: bool, inputs: Inputs
) -> Iterator[tuple[Candidate, bool]]:
    """The forms that a tree may have in a formulation: without splits that part nothing, as it is,
    and with a split everywhere, of one feature or another. Each with whether it is taken as soon as
    it is a solution, or compared with the next ones.

    x float64 (N, p): the points of the table. unsplit: whether no split sends points left.
    """
    bare = canonical(tree, x, unsplit)
    yield bare, True
    if (bare.weights != tree.weights).any():
        yield tree, True
    if bare.weights[tree.topology.branches].any(axis=1).all():
        return
    varied = x.min(axis=0) < x.max(axis=0)
    varied[inputs.features + inputs.offsets[-1] :] = False  # no split can tell these
    used = tree.weights.any(axis=0)
    fillers = np.concatenate([np.flatnonzero(varied & used), np.flatnonzero(varied & ~used)])
    for feature in fillers[:FILLERS]:
        yield filled(bare, x, int(feature), inputs), False


def filled(tree: Candidate, x: np.ndarray, feature: int, inputs: Inputs) -> Candidate:
    """The tree with a split at every branch: those without one ask for the middle of a feature,
    which makes no difference where all leaves below have one class."""
    tree = tree.copy()
    bare = tree.topology.branches[~tree.weights[tree.topology.branches].any(axis=1)]
    if feature >= inputs.features:
        for node in bare:
            tree.send_left(int(node), np.array([feature]))
        return tree
    values = np.unique(x[:, feature])
    middle = len(values) // 2
    tree.weights[bare, feature] = 1.0
    tree.threshold[bare] = (values[middle - 1] + values[middle]) / 2
    return tree


def with_idle_splits(tree: Candidate, x: np.ndarray, features: int) -> Candidate:
    """The tree with a split at every branch, which parts no points at those without one, as far as
    a feature has values on one side of all of the branch's points: leaves are no more, and none is
    smaller. x float64 (N, features or more)."""
    tree, rows = tree.copy(), {0: np.arange(len(x))}
    values = [np.unique(column) for column in x.T[:features]]
    varied = [j for j, own in enumerate(values) if len(own) > 1]
    used = [j for j in varied if tree.weights[:, j].any()]
    for node in tree.topology.branches.tolist():
        here = x[rows[node]]
        if not tree.weights[node].any():
            for feature in (*used, *varied):
                own, column = values[feature], here[:, feature]
                high, low = column.max(initial=own[0]), column.min(initial=own[-1])
                if high < own[-1] or low > own[0]:
                    tree.weights[node, feature] = 1.0
                    at = int(np.searchsorted(own, high)) if high < own[-1] else 0
                    tree.threshold[node] = (own[at] + own[at + 1]) / 2
                    break
        left = tree.goes_left(node, here)
        rows[int(tree.topology.left[node])] = rows[node][left]
        rows[int(tree.topology.right[node])] = rows[node][~left]
    return tree


def _placed(
    instance: Instance,
    model: Model,
    tree: Candidate,
    as_given: bool,
    late: Callable[[], bool],
) -> Completion:
    """The completion of a tree as it is, its hyperplanes placed so that fewest rows are broken.

    as_given: its own place comes first.
    """
    best: Completion | None = None
    tables, answers = tables_of(instance, tree), answer_values(instance, tree)
    forms = placements(tree, instance.table.inputs, Inputs.of(instance))

    def at(placed: Candidate) -> Completion:
        of_tree = split_values(instance, placed) | answers
        return replace(completion_of(instance, model, of_tree, tables), tree=tree, placed=placed)

    for placed in (*((tree,) if as_given else ()), *forms):
        completion = at(placed)
        if best is None or len(completion.violations) < len(best.violations):
            best = completion
        if not completion.violations or late():
            break
    assert best is not None
    return _not_touching(instance, model, best, at)


def _not_touching(
    instance: Instance, model: Model, best: Completion, at: Callable[[Candidate], Completion]
) -> Completion:
    """The solution with the hyperplanes of branches without weights away from the points, where it
    is the better one: where points too close to any hyperplane pay (SVM1-ODT), all would at these.
    """
    if best.violations or best.unknown or best.placed is None:
        return best
    moved = best.placed.without_touching() if TreeMap.of(instance).prices_thresholds else None
    if moved is None:
        return best
    other = at(moved)
    better = not other.violations and _objective(model, other) < _objective(model, best) - EQUAL
    return other if better else best


def _objective(model: Model, completion: Completion) -> float:
    """To be minimized; 0 where a value is unknown, so that the first completion is taken."""
    if completion.unknown:
        return 0.0
    x = np.concatenate([completion.values[block.name] for block in model.variables])
    sign = 1.0 if model.objective.sense == "minimize" else -1.0
    return sign * objective_value(model, x)


def placements(tree: Candidate, x: np.ndarray, inputs: Inputs) -> Iterator[Candidate]:
    """The tree with each hyperplane at the right end, the left end and in the middle of its gap.

    Formulations differ in which side may touch the hyperplane, and how far the other one stays.
    Sets of categories have no such place.
    """
    by_set = inputs.is_by_set(tree.weights)
    edges = {node: edge for node, edge in _edges(tree, x).items() if not by_set[node]}
    for share in (0.0, 1.0, 0.5):
        placed = tree.copy()
        for node, (low, high) in edges.items():
            placed.threshold[node] = low + share * (high - low)
        yield placed


def _edges(tree: Candidate, x: np.ndarray) -> dict[int, tuple[float, float]]:
    """For each branch, the greatest value of a point that goes left and the least of the others."""
    edges, rows = {}, {0: np.arange(len(x))}
    for node in tree.topology.branches:
        here = rows[int(node)]
        value = weighted(x, tree.weights[node], here)
        left = tree.on_left(int(node), value)
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
        if tree.weights[node].any() and left.any() and not left.all():
            edges[int(node)] = float(value[left].max()), float(value[~left].min())
    return edges


def completion_of(
    instance: Instance,
    model: Model,
    of_tree: dict[str, np.ndarray],
    tables: dict[str, np.ndarray],
) -> Completion:
    """The variables of the splits and answers, by name, and all others by what they mean.

    tables: routed, float64 (N x nodes,), and what the leaves answer, flat; 0 and 1, probabilities,
    or values.
    """
    values = _by_meaning(instance, model, tables, of_tree)
    unknown = tuple(n for n, v in values.items() if np.isnan(v).any())
    apart = unknown and model.is_kept
    rows, known = _of_known(model, values) if apart else (model, values)
    return Completion(values, tuple(first_violations(rows, known)), unknown)


def _by_meaning(
    instance: Instance,
    model: Model,
    tables: dict[str, np.ndarray],
    of_tree: dict[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """Every variable, those of splits and answers as they are and the others by their meaning, and
    the results of functions; nan where there is no number."""
    whole_table = Evaluator(instance, Meaning(tables, of_tree))
    values, leaf = dict(of_tree), _leaf_of_many(instance, tables)
    for symbol in instance.spec.variables:
        if symbol.name not in values:
            evaluator = whole_table
            if leaf is not None and POINT not in symbol.sorts:
                alike = alike_points(instance, [at_all(symbol)], (), leaf)
                if alike is not None:
                    known = Meaning(alike.tables(tables), of_tree)
                    evaluator = Evaluator(alike.instance, known)
            frame = evaluator.places.domain_frame(symbol)
            whole = np.empty(frame.size)
            for rows, part in in_slices(frame):
                with np.errstate(all="ignore"):
                    whole[rows] = evaluator.known(at_all(symbol), part)
                evaluator.forget()
            values[symbol.name] = whole
    add_results(model, values)
    return values


def _leaf_of_many(instance: Instance, tables: dict[str, np.ndarray]) -> np.ndarray | None:
    """The number of each point's leaf, int64 (N,), where points are many; else None."""
    points, topology = len(instance.table.y), instance.topology
    if points < MANY or topology is None:
        return None
    return tables["routed"].reshape(points, -1)[:, topology.leaves].argmax(axis=1)


def add_results(model: Model, values: dict[str, np.ndarray]) -> None:
    """Adds the results of abs, max, min and norms, which are columns of the model."""
    x = np.zeros(model.column_count)
    for block in model.variables:
        if block.name in values:
            x[block.start : block.stop] = values[block.name]
    with np.errstate(invalid="ignore"):
        for function in model.functions:
            at = slice(function.result, function.result + function.length)
            slots = None if function.slots is None else slot_values(model.tape, x)
            x[at] = values[function.name] = function_values(function, x, slots)


def settled(
    instance: Instance, model: Model, tree: Candidate, but: frozenset[str] | None = None
) -> np.ndarray:
    """Columns of the stated model by the tree's routing and labels, float64 (columns,).

    but: variables of its splits whose numbers are not known either, all of them where it is None;
    nan where a value depends on these.
    """
    tables, answers = tables_of(instance, tree), answer_values(instance, tree)
    of_splits = split_values(instance, tree)
    kept = {n: v for n, v in of_splits.items() if but is not None and n not in but}
    probes = (
        _by_meaning(
            instance,
            model,
            tables,
            _all(of_splits, number) | _filled(instance, model, kept | answers, number),
        )
        for number in PROBES
    )
    return _same_in_all(model, probes)


def settled_without_values(
    instance: Instance, model: Model, tree: Candidate, placed: Candidate
) -> np.ndarray:
    """Columns of the stated model by the tree's splits alone, float64 (columns,); nan where they
    depend on the values of its leaves. tree, placed: as of a Completion."""
    known, answers = tables_of(instance, tree), answer_values(instance, tree)
    splits, routed = split_values(instance, placed), known.pop("routed")
    probes = (
        _by_meaning(
            instance,
            model,
            {"routed": routed, **_all(known, number)},
            _filled(instance, model, splits, number) | _all(answers, number),
        )
        for number in PROBES
    )
    return _same_in_all(model, probes)


def _filled(
    instance: Instance, model: Model, given: dict[str, np.ndarray], number: float
) -> dict[str, np.ndarray]:
    """The given values by name, and a number in place of nan and of what nothing settles."""
    free = {s.name for s in instance.spec.variables if s.means is None} - given.keys()
    others = {b.name: np.full(b.length, number) for b in model.variables if b.name in free}
    return others | {n: np.where(np.isnan(v), number, v) for n, v in given.items()}


def _same_in_all(model: Model, probes: Iterator[dict[str, np.ndarray]]) -> np.ndarray:
    """Columns that have one value whatever the numbers are that nothing settles, nan for others."""
    first, *others = (as_columns(model, values) for values in probes)
    same = np.all([first == other for other in others], axis=0)
    return np.where(same, first, np.nan)


def _all(values: dict[str, np.ndarray], number: float) -> dict[str, np.ndarray]:
    return {name: np.full(len(column), number) for name, column in values.items()}


def broken_rows(instance: Instance, model: Model, tree: Candidate) -> dict[str, int]:
    """How many rows of which family no tree with this routing and these labels keeps.

    Rows of the stated model, whose values need no coefficient or threshold. Empty where a branch
    has no split, below which points may go where they like.
    """
    if not tree.weights[tree.topology.branches].any(axis=1).all():
        return {}
    return broken_by_routing(instance, model, tree)


def broken_by_routing(
    instance: Instance, model: Model, tree: Candidate, integers: bool = False
) -> dict[str, int]:
    """How many rows of which family the tree breaks, whatever the numbers of its splits; its
    branches without a split send their points where it says. integers: by its splits too, as far
    as their variables are integers, such as which feature a branch asks for."""
    x = settled(instance, model, tree, but=numbers_of(model) if integers else None)
    counts = {}
    for block in model.rows:
        if block.slots is None:
            with np.errstate(invalid="ignore"):
                off, allowed = row_distance(block, x)
            if broken := int((off > allowed).sum()):
                counts[block.name] = broken
    return counts


def broken_by_thresholds(instance: Instance, model: Model, tree: Candidate) -> dict[str, int]:
    """How many rows of which family leave a split of the tree no threshold between the points that
    it parts, such as rows that ask for a gap between them. Splits above leaves of one answer need
    not be there."""
    bias, topology = TreeMap.of(instance).bias, tree.topology
    answers = tree.numbered_answers
    low, high = np.full((2, topology.size), [[np.inf], [-np.inf]])
    for leaf in np.unique(tree.ends(instance.table.inputs)).tolist():
        answer, node = answers[np.searchsorted(topology.leaves, leaf)], leaf
        while node >= 0:
            low[node], high[node] = min(low[node], answer), max(high[node], answer)
            node = int(topology.parent[node])
    some = np.zeros(model.column_count, bool)
    some[bias.column[low[bias.at[0]] < high[bias.at[0]]]] = True
    return without_room(model, settled(instance, model, tree, but=numbers_of(model)), some)


def numbers_of(model: Model) -> frozenset[str]:
    """The names of the variables that are not integers."""
    return frozenset(block.name for block in model.variables if block.kind is Kind.CONTINUOUS)


def as_columns(model: Model, values: dict[str, np.ndarray]) -> np.ndarray:
    """Values by family as columns of the stated model, float64, nan where there are none."""
    columns = (values.get(b.name, np.full(b.length, np.nan)) for b in model.variables)
    return np.concatenate([np.zeros(0), *columns])


def _of_known(model: Model, values: dict[str, np.ndarray]) -> tuple[Model, dict[str, np.ndarray]]:
    """The model without rows and bounds of columns that have no value, and 0 in their place."""
    missing = np.isnan(np.concatenate([values[block.name] for block in model.variables]))
    rows = []
    for block in model.rows:
        open_rows = np.zeros(block.length, bool)
        open_rows[block.matrix.row_of[missing[block.matrix.indices]]] = True
        q = block.quadratic
        if q.count:
            open_rows[q.row[missing[q.first] | missing[q.second]]] = True
        rows.append(some_rows(block, np.flatnonzero(~open_rows)))
    variables = []
    for own in model.variables:
        here = missing[own.start : own.stop]
        lower = np.where(here, -np.inf, own.lower)
        variables.append(replace(own, lower=lower, upper=np.where(here, np.inf, own.upper)))
    known = {name: np.where(np.isnan(v), 0.0, v) for name, v in values.items()}
    return replace(model, variables=tuple(variables), rows=tuple(rows), implications=()), known


def tables_of(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """The tables of the language that are the tree: which nodes each point passes, routed, and what
    its leaves answer; flat."""
    topology, table = tree.topology, instance.table
    path = np.zeros((len(table.y), topology.size))
    at, rows = tree.ends(table.inputs), np.arange(len(table.y))
    while len(rows):
        path[rows, at] = 1.0
        at = topology.parent[at]
        rows, at = rows[at >= 0], at[at >= 0]
    return {"routed": path.ravel(), **answer_tables(instance, tree, path)}


# ------------------------------------------------------------------------- best numbers


def numbers_matter(sums: Sums) -> bool:
    """Whether the objective depends on more than where points go and what splits use."""
    if sums.opaque:
        return True
    families = [sums.families[name] for name in SPLITS if name in sums.families]
    return any(sums.structure[f.start : f.start + f.length].any() for f in families)


def has_slopes(instance: Instance) -> bool:
    """Whether the values of leaves depend on features, so that constants are not the best ones."""
    predict = instance.spec.predict
    return predict is not None and any(s.name == "x" for s in mentioned(predict.value))


class NotHanded(Exception):
    """A solver was not called; the text says why."""


def best_numbers(model: Model, values: np.ndarray, seconds: float) -> np.ndarray | None:
    """A solution, float64 (columns,), with the integers of `values`, nan where unknown; or None.

    model: reformed, without functions. Special sets and nonlinear expressions are left alone.
    Raises NotHanded where the model is too large for the seconds, or for memory.
    """
    if model.functions or model.special_sets or model.tape.steps or seconds <= 0:
        return None
    solver = choose_continuous(model)
    if is_hopeless(model, solver, seconds) or not has_room_for(model):
        raise NotHanded(why_not(model, solver))
    fixed = ~np.isnan(values) & model.integer
    held = [held_rows(block, values) for block in model.implications]
    if any(block is None for block in held):
        return None
    rows = (*model.rows, *(block for block in held if block is not None))
    program = replace(model, rows=rows, implications=()).with_fixed(fixed, values)
    answer = solve(program, solver, Limits(time=seconds, feasibility=TIGHT))
    return None if answer.values is None else answer.values[: model.column_count]


def held_rows(block: Implications, values: np.ndarray) -> Rows | None:
    """The rows of the implications whose guard is true; None where that is not known."""
    if np.isnan(values[block.guard.indices]).any():
        return None
    return some_rows(block.body, np.flatnonzero(guard_holds(block, values)))
