"""A tree as a solution of the spec's model, without a solver: a value for every variable.

Coefficients and right-hand sides are those of the tree's hyperplanes, placed where they break the
fewest rows; every other variable has its meaning on the tree. All rows are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from treemip.answers.search.answer_columns import answer_tables, answer_values, split_values
from treemip.answers.search.candidate import Candidate, canonical
from treemip.answers.search.tree_forms import placements, shapes, with_idle_splits
from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import MANY, alike_points, over_all_points
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import in_slices
from treemip.core.lower.value_sources import Meaning
from treemip.core.model.blocks import family
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows
from treemip.core.model.tolerances import EQUAL
from treemip.core.model.values import function_values, objective_value, slot_values
from treemip.core.resolve.modules import own_cuts
from treemip.core.resolve.sorts import POINT
from treemip.core.resolve.typed import Symbol, at_all
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.residuals import Violation, first_violations
from treemip.core.tree.tree_map import TreeMap


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
    """What a completion violates if those are only cuts of the spec, which then exclude a
    solution."""
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

    Formulations differ in how they state a branch that parts no points: without a split or, where
    each branch must have one (BinOCT), with any split above leaves of one class. Of several
    completions that break no row, the one with the best objective is taken. as_given: the tree's
    own shape is tried first, and its own thresholds before others. late: whether the time is used
    up; from then on only the first form and place are tried.
    """
    best, worth, first, helps = None, (0, 0.0), frozenset[str](), False
    in_order = not TreeMap.of(instance).prices_thresholds
    given = ((tree, True),) if as_given else ()
    for shaped, final in chain(given, _forms(instance, model, tree, in_order)):
        completion = _placed(instance, model, shaped, as_given, late)
        rank = len(completion.violations), _objective(model, completion)
        broken = frozenset(violation.name for violation in completion.violations)
        if best is None:
            first = broken
        if best is None or rank < worth:
            best, worth = completion, rank
        if ((final or in_order) and not best.violations) or late():
            break
        if not final and first and first <= broken:
            break  # a split at every branch is not what the formulation misses
        helps = helps or not final
    assert best is not None
    if not helps or not best.violations or late():
        return best
    x, unsplit_left = instance.table.inputs, TreeMap.of(instance).unsplit_left
    idle = with_idle_splits(canonical(tree, x, unsplit_left), x, Inputs.of(instance).features)
    completion = _placed(instance, model, idle, as_given, late)
    return completion if len(completion.violations) < len(best.violations) else best


def _forms(
    instance: Instance, model: Model, tree: Candidate, in_order: bool
) -> Iterator[tuple[Candidate, bool]]:
    """The forms of `shapes`. in_order: those that are compared with each other come by what they
    are worth, the best first, since checking their rows takes longest."""
    x, compared = instance.table.inputs, list[tuple[float, Candidate]]()
    for shaped, final in shapes(tree, x, TreeMap.of(instance).unsplit_left, Inputs.of(instance)):
        if final or not in_order:
            yield shaped, final
            continue
        tables, answers = tables_of(instance, shaped), answer_values(instance, shaped)
        placed = next(iter(placements(shaped, x, Inputs.of(instance))))
        values = by_meaning(instance, model, tables, split_values(instance, placed) | answers)
        unknown = tuple(name for name, own in values.items() if np.isnan(own).any())
        compared.append((_objective(model, Completion(values, (), unknown)), shaped))
    for _, shaped in sorted(compared, key=lambda pair: pair[0]):
        yield shaped, False


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
    x = as_columns(model, completion.values)
    return model.objective.sign * objective_value(model, x)


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
    values = by_meaning(instance, model, tables, of_tree)
    unknown = tuple(n for n, v in values.items() if np.isnan(v).any())
    apart = unknown and model.is_kept
    rows, known = _of_known(model, values) if apart else (model, values)
    return Completion(values, tuple(first_violations(rows, known)), unknown)


def by_meaning(
    instance: Instance,
    model: Model,
    tables: dict[str, np.ndarray],
    of_tree: dict[str, np.ndarray],
    needed: frozenset[str] | None = None,
) -> dict[str, np.ndarray]:
    """Every variable, those of splits and answers as they are and the others by their meaning, and
    the results of functions; nan where there is no number.

    needed: the names of variables whose values are asked for, all where it is None; the others are
    nan unless they are of splits and answers."""
    whole_table = Evaluator(instance, Meaning(tables, of_tree))
    values, leaf = dict(of_tree), _leaf_of_many(instance, tables)
    for symbol in instance.spec.variables:
        if needed is not None and symbol.name not in values and symbol.name not in needed:
            values[symbol.name] = np.full(whole_table.places.size(symbol), np.nan)
        elif symbol.name not in values:
            alike = None
            if leaf is not None and (over_all_points(symbol) or POINT not in symbol.sorts):
                alike = alike_points(instance, [at_all(symbol)], (), leaf)
            if alike is None:
                values[symbol.name] = _meant(whole_table, symbol)
                continue
            known = Evaluator(alike.instance, Meaning(alike.tables(tables), of_tree))
            meant = _meant(known, symbol)
            values[symbol.name] = alike.spread(meant) if POINT in symbol.sorts else meant
    add_results(model, values)
    return values


def _meant(evaluator: Evaluator, symbol: Symbol) -> np.ndarray:
    """What a variable means, float64, flat."""
    frame = evaluator.places.domain_frame(symbol)
    whole = np.empty(frame.size)
    for rows, part in in_slices(frame):
        with np.errstate(all="ignore"):
            whole[rows] = evaluator.known(at_all(symbol), part)
        evaluator.forget()
    return whole


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
