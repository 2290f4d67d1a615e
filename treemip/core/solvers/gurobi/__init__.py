"""Gurobi: gurobi_cl on PATH, or gurobipy. https://docs.gurobi.com"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.flat_model import CutsAs
from treemip.core.files.profiles import EVERYTHING, MST, Caps, OrderForm
from treemip.core.files.solution_files import (
    NO_NAMES,
    Format,
    SolutionFile,
    Text,
    named_values,
    outcome,
)
from treemip.core.model.answer import Status, finite
from treemip.core.model.model import Model
from treemip.core.registry import when_called
from treemip.core.solving.live import Live, form_matrix, live
from treemip.core.solving.optional import needed
from treemip.core.solving.solver import Call, LogPatterns, Options, Solver, package_call

if TYPE_CHECKING:
    import gurobipy as gp


class Gurobi:
    """gurobipy at work, see `Job`."""

    def __init__(self, model: str) -> None:
        import gurobipy

        self.version = ".".join(map(str, gurobipy.gurobi.version()))
        self.model: Any = gurobipy.read(model)

    def set(self, name: str, value: str) -> None:
        self.model.setParam(name, float(value))

    def start(self, path: str, values: dict[str, float]) -> None:
        self.model.update()
        for name, value in values.items():
            self.model.getVarByName(name).Start = value

    def solve(self) -> None:
        self.model.optimize()

    def stop(self) -> None:
        self.model.terminate()

    def finish(self, path: str) -> dict[str, Any]:
        self.model.write(path)
        return self.report()

    def report(self) -> dict[str, Any]:
        status = STATUS.get(self.model.Status, "solver_limit")
        report: dict[str, Any] = {"status": status}
        if self.model.IsMIP:
            report |= {"bound": self.model.ObjBound, "nodes": int(self.model.NodeCount)}
        return report


# ---------------------------------------------------------------------------- the model in gurobipy

LAZY = {"rows": 0, "lazy": 1, "user": -1}
"""Gurobi's attribute Lazy: 1 of a lazy constraint, -1 of a user cut."""


