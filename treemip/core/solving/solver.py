"""What treemip knows of a solver, in one object; each module of `treemip/core/solvers` makes one.

A solver runs in memory, by `solve`, or as a process of its own, by `program` or `package_call`.

`solve` of a solver in memory is made of parts that all share; solvers/highs/solve.py is an example:

    needed("package", "extra")                  E602 with the extra where it is not installed
    watch = Watch(limits.time, on_progress)     the clock: watch.left(inf) is what the solver has
    arrays = assemble(model, SOLVER)            the model as arrays; E601 for what `caps` lacks
    ... make the solver's model of them, set `limits`, hand over `checked(start, arrays.columns)`
    watch.run(work, stop=...)                   work() runs on a thread, so that Ctrl-C reaches it
    outcome = Outcome(status, values, bound, nodes)
    return settle(model, limits, outcome, seconds=watch.seconds, solver=(name, version),
                  start_accepted=None)

The bound is on the objective as the model states it, its constant included: no solution is below it
where the objective is minimized, and none above it where it is maximized. A package that minimizes
-f in place of maximizing f gives a bound of -f, which has to be negated; the same holds for
`Progress.bound`. nan or an infinite number says that no bound is known.

`caps` says what the solver takes: nothing else reaches it. `settle` recomputes objective and gap
from the values and keeps "optimal" only for what is proven. A bound on the wrong side of the
objective, or an "optimal" far from its bound, is a contradiction: the answer then has neither bound
nor proof, and a warning (W608) names the solver. To see the solver at work, solve with
`--solver NAME --start none`: the search that a solve begins with often finds the optimum itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from treemip.core.files.profiles import MST, Profile, StartForm
from treemip.core.files.solution_files import Format
from treemip.core.model.answer import Answer, Status
from treemip.core.model.model import Model
from treemip.core.source.extras import pip_install

if TYPE_CHECKING:
    import numpy as np

    from treemip.core.solving.separation import Separation

Options = Mapping[str, tuple[str, ...]]
"""Arguments by field of `Limits`."""

Demand = Callable[[Model], None]
"""Raises E601 for what a model has that `caps` have no word for and the solver does not take."""

Solve = Callable[..., Answer]
"""(model, limits, start, on_progress) -> answer; start: float64 (columns,), nan where unknown. With
`Caps.lazy` also (…, separation), of rows that are separated while the solver runs."""

ToModel = Callable[..., Any]
"""(model, options of its own) -> the model as an object of the solver's Python package."""


class Package(Protocol):
    """A solver's Python package at work on a model; it is imported when the object is made.

    `set` takes an option by the solver's own name; `solve` returns at the end or after `stop`,
    which another thread calls.
    """

    version: str

    def set(self, name: str, value: str) -> None: ...
    def solve(self) -> None: ...
    def stop(self) -> None: ...


class Job(Package, Protocol):
    """At work on the MPS file it was made from, in a process of its own; see runner.py.

    `start` takes a file of a start and its values by name; `finish` writes the solution file and
    returns status, bound and nodes, as far as they are known.
    """

    def start(self, path: str, values: dict[str, float]) -> None: ...
    def finish(self, path: str) -> dict[str, Any]: ...


class Native(Package, Protocol):
    """At work on a model in memory, with callbacks that ask a separation; see native.py.

    `give` takes the columns and values of a start, `values` returns the solution, float64
    (columns,) or None, and `report` status, bound and nodes, as far as they are known.
    completes_starts: rows can be added where a start was completed.
    """

    completes_starts: bool

    def give(self, columns: np.ndarray, values: np.ndarray) -> None: ...
    def report(self) -> dict[str, Any]: ...
    def values(self) -> np.ndarray | None: ...


@dataclass(frozen=True)
class LogPatterns:
    """What a log tells, as regular expressions of which the last match counts.

    `status` by pattern, the later ones in the table weighing more; one group each: `bound` in
    the file's sense, `nodes`, `version`. `accepted`: that the start was taken. `unlicensed`: what
    is said where there is no licence, or one for smaller models only.
    """

    status: Mapping[str, Status] = field(default_factory=dict)
    bound: str = ""
    nodes: str = ""
    version: str = ""
    accepted: str = ""
    unlicensed: str = ""


