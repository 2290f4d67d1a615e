"""MOSEK by mosek, https://docs.mosek.com/latest/pythonapi."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.profiles import SQUARES, Caps, Reads
from treemip.core.files.requirements import place
from treemip.core.files.solution_files import Format, SolutionFile, Text, named_values, outcome
from treemip.core.model.answer import Status
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.solving.arrays import is_convex
from treemip.core.solving.live import Live, live
from treemip.core.solving.optional import needed
from treemip.core.solving.solver import Solver, package_call
from treemip.core.source.diagnostic import Report

if TYPE_CHECKING:
    import mosek


class Mosek:
    """The Python package at work, see `Job`."""

    def __init__(self, model: str) -> None:
        import mosek

        self.package = mosek
        self.version = ".".join(map(str, mosek.Env.getversion()))
        self.task = mosek.Env().Task()
        self.task.set_Stream(mosek.streamtype.log, sys.stdout.write)
        self.task.readdata(model)
        self.stopping = False
        self.task.set_Progress(lambda caller: int(self.stopping))

    def set(self, name: str, value: str) -> None:
        self.task.putparam(name, value)

    def start(self, path: str, values: dict[str, float]) -> None:
        found = [self.task.getvarnameindex(name) for name in values]
        full = [0.0] * self.task.getnumvar()
        for (_, column), value in zip(found, values.values(), strict=True):
            full[column] = value
        self.task.putxx(self.package.soltype.itg, full)

    def solve(self) -> None:
        self.code = self.task.optimize()

    def stop(self) -> None:
        self.stopping = True

    def finish(self, path: str) -> dict[str, Any]:
        kinds, codes = self.package.soltype, self.package.rescode
        integer = self.task.getnumintvar() > 0
        kind = kinds.itg if integer else kinds.bas
        if not integer and not self.task.solutiondef(kind):
            kind = kinds.itr
        if self.task.solutiondef(kind):
            self.task.writesolution(kind, path)
        reasons = {
            codes.trm_max_time: "time_limit",
            codes.trm_user_callback: "interrupted",
            codes.ok: "",
        }
        status = reasons.get(self.code, "solver_limit")
        report: dict[str, Any] = {"status": status} if status else {}
        if integer:
            report["bound"] = self.task.getdouinf(self.package.dinfitem.mio_obj_bound)
            report["nodes"] = self.task.getintinf(self.package.iinfitem.mio_num_branch)
        return report


# ------------------------------------------------------------------ the model in its Python package

TAKES = Reads(objective=True, rows=True, indicators=True)
"""Implications as disjunctions: the binary has the other value, or the row holds."""


def to_mosek(
    model: Model,
    env: mosek.Env | None = None,
    start: Sequence[float] | np.ndarray | None = None,
) -> mosek.Task:
    """The model in a `mosek.Task`, named as in files: `go_left(12,3)`.

    Columns are in the model's order, and a row with two limits stays one. Implications are
    disjunctive constraints. `env`: MOSEK's global one without it. `start`: see live.py.
    Raises E601 for products that are not convex or stand beside implications, what live.py raises,
    and E602 without mosek. MOSEK has no cuts of the user.
    """
    parts = live(model, "MOSEK", TAKES, "rows", start)
    _require_convex(model, parts)
    mk = needed("mosek", "mosek")
    task = mk.Task() if env is None else env.Task()
    kept, place = _kept(parts)
    _load(mk, task, parts, kept)
    objective = model.objective
    task.puttaskname(model.name)
    task.putobjname(objective.name)
    maximize = objective.sense == "maximize"
    task.putobjsense(mk.objsense.maximize if maximize else mk.objsense.minimize)
    if objective.quadratic.count:
        task.putqobj(*_lower_triangle(objective.quadratic, slice(None)))
    form = parts.arrays.quadratic
    for r in parts.curved.tolist():
        own = slice(*np.searchsorted(form.row, [r, r + 1]))
        task.putqconk(int(place[r]), *_lower_triangle(form, own))
    for k, name in enumerate(parts.columns.tolist()):
        task.putvarname(k, name)
    for k, name in enumerate(parts.rows[kept].tolist()):
        task.putconname(k, name)
    _disjunctions(task, parts)
    if parts.start is not None:
        task.putxx(mk.soltype.itg, parts.start)
    return task


def _require_convex(model: Model, parts: Live) -> None:
    """E601 at each place of products that MOSEK refuses when it solves."""
    report = Report()
    objective = model.objective
    form = parts.arrays.quadratic
    if model.implications and (objective.quadratic.count or form.count):
        message = "MOSEK does not accept implications together with products of variables"
        report.error("E601", message, model.implications[0].body.span, _BIG_M)
    sign = objective.sign
    if objective.quadratic.count and not is_convex(objective.quadratic, sign):
        message = f"the products in '{objective.name}' are not convex, and MOSEK takes no others"
        report.error("E601", message, objective.span, _OTHERS)
    first = 0
    for block in parts.model.rows:
        for r, sense, _ in parts.sided(np.unique(block.quadratic.row) + first):
            at = slice(*np.searchsorted(form.row, [r, r + 1]))
            own = form.take(at)
            if sense and (sense == "E" or not is_convex(own, 1.0 if sense == "L" else -1.0)):
                where = place(block.name, block.index, r - first)
                message = f"row {where} is not convex, and MOSEK takes no others"
                report.error("E601", message, block.span, _OTHERS)
                break
        first += block.length
    report.raise_errors()


_BIG_M = "write the implication by big_m, or choose another target, such as SCIP"
_OTHERS = "choose a target that takes them, such as SCIP"


def _kept(parts: Live) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are constraints, ascending, and the place of each row among them."""
    kept = np.sort(np.concatenate([parts.plain, parts.curved]))
    place = np.full(parts.arrays.rows, -1)
    place[kept] = np.arange(len(kept))
    return kept, place


