"""Solvers outside this process: how each is called, and what its log tells.

A solver is run as a child process on an MPS file and writes a solution file. It is found as a
program on PATH, or else as a Python package, which runs in a Python of its own (runner.py).
Arguments are templates: ``{model}``, ``{solution}``, ``{start}`` are files, ``{options}`` stands
for all options that were asked for, ``{value}`` in an option for its number and ``{whole}`` for
that rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from treemip.frozen import dataclass
from treemip.model.answer import Status

Options = Mapping[str, tuple[str, ...]]
"""Arguments by field of `Limits`."""


@dataclass(frozen=True)
class Told:
    """What a log tells, as patterns of which the last match counts.

    `status` by pattern, the later ones in the table weighing more; one group each: `bound` in
    the file's sense, `nodes`, `version`. `accepted` and `refused`: what became of the start.
    """

    status: Mapping[str, Status] = field(default_factory=dict)
    bound: str = ""
    nodes: str = ""
    version: str = ""
    accepted: str = ""


@dataclass(frozen=True)
class Call:
    """One way of calling a solver: by `programs` on PATH, the first that is there is run.

    `always`: options that are always given, unless a limit replaces them. `start`: the
    profile whose form of start files it takes, and its arguments; None when it takes none.
    `prints`: the solution is on stdout, not in a file. `suffix`: of the solution file.
    """

    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    options: Options
    always: Options = field(default_factory=dict)
    start: tuple[str, tuple[str, ...]] | None = None
    told: Told = Told()
    suffix: str = ".sol"
    prints: bool = False


@dataclass(frozen=True)
class Installed:
    """A solver: its calls, by program and by Python package, and what installs it.

    `products`: a quadratic objective is taken. `serial`: it has one thread, which fits every limit
    of threads.
    """

    name: str
    title: str
    install: str
    program: Call | None = None
    package: str = ""
    package_call: Call | None = None
    products: bool = False
    serial: bool = False


CBC = Installed(
    "cbc",
    "CBC",
    "apt install coinor-cbc, or https://github.com/coin-or/Cbc",
    Call(
        ("cbc",),
        (
            "{model}",
            "timeMode",
            "elapsed",
            "{options}",
            "{start}",
            "solve",
            "solution",
            "{solution}",
        ),
        {
            "time": ("sec", "{value}"),
            "gap": ("ratio", "{value}"),
            "absolute_gap": ("allow", "{value}"),
            "threads": ("threads", "{value}"),
            "seed": ("randomCbcSeed", "{value}", "randomSeed", "{value}"),
            "feasibility": ("primalT", "{value}", "integerT", "{value}"),
        },
        start=("cbc", ("mips", "{start}")),
        told=Told(
            status={
                r"^Result - Stopped on time limit": "time_limit",
                r"^Result - User ctrl-c": "interrupted",
            },
            bound=r"^Lower bound: +(\S+)$",
            nodes=r"^Enumerated nodes: +(\d+)$",
            version=r"^Version: (\S+)",
            accepted=r"^Cbc0045I MIPStart provided solution",
        ),
    ),
)

GLPK = Installed(
    "glpk",
    "GLPK",
    "apt install glpk-utils, or https://www.gnu.org/software/glpk",
    Call(
        ("glpsol",),
        ("--freemps", "{model}", "{options}", "-w", "{solution}"),
        {"time": ("--tmlim", "{whole}"), "gap": ("--mipgap", "{value}")},
        told=Told(
            status={
                r"NO (PRIMAL|INTEGER) FEASIBLE SOLUTION": "infeasible",
                r"UNBOUNDED PRIMAL SOLUTION": "unbounded",
                r"NO DUAL FEASIBLE SOLUTION": "infeasible_or_unbounded",
                r"MIP GAP TOLERANCE REACHED": "gap_limit",
                r"TIME LIMIT EXCEEDED": "time_limit",
            },
            bound=r"mip = .* >= +(\S+) +[0-9.]+%",
            version=r"GLPK.* v?(\d+\.\d+)$",
        ),
    ),
    serial=True,
)

LP_SOLVE = Installed(
    "lp_solve",
    "lp_solve",
    "apt install lp-solve, or https://lpsolve.sourceforge.net",
    Call(
        ("lp_solve",),
        ("-fmps", "{model}", "-S3", "{options}"),
        {
            "time": ("-timeout", "{whole}"),
            "gap": ("-gr", "{value}"),
            "absolute_gap": ("-ga", "{value}"),
        },
        prints=True,
    ),
    serial=True,
)

RUNNER = Told(
    status={f"^treemip status {status}$": status for status in Status.__args__},  # type: ignore[attr-defined]
    bound=r"^treemip bound (\S+)$",
    nodes=r"^treemip nodes (\d+)$",
    version=r"^treemip version (\S+)$",
)
"""What runner.py prints. What became of a start is in the solver's own words."""


