"""A model with a tree's routing and labels fixed, and which rows that breaks, by family.
With the routing fixed, a solver completes the tree to a solution. If there is none, every row that
the start did not add gets a slack, and the sum of the slacks, each relative to the size of its row,
is minimized with integers relaxed. Rows with a slack above 0 then are those that the routing
breaks: where rows contradict each other one choice of several, but one of the smallest (the elastic
program of Chinneck, Feasibility and Infeasibility in Optimization, 2008, sect. 6.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from treemip.answers.starts.concepts import with_concept
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.model.answer import Limits
from treemip.core.model.blocks import NO_QUADRATIC, Index, Kind, Rows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import append_columns
from treemip.core.model.tolerances import BROKEN
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.typed import At, Bound, Role, Symbol
from treemip.core.solving.solve import is_available, solve
from treemip.core.source.span import Span

ADDED = "start_"
"""How the names of the rows begin that are added here."""

LARGEST = 500_000
"""Nonzeros of a model beyond which a warning is not worth a linear program."""

SECONDS = 5.0
"""At most so long, and within the start's own limit."""

CHEAP = 1e-3
"""Cost of the slack of a row of the spec, where that of the formulation's is 1."""

SHOWN = 4


def fix_tree(
    instance: Instance, model: Model, ends: np.ndarray, classes: Mapping[int, int]
) -> Model:
    """The model with rows added: each point passes its node, and leaves have no other class.

    ends: int64 (N,), a node of the topology for each training point, leaf or branch; below a
    branch its points may go where they like. classes: class number by node; it holds for the node
    or, at a branch, for all leaves below it. `model` is any model whose first columns are those
    of the lowered spec; where the spec does not mention reach, its default is put behind them.
    Where the formulation itself says what each leaf predicts, labels are not fixed, nor to which
    side of a last branch a point goes. Raises NoStart where the formulation has no reach.
    """
    instance, model = with_concept(instance, model, "reach")
    topology, label = instance.nodes, instance.spec.concepts.get("label")
    given_labels = label is not None and label.role is Role.LET and label.degree is Degree.KNOWN
    if given_labels:
        ends = np.where(topology.is_leaf[ends], topology.parent[ends], ends)
    ends = _within_reach(instance, ends)
    extra = [_fixed(instance, model, "reach", (np.arange(len(ends)), ends), 1.0)]
    if label is not None and classes and not given_labels:
        below = [topology.leaves_under.take(np.array([node])).items for node in classes]
        leaves = np.concatenate(below)
        own = np.repeat(list(classes.values()), [len(b) for b in below])
        # The other classes are excluded rather than this one demanded, since OCT's leaves
        # without points have no label at all.
        number = np.arange(len(instance.table.classes))
        leaf, other = np.nonzero(number != own[:, None])
        extra.append(_fixed(instance, model, "label", (leaves[leaf], other), 0.0))
    return replace(model, rows=(*model.rows, *extra))


def _within_reach(instance: Instance, ends: np.ndarray) -> np.ndarray:
    """Each point's node, or the first above it that the formulation's reach is declared for."""
    reach, topology = instance.spec.concepts["reach"], instance.nodes
    places = Evaluator(instance, ModelColumns(ModelBuilder(instance))).places
    points, node = np.arange(len(ends)), ends.copy()
    while reach.extension is None:
        outside = places.locate(reach, [points, node], Frame(len(node), {})) < 0
        outside &= topology.parent[node] >= 0
        if not outside.any():
            break
        node[outside] = topology.parent[node[outside]]
    return node


def _fixed(
    instance: Instance,
    model: Model,
    concept: str,
    tuples: tuple[np.ndarray, np.ndarray],
    value: float,
) -> Rows:
    """concept[a,b] = value for the tuples, as rows of the lowered model."""
    symbol = instance.spec.concepts[concept]
    building = ModelBuilder(instance)
    building.starts = {b.name: b.start for b in model.variables}
    evaluator = Evaluator(instance, ModelColumns(building))
    frame = Frame(len(tuples[0]), {"first": tuples[0], "second": tuples[1]})
    affine = evaluator.linear(_at(symbol), frame)
    side = value - affine.constant
    matrix = affine.matrix()
    index = Index(("row",), ("number",), (np.arange(frame.size) + 1,), frame.size)
    return Rows(f"{ADDED}{concept}", index, matrix, side, side, symbol.span)