def _load(mk: Any, task: mosek.Task, parts: Live, kept: np.ndarray) -> None:
    arrays = parts.arrays
    matrix = parts.matrix[kept].tocsc()
    keys, lower, upper = _bounds(mk, arrays.row_lower[kept], arrays.row_upper[kept])
    starts = matrix.indptr.astype(np.int64)
    task.inputdata(
        len(kept),
        arrays.columns,
        arrays.costs,
        parts.model.objective.constant,
        starts[:-1],
        starts[1:],
        matrix.indices.astype(np.int32),
        matrix.data,
        keys,
        lower,
        upper,
        *_bounds(mk, arrays.lower, arrays.upper),
    )
    integer = np.flatnonzero(arrays.integer).astype(np.int32)
    task.putvartypelist(integer, [mk.variabletype.type_int] * len(integer))


def _bounds(
    mk: Any, lower: np.ndarray, upper: np.ndarray
) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Keys, and limits with zeros where a key says that there is none."""
    below, above = np.isfinite(lower), np.isfinite(upper)
    which = np.select([lower == upper, below & above, below, above], [0, 1, 2, 3], 4)
    keys = [mk.boundkey.fx, mk.boundkey.ra, mk.boundkey.lo, mk.boundkey.up, mk.boundkey.fr]
    limits = np.where(below, lower, 0.0), np.where(above, upper, 0.0)
    return [keys[k] for k in which.tolist()], *limits


def _lower_triangle(form: Quadratic, own: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q of 1/2 x'Qx: rows, columns, values."""
    first, second = form.first[own], form.second[own]
    return second, first, form.coef[own] * np.where(first == second, 2.0, 1.0)


def _disjunctions(task: mosek.Task, parts: Live) -> None:
    """Affine expressions 0, 2, ... are the binaries, 1, 3, ... the rows that they guard."""
    count = len(parts.guarded)
    if not count:
        return
    task.appendafes(2 * count)
    guards, values = parts.flat.guards, parts.flat.values
    body = parts.matrix[parts.guarded].tocoo()
    of_guard, of_body = 2 * np.arange(count), 2 * body.row.astype(np.int64) + 1
    task.putafefentrylist(
        np.concatenate([of_guard, of_body]),
        np.concatenate([guards, body.col.astype(np.int32)]),
        np.concatenate([np.ones(count), body.data]),
    )
    domains = {
        "E": task.appendrzerodomain(1),
        "G": task.appendrplusdomain(1),
        "L": task.appendrminusdomain(1),
    }
    sides = [(domains[sense], limit) for _, sense, limit in parts.sided(parts.guarded)]
    held, limits = (np.array(part) for part in zip(*sides, strict=True))
    task.appenddjcs(count)
    task.putdjcslice(
        0,
        count,
        np.stack([np.full(count, domains["E"]), held], 1).ravel(),
        np.arange(2 * count),
        np.stack([1.0 - values, limits], 1).ravel(),
        np.ones(2 * count, np.int64),
        np.full(count, 2),
    )
    for k, r in enumerate(parts.guarded.tolist()):
        task.putdjcname(k, parts.rows[r])


