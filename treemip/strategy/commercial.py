"""Gurobi, CPLEX, Xpress, COPT and MOSEK: Python packages, run by strategy/runner."""

from __future__ import annotations

from dataclasses import replace

from treemip.model.answer import Status
from treemip.solving.solver import Call, Installed, Options, Told

RUNNER = Told(
    status={f"^treemip status {status}$": status for status in Status.__args__},  # type: ignore[attr-defined]
    bound=r"^treemip bound (\S+)$",
    nodes=r"^treemip nodes (\d+)$",
    version=r"^treemip version (\S+)$",
)
"""What the runner prints. What became of a start is in the solver's own words."""


def _by_package(
    name: str,
    options: Options,
    always: Options,
    suffix: str,
    accepted: str = "",
    unlicensed: str = "",
) -> Call:
    return Call(
        (),
        (name, "{model}", "{solution}", "{start}", "{options}"),
        options,
        always,
        start=("gurobi", ("start={start}",)),
        told=replace(RUNNER, accepted=accepted, unlicensed=unlicensed),
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
_GUROBI_LICENCE = r"^(?:treemip failed GurobiError|E(?:RROR|rror) \d+): (.*\b[Ll]icense\b.*)$"

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
            unlicensed=_GUROBI_LICENCE,
        ),
        suffix=".json",
    ),
    "gurobipy",
    _by_package("gurobi", _GUROBI, _PROOF, ".json", _GUROBI_START, _GUROBI_LICENCE),
    products=True,
    licence="get a licence from gurobi.com, free for academic use, and put it at ~/gurobi.lic or "
    "name its file in GRB_LICENSE_FILE",
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
        r"^treemip failed Cplex\w*: CPLEX Error +\d+: (.*(?:size limits|[Ll]icense).*)$",
    ),
    products=True,
    licence="get CPLEX from ibm.com, free for academic use, and install the Python package in it",
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
        r"^treemip failed \w+: \?\d+ Error: (Problem has too many .*|.*\b[Ll]icense\b.*)$",
    ),
    products=True,
    licence="get a licence from fico.com, free for academic use, and name its file in XPAUTH_PATH",
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
        r"^(The problem has \d+ .*, exceeding the size limit of \d+)$",
    ),
    products=True,
    licence="get a licence from shanshu.ai/copt, free for academic use, and put it in ~/copt or "
    "name its folder in COPT_LICENSE_DIR",
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
        unlicensed=r"^treemip failed Error: rescode\.err_\w*license\w*\(\d+\): (.*)$",
    ),
    products=True,
    licence="get a licence from mosek.com, free for academic use and for a trial, and put it at "
    "~/mosek/mosek.lic or name its file in MOSEKLM_LICENSE_FILE",
)
