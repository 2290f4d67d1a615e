"""CPLEX by cplex, https://www.ibm.com/docs/en/icos."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn
from xml.parsers import expat

import numpy as np

from treemip.core.files.flat_model import CutsAs
from treemip.core.files.profiles import EVERYTHING, Caps, OrderForm, StartForm
from treemip.core.files.solution_files import NO_NAMES, Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.registry import when_called
from treemip.core.solving.live import Live, live
from treemip.core.solving.optional import needed
from treemip.core.solving.solver import Solver, package_call

if TYPE_CHECKING:
    import cplex
    from scipy.sparse import csc_array


class Cplex:
    """The Python package at work, see `Job`."""

    def __init__(self, model: str) -> None:
        import cplex

        self.package = cplex
        self.model = cplex.Cplex(model)
        self.version = self.model.get_version()
        self.aborter = self.model.use_aborter(cplex.Aborter())

    def set(self, name: str, value: str) -> None:
        parameter = self.model.parameters
        for part in name.split("."):
            parameter = getattr(parameter, part)
        parameter.set(type(parameter.get())(float(value)))

    def start(self, path: str, values: dict[str, float]) -> None:
        levels = self.model.MIP_starts.effort_level
        pair = self.package.SparsePair(ind=list(values), val=list(values.values()))
        self.model.MIP_starts.add(pair, levels.solve_MIP)

    def solve(self) -> None:
        self.model.solve()

    def stop(self) -> None:
        self.aborter.abort()

    def finish(self, path: str) -> dict[str, Any]:
        if self.model.solution.is_primal_feasible():
            self.model.solution.write(path)
        return self.report()

    def report(self) -> dict[str, Any]:
        solution = self.model.solution
        report: dict[str, Any] = {
            "status": STATUS.get(str(solution.get_status()).encode(), "solver_limit")
        }
        if self.model.variables.get_num_binary() + self.model.variables.get_num_integer():
            report["nodes"] = solution.progress.get_num_nodes_processed()
            with contextlib.suppress(self.package.exceptions.CplexError):
                report["bound"] = solution.MIP.get_best_objective()
        return report


# ------------------------------------------------------------------ the model in its Python package

INFINITE = 1e20
"""What CPLEX writes for infinity."""


def to_cplex(
    model: Model,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> cplex.Cplex:
    """The model in a quiet `cplex.Cplex`, named as in files: `go_left(12,3)`.

    Columns are in the model's order. A row with two limits is one with a range, of which CPLEX
    computes the upper limit as lower plus range. Branching priorities of the strategy are in it.
    `cuts`, `start` and what is raised: see `treemip.core.solving.live`; E602 without cplex.
    """
    parts = live(model, "CPLEX", EVERYTHING, cuts, start)
    native = needed("cplex", "cplex").Cplex()
    for stream in ("log", "results", "warning", "error"):
        getattr(native, f"set_{stream}_stream")(None)
    _copy(native, parts)
    native.set_problem_name(model.name)
    if parts.arrays.integer.any():
        native.variables.set_types(list(enumerate(parts.kinds.tolist())))
    native.objective.set_name(model.objective.name)
    native.objective.set_offset(model.objective.constant)
    if model.objective.quadratic.count:
        native.objective.set_quadratic(_symmetric(model.objective.quadratic, parts.arrays.columns))
    for r, sense, limit in parts.sided(parts.curved):
        triple = [part.tolist() for part in parts.products(r)]
        native.quadratic_constraints.add([*parts.entries(r)], triple, sense, limit, parts.rows[r])
    _cuts(native, parts, cuts)
    _indicators(native, parts)
    for name, each in zip(parts.set_names.tolist(), parts.sets.each(), strict=True):
        native.SOS.add(type=native.SOS.type.SOS1, SOS=[*each], name=name)
    _search(native, parts)
    return native


def _copy(native: cplex.Cplex, parts: Live) -> None:
    arrays, kept = parts.arrays, parts.plain
    lower, upper = arrays.row_lower[kept], arrays.row_upper[kept]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    senses = np.select([equal, below & above, below], ["E", "R", "G"], "L")
    matrix = parts.matrix[kept].tocsc()
    if len(kept) and not matrix.nnz:
        matrix = _one_zero(*matrix.shape)
    maximize = parts.model.objective.sense == "maximize"
    sense = native.objective.sense
    native.copylp(
        numcols=arrays.columns,
        numrows=len(kept),
        objsense=sense.maximize if maximize else sense.minimize,
        obj=arrays.costs.tolist(),
        rhs=np.where(below, lower, upper).tolist(),
        senses="".join(senses.tolist()),
        matbeg=matrix.indptr[:-1].tolist(),
        matcnt=np.diff(matrix.indptr).tolist(),
        matind=matrix.indices.tolist(),
        matval=matrix.data.tolist(),
        lb=np.maximum(arrays.lower, -INFINITE).tolist(),
        ub=np.minimum(arrays.upper, INFINITE).tolist(),
        range_values=np.where(below & above, upper - lower, 0.0).tolist(),
        colnames=parts.columns.tolist(),
        rownames=parts.rows[kept].tolist(),
    )


def _one_zero(rows: int, columns: int) -> csc_array:
    """A matrix with a stored zero: copylp refuses rows and columns without any entry."""
    from scipy.sparse import csc_array

    indptr = np.ones(columns + 1, np.int32)
    indptr[0] = 0
    return csc_array((np.zeros(1), np.zeros(1, np.int32), indptr), shape=(rows, columns))


def _symmetric(form: Quadratic, columns: int) -> list[list[list[Any]]]:
    """Rows of Q in 1/2 x'Qx, indices and values."""
    from scipy.sparse import coo_array

    half = coo_array((form.coef, (form.first, form.second)), shape=(columns, columns))
    full = (half + half.T).tocsr()
    indices = np.split(full.indices, full.indptr[1:-1])
    values = np.split(full.data, full.indptr[1:-1])
    return [[i.tolist(), v.tolist()] for i, v in zip(indices, values, strict=True)]