def to_gurobi(
    model: Model,
    env: gp.Env | None = None,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> gp.Model:
    """The model in gurobipy, its columns and rows named as in files: `go_left(12,3)`.

    A row with two different limits becomes two, the second named with `_upper`. Branching
    priorities of the strategy are in it. `env`: an environment with a licence; gurobipy's own
    restricted one without it. `cuts`, `start` and what is raised: see live.py; E602 without
    gurobipy.
    """
    parts = live(model, "gurobipy", EVERYTHING, cuts, start)
    gp = needed("gurobipy", "gurobi")
    native = gp.Model(model.name, env=env)
    arrays = parts.arrays
    x = native.addMVar(
        arrays.columns,
        lb=np.where(np.isneginf(arrays.lower), -gp.GRB.INFINITY, arrays.lower),
        ub=np.where(np.isposinf(arrays.upper), gp.GRB.INFINITY, arrays.upper),
        vtype=parts.kinds,
        name=parts.columns.tolist(),
    )
    _objective(gp, native, parts, x)
    _rows(native, parts, parts.plain, x, 0)
    _rows(native, parts, parts.aside, x, LAZY[cuts])
    for r, sense, limit in parts.sided(parts.curved):
        form = form_matrix(arrays.quadratic, r, arrays.columns)
        row = parts.matrix[[r]].toarray().ravel()
        native.addMQConstr(form, row, SENSES[sense], limit, x, x, x, name=parts.rows[r])
    _indicators(gp, native, parts, x)
    _special_sets(gp, native, parts, x)
    if parts.start is not None:
        x.Start = parts.start
    for block in model.variables:
        if block.priority is not None:
            x[block.start : block.stop].BranchPriority = block.priority
    native.update()
    return native


SENSES = {"E": "=", "G": ">", "L": "<"}


def _objective(gp: Any, native: gp.Model, parts: Live, x: Any) -> None:
    objective, costs = parts.model.objective, parts.arrays.costs
    # gurobipy takes None for no products, though its type hints do not say so.
    products = objective.quadratic
    form: Any = form_matrix(products, 0, len(costs)) if products.count else None
    sense = gp.GRB.MINIMIZE if objective.sense == "minimize" else gp.GRB.MAXIMIZE
    native.setMObjective(form, costs, objective.constant, x, x, x, sense)


def _rows(native: Any, parts: Live, rows: np.ndarray, x: Any, lazy: int) -> None:
    """Linear rows, those of one sense together; a row with two limits is under both senses."""
    lower, upper = parts.arrays.row_lower[rows], parts.arrays.row_upper[rows]
    equal = lower == upper
    below, above = np.isfinite(lower) & ~equal, np.isfinite(upper) & ~equal
    for sense, limits, some in (("=", lower, equal), (">", lower, below), ("<", upper, above)):
        at = rows[some]
        suffix = np.where(below[some] & (sense == "<"), "_upper", "")
        if len(at):
            named = np.char.add(parts.rows[at], suffix).tolist()
            added = native.addMConstr(parts.matrix[at], x, sense, limits[some], name=named)
            if lazy:
                added.Lazy = np.full(len(at), lazy)


def _indicators(gp: Any, native: gp.Model, parts: Live, x: Any) -> None:
    """One by one: gurobipy has no call for many of them."""
    columns = x.tolist()
    guards = zip(parts.flat.guards.tolist(), parts.flat.values.tolist(), strict=True)
    for (guard, value), (r, sense, limit) in zip(guards, parts.sided(parts.guarded), strict=True):
        at, coefs = parts.entries(r)
        row = gp.LinExpr(coefs, [columns[k] for k in at])
        native.addGenConstrIndicator(
            columns[guard], value == 1, row, SENSES[sense], limit, name=parts.rows[r]
        )


def _special_sets(gp: Any, native: gp.Model, parts: Live, x: Any) -> None:
    """One by one as well; gurobipy takes no names of them here."""
    columns = x.tolist() if parts.sets.count else []
    for members, weights in parts.sets.each():
        native.addSOS(gp.GRB.SOS_TYPE1, [columns[k] for k in members], weights)


# ------------------------------------------------------------------------------- its solution files

DIGITS = 17
SOLUTION, START = b"# Solution for model", b"# MIP start"
OBJECTIVE_IS = b"# Objective value = "
HUGE = 1e20


def _recognises(head: bytes) -> bool:
    return head.startswith((SOLUTION, START, OBJECTIVE_IS))


def _read(text: Text) -> SolutionFile:
    """Gurobi's solution file, ``ResultFile=x.sol``, and its start, ``x.mst``.

    ::

        # Solution for model sample
        # Objective value = -3.9812571428571431e+01
        go_left(12,1) 1
        ...

    Every column is listed, in 17 digits, but neither their number nor a status is stated: a cut
    shows when the names are compared with the model's, and "optimal" is in the log or in the JSON
    file. An unbounded model's file has values near 1e30.
    """
    text.demand_line_end()
    first = next((k for k, line in enumerate(text.lines) if not line.startswith(b"#")), None)
    first = len(text.lines) if first is None else first
    objective = None
    for number in range(first):
        if text.lines[number].startswith(OBJECTIVE_IS):
            value = text.lines[number].removeprefix(OBJECTIVE_IS).strip()
            objective = float(text.numbers([value], number)[0])
    if objective is None and text.line(0).startswith(SOLUTION):
        text.fail_cut()
    if objective is not None and abs(objective) >= HUGE:
        return SolutionFile(text.path, PLAIN.name, "unbounded", complete=True, digits=DIGITS)
    names, values = named_values(text, first, len(text.lines), 2, 0, 1, "a column's name and value")
    return SolutionFile(text.path, PLAIN.name, "feasible", True, DIGITS, objective, names, values)


PLAIN = Format("Gurobi", _recognises, _read)


NUMBERS = (int, float)  # bool is an int too, but no number here

STATUS: dict[int, Status] = {
    2: "optimal",
    3: "infeasible",
    4: "infeasible_or_unbounded",
    5: "unbounded",
    6: "solver_limit",  # cutoff
    7: "solver_limit",  # iterations
    8: "solver_limit",  # nodes
    9: "time_limit",
    10: "solver_limit",  # solutions
    11: "interrupted",
    13: "feasible",  # suboptimal
    15: "solver_limit",  # user's objective limit
    16: "solver_limit",  # work
    17: "solver_limit",  # memory
}
"""Gurobi's status codes; 1, 12 and 14 are of solves that failed or run still."""


def _is_json(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and b'"SolutionInfo"' in head


def _read_json(text: Text) -> SolutionFile:
    """Gurobi's JSON solution, ``ResultFile=x.json``.

    ::

        { "SolutionInfo": { "Status": 2, "ObjVal": -39.8, "ObjBound": -39.8, "SolCount": 3, ...},
          "Vars": [ { "VarName": "go_left(12,1)", "X": 1}, ...]}

    Columns that are 0 are left out, unless JSONSolDetail=1 lists all; JSON that was cut does not
    parse. It has status and bound, which Gurobi's .sol files have not.
    """
    info, listed = _parsed(text)
    code = info.get("Status")
    if not isinstance(code, int):
        text.fail(0, "expected the status of SolutionInfo as a number")
    found = info.get("SolCount", len(listed)) != 0 and "Vars" in info
    status, kept = outcome(STATUS.get(code, "no_solution"), found)
    if not kept:
        return SolutionFile(text.path, JSON.name, status, complete=False, digits=DIGITS)
    names, values = _columns(text, listed)
    objective, bound = (_number(text, info, key) for key in ("ObjVal", "ObjBound"))
    return SolutionFile(
        text.path,
        JSON.name,
        status,
        False,
        DIGITS,
        objective,
        names,
        values,
        bound=bound,
    )


def _parsed(text: Text) -> tuple[dict[str, Any], list[Any]]:
    """SolutionInfo, with "Vars" set when the file has columns, and the columns."""
    try:
        said = json.loads(text.data)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1) - 1
        text.fail(min(line, len(text.data.splitlines()) - 1), "this is not complete JSON")
    info = said.get("SolutionInfo") if isinstance(said, dict) else None
    columns = said.get("Vars", []) if isinstance(said, dict) else None
    if not isinstance(info, dict) or not isinstance(columns, list):
        text.fail(0, "expected SolutionInfo, and Vars as a list")
    return info | ({"Vars": True} if "Vars" in said else {}), columns


def _number(text: Text, info: dict[str, Any], key: str) -> float | None:
    value: Any = info.get(key)
    if value is not None and type(value) not in NUMBERS:
        text.fail(0, f"expected {key} as a number")
    return None if value is None else finite(_float(value))


def _columns(text: Text, listed: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    names, values = [], []
    for entry in listed:
        said: dict[str, Any] = entry if isinstance(entry, dict) else {}
        name, value = said.get("VarName"), said.get("X")
        if not isinstance(name, str) or type(value) not in NUMBERS:
            text.fail(0, "expected VarName and X of every column in Vars")
        names.append(name.encode("utf-8", "surrogatepass"))
        values.append(_float(value))
    array = np.array(values, np.float64)
    if not np.isfinite(array).all():
        text.fail(0, "a value in Vars is not finite")
    return np.array(names, "S") if names else NO_NAMES, array


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return inf


JSON = Format("Gurobi JSON", _is_json, _read_json)


# --------------------------------------------------------------------------------------- the solver

_OPTIONS: Options = {
    "time": ("TimeLimit={value}",),
    "gap": ("MIPGap={value}",),
    "absolute_gap": ("MIPGapAbs={value}",),
    "threads": ("Threads={value}",),
    "seed": ("Seed={value}",),
    "feasibility": ("FeasibilityTol={value}", "IntFeasTol={value}"),
}
_PROOF: Options = {"gap": ("MIPGap=0",)}
_STARTED = r"^(Loaded user MIP start|User MIP start produced solution)"
_UNLICENSED = r"^(?:treemip failed GurobiError|E(?:RROR|rror) \d+): (.*\b[Ll]icense\b.*)$"

ORDER = OrderForm(b"# branching priorities", b"\n", b"\n")


SOLVER = Solver(
    "gurobi",
    "Gurobi",
    Caps(mps=EVERYTHING, lp=EVERYTHING, start=MST, order=ORDER, lazy=True),
    order=70,
    package="gurobipy",
    extra="gurobi",
    install="{pip} (models of 2000 rows and columns without a licence), or gurobi.com",
    licence="get a licence from gurobi.com, free for academic use, and put it at ~/gurobi.lic or "
    "name its file in GRB_LICENSE_FILE",
    native=when_called("treemip.core.solvers.gurobi.separation.SeparatingGurobi"),
    formats=(PLAIN, JSON),
    program=Call(
        ("gurobi_cl",),
        ("LogFile=", "{options}", "{start}", "ResultFile={solution}", "{model}"),
        _OPTIONS,
        _PROOF,
        start=(MST, ("InputFile={start}",)),
        log=LogPatterns(
            nodes=r"^Explored (\d+) nodes",
            version=r"^Gurobi Optimizer version (\S+)",
            accepted=_STARTED,
            unlicensed=_UNLICENSED,
        ),
        suffix=".json",
    ),
    package_call=package_call("gurobi", _OPTIONS, _PROOF, ".json", _STARTED, _UNLICENSED),
    job=Gurobi,
    to_model=to_gurobi,
)
