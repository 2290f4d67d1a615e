"""Whether a spec's points may be selected without changing what its own constraints mean."""

from __future__ import annotations

from collections.abc import Iterator

from treemip.core.resolve.circles import closure, symbols_in
from treemip.core.resolve.modules import asked_by_selection
from treemip.core.resolve.sorts import POINT, SetOf
from treemip.core.resolve.spec import Constraint, Spec
from treemip.core.resolve.typed import At, Typed, walk
from treemip.core.source.diagnostic import Fix, Related, Report

OF_POINTS = ("class_count",)
"""Tables that count points without an index over points."""

LEAVE_OUT = "leave `select` out of the strategy"


def check_selection(spec: Spec, report: Report) -> None:
    """Report E216 if `select` does not fit the spec.

    It needs data, classes and a deterministic tree, and the spec must not add constraints over
    points to its formulation.
    """
    asked = spec.strategy.select
    if asked is None:
        return
    assert asked.span is not None
    left_out = Fix.delete(asked.span)
    for message in _misfits(spec):
        report.error("E216", message, asked.span, LEAVE_OUT, fix=left_out)
    if not spec.formulation:
        return  # its own rows are the formulation, which is stated over the selected points
    for row in spec.constraints:
        if row.module == "spec" and not asked_by_selection(row) and _over_points(row):
            message = f"'{row.name}' is over points, and would hold for the selected ones only"
            related = (Related(asked.span, "selected here"),)
            report.error("E216", message, row.name_span, LEAVE_OUT, related=related, fix=left_out)


def _misfits(spec: Spec) -> Iterator[str]:
    """Reasons why points cannot be selected for the spec, apart from its rows."""
    if spec.data is None or spec.topology is None or spec.route is None:
        yield "'select' needs data and a tree: it selects points of a class within a leaf"
    elif spec.data.label_kind != "class":
        yield "'select' needs a label of classes: it selects points of a class within a leaf"
    elif spec.route.probability is not None:
        yield (
            "'select' does not fit a randomized tree: each point reaches every leaf, so points"
            " inside the hull of others are not classified with them"
        )
    elif spec.other_answers:
        yield f"'select' selects points of one class, and leaves predict {spec.other_answers}"
    if spec.objective is not None and spec.objective.then:
        yield "'select' does not fit objectives in turn: rows keep the earlier ones over points"


def _over_points(row: Constraint) -> bool:
    parts = [*row.sides, *row.domain.inside, *(value for _, value in row.local_sets)]
    symbols = [symbol for part in parts for symbol in symbols_in(part)]
    defined = closure(symbols, lambda symbol: symbols_in(symbol.value))
    parts += [symbol.value for symbol in defined if symbol.value is not None]
    return any(_names_points(e) for part in parts for e in walk(part))


def _names_points(e: Typed) -> bool:
    return e.sort in (POINT, SetOf(POINT)) or (isinstance(e, At) and e.symbol.name in OF_POINTS)
