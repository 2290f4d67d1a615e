"""What is asked of a solver and what comes back: limits, progress, answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Integral
from typing import Literal

import numpy as np

from treemip.core.model.tolerances import INFINITE, LEAST_OBJECTIVE
from treemip.core.resolve.settings.solve_options import NUMBERS
from treemip.core.source.diagnostic import fail

Status = Literal[
    "optimal",  # proven: no solution is better
    "locally_optimal",  # a solution with no better one close by; elsewhere there may be
    "gap_limit",  # a solution, proven to be within the gap that was asked for
    "feasible",  # a solution, of which nothing more is known
    "time_limit",
    "interrupted",  # the user stopped it
    "solver_limit",  # another limit of the solver: nodes, iterations, memory, solutions
    "infeasible",
    "unbounded",
    "infeasible_or_unbounded",  # one of the two, and the solver did not find out which
    "no_solution",  # nothing found, and not said why
]
"""Why the solver stopped. After "time_limit", "interrupted" and "solver_limit" there may or may
not be a solution: `Answer.values` tells."""


WITHOUT_SOLUTION: frozenset[Status] = frozenset(
    ("infeasible", "unbounded", "infeasible_or_unbounded", "no_solution")
)
"""With these no values are given, though a solver may have some: a point on an unbounded ray."""

PROVEN_STATUSES: frozenset[Status] = frozenset(("optimal", "gap_limit"))
"""With these the solution is proven to be as good as was asked for."""

CLAIMED_STATUSES: frozenset[Status] = PROVEN_STATUSES | {"locally_optimal"}
"""With these the solver makes a claim about its own values: how good they are."""

SOLVED_STATUSES: frozenset[Status] = CLAIMED_STATUSES | {"feasible"}
"""With these there is always a solution."""

CONCLUSIVE: frozenset[Status] = PROVEN_STATUSES | (WITHOUT_SOLUTION - {"no_solution"})
"""With these a longer solve would give no other answer."""


FOREVER = 1e9
"""Seconds, 31 years: larger values mean no limit, which not every solver takes."""


@dataclass(frozen=True)
class Limits:
    """When to stop and how exactly to solve; None leaves the solver's own default.

    time: seconds of wall clock for the whole solve, completing a start and handing the model over
    included; more than FOREVER is no limit.
    gap: relative gap at which a solution is good enough; None asks for a proof of optimality.
    absolute_gap: the same as a difference of objective values.
    threads: the maximum number. feasibility: how far rows, bounds and integrality may be violated,
    1e-10 to 1e-3. seed: for the solver's random choices. log: the solver's log on the terminal.

    Raises E902 when a value is outside its range.
    """

    time: float | None = None
    gap: float | None = None
    absolute_gap: float | None = None
    threads: int | None = None
    feasibility: float | None = None
    seed: int | None = None
    log: bool = False

    def __post_init__(self) -> None:
        _require_seconds(self.time)
        for option_name, option in NUMBERS.items():
            name, least, most = limit_of(option_name), option.least, option.most
            value = getattr(self, name)
            if isinstance(value, Integral):  # NumPy's too, which solvers' packages refuse
                object.__setattr__(self, name, int(value))
            elif value is not None and not isinstance(value, float):
                fail(
                    "E902",
                    f"the limit '{name}' is {value!r}, which is not a number",
                    remedy=f"give a number from {least:g} to {most:g}, or leave it out",
                )
            if option.kind is int and isinstance(value, float):
                message = f"the limit '{name}' is {value}, which is not a whole number"
                fail("E902", message, remedy="such as 4")
            if value is not None and not least <= value <= most:
                fail(
                    "E902",
                    f"the limit '{name}' is {value}, which is outside {least:g} .. {most:g}",
                    remedy=f"give a value from {least:g} to {most:g}, or leave it out",
                )
        if self.time is not None and self.time > FOREVER:
            object.__setattr__(self, "time", None)


def limit_of(option: str) -> str:
    """What `Limits` call an option of a solve: its time limit is their `time`."""
    return "time" if option == "time_limit" else option


def _require_seconds(time: object) -> None:
    """Raises E902 for a number that is not a length of time."""
    if isinstance(time, float | int) and not time >= 0:
        message = f"a time limit of {time:g} seconds is not possible"
        remedy = "give 0 or more seconds, or leave it out for no limit"
        fail("E902", message, remedy=remedy)


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Progress:
    """One report from a solve; None where nothing is known yet. seconds: since it began.

    stage: what is running, "select", "search", "engine", another "start" or the solver's name;
    empty where nobody says. nodes: of branch and bound; in a search, the trees that were tried;
    in a selection, the points that are decided. objective_number: which of several objectives is
    being solved, from 1 on; None where there is one.
    """

    seconds: float
    objective: float | None
    bound: float | None
    gap: float | None
    nodes: int
    stage: str = ""
    objective_number: int | None = None


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Separated:
    """What separating rows while a solver ran took: calls of the source, rows that were violated,
    seconds of wall clock."""

    calls: int
    rows: int
    seconds: float


@dataclass(frozen=True)
class Decomposition:
    """How the best run of a node-based decomposition went.

    scheme: as a strategy names it. runs: from how many points; kept: how many of them went on after
    the trial. initial: the objective after the
    initialization; objectives, seconds: after each macro-iteration, seconds since the solve began.
    steps: subproblems that were solved; refused: those whose point was no better solution. coupled:
    names of the constraints for which the convergence theorem does not hold. stationarity: by how
    much, relative to the objective, a step of 1 in each variable within the linearized constraints
    would improve the end point's linearized objective; None where it was not tested.
    """

    scheme: str
    runs: int
    kept: int
    initial: float | None
    objectives: tuple[float, ...]
    seconds: tuple[float, ...]
    steps: int
    refused: int
    coupled: tuple[str, ...] = ()
    stationarity: float | None = None


@dataclass(frozen=True)
class Answer:
    """What a solver found.

    values: float64 (columns,) as the solver gave them (integers not rounded), or None.
    objective: of the model at `values`, in the model's own sense. bound: in the same sense, no
    solution is better. gap: |bound - objective| / max(1e-10, |objective|); 0 when proven optimal,
    None without a solution or a bound. proven_by: whose the bound is, the solver's or that of the
    objective itself, which the columns' bounds and simple rows keep from being better.
    seconds: wall clock of the solve. nodes: of branch and bound, None where no solver has
    counted them. start_accepted: None when no start was given. message: what else the solver had
    to say. separated: None where no rows were separated while the solver ran. decomposition: how
    a node-based decomposition went, None where there was none. contradiction: what was impossible
    about the solver's bound, which is left out then.
    """

    status: Status
    values: np.ndarray | None
    objective: float | None
    bound: float | None
    gap: float | None
    seconds: float
    nodes: int | None
    solver: str
    solver_version: str
    start_accepted: bool | None = None
    message: str = ""
    proven_by: Literal["solver", "objective"] = "solver"
    separated: Separated | None = None
    decomposition: Decomposition | None = None
    contradiction: str = ""

    @property
    def has_solution(self) -> bool:
        return self.values is not None


def finite(value: float) -> float | None:
    """The value, or None for what solvers write when they know none (1e20 or more, nan)."""
    return value if isfinite(value) and abs(value) < INFINITE else None


def relative_gap(objective: float | None, bound: float | None) -> float | None:
    """|bound - objective| / max(1e-10, |objective|); None when either is unknown or infinite."""
    if objective is None or bound is None or not (isfinite(objective) and isfinite(bound)):
        return None
    return abs(bound - objective) / max(LEAST_OBJECTIVE, abs(objective))
