"""Whether a spec's points may be selected without changing what its own constraints mean."""

from __future__ import annotations

from collections.abc import Iterator

from treemip.resolve.modules import asked_by_selection
from treemip.resolve.sorts import POINT, SetOf
from treemip.resolve.spec import Constraint, Spec
from treemip.resolve.typed import At, Typed
from treemip.source.diagnostic import Related, Report

OF_POINTS = ("class_count",)
"""Data that count points without naming any."""

LEAVE_OUT = "leave `select` out of the strategy"


def check_selection(spec: Spec, report: Report) -> None:
    """E216 where `select` stands in a spec without data, classes or a tree, with a randomized tree,
    or with constraints over points beside its formulation."""
    asked = spec.strategy.select
    if asked is None:
        return
    assert asked.span is not None
    if spec.data is None or spec.topology is None or spec.route is None:
        message = "'select' needs data and a tree: it selects points of a class within a leaf"
        report.error("E216", message, asked.span, LEAVE_OUT)
    elif spec.data.label_kind != "class":
        message = "'select' needs a label of classes: it selects points of a class within a leaf"
        report.error("E216", message, asked.span, LEAVE_OUT)
    elif spec.route.probability is not None:
        message = (
            "'select' does not fit a randomized tree: each point reaches every leaf, so points"
            " inside the hull of others are not classified with them"
        )
        report.error("E216", message, asked.span, LEAVE_OUT)
    elif spec.other_answers:
        message = f"'select' selects points of one class, and leaves predict {spec.other_answers}"
        report.error("E216", message, asked.span, LEAVE_OUT)
    if spec.objective is not None and spec.objective.then:
        message = "'select' does not fit objectives in turn: rows keep the earlier ones over points"
        report.error("E216", message, asked.span, LEAVE_OUT)
    if not spec.formulation:
        return  # its own rows are the formulation, which is stated over the selected points
    for row in spec.constraints:
        if row.module == "spec" and not asked_by_selection(row) and _over_points(row):
            message = f"'{row.name}' is over points, and would hold for the selected ones only"
            related = (Related(asked.span, "selected here"),)
            report.error("E216", message, row.name_span, LEAVE_OUT, related=related)


def _over_points(row: Constraint) -> bool:
    parts = [*row.sides, *(e for b in row.domain.binders for e in (b.set, *b.conditions))]
    parts += [*row.domain.guard, *(value for _, value in row.local_sets)]
    return any(_names_points(e) for part in parts for e in _all(part, set()))


def _names_points(e: Typed) -> bool:
    return e.sort in (POINT, SetOf(POINT)) or (isinstance(e, At) and e.symbol.name in OF_POINTS)


def _all(expression: Typed, seen: set[str]) -> Iterator[Typed]:
    """The expression, all inside it, and what the names that it mentions are defined by."""
    yield expression
    for part in expression.inside:
        yield from _all(part, seen)
    if isinstance(expression, At) and expression.symbol.name not in seen:
        seen.add(expression.symbol.name)
        if expression.symbol.value is not None:
            yield from _all(expression.symbol.value, seen)
