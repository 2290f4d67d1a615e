"""A warm start: a feasible solution to begin with, and what is left of the limits after it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.resolve.strategy_settings import STARTS
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.suggest import listed

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
    """The start of that kind, one of STARTS, completed by the solver in a share of its time.

    A start that is not feasible is a warning, W601. Raises E902 for another kind, and what
    `cart.fixed_model`, `local_svm` and the solver raise.
    """
    from treemip.strategy.cart import fixed_model
    from treemip.strategy.local_svm import local_svm, within
    from treemip.strategy.solvers import solve_with

    if kind in (None, "none"):
        return WarmStart()
    if kind not in STARTS:
        known = f"there are {listed([*STARTS, 'none'])}"
        raise TreemipError(Diagnostic.outside("E902", f"unknown start '{kind}'", known))

    def solve(one: Model, seconds: float | None) -> Answer:
        # Of convex quadratic programs without integers, HiGHS 1.15 solved 4 of 6 of the paper's.
        products = solver == "auto" and bool(one.objective.quadratic.count)
        name = "scip" if products else solver
        return solve_with(one, name, replace(limits, time=seconds, log=False))

    timed = within(None if limits.time is None else limits.time * SHARE, solve)
    if kind == "cart":
        answer = timed(fixed_model(instance, model))
    else:
        answer = local_svm(instance, model, timed)
    values = None if answer.values is None else answer.values[: model.column_count]
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is None:
        return WarmStart(notes=(_not_feasible(kind, answer),))
    return WarmStart(values, _worth(kind, model, values))


def _not_feasible(kind: str, answer: Answer) -> Diagnostic:
    who = "CART's routing" if kind == "cart" else "the Local SVM heuristic's routing"
    return Diagnostic(
        "W601",
        f"{who} is not feasible for this model ({answer.status}); solving without a start",
        None,
        severity=Severity.WARNING,
    )


def _worth(kind: str, model: Model, values: np.ndarray) -> tuple[Diagnostic, ...]:
    """The objective of a start whose paper compares by it."""
    if kind == "cart":
        return ()
    message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
    return (Diagnostic("W601", message, None, severity=Severity.NOTE),)


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))
