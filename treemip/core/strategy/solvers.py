"""The way to all solvers, in memory and installed beside treemip, and what to say when one fails.

A failure of a solver or a start where there is already a tree is a warning, and the tree is kept;
what the caller can mend by other options is raised all the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.registry import in_memory, installed, solvers
from treemip.core.solving import process
from treemip.core.solving.command import COMMAND, runs_as_process
from treemip.core.solving.optional import needed
from treemip.core.solving.solve import choose, demand_model
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, fail
from treemip.core.source.memory import is_memory_error
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.strategy.multistart import solve_from_starts
from treemip.core.strategy.settings import AUTOMATIC

USAGE = ("E601", "E602", "E603", "E902")
"""A solver that does not take the model or is missing, a folder that is in use, an option."""


def names() -> tuple[str, ...]:
    """What a solver may be called, apart from a command line of the user's own."""
    return (*AUTOMATIC, *solvers())


def solve_with(
    model: Model,
    solver: str = "auto",
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    starts: int | None = None,
    keep: Path | None = None,
    points: np.ndarray | None = None,
) -> Answer:
    """Solve with the solver named: see `solve_from_starts` and `run_installed` for what they raise.

    starts, points: of a local solver, see `multistart`. keep: a folder for the files of a run
    outside this process. Raises E902 for an unknown solver, and for `keep` with a solver in memory.
    """
    require_known(solver)
    if runs_as_process(solver):
        return process.run_installed(model, solver, limits, start, on_progress, keep)
    require_kept(solver, keep)
    return solve_from_starts(model, solver, limits, starts, start, on_progress, points)


def require_bound(solver: str) -> None:
    """Raises E601 for a solver that proves no bound, which rows cannot be separated for."""
    one = solvers().get(solver)
    if one is not None and one.local:
        message = f"{one.title} proves no bound, so it cannot separate rows"
        fail("E601", message, remedy="solve with scip or highs")


def require_taken(model: Model, solver: str, separated: bool) -> None:
    """Raises E601 for a model that the solver named does not take, before time goes into a start.

    separated: whether rows of it are. A solver that the model chooses is asked when it is called:
    an engine may answer in its place.
    """
    if separated:
        require_bound(solver)
    if runs_as_process(solver):
        process.demand_model(model, solver)
    elif solver not in AUTOMATIC:
        demand_model(model, solver)


def require_kept(solver: str, keep: Path | None) -> None:
    """Raises E603 for a folder to keep files in that has some, and E902 for one with a solver in
    memory, which has none to keep."""
    if keep is None:
        return
    process.demand_new(keep)
    if not runs_as_process(solver):
        fail(
            "E902",
            f"'{solver}' runs in memory; only solvers run as processes have files to keep",
            remedy=f"leave it out, or choose one of {listed(installed(), len(installed()))}",
        )


def require_known(solver: str) -> None:
    """Raises E902 for what is not the name of a solver."""
    if not runs_as_process(solver) and solver not in names():
        hint = did_you_mean(solver, names())
        known = f"there are {listed(names(), len(names()))} and '{COMMAND}…'"
        fail("E902", f"unknown solver '{solver}'", remedy=hint or known)


def packages_absent(solvers: Iterable[str], model: Model) -> TreemipError | None:
    """E602 for the first package that a solve of the model runs in and that is missing; the others
    are imported, before any time is counted."""
    for solver in solvers:
        try:
            load_packages(solver, model)
        except TreemipError as error:
            if error.diagnostics[0].code != "E602":
                raise
            return error
    return None


def load_packages(solver: str, model: Model) -> None:
    """Import what a solve of the model runs in. Raises E602."""
    name = choose(model) if solver == "auto" else solver
    one = in_memory().get(name)
    if one is not None:
        needed(one.package, one.extra)


def known_fault(answer: Answer) -> tuple[Diagnostic, ...]:
    """W611 where the solver that has answered is of a version that is known to be wrong."""
    solver = solvers().get(answer.solver)
    fault = "" if solver is None else solver.fault_of(answer.solver_version)
    if solver is None or not fault:
        return ()
    message = f"{solver.title} {answer.solver_version} {fault}: another version may say otherwise"
    remedy = f"pip install --upgrade {solver.package}" if solver.package else "install another one"
    return (Diagnostic("W611", message, None, remedy, severity=Severity.WARNING),)


def is_usage(error: Exception) -> bool:
    """Whether the caller can mend it by other options."""
    return isinstance(error, TreemipError) and error.diagnostics[0].code in USAGE


def reason(error: Exception) -> str:
    """Why something failed, as part of a sentence."""
    if isinstance(error, TreemipError):
        return error.diagnostics[0].message
    if is_memory_error(error):
        return "not enough memory"
    return f"{type(error).__name__}: {error}".rstrip(": ")


def solver_failed(error: Exception) -> Diagnostic:
    """W603: the start is the answer, since the solver gave none."""
    remedy = error.diagnostics[0].remedy if isinstance(error, TreemipError) else ""
    message = f"the solver failed, so the start is the answer: {reason(error)}"
    return Diagnostic("W603", message, None, remedy, severity=Severity.WARNING)
