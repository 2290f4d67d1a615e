"""Spec + data -> Instance: trees built, sets and parameters evaluated, requirements checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from treemip.core.instance.derived import bisect
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.instance import Instance, Values
from treemip.core.instance.lookup import Lookup
from treemip.core.instance.trees import Forest, from_heap
from treemip.core.instance.tuple_sets import Tuples as AllTuples
from treemip.core.lower import value_sources
from treemip.core.lower.definitions import all_parts, as_meant
from treemip.core.lower.error_context import used_from
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.arrays import Ragged
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import GIVEN
from treemip.core.resolve.constants import asked_by
from treemip.core.resolve.settings.data_spec import DataSpec, as_column, as_text
from treemip.core.resolve.settings.topology import heap_numbers
from treemip.core.resolve.sorts import NUMBER, POINT, SetOf
from treemip.core.resolve.spec import Constraint, Requirement, Spec
from treemip.core.resolve.tree_rules import INDICATOR
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Tuples
from treemip.core.source.diagnostic import Diagnostic, Severity, fail
from treemip.core.source.suggest import listed
from treemip.core.syntax import nodes as n

Given = Callable[[Symbol, Evaluator], Values | Forest | None]
"""What a symbol is that is known from elsewhere; None for one to be evaluated."""


def bind(
    spec: Spec, data: Data | None, given: Given | None = None, counts: np.ndarray | None = None
) -> Instance:
    """Evaluate everything that the data determine, except what is `given`. counts: as of Instance,
    where each point stands for several.

    Raises TreemipError: E3xx for the topology, parameters and requirements, E4xx for
    arithmetic. Advice that does not hold becomes warnings of the instance (W301), and so
    do reductions over nothing (W401).
    """
    forest = read_topology(spec.topology) if spec.topology else None
    values: dict[str, Values] = {}
    trees: dict[str, Forest] = {}
    instance = Instance(spec, data, forest, values, trees, counts=counts)  # read as far as it is
    warnings: list[Diagnostic] = []
    if data is not None:
        values.update(data_values(data, counts))
        if spec.asks_missing:
            values["missing"] = missing_values(data, values["x"].lookup)
        warnings += data.warnings
        if forest is not None:
            values.update(tree_tables(instance, data, forest))
        warnings += _check_kept(instance) + _unnamed_positive(instance)
        warnings += _counted_once(instance)
    evaluator = Evaluator(instance, Nothing())
    early = [r for r in spec.requirements if not _needs_values(r)]
    warnings += _check_all(early, instance, evaluator)
    with used_from(spec.file.span):
        ordered = in_order((*spec.parameters, *spec.sets, *spec.trees))
    for symbol in ordered:
        assert symbol.span is not None
        with used_from(symbol.span):
            found = None if given is None else given(symbol, evaluator)
            found = define(symbol, evaluator) if found is None else found
            if isinstance(found, Forest):
                trees[symbol.name] = found
            else:
                values[symbol.name] = found
    later = [r for r in spec.requirements if r not in early]
    warnings += _check_all(later, instance, evaluator)
    warnings += evaluator.empty.warnings(spec.file.span.source)
    return replace(instance, warnings=tuple(warnings))


def read_topology(node: n.Topology) -> Forest:
    """The tree a topology statement asks for. Raises TreemipError (E310)."""
    return from_heap(np.array(heap_numbers(node)))


def data_values(data: Data, stand_for: np.ndarray | None = None) -> dict[str, Values]:
    """x, y, weight, class_count, kept_with, groups and numbers of the training part's points.
    stand_for float64 (N,): how many points each one is, one where it is None."""
    table = data.train
    points, features = np.arange(len(table.y)), np.arange(len(table.features))
    per_point = Lookup.product([points]).over([len(points)])
    counts = np.zeros(0)
    if table.label_kind == "class":
        counts = np.bincount(table.y, stand_for, len(table.classes)).astype(float)
    return {
        "x": Values(Lookup.product([points, features]).over([*table.x.shape]), table.x.ravel()),
        "y": Values(per_point, table.y),
        "weight": Values(per_point, table.weight),
        "class_count": Values(Lookup.product([np.arange(len(counts))]), counts),
        "kept_with": Values(per_point, data.selected.kept_with if data.selected else points),
        **{name: Values(per_point, codes) for name, (codes, _) in table.groups.items()},
        **{name: Values(per_point, numbers) for name, numbers in table.numbers.items()},
        **_categories(table),
    }


def missing_values(data: Data, lookup: Lookup) -> Values:
    """missing(x[i,j]), over the points and features of x."""
    missing, none = data.train.missing, np.zeros(len(data.train.y), bool)
    columns = [missing.get(name, none) for name in data.encoder.origin]
    return Values(lookup, np.array(columns, np.float64).T.ravel())


def _check_kept(instance: Instance) -> list[Diagnostic]:
    """A warning where kept columns are unused, for want of splits by categories; E306 if all
    are."""
    spec, table = instance.spec, instance.table
    if instance.splits_by_category or not table.categorical:
        return []
    assert spec.data is not None
    keeping = next(e for e in spec.data.encode if e.kind == "keep")
    who, columns = spec.formulation or "this spec", listed(table.categorical)
    message = f"{who} cannot split by categories, so kept columns are not used: {columns}"
    remedy = "encode onehot  makes features of them"
    if not table.features:
        fail("E306", message, keeping.span, remedy)
    return [Diagnostic("W302", message, keeping.span, remedy, severity=Severity.WARNING)]


def _unnamed_positive(instance: Instance) -> list[Diagnostic]:
    """A warning where requirements mean the positive class and the data block names none; E305
    where that may be any of several."""
    spec, classes = instance.spec, instance.table.classes
    known = instance.data is None or instance.data.positive is not None
    if known or instance.table.label_kind != "class":
        return []
    asked = [c for c in spec.constraints if c.asked_as and _means_positive(c)]
    if not asked:
        return []
    assert spec.data is not None
    if len(classes) != 2:
        _demand_positive(spec.data, asked[0], classes)
    names = listed(dict.fromkeys(c.asked_as for c in asked))
    message = f"'{classes[1]}' counts as positive in {names}: the data block names no such class"
    label = as_column(spec.data.label.text)
    remedy = f"write  label {label} positive {as_text(classes[1])};  or name the other class"
    if "\n" in classes[1] or "\r" in classes[1]:
        remedy = "give the class a name without line breaks in the file, to name it as positive"
    place = spec.data.label.span
    return [Diagnostic("W302", message, place, remedy, severity=Severity.WARNING)]


def _demand_positive(data: DataSpec, row: Constraint, classes: tuple[str, ...]) -> None:
    label = as_column(data.label.text)
    message = f"'{row.asked_as}' is about the positive class, and which of {len(classes)} that is "
    message += "the data block does not say"
    example = as_text(classes[-1])
    remedy = f"name it:  label {label} positive {example};  the classes are {listed(classes)}"
    fail("E305", message, row.span, remedy)


def _means_positive(row: Constraint) -> bool:
    values = (s.value for s in value_sources.mentioned(*row.sides))
    every = (part for e in (*row.sides, *values) for part in t.walk(e))
    return any(isinstance(e, t.Call) and e.function == "positive" for e in every)


def _counted_once(instance: Instance) -> list[Diagnostic]:
    """A warning where weights look like numbers of rows, as those of `treemip count`, and an
    objective or a constraint of the spec's own counts each point once."""
    spec, weight = instance.spec, instance.table.weight
    if spec.data is None or spec.data.weight is None:
        return []
    if not (len(weight) and weight.max() > 1 and (weight == np.floor(weight)).all()):
        return []
    objectives = () if spec.objective is None else spec.objective.in_turn
    own = [c for c in spec.constraints if c.module == "spec" or c.asked_as]
    parts = [("the objective", o.span, [o.value]) for o in objectives]
    parts += [(f"'{c.asked_as or c.name}'", c.span, [*c.sides, *c.domain.inside]) for c in own]
    counting = {what: span for what, span, of in parts if any(map(_sums_without_weight, of))}
    if not counting:
        return []
    message = f"the weights of '{spec.data.weight.text}' are whole numbers, and "
    message += (
        f"{', '.join(counting)} {'counts' if len(counting) == 1 else 'count'} each point once"
    )
    remedy = "where a point stands for so many rows: sum {i in points} weight[i] * …"
    place = next(iter(counting.values()))
    return [Diagnostic("W302", message, place, remedy, severity=Severity.WARNING)]