def _by_package(
    name: str, options: Options, always: Options, suffix: str, accepted: str = ""
) -> Call:
    return Call(
        (),
        (name, "{model}", "{solution}", "{start}", "{options}"),
        options,
        always,
        start=("gurobi", ("start={start}",)),
        told=replace(RUNNER, accepted=accepted),
        suffix=suffix,
    )


_GUROBI: Options = {
    "time": ("TimeLimit={value}",),
    "gap": ("MIPGap={value}",),
    "absolute_gap": ("MIPGapAbs={value}",),
    "threads": ("Threads={value}",),
    "seed": ("Seed={value}",),
    "feasibility": ("FeasibilityTol={value}", "IntFeasTol={value}"),
}
_PROOF: Options = {"gap": ("MIPGap=0",)}
_GUROBI_START = r"^(Loaded user MIP start|User MIP start produced solution)"

GUROBI = Installed(
    "gurobi",
    "Gurobi",
    "pip install gurobipy (models of 2000 rows and columns without a licence), or gurobi.com",
    Call(
        ("gurobi_cl",),
        ("LogFile=", "{options}", "{start}", "ResultFile={solution}", "{model}"),
        _GUROBI,
        _PROOF,
        start=("gurobi", ("InputFile={start}",)),
        told=Told(
            nodes=r"^Explored (\d+) nodes",
            version=r"^Gurobi Optimizer version (\S+)",
            accepted=_GUROBI_START,
        ),
        suffix=".json",
    ),
    "gurobipy",
    _by_package("gurobi", _GUROBI, _PROOF, ".json", _GUROBI_START),
    products=True,
)

CPLEX = Installed(
    "cplex",
    "CPLEX",
    "pip install cplex (models of 1000 rows and columns without a licence), or ibm.com",
    None,
    "cplex",
    _by_package(
        "cplex",
        {
            "time": ("timelimit={value}",),
            "gap": ("mip.tolerances.mipgap={value}",),
            "absolute_gap": ("mip.tolerances.absmipgap={value}",),
            "threads": ("threads={value}",),
            "seed": ("randomseed={value}",),
            "feasibility": (
                "simplex.tolerances.feasibility={value}",
                "mip.tolerances.integrality={value}",
            ),
        },
        {"gap": ("mip.tolerances.mipgap=0",)},
        ".sol",
        r"MIP starts? provided solutions",
    ),
    products=True,
)

XPRESS = Installed(
    "xpress",
    "Xpress",
    "pip install xpress (models of 5000 rows and columns without a licence), or fico.com",
    None,
    "xpress",
    _by_package(
        "xpress",
        {
            "time": ("timelimit={value}",),
            "gap": ("miprelstop={value}",),
            "absolute_gap": ("mipabsstop={value}",),
            "threads": ("threads={value}",),
            "seed": ("randomseed={value}",),
            "feasibility": ("feastol={value}", "miptol={value}"),
        },
        {"gap": ("miprelstop=0",)},
        ".slx",
        r"^User solution \(start\) accepted",
    ),
    products=True,
)

COPT = Installed(
    "copt",
    "COPT",
    "pip install coptpy (models of 2000 rows and columns without a licence), or shanshu.ai",
    None,
    "coptpy",
    _by_package(
        "copt",
        {
            "time": ("TimeLimit={value}",),
            "gap": ("RelGap={value}",),
            "absolute_gap": ("AbsGap={value}",),
            "threads": ("Threads={value}",),
            "feasibility": ("FeasTol={value}", "IntTol={value}"),
        },
        {"gap": ("RelGap=0",)},
        ".sol",
        r"^Initial MIP solution .* was accepted",
    ),
    products=True,
)

MOSEK = Installed(
    "mosek",
    "MOSEK",
    "pip install mosek and get a licence from mosek.com",
    None,
    "mosek",
    _by_package(
        "mosek",
        {
            "time": ("MSK_DPAR_OPTIMIZER_MAX_TIME={value}",),
            "gap": ("MSK_DPAR_MIO_TOL_REL_GAP={value}",),
            "absolute_gap": ("MSK_DPAR_MIO_TOL_ABS_GAP={value}",),
            "threads": ("MSK_IPAR_NUM_THREADS={value}",),
            "seed": ("MSK_IPAR_MIO_SEED={value}",),
            "feasibility": (
                "MSK_DPAR_MIO_TOL_FEAS={value}",
                "MSK_DPAR_MIO_TOL_ABS_RELAX_INT={value}",
            ),
        },
        {"gap": ("MSK_DPAR_MIO_TOL_REL_GAP=0",)},
        ".int",
    ),
    products=True,
)

INSTALLED: dict[str, Installed] = {
    solver.name: solver for solver in (CBC, GLPK, LP_SOLVE, GUROBI, CPLEX, XPRESS, COPT, MOSEK)
}