# ------------------------------------------------------------------------------- its solution files

DIGITS = 14
PROBLEM, SOLUTION = b"PROBLEM STATUS", b"SOLUTION STATUS"
OBJECTIVE = b"PRIMAL OBJECTIVE"
VARIABLES = b"VARIABLES"

STATUS: dict[bytes, Status] = {
    b"OPTIMAL": "optimal",
    b"INTEGER_OPTIMAL": "optimal",
    b"PRIMAL_FEASIBLE": "feasible",
    b"PRIMAL_AND_DUAL_FEASIBLE": "feasible",
}
"""Solution statuses with a point that is feasible."""

NONE: dict[bytes, Status] = {
    b"PRIMAL_INFEASIBLE": "infeasible",
    b"PRIMAL_AND_DUAL_INFEASIBLE": "infeasible",
    b"DUAL_INFEASIBLE": "unbounded",
    b"PRIMAL_INFEASIBLE_OR_UNBOUNDED": "infeasible_or_unbounded",
}
"""Problem statuses of models without solution."""


def _recognises(head: bytes) -> bool:
    lines = head.splitlines()
    return len(lines) > 2 and lines[1].startswith(PROBLEM) and lines[2].startswith(SOLUTION)


def _read(text: Text) -> SolutionFile:
    """MOSEK's solution files: .int of integer models, .bas and .sol of linear ones.

    ::

        NAME                : sample
        PROBLEM STATUS      : PRIMAL_FEASIBLE
        SOLUTION STATUS     : INTEGER_OPTIMAL
        OBJECTIVE NAME      : gain
        PRIMAL OBJECTIVE    : -39.812571428571

        CONSTRAINTS
        INDEX      NAME          AT ACTIVITY       LOWER LIMIT        UPPER LIMIT
        ...

        VARIABLES
        INDEX      NAME          AT ACTIVITY       LOWER LIMIT        UPPER LIMIT
        0          go_left(12,1) BS 1              0                  1

    Every column is listed, in 14 digits, numbered from 0, but their number is not stated: a cut
    shows when the names are compared with the model's.
    https://docs.mosek.com/latest/toolbox/sol-format.html
    """
    text.demand_line_end()
    problem, solution = _said(text, 1, PROBLEM), _said(text, 2, SOLUTION)
    status, kept = outcome(
        STATUS.get(solution, NONE.get(problem, "no_solution")), solution in STATUS
    )
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    objective = float(text.numbers([_said(text, 4, OBJECTIVE)], 4)[0])
    if VARIABLES not in text.lines:
        text.fail_cut()
    first = text.lines.index(VARIABLES) + 2
    head = text.line(first - 1).split()
    wide = b"DUAL" in head  # linear models have two columns of multipliers
    filled = [number for number in range(first, len(text.lines)) if text.lines[number].strip()]
    stop = filled[-1] + 1 if filled else first
    for number in range(first, stop):
        if text.lines[number].split()[:1] != [b"%d" % (number - first)]:
            text.fail(number, f"expected variable {number - first} here")
    names, values = named_values(
        text, first, stop, 8 if wide else 6, 1, 3, "a variable with its limits"
    )
    return SolutionFile(text.path, FORMAT.name, status, True, DIGITS, objective, names, values)


def _said(text: Text, number: int, label: bytes) -> bytes:
    words, _, value = text.line(number).partition(b":")
    if words.strip() != label:
        text.fail(number, f"expected '{label.decode()}' here")
    return value.strip()


FORMAT = Format("MOSEK", _recognises, _read)


# --------------------------------------------------------------------------------------- the solver

SOLVER = Solver(
    "mosek",
    "MOSEK",
    # Its LP reader fixes the binary of an indicator at 1. It has no sections of cuts.
    Caps(mps=Reads(objective=True, rows=True), lp=SQUARES, model=TAKES),
    order=110,
    package="mosek",
    extra="mosek",
    install="{pip} and get a licence from mosek.com",
    licence="get a licence from mosek.com, free for academic use and for a trial, and put it at "
    "~/mosek/mosek.lic or name its file in MOSEKLM_LICENSE_FILE",
    formats=(FORMAT,),
    package_call=package_call(
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
    job=Mosek,
    to_model=to_mosek,
)
