"""A tree that is not verified because the model lets points go elsewhere at a price.

Slack, as in SVM1-ODT's rows (1h) and (1j), lets a point stand on the wrong side of a split. Where
a spec asks for what no tree gives at less, the optimum pays, and its splits do not do what it says.
Which family is paid for is told by the model's own numbers: continuous columns of the points that
the tree routes otherwise, and what they cost.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.answer import PROVEN_STATUSES, Status
from treemip.model.blocks import Kind, Variables
from treemip.model.model import Model
from treemip.model.tolerances import VERIFIED
from treemip.resolve import typed as t
from treemip.resolve.spec import Spec
from treemip.resolve.typed import Symbol, TypedDomain
from treemip.source.diagnostic import Diagnostic, Severity
from treemip.source.suggest import listed
from treemip.tree.meaning import addends
from treemip.tree.verify import VerifyReport


def bought_note(
    instance: Instance,
    stated: Model,
    values: dict[str, np.ndarray],
    report: VerifyReport,
    status: Status,
) -> list[Diagnostic]:
    """W703 where the objective pays for points that go otherwise than by the splits, else nothing.

    stated: the model as the spec states it; values of it by name, float64 over each block.
    """
    if not report.misrouted or report.objective is None:
        return []
    paid = {b.name: _paid(b, stated, values, report.misrouted) for b in stated.variables}
    name = max(paid, key=lambda each: paid[each], default="")
    least = VERIFIED * max(1.0, abs(report.objective))
    symbol = next((s for s in instance.spec.variables if s.name == name), None)
    if symbol is None or paid[name] <= least:
        return []
    price = _addend(instance.spec, symbol)
    count = len(report.misrouted)
    points = "1 point goes" if count == 1 else f"{count} points go"
    message = (
        f"{points} otherwise than by the solution's own splits, which the model allows at a price: "
        f"{paid[name]:.6g} of the objective's {report.objective:.6g} is for their '{name}'"
    )
    return [
        Diagnostic(
            "W703",
            message,
            price.span if price else symbol.span,
            _remedy(symbol, report, status),
            "the price" if price else "",
            severity=Severity.WARNING,
        )
    ]


def _paid(
    block: Variables, stated: Model, values: dict[str, np.ndarray], points: tuple[int, ...]
) -> float:
    """What the objective loses by a block's columns of these points; 0 for whole numbers."""
    if block.kind is not Kind.CONTINUOUS or "point" not in block.index.sorts:
        return 0.0
    of_points = np.isin(block.index.columns[block.index.sorts.index("point")], points)
    lost = float((stated.costs[block.start : block.stop] * values[block.name])[of_points].sum())
    return lost if stated.objective.sense == "minimize" else -lost


def _addend(spec: Spec, symbol: Symbol) -> t.Typed | None:
    """The part of the objective that depends on a variable."""
    assert spec.objective is not None
    for _, part in addends(spec.objective.value):
        waiting, seen = [part], set[Symbol]()
        while waiting:
            e = waiting.pop()
            waiting += e.inside
            if isinstance(e, t.At) and e.symbol not in seen:
                seen.add(e.symbol)
                waiting += [e.symbol.value] if e.symbol.value is not None else []
        if symbol in seen:
            return part
    return None


def _remedy(symbol: Symbol, report: VerifyReport, status: Status) -> str:
    name, domain = symbol.name, symbol.domain
    row = f"no_{name} {_said(domain)}: {name}[{','.join(domain.names)}] = 0;"
    longer = (
        ""
        if status in PROVEN_STATUSES
        else "search longer, since a better solution may not pay; or "
    )
    asked = listed(dict.fromkeys(v.name for v in report.side_violations))
    less = f"ask for less in {asked}; or " if asked else ""
    return (
        f"{longer}{less}raise the price; or forbid it, with subject to {row}  "
        "treemip diagnose then says what rules a tree out, where none is found"
    )


def _said(domain: TypedDomain) -> str:
    """A domain as a text of the language."""
    sets = ", ".join(f"{b.name} in {b.set.span.text}" for b in domain.binders)
    tests = [
        c.span.text for c in (*domain.guard, *(c for b in domain.binders for c in b.conditions))
    ]
    return f"{{{sets}{' : ' if tests else ''}{' and '.join(tests)}}}"