def _at(symbol: Symbol) -> At:
    assert symbol.span is not None
    first = Bound(name="first", of=symbol.sorts[0], span=symbol.span)
    second = Bound(name="second", of=symbol.sorts[1], span=symbol.span)
    return At(symbol=symbol, arguments=(first, second), span=symbol.span)


def failing_rows(instance: Instance, model: Model, limits: Limits) -> dict[str, int]:
    """How many rows of which family break; empty where that is not found out.

    model: infeasible, with the rows of `fix_tree` among its rows, or with columns fixed. Where
    rows of the spec and of its formulation contradict each other, those of the spec are named.
    """
    most = SECONDS if limits.time is None else min(SECONDS, limits.time)
    if most <= 0:
        return {}
    if model.tape.steps or model.nonzeros > LARGEST or not is_available("highs"):
        return {}
    if any(block.quadratic.count for block in model.rows):
        return {}
    own: set[Span | None] = {c.span for c in instance.spec.constraints if c.module == "spec"}
    elastic, first = _elastic(model, own)
    answer = solve(elastic, "highs", Limits(time=most))
    if answer.status != "optimal" or answer.values is None:
        return {}
    slack = answer.values[first:]
    counts: dict[str, int] = {}
    at = 0
    for block in model.rows:
        if block.name.startswith(ADDED):
            continue
        each = slack[at : at + 2 * block.length].reshape(2, -1).max(axis=0)
        at += 2 * block.length
        if broken := int((each > BROKEN).sum()):
            counts[block.name] = broken
    return counts


def in_words(counts: dict[str, int]) -> str:
    """`12 rows of 'go_right' and 1 row of 'few'`, of numbers of rows by family."""
    each = [f"{n} {'row' if n == 1 else 'rows'} of '{name}'" for name, n in counts.items()]
    more = [f"{len(each) - SHOWN} more families"] if len(each) > SHOWN else []
    shown = [*each[:SHOWN], *more]
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def _elastic(model: Model, own: set[Span | None]) -> tuple[Model, int]:
    """The relaxation with slacks, and its first slack; two for each row: below, above.

    own: where the rows stand whose slack costs next to nothing.
    """
    first = at = model.column_count
    variables = [_relaxed(block) for block in model.variables]
    rows, costs = [], [np.zeros(first)]
    for block in model.rows:
        if block.name.startswith(ADDED):
            rows.append(block)
            continue
        below, above = at + np.arange(block.length), at + block.length + np.arange(block.length)
        size = _size(block)
        matrix = append_columns(append_columns(block.matrix, below, size), above, -size)
        rows.append(replace(block, matrix=matrix))
        length = 2 * block.length
        index = Index(("row",), ("number",), (np.arange(length) + 1,), length)
        zeros, far = np.zeros(length), np.full(length, np.inf)
        name = f"{block.name}_elastic"
        variables.append(Variables(name, index, at, zeros, far, Kind.CONTINUOUS))
        costs.append(np.full(length, CHEAP if block.span in own else 1.0))
        at += length
    objective = Objective(name="slack", linear=np.concatenate(costs), quadratic=NO_QUADRATIC)
    bare = replace(model, implications=(), special_sets=(), objective=objective)
    return replace(bare, variables=tuple(variables), rows=tuple(rows)), first


def _relaxed(block: Variables) -> Variables:
    lower, upper = block.domain
    return replace(block, kind=Kind.CONTINUOUS, lower=lower, upper=upper)


def _size(block: Rows) -> np.ndarray:
    """The greatest coefficient of each row in magnitude, 1 of an empty one."""
    matrix = block.matrix
    size = np.zeros(block.length)
    np.maximum.at(size, matrix.row_of, np.abs(matrix.data))
    return np.where(size > 0, size, 1.0)