def _sums_without_weight(e: t.Typed) -> bool:
    """Whether it sums over points, or takes their number, and does not mention their weights."""
    return any(_counts_points(one) and not _weighs(one) for one in all_parts([e], as_meant))


def _counts_points(e: t.Typed) -> bool:
    if isinstance(e, t.At):
        return e.symbol.name == "class_count"
    if isinstance(e, t.Reduction):
        return e.op == "sum" and any(binder.element == POINT for binder in e.binders)
    of_points = any(part.sort == SetOf(POINT) for part in e.inside)
    return isinstance(e, t.Call) and e.function == "card" and of_points


def _weighs(e: t.Typed) -> bool:
    parts = all_parts([e], as_meant)
    return any(isinstance(one, t.At) and one.symbol.name == "weight" for one in parts)


def _categories(table: Table) -> dict[str, Values]:
    """category[i,c], numbered through all kept columns; see `Table.categories`."""
    points, kept = np.arange(len(table.y)), np.arange(len(table.categorical))
    every = np.arange(len(table.categories.items))
    return {
        "category": Values(Lookup.product([points, kept]), table.category_numbers.ravel()),
        INDICATOR.name: Values(Lookup.product([points, every]), np.zeros(0)),
    }


def tree_tables(instance: Instance, data: Data, forest: Forest) -> dict[str, Values]:
    """Placeholders for the answers of a decoded tree, which later supplies their values."""
    table = data.train
    points, nodes = np.arange(len(table.y)), np.arange(forest.size)
    indices = {
        "routed": [points, nodes],
        "given_label": [nodes, np.arange(len(table.classes))],
        "given_value": [nodes],
        "given_slope": [nodes, np.arange(len(table.features))],
        "given_prediction": [points],
        **{
            GIVEN + name: [nodes, np.arange(len(names))]
            for name, names in instance.other_labels.items()
        },
    }
    return {name: Values(Lookup.product(each), np.zeros(0)) for name, each in indices.items()}


