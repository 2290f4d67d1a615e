"""COPT by coptpy, https://www.shanshu.ai/copt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treemip.core.files.flat_model import CutsAs
from treemip.core.files.profiles import EVERYTHING, MST, Caps
from treemip.core.files.solution_files import Format, SolutionFile, Text, named_values
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.registry import when_called
from treemip.core.solving.live import Live, live
from treemip.core.solving.optional import needed
from treemip.core.solving.solver import Solver, package_call

if TYPE_CHECKING:
    import coptpy


class Copt:
    """The Python package at work, see `Job`."""

    STATUS: ClassVar = {
        1: "optimal",
        2: "infeasible",
        3: "unbounded",
        4: "infeasible_or_unbounded",
        8: "time_limit",
        10: "interrupted",
    }

    def __init__(self, model: str) -> None:
        import coptpy

        self.version = ".".join(
            str(getattr(coptpy.COPT, f"VERSION_{part}")) for part in ("MAJOR", "MINOR", "TECHNICAL")
        )
        self.model = coptpy.Envr().createModel("")
        self.model.read(model)

    def set(self, name: str, value: str) -> None:
        number = float(value)
        self.model.setParam(name, int(number) if number.is_integer() else number)

    def start(self, path: str, values: dict[str, float]) -> None:
        self.model.readMst(path)

    def solve(self) -> None:
        self.model.solve()

    def stop(self) -> None:
        self.model.interrupt()

    def finish(self, path: str) -> dict[str, Any]:
        if self.model.getAttr("HasMipSol" if self.model.getAttr("IsMIP") else "HasLpSol"):
            self.model.write(path)
        return self.report()

    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = {"status": self.STATUS.get(self.model.status, "solver_limit")}
        if self.model.getAttr("IsMIP"):
            report |= {
                "bound": self.model.getAttr("BestBnd"),
                "nodes": self.model.getAttr("NodeCnt"),
            }
        return report


# ------------------------------------------------------------------ the model in its Python package


def to_copt(
    model: Model,
    env: coptpy.Envr | None = None,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> coptpy.Model:
    """The model in a quiet coptpy `Model`, named as in files: `go_left(12,3)`.

    Columns are in the model's order, and a row with two limits stays one. `env`: an environment
    with a licence; coptpy's own restricted one without it. `cuts`, `start` and what is raised:
    see `treemip.core.solving.live`; E602 without coptpy.
    """
    parts = live(model, "COPT", EVERYTHING, cuts, start)
    cp = needed("coptpy", "copt")
    native = (env or _quiet(cp)).createModel(model.name)
    native.setParam(cp.COPT.Param.Logging, 0)
    _load(cp, native, parts)
    columns = native.getVars().getAll()
    if model.objective.quadratic.count:
        _load_products(native, model.objective.quadratic, parts.arrays.columns)
    for r, sense, limit in parts.sided(parts.curved):
        row = _form(cp, parts, r, columns) + _products(cp, parts.products(r), columns)
        native.addQConstr(row, sense, limit, name=parts.rows[r])
    for r, sense, limit in parts.sided(parts.aside):
        add = native.addLazyConstr if cuts == "lazy" else native.addUserCut
        add(_form(cp, parts, r, columns), sense, limit, name=parts.rows[r])
    guards = zip(parts.flat.guards.tolist(), parts.flat.values.tolist(), strict=True)
    for (guard, value), (r, sense, limit) in zip(guards, parts.sided(parts.guarded), strict=True):
        row = _form(cp, parts, r, columns)
        native.addGenConstrIndicator(
            columns[guard], value == 1, row, sense, limit, name=parts.rows[r]
        )
    for members, weights in parts.sets.each():
        native.addSOS(cp.COPT.SOS_TYPE1, [columns[k] for k in members], weights)
    if parts.start is not None:
        native.setMipStart(columns, parts.start.tolist())
        native.loadMipStart()
    return native


def _quiet(cp: Any) -> coptpy.Envr:
    """Without the banner that coptpy prints otherwise."""
    config = cp.EnvrConfig()
    config.set("nobanner", "1")
    return cp.Envr(config)


def _load(cp: Any, native: Any, parts: Live) -> None:
    """Columns, the linear objective and the plain rows."""
    from scipy.sparse import csc_matrix

    arrays, kept, objective = parts.arrays, parts.plain, parts.model.objective
    infinite = cp.COPT.INFINITY

    def capped(bounds: np.ndarray) -> np.ndarray:
        return np.clip(bounds, -infinite, infinite)

    native.loadMatrix(
        arrays.costs,
        csc_matrix(parts.matrix[kept]),
        capped(arrays.row_lower[kept]),
        capped(arrays.row_upper[kept]),
        capped(arrays.lower),
        capped(arrays.upper),
        parts.kinds,
    )
    native.setNames(native.getVars(), parts.columns.tolist())
    if len(kept):
        native.setNames(native.getConstrs(), parts.rows[kept].tolist())
    maximize = objective.sense == "maximize"
    native.setObjSense(cp.COPT.MAXIMIZE if maximize else cp.COPT.MINIMIZE)
    native.setObjConst(objective.constant)


def _load_products(native: coptpy.Model, form: Quadratic, columns: int) -> None:
    """coptpy wants scipy's older class of matrices."""
    from scipy.sparse import coo_matrix

    native.loadQ(coo_matrix((form.coef, (form.first, form.second)), shape=(columns, columns)))


def _form(cp: Any, parts: Live, row: int, columns: list[Any]) -> Any:
    at, coefs = parts.entries(row)
    return cp.LinExpr([columns[k] for k in at], coefs)


def _products(cp: Any, form: tuple[np.ndarray, np.ndarray, np.ndarray], columns: list[Any]) -> Any:
    first, second, coefs = (part.tolist() for part in form)
    found = cp.QuadExpr()
    found.addTerms(coefs, [columns[k] for k in first], [columns[k] for k in second])
    return found


# -------------------------------------------------------------------------------- its solution file

DIGITS = 17
OBJECTIVE_IS = b"# Objective value "


def _recognises(head: bytes) -> bool:
    return head.startswith(OBJECTIVE_IS) and not head.startswith(OBJECTIVE_IS + b"=")


def _read(text: Text) -> SolutionFile:
    """COPT's solution file (``writesol``), and its start (``writemst``).

    ::

        # Objective value -39.812571428571431
        go_left(12,1)       1
        ...

    Every column is listed, in 17 digits, but neither their number nor a status is stated: a cut
    shows when the names are compared with the model's. Without a solution COPT writes no file.
    """
    text.demand_line_end()
    value = text.line(0).removeprefix(OBJECTIVE_IS).strip()
    objective = float(text.numbers([value], 0)[0])
    names, values = named_values(text, 1, len(text.lines), 2, 0, 1, "a column's name and value")
    return SolutionFile(text.path, FORMAT.name, "feasible", True, DIGITS, objective, names, values)


FORMAT = Format("COPT", _recognises, _read)


# --------------------------------------------------------------------------------------- the solver


SOLVER = Solver(
    "copt",
    "COPT",
    Caps(mps=EVERYTHING, lp=EVERYTHING, start=MST, lazy=True),
    order=100,
    package="coptpy",
    extra="copt",
    install="{pip} (models of 2000 rows and columns without a licence), or shanshu.ai",
    licence="get a licence from shanshu.ai/copt, free for academic use, and put it in ~/copt or "
    "name its folder in COPT_LICENSE_DIR",
    native=when_called("treemip.core.solvers.copt.separation.SeparatingCopt"),
    formats=(FORMAT,),
    package_call=package_call(
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
    job=Copt,
    to_model=to_copt,
)
