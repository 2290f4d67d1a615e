"""A tree that is not verified because a solver's tolerance let rows be missed, and what mends it.

A row that is missed by 1e-7 can take 1e-4 from an objective with a price of 1000 on slack, or leave
a point on the wrong side of a split. Verification finds that; here it is told apart from a solution
that is wrong.
"""

from __future__ import annotations

import numpy as np

from treemip.model.model import Model
from treemip.model.tolerances import LOOSE, TIGHT, VERIFIED
from treemip.model.values import slot_values, violation
from treemip.solving.command import called, runs_as_process
from treemip.source.diagnostic import Diagnostic, Severity
from treemip.strategy.settings import Settings
from treemip.tree.residuals import guard_holds, row_distance
from treemip.tree.verify import VerifyReport


def tolerance_note(
    model: Model,
    values: np.ndarray,
    report: VerifyReport,
    strayed: float,
    asked: Settings | None,
) -> list[Diagnostic]:
    """W702 where the problems would be gone if no row were missed by more than TIGHT, else nothing.

    model: as the solver had it; values (columns,): what it found. Problems are taken to shrink with
    what the values miss, so they must be small beside it. strayed: as `strayed_by`. asked: of the
    solve; None where the values come from a file or from elsewhere.
    """
    if not report.problems:
        return []
    missed, remedy = misses(model, values), _remedy(asked)
    if not remedy or not TIGHT < missed <= LOOSE:
        return []
    if not size_of(report, strayed) * TIGHT / missed <= VERIFIED:
        return []
    message = (
        f"the solver's values miss a row, a bound or a whole number by {missed:.2g}, "
        "which its tolerance allows; that alone may be what verification found"
    )
    return [Diagnostic("W702", message, None, remedy, severity=Severity.WARNING)]


def misses(model: Model, values: np.ndarray) -> float:
    """By how much values (columns,) miss the worst row, bound, implication or whole number.

    Values beyond the model's columns are of what was added to it, such as a fixed tree.
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


def _remedy(asked: Settings | None) -> str:
    """Nothing where the solver was held to TIGHT already."""
    if asked is None:
        return "let the solver keep rows within 1e-9, and write all digits of the values"
    if asked.feasibility is not None and asked.feasibility <= TIGHT:
        return ""
    solver, option = asked.solver or "auto", "--feasibility 1e-9"
    if runs_as_process(solver) and "feasibility" not in called(solver)[1].options:
        return f"{called(solver)[0].title} takes no tolerance: choose scip or highs with {option}"
    return f"solve again with {option}"
