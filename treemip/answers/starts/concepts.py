"""Concepts that a start needs and the spec does not mention, added behind a model."""

from __future__ import annotations

from dataclasses import replace

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.lower import add_variables
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.relations import Relations
from treemip.core.model.model import Model
from treemip.core.resolve.module_files import KeptTexts
from treemip.core.resolve.resolve import resolve
from treemip.core.source.diagnostic import Diagnostic, TreemipError


class NoStart(TreemipError):
    """The formulation does not have what a start needs; one diagnostic says what."""


def no_start(why: str, remedy: str = "leave it out", code: str = "E205") -> NoStart:
    """The error that says why there is none."""
    return NoStart(Diagnostic.outside(code, why, remedy))


def require_classes(instance: Instance) -> None:
    """Raises NoStart where leaves have no classes that a start could give them."""
    other = instance.spec.other_answers
    why = f"these predict {other}" if other else ""
    if not why and instance.data is not None:
        why = instance.table.without_classes
    if why:
        raise no_start(f"it gives leaves classes, and {why}")


def with_concept(instance: Instance, model: Model, name: str) -> tuple[Instance, Model]:
    """Instance and model with a concept's default behind them; as they are where they have it.

    `model` is any whose first columns are those of the lowered spec; all its columns and rows
    stay where they are. Raises NoStart where the formulation has no such concept, or one whose
    rows would have to be reformulated.
    """
    known = instance.spec
    if name in known.concepts:
        return instance, model
    try:
        kept = KeptTexts(known.modules)
        spec = resolve(known.file, known.overrides, (name,), known.pressed, kept)
    except TreemipError:  # the spec alone was resolved before, so it is the concept that is missing
        message = f"the formulation has no concept '{name}'"
        remedy = f"leave it out, or define in the formulation what '{name}' is: concept {name} …"
        raise no_start(message, remedy) from None
    larger = replace(instance, spec=spec)
    building = ModelBuilder(larger)
    building.variables = list(model.variables)
    building.columns = model.column_count
    building.starts = {b.name: b.start for b in model.variables}
    evaluator = Evaluator(larger, ModelColumns(building))
    for symbol in spec.variables:
        if symbol.name not in building.starts:
            add_variables(symbol, building, evaluator)
    relations = Relations(building, evaluator)
    had = {c.name for c in known.constraints}
    for constraint in spec.constraints:
        if constraint.name not in had:
            relations.lower(constraint)
    if building.implications or building.functions:
        message = f"the default of the concept '{name}' has to be reformulated"
        remedy = f"mention '{name}' in the spec, such as in a constraint"
        raise no_start(message, remedy)
    rows = (*model.rows, *building.rows)
    return larger, replace(model, variables=tuple(building.variables), rows=rows)