def in_order(symbols: tuple[Symbol, ...]) -> list[Symbol]:
    """Each symbol after those its definition mentions; circles were refused by the linker."""
    done: dict[Symbol, None] = {}

    def visit(symbol: Symbol) -> None:
        if symbol in done:
            return
        for expression in (symbol.value, *symbol.domain.inside):
            for used in mentioned(expression):
                if used.role in (Role.PARAMETER, Role.SET, Role.TREE, Role.LET):
                    visit(used)
        done[symbol] = None

    for symbol in symbols:
        visit(symbol)
    return [s for s in done if s.role is not Role.LET]


def mentioned(expression: t.Typed | None) -> list[Symbol]:
    if expression is None:
        return []
    own = [expression.symbol] if isinstance(expression, t.At) else []
    return own + [s for part in expression.inside for s in mentioned(part)]


def define(symbol: Symbol, indices: Evaluator, body: Evaluator | None = None) -> Values | Forest:
    """A set, a tree or a parameter, evaluated. body: evaluates the definition, where that is not
    done by what evaluates its indices."""
    assert symbol.value is not None
    evaluator = indices if body is None else body
    frame = indices.places.domain_frame(symbol)
    lookup = indices.places.lookup(symbol)
    if isinstance(symbol.value, Tuples):
        binders = symbol.value.binders
        grown, rows = evaluator.sets.expand(binders, symbol.value.guard, frame)
        tuples = AllTuples.of(rows, [grown.column(b.name) for b in binders], frame.size)
        return Values(lookup, tuples.lengths, tuples=tuples)
    if symbol.role is Role.SET:
        lists = evaluator.sets.lists(symbol.value, frame)
        ragged = Ragged(lists.offsets, lists.items)  # without what found them
        return Values(lookup, ragged.lengths, ragged)
    if symbol.role is Role.TREE:
        assert isinstance(symbol.value, t.Call)
        numbers = evaluator.sets.lists(symbol.value.arguments[0], frame)
        return bisect(_sorted_lists(numbers))
    values = evaluator.known(symbol.value, frame)
    if symbol.sort == NUMBER and not np.isfinite(values).all():
        _fail_not_finite(symbol, values, frame, indices)
    return Values(lookup, values)


