"""The options of a solve, each stated once: for the strategy block, the command line and Python.

Made from it: the numbers that a strategy reads and their places for parameters, `StrategySpec`,
`Settings`, the ranges of `Limits`, options of the command line, what a sweep may vary, parameters
of estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treemip.core.resolve.settings.decompose import DecomposeSpec


@dataclass(frozen=True)
class Option:
    """An option of a solve: what the strategy block, the command line and Python share of it.

    kind: of its value. help: a line. default: in words, what holds where neither the caller nor the
    spec says anything. placeholder: of its value on the command line, empty for an option that the
    command line does not have. least, most: the range of a number. example: of a number, as a
    strategy writes it; empty for an option that is no setting of one number. caller: whether
    `Compiled.solve` takes it. run: whether it also belongs to each run of a sweep and to
    estimators.
    """

    kind: type
    help: str = ""
    default: str = ""
    placeholder: str = ""
    least: float = 0
    most: float = inf
    example: str = ""
    caller: bool = True
    run: bool = False


OPTIONS: dict[str, Option] = {
    "solver": Option(
        str,
        "The solver: auto, mip, {in_memory}; installed: {installed}; or 'command:…' with "
        "{{model}} and {{solution}}.",
        "auto",
        "NAME",
        run=True,
    ),
    "time_limit": Option(
        float, "Time limit in seconds of wall clock.", "none", "SECONDS", example="60", run=True
    ),
    "gap": Option(
        float, "Stop at this relative gap.", "a proof", "SHARE", example="0.01", run=True
    ),
    "absolute_gap": Option(
        float, "Stop at this gap in units of the objective.", "a proof", example="0.5"
    ),
    "threads": Option(
        int, "Maximum number of threads.", "the solver's own", "N", 1, 2**16, "4", run=True
    ),
    "feasibility": Option(
        float,
        "Feasibility tolerance of rows, 1e-10 to 1e-3.",
        "the solver's own",
        "DISTANCE",
        least=1e-10,
        most=1e-3,
        example="1e-7",
    ),
    "seed": Option(
        int,
        "Seed for the search, the solver and random starts.",
        "0",
        "N",
        most=2**31 - 1,
        example="1",
    ),
    "start": Option(
        str,
        "The start: search, cart, local_svm, svm_tree, none or a tree.json; may be repeated.",
        "search",
        "NAME|FILE",
        run=True,
    ),
    "starts": Option(int, "Number of random points that Ipopt begins from.", "10", "N"),
    "search_seconds": Option(float, "Seconds of 'start search'.", caller=False),
    "search_seed": Option(int, "Seed of 'start search'.", caller=False),
    "decompose": Option(object, "How to train a few nodes at a time.", caller=False),
    "presolve": Option(
        str,
        "Passes that shrink the model for the solver: merge_points or none.",
        "merge_points",
        "NAMES",
    ),
}
"""By their names in a strategy and in Python; a command line writes dashes for underscores."""

NUMBERS = {name: option for name, option in OPTIONS.items() if option.example}
"""Those that a strategy sets to one number; their ranges are those of `Limits`."""


@dataclass(frozen=True)
class SolveOptions:
    """A value for each of `OPTIONS`, in their order; None where nothing is said.

    Subclasses: what a spec's strategy says, and what the caller of a solve says.
    """

    solver: str | None = None
    time_limit: float | None = None
    gap: float | None = None
    absolute_gap: float | None = None
    threads: int | None = None
    feasibility: float | None = None
    seed: int | None = None
    start: Any = None
    starts: int | None = None
    search_seconds: float | None = None
    search_seed: int | None = None
    decompose: DecomposeSpec | None = None
    presolve: tuple[str, ...] | None = None