@dataclass(frozen=True)
class Call:
    """One way of calling a solver: by `programs` on PATH, the first that is there is run.

    Arguments are templates: ``{model}``, ``{solution}``, ``{start}`` are files, ``{options}``
    stands for all options that were asked for, ``{value}`` in an option for its number and
    ``{whole}`` for that rounded up. `always`: options that are always given, unless a limit
    replaces them. `start`: the form of its start file, and the arguments for it; None when it
    takes none. `prints`: the solution is on stdout, not in a file. `suffix`: of the
    solution file.
    """

    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    options: Options
    always: Options = field(default_factory=dict)
    start: tuple[StartForm, tuple[str, ...]] | None = None
    log: LogPatterns = LogPatterns()
    suffix: str = ".sol"
    prints: bool = False


@dataclass(frozen=True, kw_only=True)
class Solver(Profile):
    """A solver: what it takes (`caps`), how it is installed, called and read.

    order: its place in messages and tables. package: its Python package; extra: treemip's extra
    that installs it. install: how to get it, for messages, {pip} in it the
    command for the extra. licence: where one is had, and where it
    is looked for. formats: its solution files. demand: before a model goes to it in memory, and
    before a start is looked for. solve: in memory; program, package_call, job: as a
    process, by a program on PATH or by the package in a Python process of its own.
    native: of one that runs as a process, with `Caps.lazy`: from model, separation and whether to
    print the log, its package in memory for rows that are separated while it runs.
    separates_continuous: also of a model without integers. to_model: the
    model in the objects of its package. serial: it has one thread, which fits every limit of
    threads. local: it searches around a point and proves no bound. start_needs_integers: it
    ignores a start of a model without integers. nonzeros_per_second: what handing over a model
    takes, as measured. faulty: what is known to be wrong with a version, by the beginning of its
    number, as a sentence goes on after the solver's name and version.
    """

    order: int
    package: str = ""
    extra: str = ""
    install: str = ""
    licence: str = ""
    formats: tuple[Format, ...] = ()
    demand: Demand | None = None
    solve: Solve | None = None
    native: Callable[[Model, Separation, bool], Native] | None = None
    separates_continuous: bool = False
    program: Call | None = None
    package_call: Call | None = None
    job: Callable[[str], Job] | None = None
    to_model: ToModel | None = None
    serial: bool = False
    local: bool = False
    start_needs_integers: bool = False
    faulty: Mapping[str, str] = field(default_factory=dict)
    nonzeros_per_second: int = 1_400_000  # of HiGHS, measured on OCT: 2 million in 1.4 s

    def fault_of(self, version: str) -> str:
        """What is known to be wrong with a version, empty where nothing is."""
        numbers = version.split(".")
        for known, fault in self.faulty.items():
            if known.split(".") == numbers[: known.count(".") + 1]:
                return fault
        return ""

    @property
    def how_to_install(self) -> str:
        return self.install.format(pip=pip_install(self.extra))

    @property
    def takes_start(self) -> bool:
        """Whether there is a way to hand it a start."""
        calls = (self.program, self.package_call)
        return self.solve is not None or any(call and call.start for call in calls)


RUNNER_LOG = LogPatterns(
    status={f"^treemip status {status}$": status for status in Status.__args__},  # type: ignore[attr-defined]
    bound=r"^treemip bound (\S+)$",
    nodes=r"^treemip nodes (\d+)$",
    version=r"^treemip version (\S+)$",
)
"""What the runner prints. What became of a start is in the solver's own words."""


def package_call(
    name: str,
    options: Options,
    always: Options,
    suffix: str,
    accepted: str = "",
    unlicensed: str = "",
) -> Call:
    """The call of a solver's Python package in a Python process of its own, see runner.py.

    options, always: ``NAME={value}`` for the job's `set`. accepted, unlicensed: as in
    `LogPatterns`, since the runner prints the other things itself.
    """
    told = RUNNER_LOG
    return Call(
        (),
        (name, "{model}", "{solution}", "{start}", "{options}"),
        options,
        always,
        start=(MST, ("start={start}",)),
        log=LogPatterns(told.status, told.bound, told.nodes, told.version, accepted, unlicensed),
        suffix=suffix,
    )
