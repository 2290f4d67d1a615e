"""Xpress by xpress, https://www.fico.com/fico-xpress-optimization/docs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.flat_model import CutsAs
from treemip.core.files.profiles import EVERYTHING, Caps
from treemip.core.files.solution_files import NO_NAMES, Format, SolutionFile, Text, named_values
from treemip.core.model.model import Model
from treemip.core.solving.live import Live, live
from treemip.core.solving.optional import needed
from treemip.core.solving.solver import Solver, package_call

if TYPE_CHECKING:
    import xpress


class Xpress:
    """The Python package at work, see `Job`."""

    def __init__(self, model: str) -> None:
        import xpress

        self.package = xpress
        self.version = xpress.__version__
        self.model = xpress.problem()
        self.model.readProb(model)

    def set(self, name: str, value: str) -> None:
        kind = type(self.model.getControl(name))
        self.model.setControl(name, kind(float(value)))

    def start(self, path: str, values: dict[str, float]) -> None:
        place = {column.name: k for k, column in enumerate(self.model.getVariable())}
        columns = [place[name] for name in values]
        self.model.addMipSol(list(values.values()), columns, "start")

    def solve(self) -> None:
        self.model.optimize()

    def stop(self) -> None:
        self.model.interrupt()

    def finish(self, path: str) -> dict[str, Any]:
        a = self.model.attributes
        found = a.solstatus in (self.package.SolStatus.OPTIMAL, self.package.SolStatus.FEASIBLE)
        if found:
            self.model.writeSlxSol(path)
        stopped = a.stopstatus
        words = {
            self.package.SolStatus.OPTIMAL: "optimal",
            self.package.SolStatus.INFEASIBLE: "infeasible",
            self.package.SolStatus.UNBOUNDED: "unbounded",
        }
        reasons = {
            self.package.enums.StopType.TIMELIMIT: "time_limit",
            self.package.enums.StopType.CTRLC: "interrupted",
            self.package.enums.StopType.USER: "interrupted",
            self.package.enums.StopType.MIPGAP: "gap_limit",
        }
        status = words.get(a.solstatus) or reasons.get(stopped) or "solver_limit"
        report: dict[str, Any] = {"status": status}
        if a.mipents:
            report |= {"bound": a.bestbound, "nodes": a.nodes}
        return report


# ------------------------------------------------------------------ the model in its Python package

INFINITE = 1e20
"""What Xpress writes for infinity."""


def to_xpress(
    model: Model,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> xpress.problem:
    """The model in a quiet `xpress.problem`, named as in files: `go_left(12,3)`.

    Columns are in the model's order. A row with two limits is one of type R, of which Xpress
    computes the lower limit as upper minus range. `cuts` are delayed rows or model cuts. `cuts`,
    `start` and what is raised: see `treemip.core.solving.live`; E602 without xpress.
    """
    parts = live(model, "Xpress", EVERYTHING, cuts, start)
    xp = needed("xpress", "xpress")
    native = xp.problem()
    native.setOutputEnabled(False)
    kept, place = _kept(parts)
    _load(native, parts, kept, place)
    native.addNames(xp.Namespaces.COLUMN, parts.columns.tolist(), 0, len(parts.columns) - 1)
    if len(kept):
        native.addNames(xp.Namespaces.ROW, parts.rows[kept].tolist(), 0, len(kept) - 1)
    maximize = model.objective.sense == "maximize"
    native.chgObjSense(xp.ObjSense.MAXIMIZE if maximize else xp.ObjSense.MINIMIZE)
    # Column -1 is the objective's right side.
    native.chgObj([-1], [-model.objective.constant])
    if len(parts.aside):
        separate = native.loadDelayedRows if cuts == "lazy" else native.loadModelCuts
        separate(place[parts.aside])
    if len(parts.guarded):
        complement = np.where(parts.flat.values == 1, 1, -1)
        native.setIndicators(place[parts.guarded], parts.flat.guards, complement)
    if parts.sets.count:
        _special_sets(xp, native, parts)
    if parts.start is not None:
        native.addMipSol(parts.start, name="start")
    return native


def _kept(parts: Live) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are passed, ascending, and the place of each row among them."""
    kept = np.sort(np.concatenate([parts.plain, parts.aside, parts.curved, parts.guarded]))
    place = np.full(parts.arrays.rows, -1)
    place[kept] = np.arange(len(kept))
    return kept, place


def _load(native: xpress.problem, parts: Live, kept: np.ndarray, place: np.ndarray) -> None:
    arrays, objective = parts.arrays, parts.model.objective.quadratic
    lower, upper = arrays.row_lower[kept], arrays.row_upper[kept]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    types = np.select([equal, below & above, below], ["E", "R", "G"], "L")
    matrix = parts.matrix[kept].tocsc()
    integer = np.flatnonzero(arrays.integer)
    native.loadMIQCQP(
        probname=parts.model.name,
        rowtype=types,
        rhs=np.where(above, upper, lower),
        rng=np.where(below & above, upper - lower, 0.0),
        objcoef=arrays.costs,
        start=matrix.indptr,
        rowind=matrix.indices,
        rowcoef=matrix.data,
        lb=np.maximum(arrays.lower, -INFINITE),
        ub=np.minimum(arrays.upper, INFINITE),
        # Xpress means 1/2 x'Qx in the objective, with both triangles of which one is given.
        objqcol1=objective.first,
        objqcol2=objective.second,
        objqcoef=objective.coef * np.where(objective.first == objective.second, 2.0, 1.0),
        **_row_products(parts, place),
        coltype=parts.kinds[integer],
        entind=integer,
    )