def _cuts(native: cplex.Cplex, parts: Live, cuts: CutsAs) -> None:
    if not len(parts.aside):
        return
    rows, senses, limits = zip(*parts.sided(parts.aside), strict=True)
    advanced = native.linear_constraints.advanced
    add = advanced.add_lazy_constraints if cuts == "lazy" else advanced.add_user_cuts
    add(
        [[*parts.entries(r)] for r in rows],
        "".join(senses),
        limits,
        parts.rows[parts.aside].tolist(),
    )


def _indicators(native: cplex.Cplex, parts: Live) -> None:
    if not len(parts.guarded):
        return
    rows, senses, limits = zip(*parts.sided(parts.guarded), strict=True)
    native.indicator_constraints.add_batch(
        lin_expr=[[*parts.entries(r)] for r in rows],
        sense="".join(senses),
        rhs=limits,
        indvar=parts.flat.guards.tolist(),
        complemented=[int(value == 0) for value in parts.flat.values],
        name=parts.rows[parts.guarded].tolist(),
    )


def _search(native: cplex.Cplex, parts: Live) -> None:
    """Add the start and the branching priorities, which affect the search only."""
    if parts.start is not None:
        level = native.MIP_starts.effort_level.solve_MIP
        native.MIP_starts.add([list(range(len(parts.start))), parts.start.tolist()], level, "start")
    either = native.order.branch_direction.default
    blocks = [block for block in parts.model.variables if block.priority is not None]
    orders = chain.from_iterable(
        zip(range(b.start, b.stop), b.priority.tolist(), [either] * b.length, strict=True)
        for b in blocks
        if b.priority is not None
    )
    if blocks and parts.arrays.integer.any():
        native.order.set(list(orders))


# -------------------------------------------------------------------------------- its solution file

DIGITS = 17
ROOT = b"<CPLEXSolution"

STATUS: dict[bytes, Status] = {
    b"1": "optimal",
    b"2": "unbounded",
    b"3": "infeasible",
    b"4": "infeasible_or_unbounded",
    b"5": "optimal",  # with violations once scaling is undone
    b"6": "feasible",
    b"10": "solver_limit",
    b"11": "time_limit",
    b"12": "solver_limit",
    b"13": "interrupted",
    b"25": "time_limit",  # deterministic
    b"101": "optimal",
    b"102": "gap_limit",
    b"103": "infeasible",
    b"104": "solver_limit",
    b"105": "solver_limit",
    b"106": "solver_limit",
    b"107": "time_limit",
    b"108": "time_limit",
    b"109": "solver_limit",
    b"110": "solver_limit",
    b"111": "solver_limit",
    b"112": "solver_limit",
    b"113": "interrupted",
    b"114": "interrupted",
    b"115": "optimal",  # with violations once scaling is undone
    b"118": "unbounded",
    b"119": "infeasible_or_unbounded",
    b"127": "feasible",
    b"131": "time_limit",
    b"132": "time_limit",
}
"""CPLEX's status codes; the even ones of 106 to 114, 108 and 132 have no solution."""


