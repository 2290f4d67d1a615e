"""Running one cell of the table: the model goes out, a solver answers, the tree comes back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from multiprocessing import TimeoutError, get_context
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from target_axes import FILES, PROFILED, SOLVE, Cell
from target_readers import CLOSE, FIXED, READERS, SECONDS, STRATEGIES, Refused, demand
from target_table import CASES, POINTS
from target_tools import TOOLS

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.files.names import name_model
from treemip.core.source.diagnostic import TreemipError

INEXACT = ("glpk", "lp_solve", "cpsat")
"""They take no tolerance from treemip."""

Folder = tuple[tuple[str, bytes], ...]
"""Files by name."""


@dataclass(frozen=True)
class Found:
    """What the tree that came back is worth. `problems` are empty for a verified one."""

    objective: float
    errors: int | None
    problems: tuple[str, ...]


def apart(cell: Cell) -> str:
    """Which process of its own a cell needs; none if empty.

    OR-Tools and CasADi have libraries of HiGHS that clash with highspy's, and with one another:
    OR-Tools does not load beside another one, CasADi's plug-in crashes. COPT crashes at quadratic
    rows while there is an environment of Gurobi, which some tools keep.
    """
    if cell.target == "to_casadi":
        return cell.target
    alone = cell.solver == "gurobi" or (
        cell.solver in ("ortools", "cpsat") and cell.target in {**FILES, **PROFILED}
    )
    return cell.solver if alone else ""


def wrong(cell: Cell, found: Found) -> str:
    """What is not as it must be; empty when all is."""
    case = CASES[cell.formulation]
    if abs(found.objective - case.optimum) > EXACT * abs(case.optimum):
        return f"its optimum is {found.objective:.9g}, not {case.optimum:.9g}"
    if found.problems:
        return f"its tree is not verified: {found.problems[0]}"
    if found.errors != case.errors:
        return f"its tree has {found.errors} errors, not {case.errors}"
    return ""


EXACT = 1e-6
"""How far an optimum may be off, relative."""


def run(cell: Cell) -> Found:
    """Raises Refused with the words of treemip, the tool or the solver that has no optimum."""
    group = apart(cell)
    if not group:
        return run_here(cell)
    if group not in PROCESSES:
        PROCESSES[group] = get_context("spawn").Pool(1)
    one = PROCESSES[group]
    try:
        return one.apply_async(run_here, (cell,)).get(2 * SECONDS)
    except TimeoutError as error:
        PROCESSES.pop(group).terminate()
        raise AssertionError(f"{cell} hangs, or ended its process") from error


PROCESSES: dict[str, Pool] = {}
"""A Python for the cells of each group, which stays for the next ones."""


def end_processes() -> None:
    while PROCESSES:
        _, one = PROCESSES.popitem()
        one.terminate()
        one.join()


def run_here(cell: Cell) -> Found:
    try:
        result = _result(cell)
    except TreemipError as error:
        first = error.diagnostics[0]
        raise Refused(f"{first.code}: {first.message}") from error
    except (Refused, AssertionError):
        raise
    except Exception as error:  # each tool has its own kinds
        raise Refused(f"{type(error).__name__}: {error}") from error
    demand(result.status in ("optimal", "locally_optimal", "feasible"), f"it is {result.status}")
    assert result.objective is not None and result.report is not None
    return Found(result.objective, result.report.errors, tuple(result.report.problems))


def _result(cell: Cell) -> Result:
    if cell.target == SOLVE:
        exact = None if cell.solver in INEXACT else CLOSE
        made = compiled(cell.formulation)
        threads = STRATEGIES if cell.solver == "cpsat" else None
        return made.solve(
            cell.solver, start="none", time_limit=SECONDS, feasibility=exact, threads=threads
        )
    if cell.target in TOOLS:
        made = compiled(cell.formulation)
        return made.tree_of(TOOLS[cell.target](made, cell.solver), cell.solver)
    profile = cell.solver if cell.target in PROFILED else "portable"
    made = compiled(cell.formulation, profile)
    name = {**FILES, **PROFILED}[cell.target]
    return _decoded(made, name, solved(cell.solver, name, written(cell.formulation, profile, name)))


@cache
def compiled(formulation: str, profile: str = "portable") -> Compiled:
    case = CASES[formulation]
    columns = POINTS | case.more
    points = {name: [column[k] for k in case.points] for name, column in columns.items()}
    program = treemip.loads(case.text, data=points)
    return program.compile(target=profile)


@cache
def written(formulation: str, profile: str, name: str) -> Folder:
    """The model file and what stands beside it."""
    fixed = name.startswith(FIXED)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        style = "short" if fixed else "spec"
        compiled(formulation, profile).write(path, names=style, fixed=fixed)  # type: ignore[arg-type]
        return tuple((p.name, p.read_bytes()) for p in sorted(Path(folder).iterdir()))


@cache
def solved(solver: str, name: str, files: Folder) -> bytes | dict[str, float]:
    """A solution file, or values by name. Equal files, as profiles often give, are read once."""
    with TemporaryDirectory() as folder:
        for one, content in files:
            (Path(folder) / one).write_bytes(content)
        found = READERS[solver](Path(folder) / name, Path(folder) / "answer.sol")
        return found if isinstance(found, dict) else found.read_bytes()


def _decoded(made: Compiled, name: str, found: bytes | dict[str, float]) -> Result:
    if isinstance(found, dict):
        style = "short" if name.startswith(FIXED) else "spec"
        columns = name_model(made.model, style).columns().astype(str).tolist()
        unknown = found.keys() - {*columns, "objective_constant"}
        assert not unknown, f"no columns of the model: {sorted(unknown)}"
        return made.tree_of(np.array([found.get(column, 0.0) for column in columns]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answer.sol"
        path.write_bytes(found)
        return made.decode(path)
