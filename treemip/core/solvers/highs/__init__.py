"""HiGHS, in memory by highspy: https://ergo-code.github.io/HiGHS/."""

from __future__ import annotations

from treemip.core.files.profiles import SQUARES, Caps, StartForm
from treemip.core.registry import when_called
from treemip.core.solvers.highs.solution import PLAIN, TABLE
from treemip.core.solving.solver import Solver

START = StartForm(
    "Model status\nUnknown\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns {}",
    tail="\n# Rows 0",
)
"""Its raw solution file, without rows."""

# Of x + z >= 4.5 with an integer z, the presolve of 1.14.0 takes x for 0 where z costs less; 1.13
# loses optima of larger models. Both are reported to HiGHS, and mended in 1.15.0.
WORSE = "calls solutions optimal that are not"

SOLVER = Solver(
    "highs",
    "HiGHS",
    Caps(mps=SQUARES, lp=SQUARES, start=START),  # it takes LAZYCONS for a row named AZYCONS
    order=10,
    package="highspy",
    extra="highs",
    formats=(PLAIN, TABLE),
    demand=when_called("treemip.core.solvers.highs.model.demand_convex"),
    solve=when_called("treemip.core.solvers.highs.solve.solve_highs"),
    to_model=when_called("treemip.core.solvers.highs.model.to_highs"),
    start_needs_integers=True,
    faulty={"1.13": WORSE, "1.14": WORSE},
)