def _fail_not_finite(
    symbol: Symbol, values: np.ndarray, frame: Frame, evaluator: Evaluator
) -> NoReturn:
    assert symbol.value is not None
    row = int(np.argmin(np.isfinite(values)))
    where = evaluator.places.for_row(symbol.domain.names, symbol.domain.sorts, frame, row)
    what, remedy = "undefined", ""
    if not np.isnan(values[row]):
        what = "infinite"
        remedy = "a max or min over an empty set is infinite, and so is a number above 1.8e308"
    fail("E402", f"'{symbol.name}' is {what}{where}", symbol.value.span, remedy)


def _sorted_lists(lists: Ragged) -> Ragged:
    rows = np.repeat(np.arange(lists.count), lists.lengths)
    order = np.lexsort((lists.items, rows))
    return Ragged(lists.offsets, lists.items[order])


def _needs_values(requirement: Requirement) -> bool:
    """Whether a requirement depends on parameters or sets, and not on the data and the tree alone.

    Those that do not are checked first: parameters may be undefined on data they refuse.
    """
    parts = [requirement.condition, *requirement.domain.inside]
    declared = (Role.PARAMETER, Role.SET, Role.TREE, Role.LET)
    return any(symbol.role in declared for part in parts for symbol in mentioned(part))


def _check_all(
    requirements: Iterable[Requirement], instance: Instance, evaluator: Evaluator
) -> list[Diagnostic]:
    """Warnings about advice that does not hold. Raises E307 for a requirement that does not."""
    warnings: list[Diagnostic] = []
    for requirement in requirements:
        with used_from(asked_by(requirement, instance.spec.file)):
            warnings += _check(requirement, instance, evaluator)
    return warnings


def _holds_of_bits(requirement: Requirement, instance: Instance, evaluator: Evaluator) -> bool:
    """Whether it speaks of single entries x[i,j], all of them 0 or 1 and kept as bytes, and holds
    of a least and a greatest one; then the others need not be looked at."""
    names, condition = requirement.domain.names, requirement.condition
    if instance.data is None or instance.table.x.dtype != np.uint8 or len(names) != 2:
        return False
    orders = [each for each in (names, names[::-1]) if _of_entries(condition, each)]
    if not orders:
        return False
    x = instance.table.x
    ends = np.unravel_index(np.array([x.argmin(), x.argmax()]), x.shape)
    frame = Frame(2, dict(zip(orders[0], ends, strict=True)))
    return bool(evaluator.known(condition, frame).all())


def _of_entries(expression: t.Typed, names: tuple[str, ...]) -> bool:
    """Whether these two names stand in it as the indices of x alone, in this order."""
    if isinstance(expression, t.At) and expression.symbol.name == "x":
        return [a.name for a in expression.arguments if isinstance(a, t.Bound)] == [*names]
    if isinstance(expression, t.Bound):
        return expression.name not in names
    return all(_of_entries(part, names) for part in expression.inside)


def _check(requirement: Requirement, instance: Instance, evaluator: Evaluator) -> list[Diagnostic]:
    domain = requirement.domain
    if _holds_of_bits(requirement, instance, evaluator):
        return []
    for frame in evaluator.sets.slices(domain.binders, domain.guard):
        holds = evaluator.known(requirement.condition, frame)
        if not holds.all():
            break
    else:
        return []
    where = evaluator.places.for_row(domain.names, domain.sorts, frame, int(np.argmin(holds)))
    message = requirement.message + (f" (it fails{where})" if where else "")
    place = asked_by(requirement, instance.spec.file)
    if requirement.advice:
        return [Diagnostic("W301", message, place, severity=Severity.WARNING)]
    fail("E307", message, place)
