"""Instance -> Model: variables, rows, implications, functions and the objective."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.error_context import used_from
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.linear import quadratic_rows
from treemip.lower.model_columns import ModelBuilder, ModelColumns
from treemip.lower.relations import Relations
from treemip.model.blocks import Kind
from treemip.model.model import Model, Objective
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.source.span import Span

KINDS = {"binary": Kind.BINARY, "integer": Kind.INTEGER, "continuous": Kind.CONTINUOUS}


def lower(
    instance: Instance, cuts: Sequence[Constraint] = (), only: Container[str] | None = None
) -> Model:
    """All families of the spec as blocks, or `only` those of rows by these names. `cuts` are cut
    families to add, marked as cuts.

    Raises TreemipError (E401 to E404) at the place in the source that is to blame, and E218 for
    several objectives.
    """
    if instance.spec.objective is not None and instance.spec.objective.then:
        raise several_objectives(instance.spec.objective.span)
    with np.errstate(all="ignore"):  # numbers that are not finite are refused where they are used
        return _lowered(instance, cuts, only)


def _lowered(instance: Instance, cuts: Sequence[Constraint], only: Container[str] | None) -> Model:
    spec = instance.spec
    building = ModelBuilder(instance)
    evaluator = Evaluator(instance, ModelColumns(building))
    for symbol in spec.variables:
        assert symbol.span is not None
        with used_from(symbol.span):
            add_variables(symbol, building, evaluator)
    relations = Relations(building, evaluator)
    own = [c for c in spec.constraints if only is None or c.name in only]
    for constraint in (*own, *cuts):
        before = len(building.rows)
        building.place = constraint.used_from or constraint.name_span
        with used_from(building.place):
            relations.lower(constraint)
        if any(constraint is cut for cut in cuts):
            building.rows[before:] = [replace(b, cut=True) for b in building.rows[before:]]
    if spec.objective is not None:
        building.place = spec.objective.value.span
    objective = objective_of(instance, evaluator)
    empty = evaluator.empty.warnings(spec.file.span.source)
    return Model(
        spec.name,
        tuple(building.variables),
        tuple(building.rows),
        tuple(building.implications),
        tuple(building.functions),
        objective,
        building.tape.tape(),
        warnings=tuple(warning for warning in empty if warning not in instance.warnings),
    )


def several_objectives(span: Span) -> TreemipError:
    """The error for a model of a spec with several objectives: it holds one."""
    message = "the objectives are solved in turn, and one model holds one of them"
    remedy = (
        "choose one: --stage 1, or --stage 2 --earlier V with the value of the first; "
        "treemip solve takes them all"
    )
    return TreemipError(Diagnostic("E218", message, span, remedy))


def add_variables(symbol: Symbol, building: ModelBuilder, evaluator: Evaluator) -> None:
    """A variable's family over its domain. Raises TreemipError E403 where no value is possible."""
    frame = evaluator.places.domain_frame(symbol)
    kind = KINDS[symbol.kind]
    lower, upper = bounds_of(symbol, frame, evaluator)
    index = building.index(symbol.domain.names, symbol.domain.sorts, frame)
    building.starts[symbol.name] = building.add_variables(
        symbol.name, index, lower, upper, kind, symbol.span
    )


def bounds_of(symbol: Symbol, frame: Frame, evaluator: Evaluator) -> tuple[np.ndarray, np.ndarray]:
    """A variable's bounds at each index of its domain, float64 (rows of the frame,) each. Raises
    TreemipError E403 where no value is possible."""
    binary = KINDS[symbol.kind] is Kind.BINARY
    lower = np.full(frame.size, 0.0 if binary else -np.inf)
    upper = np.full(frame.size, 1.0 if binary else np.inf)
    for op, expression in symbol.bounds:
        value = np.asarray(evaluator.known(expression, frame), float)
        if op in (">=", "="):
            lower = np.maximum(lower, value)
        if op in ("<=", "="):
            upper = np.minimum(upper, value)
        # Neither holds of nan, nor of what maximum and minimum make of it.
        if not ((lower <= upper) & (lower < np.inf) & (upper > -np.inf)).all():
            fail("E403", f"no value of '{symbol.name}' is within its bounds", expression.span)
    return lower, upper


def objective_of(instance: Instance, evaluator: Evaluator) -> Objective:
    """Raises TreemipError E402 for a coefficient that is not finite."""
    stated = instance.spec.objective
    if stated is None:
        return Objective()
    with used_from(stated.value.span):
        value = evaluator.linear(stated.value, Frame.empty())
    if not value.is_finite:
        fail("E402", "the objective has a coefficient that is not finite", stated.span)
    row = value.matrix()
    linear = np.bincount(row.indices, row.data) if row.nonzeros else np.zeros(0)
    return Objective(
        stated.sense,
        stated.name,
        float(value.constant[0]),
        linear,
        quadratic_rows(value),
        stated.span,
        value.slot_matrix(),
    )
