"""CP-SAT, the solver of OR-Tools, by ortools: https://developers.google.com/optimization/cp.

It reasons about integers, by clauses that it learns and by linear relaxations: strong on models of
binaries. Real columns stand on a grid, so what it proves of a model with some holds for the grid
alone and is not passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any

from treemip.core.files.profiles import NOTHING_MORE, Caps
from treemip.core.files.solution_files import Format, SolutionFile, Text, named_values, outcome
from treemip.core.model.answer import Status
from treemip.core.solving.solver import Solver, package_call

GRID = 65536
"""Steps of the grid for each unit of a real column; powers of two cost no digits."""

FARTHEST = 2.0**29
"""The bound that CP-SAT gives integers without one, and the most steps of a real column: one with
wider bounds has a coarser grid."""

REACH = FARTHEST / GRID
"""The bound of real columns without one, for which OR-Tools would have the grid of the integers."""

ALWAYS = (
    f"mip_var_scaling: {GRID}",
    f"mip_max_bound: {FARTHEST:.0f}",
    # Else OR-Tools 9.15 takes a threshold b as an integer: in b >= z / 2, b + w / 2 <= 1 and
    # b + v <= 1 with binaries z, w, v it picks the coarsest of the rows' grids, which is the last
    # one's (DetectImpliedIntegers in ortools/sat/lp_utils.cc).
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
        with self._bounded():
            self.status = self.solver.solve(self.model)

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """The model with bounds of real columns that have none."""
        endless = []
        for column in self.columns:
            low, high = column.lower_bound, column.upper_bound
            if not column.is_integral and (low == -inf or high == inf):
                endless.append((column, low, high))
                # Below or above the other bound, wherever that is.
                column.lower_bound = max(low, min(-REACH, high - REACH))
                column.upper_bound = min(high, max(REACH, low + REACH))
        try:
            yield
        finally:
            for column, low, high in endless:
                column.lower_bound, column.upper_bound = low, high

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
        if not found:
            return {"status": status}
        solver = self.solver if exact else self._polished()
        if solver is None:
            return {"status": "unbounded"}
        self._write(path, status, solver)
        return {"status": status} | ({"bound": solver.best_objective_bound} if exact else {})

    def _polished(self) -> Any:
        """The solver with the best real columns beside the integers: OR-Tools' Glop, or CP-SAT
        where Glop fails; None for an unbounded model. Glop may call that one infeasible, which is
        refuted by an optimum within bounds."""
        for column in self.columns:
            if column.is_integral:
                value = float(round(self.solver.value(column)))
                column.lower_bound = column.upper_bound = value
        kinds = self.package.SolveStatus
        best = self.package.Solver("glop")
        status = best.solve(self.model)
        if status == kinds.OPTIMAL:
            return best
        if status not in (kinds.INFEASIBLE, kinds.UNBOUNDED):
            return self.solver
        with self._bounded():
            unbounded = self.package.Solver("glop").solve(self.model) == kinds.OPTIMAL
        return None if unbounded else self.solver

    def _is_exact(self) -> bool:
        """Whether all columns are integers in the range that CP-SAT computes with."""
        free = [c for c in self.columns if c.lower_bound < c.upper_bound]
        return all(
            c.is_integral and -FARTHEST <= c.lower_bound <= c.upper_bound <= FARTHEST for c in free
        )

    def _write(self, path: str, status: Status, solver: Any) -> None:
        with open(path, "w") as file:
            file.write(f"{HEAD.decode()}{status}\n")
            file.write(f"{OBJECTIVE.decode()}{float(solver.objective_value)!r}\n")
            for column in self.columns:
                file.write(f"{column.name} {float(solver.value(column))!r}\n")
            file.write(f"{END.decode()}\n")


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
    install="{pip}",
    formats=(FORMAT,),
    # The runner tells no nodes: CP-SAT counts branches in its log.
    package_call=replace(_CALL, log=replace(_CALL.log, nodes=r"^branches: (\d+)$")),
    job=CpSat,
)