def _row_products(parts: Live, place: np.ndarray) -> dict[str, Any]:
    """Xpress means x'Qx in rows, again with both triangles of which one is given."""
    form = parts.arrays.quadratic
    there = place[form.row] >= 0
    first, second = form.first[there], form.second[there]
    rows, counts = np.unique(place[form.row[there]], return_counts=True)
    return {
        "qrowind": rows,
        "nrowqcoefs": counts,
        "rowqcol1": first,
        "rowqcol2": second,
        "rowqcoef": form.coef[there] * np.where(first == second, 1.0, 0.5),
    }


def _special_sets(xp: Any, native: xpress.problem, parts: Live) -> None:
    sets = parts.sets
    ones = ["1"] * sets.count
    native.addSets(ones, sets.offsets, sets.members, sets.weights.astype(float))
    native.addNames(xp.Namespaces.SET, parts.set_names.tolist(), 0, sets.count - 1)


# ------------------------------------------------------------------------------- its solution files

DIGITS = 16
NAME, END = b"NAME", b"ENDATA"


def _recognises(head: bytes) -> bool:
    lines = head.splitlines()
    if lines[:1] == [END]:
        return True
    return head.startswith(NAME + b" ") and lines[1:2] != [] and lines[1].startswith(b"  C ")


def _read(text: Text) -> SolutionFile:
    """Xpress's solution file for exchange, from ``WRITESLXSOL``.

    ::

        NAME          sample FREE
          C go_left(12,1)                          1
          ...
        ENDATA

    Every column is listed, in 16 digits; ENDATA tells that the file is whole. There is no status
    and no objective: Xpress writes the relaxation's values too when it has no incumbent, so whether
    the values are a solution shows when they are compared with the model. A file without solution
    is ENDATA alone.
    """
    stop = len(text.lines) - 1
    if text.lines[-1:] != [END]:
        text.fail_cut()
    if stop == 0:
        return SolutionFile(text.path, SLX.name, "no_solution", complete=True, digits=DIGITS)
    for number in range(1, stop):
        if text.lines[number].split()[:1] != [b"C"]:
            text.fail(number, "expected a column here", "write one solution of one model to a file")
    names, values = named_values(text, 1, stop, 3, 1, 2, "'C', a column's name and its value")
    return SolutionFile(text.path, SLX.name, "feasible", True, DIGITS, None, names, values)


SLX = Format("Xpress", _recognises, _read)


TABLE_DIGITS = 6
LINE = re.compile(rb' *([0-9]+),"([^" ]+) *","([A-Z])","[A-Z ]*",([^,]+),.*')


def _is_table(head: bytes) -> bool:
    first = LINE.fullmatch(head.splitlines()[0]) if head.strip() else None
    return first is not None and first[1] == b"1"


def _read_table(text: Text) -> SolutionFile:
    """Xpress's solution as a table, the .asc file of ``WRITESOL``.

    ::

             1,"at_most(0)              ","L","SB",2,0.25,-1e+09,2.25,0,2.25
        ...
             6,"go_left(12,1)           ","C","SB",1,-3,0,1,0

    Number, name, type, status and value; rows come first, columns have the type C, and the number
    goes on through both. How many there are is not stated: a cut shows when the names are compared
    with the model's. What is nearly 0 is written as 0. Status and objective are in the .hdr file.
    """
    text.demand_line_end()
    names, cells, places = [], [], []
    for number, line in enumerate(text.lines):
        found = LINE.fullmatch(line)
        if found is None or found[1] != b"%d" % (number + 1):
            text.fail(number, f"expected row or column {number + 1} of the table here")
        if found[3] == b"C":
            names.append(found[2])
            cells.append(found[4])
            places.append(number)
        elif names:
            text.fail(number, "a row after the first column")
    values = text.numbers(cells, places)
    found_names = np.array(names, "S") if names else NO_NAMES
    return SolutionFile(
        text.path,
        TABLE.name,
        "feasible",
        True,
        TABLE_DIGITS,
        None,
        found_names,
        values,
    )


TABLE = Format("Xpress table", _is_table, _read_table)


# --------------------------------------------------------------------------------------- the solver

SOLVER = Solver(
    "xpress",
    "Xpress",
    Caps(mps=EVERYTHING, lp=EVERYTHING),
    order=90,
    package="xpress",
    extra="xpress",
    install="{pip} (models of 5000 rows and columns without a licence), or fico.com",
    licence="get a licence from fico.com, free for academic use, and name its file in XPAUTH_PATH",
    formats=(SLX, TABLE),
    package_call=package_call(
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
    job=Xpress,
    to_model=to_xpress,
)
