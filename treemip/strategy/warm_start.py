"""A warm start: a feasible solution to begin with, and what is left of the limits after it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError

SHARE = 0.25  # of the time limit, at most, for completing a start


@dataclass(frozen=True)
class WarmStart:
    """`values` (columns,) are feasible, None where there are none; `notes` say why.

    `stopped`: the user ended the solve while the start was completed; this is its answer.
    """

    values: np.ndarray | None = None
    notes: tuple[Diagnostic, ...] = ()
    stopped: Answer | None = None


def warm_start(
    kind: str | None, instance: Instance, model: Model, solver: str, limits: Limits
) -> WarmStart:
    """The start of that kind, "cart" or "none", completed by the solver in a share of its time.

    A start that is not feasible is a warning, W601. Raises E902 for another kind, and what
    `cart.fixed_model` and the solver raise.
    """
    from treemip.strategy.cart import fixed_model
    from treemip.strategy.solvers import solve_with

    if kind in (None, "none"):
        return WarmStart()
    if kind != "cart":
        raise TreemipError(
            Diagnostic.outside("E902", f"unknown start '{kind}'", "there are 'cart' and 'none'")
        )
    time = None if limits.time is None else limits.time * SHARE
    fixed = fixed_model(instance, model)
    answer = solve_with(fixed, solver, replace(limits, time=time, log=False))
    values = None if answer.values is None else answer.values[: model.column_count]
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is not None:
        return WarmStart(values)
    note = Diagnostic(
        "W601",
        f"CART's routing is not feasible for this model ({answer.status}); solving without a start",
        None,
        severity=Severity.WARNING,
    )
    return WarmStart(notes=(note,))


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))
