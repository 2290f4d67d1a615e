"""One door to all solvers: those in memory, and those installed beside treemip."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.model.answer import NO_LIMITS, Answer, Limits, OnProgress
from treemip.model.model import Model
from treemip.solving.optional import needed
from treemip.solving.process import COMMAND, drive, is_driven
from treemip.solving.solve import PACKAGES, SOLVERS, choose
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed
from treemip.strategy.installed import INSTALLED
from treemip.strategy.multistart import solve_from_starts
from treemip.strategy.settings import AUTOMATIC

NAMES = (*AUTOMATIC, *SOLVERS, *INSTALLED)
EXTRAS = {"ipopt": "casadi"}
"""Names of treemip's extras, where they are not the solver's."""


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
    """Solve with the solver named: see `solve_from_starts` and `drive` for what they raise.

    starts, points: of a local solver, see `multistart`. keep: a folder for the files of a run
    outside this process. Raises E902 for an unknown solver, and for `keep` with a solver in memory.
    """
    require_known(solver)
    if is_driven(solver):
        return drive(model, solver, limits, start, on_progress, keep)
    require_kept(solver, keep)
    return solve_from_starts(model, solver, limits, starts, start, on_progress, points)


def require_kept(solver: str, keep: Path | None) -> None:
    """Raises E902 for a folder to keep files in, and a solver in memory that has none."""
    if keep is not None and not is_driven(solver):
        raise TreemipError(
            Diagnostic.outside(
                "E902",
                f"'{solver}' is solved in memory and has no files to keep",
                f"leave it out, or choose one of {listed(INSTALLED, len(INSTALLED))}",
            )
        )


def require_known(solver: str) -> None:
    """Raises E902 for what is not the name of a solver."""
    if not is_driven(solver) and solver not in NAMES:
        hint = did_you_mean(solver, NAMES)
        known = f"there are {listed(NAMES, len(NAMES))} and '{COMMAND}…'"
        raise TreemipError(Diagnostic.outside("E902", f"unknown solver '{solver}'", hint or known))


def load_packages(solver: str, model: Model) -> None:
    """Import what a solve of the model runs in, before any time is counted. Raises E602."""
    name = choose(model) if solver == "auto" else solver
    if name in SOLVERS:
        needed(PACKAGES[name], EXTRAS.get(name, name))
