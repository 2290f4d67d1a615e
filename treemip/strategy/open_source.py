"""CBC, GLPK and lp_solve: programs on PATH."""

from __future__ import annotations

from treemip.solvers.cbc import SUFFIX
from treemip.solving.solver import Call, Installed, Told

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
            "saveSolution",
            f"{{solution}}{SUFFIX}",
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
