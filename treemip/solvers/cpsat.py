"""CP-SAT, the solver of OR-Tools, by ortools: https://developers.google.com/optimization/cp.

It reasons about integers, by clauses that it learns and by linear relaxations: strong on models of
binaries. Real columns it rounds to a grid, so what it proves of a model with some holds for the
grid alone and is not passed on.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

from treemip.files.profiles import NOTHING_MORE, Caps
from treemip.files.solution_files import Format, SolutionFile, Text, named_values, outcome
from treemip.model.answer import Status
from treemip.solving.solver import Solver, package_call

GRID = 65536
"""Steps of the grid for each unit of a real column; powers of two cost no digits."""

FARTHEST = 2.0**29
"""The bound that CP-SAT gives integers that have none; real columns with more steps of the grid
than that get a coarser one."""

REACH = FARTHEST / GRID
"""The bound of real columns that have none, which OR-Tools would take as integers."""

ALWAYS = (
    f"mip_var_scaling: {GRID}",
    f"mip_max_bound: {FARTHEST:.0f}",
    # It takes b in b >= z / 2, b + w / 2 <= 1 and b + v <= 1 as integer, of binaries z, w and v:
    # of the grids of the rows it picks the coarsest (OR-Tools 9.15, DetectImpliedIntegers). Such b
    # are the thresholds of splits.
    "mip_automatically_scale_variables: false",
)
"""Parameters of every solve."""

STATUS: dict[str, Status] = {"OPTIMAL": "optimal", "INFEASIBLE": "infeasible"}


class CpSat:
    """ortools at work, see `Job`; options are fields of CP-SAT's SatParameters."""

    def __init__(self, model: str) -> None:
        from importlib.metadata import version

        from ortools.linear_solver.python import model_builder

        self.package, self.version = model_builder, version("ortools")
        self.model = model_builder.Model()
        if not self.model.import_from_mps_file(model):
            raise ValueError(f"OR-Tools does not read '{model}'")
        self.columns = self.model.get_variables()
        self.solver = model_builder.Solver("sat")
        self.solver.enable_output(True)
        self.parameters = [*ALWAYS]
        self.stopped = False

    def set(self, name: str, value: str) -> None:
        self.parameters.append(f"{name}: {value}")

    def start(self, path: str, values: dict[str, float]) -> None:
        for column in self.columns:
            if column.name in values:
                self.model.add_hint(column, values[column.name])

    def solve(self) -> None:
        self.solver.set_solver_specific_parameters("\n".join(self.parameters))
        endless = self._bounded()
        self.status = self.solver.solve(self.model)
        for column, low, high in endless:
            column.lower_bound, column.upper_bound = low, high

    def _bounded(self) -> list[tuple[Any, float, float]]:
        """Give real columns the bounds that they lack; the columns and their own bounds."""
        endless = []
        for column in self.columns:
            low, high = column.lower_bound, column.upper_bound
            if not column.is_integral and (low == -inf or high == inf):
                endless.append((column, low, high))
                # Below or above the other bound, wherever that is.
                column.lower_bound = max(low, min(-REACH, high - REACH))
                column.upper_bound = min(high, max(REACH, low + REACH))
        return endless

    def stop(self) -> None:
        self.stopped = True
        self.solver.stop_search()

    def finish(self, path: str) -> dict[str, Any]:
        kinds, exact = self.package.SolveStatus, self._is_exact()
        status: Status | None = STATUS.get(self.status.name)
        found = self.status in (kinds.OPTIMAL, kinds.FEASIBLE)
        if status is None:
            limited = self.status in (kinds.FEASIBLE, kinds.NOT_SOLVED)
            status = "interrupted" if self.stopped else "time_limit" if limited else "solver_limit"
        elif not exact:
            status = "feasible" if found else "no_solution"
        if found:
            self._write(path, status)
        bound = {"bound": self.solver.best_objective_bound} if exact and found else {}
        return {"status": status, **bound}

    def _is_exact(self) -> bool:
        """Whether all columns are integers in the range that CP-SAT computes with."""
        free = [c for c in self.columns if c.lower_bound < c.upper_bound]
        return all(
            c.is_integral and -FARTHEST <= c.lower_bound <= c.upper_bound <= FARTHEST for c in free
        )

    def _write(self, path: str, status: Status) -> None:
        values = [float(self.solver.value(column)) for column in self.columns]
        objective = float(self.solver.objective_value)
        if not self._is_exact():
            values, objective = self._polished(values, objective)
        with open(path, "w") as file:
            file.write(f"{HEAD.decode()}{status}\n{OBJECTIVE.decode()}{objective!r}\n")
            for column, value in zip(self.columns, values, strict=True):
                file.write(f"{column.name} {value!r}\n")
            file.write(f"{END.decode()}\n")

    def _polished(self, values: list[float], objective: float) -> tuple[list[float], float]:
        """The best real columns beside these integers, by OR-Tools' solver of linear programs."""
        for column, value in zip(self.columns, values, strict=True):
            if column.is_integral:
                column.lower_bound = column.upper_bound = float(round(value))
        solver = self.package.Solver("glop")
        if solver.solve(self.model) != self.package.SolveStatus.OPTIMAL:
            return values, objective
        return [float(solver.value(c)) for c in self.columns], float(solver.objective_value)


# --------------------------------------------------------------------------- its solution file

HEAD, OBJECTIVE, END = b"CP-SAT solution: ", b"objective ", b"end"


def _recognises(head: bytes) -> bool:
    return head.startswith(HEAD)


def _read(text: Text) -> SolutionFile:
    """What `CpSat` writes: every column, in 17 digits.

    ::

        CP-SAT solution: optimal
        objective -39.0
        go_left(12,1) 1.0
        ...
        end
    """
    if text.lines[-1:] != [END]:
        text.fail_cut()
    words = text.line(0).removeprefix(HEAD).decode(errors="replace")
    known = next((status for status in Status.__args__ if status == words), None)  # type: ignore[attr-defined]
    status, kept = outcome(known, True)
    value = text.line(1).removeprefix(OBJECTIVE)
    objective = float(text.numbers([value], 1)[0])
    names, values = named_values(text, 2, len(text.lines) - 1, 2, 0, 1, "a column's name and value")
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=17)
    return SolutionFile(text.path, FORMAT.name, status, True, 17, objective, names, values)


FORMAT = Format("CP-SAT", _recognises, _read)

# ---------------------------------------------------------------------------------- the solver

_CALL = package_call(
    "cpsat",
    {
        "time": ("max_time_in_seconds={value}",),
        "gap": ("relative_gap_limit={value}",),
        "absolute_gap": ("absolute_gap_limit={value}",),
        "threads": ("num_workers={value}",),
        "seed": ("random_seed={value}",),
    },
    {"absolute_gap": ("absolute_gap_limit=0",)},
    ".sol",
    accepted=r"^The solution hint is complete and is feasible",
)

SOLVER = Solver(
    "cpsat",
    "CP-SAT",
    Caps(mps=NOTHING_MORE),  # what OR-Tools calls LP is another language
    order=120,
    package="ortools",
    extra="ortools",
    install="pip install ortools",
    formats=(FORMAT,),
    # The runner tells no nodes: CP-SAT counts branches in its log.
    package_call=replace(_CALL, log=replace(_CALL.log, nodes=r"^branches: (\d+)$")),
    job=CpSat,
)
