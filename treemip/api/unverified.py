"""Why a tree is not verified: W703, the model paid for it, and W702, a tolerance allows it.

Slack, as in SVM1-ODT's rows (1h) and (1j), lets a point stand on the wrong side of a split. Where
every tree that meets the spec costs more than the slack, the optimum pays for slack, and its splits
do not route the points as it claims. The solution itself shows which family was paid for: the
continuous columns of the misrouted points, and their cost.

With a price of 1000 on slack, a row violated by 1e-7 can change the objective by 1e-4 or leave a
point on the wrong side of a split. W702 distinguishes that from a wrong solution.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.model.answer import PROVEN_STATUSES, Status
from treemip.core.model.blocks import Kind, Variables
from treemip.core.model.model import Model
from treemip.core.model.tolerances import LOOSE, TIGHT, VERIFIED
from treemip.core.model.values import slot_values, violation
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Symbol
from treemip.core.resolve.typed_sets import domain_text
from treemip.core.solving.command import called, runs_as_process
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.source.suggest import listed
from treemip.core.strategy.settings import Settings
from treemip.core.tree.meaning import addends
from treemip.core.tree.repair import strayed_by
from treemip.core.tree.residuals import guard_holds, row_distance
from treemip.core.tree.verify import VerifyReport

if TYPE_CHECKING:
    from treemip.api.result import Result


def why_unverified(
    result: Result, end: np.ndarray | None, asked: Settings | None
) -> list[Diagnostic]:
    """W702 or W703 where either explains what verification found, else nothing.

    end: the leaf of each point by the solution itself, None where it says none. asked: the
    settings of the solve; None where the values come from a file or from elsewhere.
    """
    compiled, tree, report, answer = result.compiled, result.tree, result.report, result.answer
    assert tree is not None and report is not None and answer.values is not None
    instance, stated = compiled.instance, compiled.solved.original
    strayed = (
        inf if end is None or not report.problems else strayed_by(tree, instance.table.inputs, end)
    )
    model = compiled.solved.model
    return tolerance_note(model, answer.values, report, strayed, asked) or bought_note(
        instance, stated, result.values, report, answer.status
    )


def bought_note(
    instance: Instance,
    stated: Model,
    values: dict[str, np.ndarray],
    report: VerifyReport,
    status: Status,
) -> list[Diagnostic]:
    """W703 where the objective pays for points routed against the splits, else nothing.

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
        f"{points} against the solution's own splits, which the model allows at a price: "
        f"their '{name}' accounts for {paid[name]:.6g} of the objective {report.objective:.6g}"
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
    row = f"no_{name} {domain_text(domain)}: {name}[{','.join(domain.names)}] = 0;"
    longer = (
        ""
        if status in PROVEN_STATUSES
        else "search longer, since a better solution may not need to pay; or "
    )
    asked = listed(dict.fromkeys(v.name for v in report.side_violations))
    less = f"ask for less in {asked}; or " if asked else ""
    return (
        f"{longer}{less}raise the price; or forbid it, with subject to {row}  "
        "where no tree is left, treemip diagnose names the rows that rule it out"
    )


# ------------------------------------------------------------------- missed by a tolerance


def tolerance_note(
    model: Model,
    values: np.ndarray,
    report: VerifyReport,
    strayed: float,
    asked: Settings | None,
) -> list[Diagnostic]:
    """W702 where no problem would be left if every row held within TIGHT, else nothing.

    model: the one that the solver was given; values (columns,): its solution. Problems are assumed
    to shrink in proportion to the violation. strayed: as `strayed_by`. asked: the settings of the
    solve; None where the values come from a file or from elsewhere.
    """
    if not report.problems:
        return []
    missed, remedy = misses(model, values), _stricter(asked)
    if not remedy or not TIGHT < missed <= LOOSE:
        return []
    if not size_of(report, strayed) * TIGHT / missed <= VERIFIED:
        return []
    message = (
        f"the solver's values violate a row, a bound or integrality by {missed:.2g}, "
        "which its tolerance allows; that alone may be what verification found"
    )
    return [Diagnostic("W702", message, None, remedy, severity=Severity.WARNING)]


def misses(model: Model, values: np.ndarray) -> float:
    """The greatest violation, by values (columns,), of a row, bound, implication or integrality.

    Values beyond the model's columns belong to what was added to it, such as a fixed tree.
    """
    values = values[: model.column_count]
    whole = np.where(model.integer, np.abs(values - np.round(values)), 0.0)
    slots = slot_values(model.tape, values) if model.tape.steps else None
    parts = [violation(model, values), float(whole.max(initial=0.0))]
    for block in model.implications:
        off, _ = row_distance(block.body, values, slots)
        parts.append(float(off[guard_holds(block, values)].max(initial=0.0)))
    return max(parts)


def size_of(report: VerifyReport, strayed: float) -> float:
    """The greatest difference that verification found; of objectives, relative to them."""
    amounts = [v.amount for v in (*report.violations, *report.side_violations)]
    if report.misrouted:
        amounts.append(strayed)
    claimed, own = report.objective, report.tree_objective
    if claimed is not None and own is not None:
        amounts.append(abs(claimed - own) / max(1.0, abs(claimed)))
    return max(amounts, default=np.inf)


def _stricter(asked: Settings | None) -> str:
    """Nothing where the solver was held to TIGHT already."""
    if asked is None:
        return "have the solver keep rows within 1e-9 and write all digits of the values"
    if asked.feasibility is not None and asked.feasibility <= TIGHT:
        return ""
    solver, option = asked.solver or "auto", "--feasibility 1e-9"
    if runs_as_process(solver) and "feasibility" not in called(solver)[1].options:
        title = called(solver)[0].title
        return f"{title} has no tolerance setting: choose scip or highs with {option}"
    return f"solve again with {option}"