def _recognises(head: bytes) -> bool:
    return head.startswith(b"<?xml") and ROOT in head


def _read(text: Text) -> SolutionFile:
    """CPLEX's solution file, XML.

    ::

        <?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
        <CPLEXSolution version="1.2">
         <header objectiveValue="-39.812571428571431" solutionStatusValue="101" .../>
         ...
         <variables>
          <variable name="go_left(12,1)" index="0" value="1"/>

    Every column is listed with its number, in 17 digits; XML that was cut does not parse. CPLEX
    writes also points that are not feasible, and says so with primalFeasible.
    """
    found = _Parsed(text)
    header = found.header
    status, kept = outcome(
        STATUS.get(header.get("solutionStatusValue", "").encode()),
        header.get("primalFeasible") == "1" and bool(found.values),
    )
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    value = header.get("objectiveValue", "").encode()
    objective = float(text.numbers([value], found.header_line)[0])
    values = text.numbers([v.encode() for v in found.values], found.lines)
    names = [name.encode() for name in found.names]
    return SolutionFile(
        text.path,
        FORMAT.name,
        status,
        True,
        DIGITS,
        objective,
        np.array(names, "S") if names else NO_NAMES,
        values,
    )


class _Parsed:
    """Attributes of the header, and of the variables in their order."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.header: dict[str, str] = {}
        self.header_line = 0
        self.names: list[str] = []
        self.values: list[str] = []
        self.lines: list[int] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        # No solution has entities, and nested ones can grow without end.
        self.parser.EntityDeclHandler = lambda *_: self._fail("a solution declares no entities")
        try:
            self.parser.Parse(text.data, True)
        except expat.ExpatError as error:
            self._fail(f"this is not complete XML: {expat.ErrorString(error.code)}")
        if not self.header:
            self._fail("the solution has no header")

    def _start(self, tag: str, said: dict[str, str]) -> None:
        if tag == "header":
            if self.header:
                self._fail("a second solution begins here", "write one solution to a file")
            self.header, self.header_line = said, self._line()
        elif tag == "variable":
            if said.get("index") != str(len(self.names)) or not {"name", "value"} <= said.keys():
                self._fail(f"expected name and value of variable {len(self.names)} here")
            self.names.append(said["name"])
            self.values.append(said["value"])
            self.lines.append(self._line())

    def _line(self) -> int:
        return min(self.parser.CurrentLineNumber, self.text.data.count(b"\n")) - 1

    def _fail(self, message: str, remedy: str = "") -> NoReturn:
        self.text.fail(max(0, self._line()), message, remedy)


FORMAT = Format("CPLEX", _recognises, _read)


# --------------------------------------------------------------------------------------- the solver

START = StartForm(
    '<?xml version="1.0" encoding="UTF-8"?>\n<CPLEXSolutions version="1.2">\n'
    '<CPLEXSolution version="1.2">\n<header solutionName="start"/>\n<variables>',
    b'\n<variable name="',
    b'" value="',
    b'"/>',
    "\n</variables>\n</CPLEXSolution>\n</CPLEXSolutions>",
)
# The place of a direction, UP or DN, stays empty: that is left to CPLEX.
ORDER = OrderForm(b"NAME order", b"\n    ", b"\nENDATA\n")


SOLVER = Solver(
    "cplex",
    "CPLEX",
    Caps(mps=EVERYTHING, lp=EVERYTHING, start=START, order=ORDER, lazy=True),
    order=80,
    package="cplex",
    extra="cplex",
    install="{pip} (models of 1000 rows and columns without a licence), or ibm.com",
    licence="get CPLEX from ibm.com, free for academic use, and install the Python package in it",
    native=when_called("treemip.core.solvers.cplex.separation.SeparatingCplex"),
    formats=(FORMAT,),
    package_call=package_call(
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
    job=Cplex,
    to_model=to_cplex,
)
