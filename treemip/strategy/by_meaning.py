"""CART's tree as a solution by what the formulation's names mean on a tree, without a solver.

The splits give `coef` and `bias`, the routing gives `reach`, the classes `label`; every other
variable is what it `means`. Where a variable has no meaning, or a row does not hold, there is no
such solution and a solver has to look for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.known import Meaning
from treemip.model.model import Model
from treemip.model.tape_values import slot_values, violation
from treemip.model.tolerances import COMPLETE
from treemip.reform.reform import evaluate
from treemip.resolve.symbols import Role, Symbol
from treemip.resolve.typed import At, Bound
from treemip.strategy.grow import Grown, Split
from treemip.tree.rows import guard_holds, row_distance


@dataclass(frozen=True)
class Completed:
    """`values` float64 (columns,), a solution. `best`: with this routing and these labels none is
    better, since they settle whatever the objective counts."""

    values: np.ndarray
    best: bool


def completed(instance: Instance, stated: Model, model: Model, grown: Grown) -> Completed | None:
    """The solution of `model` that CART's tree means, or None.

    stated: the model before its reformulation, with the same columns or fewer. Of each split the
    threshold is moved within its gap, and points that end at a branch all go left there, or all
    right, until every row holds.
    """
    if model.column_count != stated.column_count or model.special_sets:
        return None
    for tables in _routings(instance, grown):
        for splits in _thresholds(grown):
            given = _split_variables(instance, splits)
            if given is None:
                return None
            values = _columns(instance, stated, tables, given)
            if np.isnan(values).any():
                return None
            if holds(model, values):
                settled = _settled_columns(instance, stated, tables, given)
                return Completed(values, _best(model, settled))
    return None


def broken_rows(instance: Instance, stated: Model, grown: Grown) -> dict[str, int]:
    """How many rows of which family no tree with CART's routing and labels keeps.

    Rows of the stated model, whose values need no coefficient or threshold. Nothing is found
    where CART ends at a branch, below which points may go where they like.
    """
    topology = instance.topology
    assert topology is not None
    given = _split_variables(instance, grown.splits)
    if given is None or not topology.is_leaf[grown.ends].all():
        return {}
    x = _settled_columns(instance, stated, next(_routings(instance, grown)), given)
    counts = {}
    for block in stated.rows:
        if block.slots is None:
            with np.errstate(invalid="ignore"):
                off, allowed = row_distance(block, x)
            if broken := int((off > allowed).sum()):
                counts[block.name] = broken
    return counts


def _routings(instance: Instance, grown: Grown) -> Iterator[dict[str, np.ndarray]]:
    """`routed` and `given_label` with points sent left, then right, below where CART ends."""
    topology = instance.topology
    assert topology is not None
    labels = _labels(instance, grown)
    for child in (topology.left, topology.right):
        at, rows = grown.ends.copy(), np.arange(len(grown.ends))
        while (inner := ~topology.is_leaf[at]).any():
            at[inner] = child[at[inner]]
        path = np.zeros((len(at), topology.size))
        while len(rows):
            path[rows, at] = 1.0
            at = topology.parent[at]
            rows, at = rows[at >= 0], at[at >= 0]
        yield {"routed": path.ravel(), "given_label": labels}
        if topology.is_leaf[grown.ends].all():
            return


def _labels(instance: Instance, grown: Grown) -> np.ndarray:
    """given_label (nodes x classes), flat: the class of the node where CART ended at or above."""
    topology = instance.topology
    assert topology is not None
    found = np.zeros((topology.size, len(instance.table.classes)))
    for node in topology.leaves.tolist():
        above = node
        while above not in grown.classes:
            above = int(topology.parent[above])
        found[node, grown.classes[above]] = 1.0
    return found.ravel()


def _thresholds(grown: Grown) -> Iterator[dict[int, Split]]:
    """The splits with their thresholds in the middle, at the last value on the left, at the first
    on the right: rows may ask for a distance on one side."""
    yield grown.splits
    for side in ("low", "high"):
        yield {t: replace(s, threshold=getattr(s, side)) for t, s in grown.splits.items()}


def _split_variables(instance: Instance, splits: dict[int, Split]) -> dict[str, np.ndarray] | None:
    """`coef` and `bias` as the splits have them, by variable; None for a split on a category."""
    topology, concepts = instance.topology, instance.spec.concepts
    assert topology is not None
    coef = np.zeros((topology.size, instance.table.x.shape[1]))
    bias = np.zeros(topology.size)
    for node, split in splits.items():
        if split.feature >= coef.shape[1]:
            return None
        coef[node, split.feature], bias[node] = 1.0, split.threshold
    evaluator = Evaluator(instance, Meaning({}, {}))
    given = {}
    for name, table in (("coef", coef), ("bias", bias)):
        symbol = concepts.get(name)
        if symbol is not None and symbol.role is Role.VARIABLE:
            frame = evaluator.places.domain_frame(symbol)
            at = tuple(frame.column(n) for n in symbol.domain.names)
            given[symbol.name] = table[at]
    return given


def _columns(
    instance: Instance,
    stated: Model,
    tables: dict[str, np.ndarray],
    given: dict[str, np.ndarray],
) -> np.ndarray:
    """float64 (columns,), nan where something has no meaning or none that is a number."""
    evaluator = Evaluator(instance, Meaning(tables, given))
    values = dict(given)
    for symbol in instance.spec.variables:
        if symbol.name not in values:
            frame = evaluator.places.domain_frame(symbol)
            with np.errstate(all="ignore"):  # what is no number is seen below
                values[symbol.name] = np.asarray(evaluator.known(_at(symbol), frame), float)
    found = np.full(stated.column_count, np.nan)
    for block in stated.variables:
        if block.name in values:
            found[block.start : block.stop] = values[block.name]
    for function in stated.functions:
        at = slice(function.result, function.result + function.length)
        with np.errstate(invalid="ignore"):
            found[at] = evaluate(function, found)
    return found


def _settled_columns(
    instance: Instance,
    stated: Model,
    tables: dict[str, np.ndarray],
    given: dict[str, np.ndarray],
) -> np.ndarray:
    """float64 (columns,), nan where the value depends on the numbers of the splits."""
    one, other = (
        _columns(instance, stated, tables, {k: np.full(len(v), n) for k, v in given.items()})
        for n in (np.nan, 0.0)
    )
    return np.where(one == other, one, np.nan)


def holds(model: Model, values: np.ndarray) -> bool:
    """Whether the values are a solution."""
    if (model.integer & (values != np.round(values))).any():
        return False
    if not violation(model, values) <= COMPLETE:
        return False
    slots = slot_values(model.tape, values) if model.tape.steps else None
    for block in model.implications:
        off, _ = row_distance(block.body, values, slots)
        if (guard_holds(block, values) & (off > COMPLETE)).any():
            return False
    return True


def _best(model: Model, settled: np.ndarray) -> bool:
    """Whether everything in the objective is settled without the splits' numbers."""
    if model.objective.quadratic.count or model.objective.slots is not None:
        return False
    return not np.isnan(settled[np.flatnonzero(model.costs)]).any()


def _at(symbol: Symbol) -> At:
    """The symbol at the indices that its domain binds."""
    assert symbol.span is not None
    names = zip(symbol.domain.names, symbol.sorts, strict=True)
    arguments = tuple(Bound(name=n, of=s, span=symbol.span) for n, s in names)
    return At(symbol=symbol, arguments=arguments, span=symbol.span)
