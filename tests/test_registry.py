"""The registry lists the folder of solvers in their order, and imports no more than asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from treemip.core import registry
from treemip.core import solvers as folder
from treemip.core.registry import in_memory, installed, solver_names, solvers

SOME = ["highs", "scip", "ipopt", "cbc", "glpk", "lp_solve", "gurobi", "cplex", "xpress", "copt"]
LISTS = """
import sys
from treemip.core.registry import {call}
found = {call}()
print(*(name for name in sys.modules if {which}))
"""
PACKAGES = tuple(solver.package for solver in solvers().values() if solver.package)


def loaded(call: str, which: str) -> str:
    code = LISTS.format(call=call, which=which)
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_each_file_of_the_folder_is_a_solver() -> None:
    files = {path.stem for path in Path(folder.__path__[0]).iterdir() if path.stem[0] != "_"}
    assert solver_names() == files == set(solvers())
    assert list(solvers())[: len(SOME)] == SOME
    assert {*in_memory(), *installed()} == set(solvers())
    orders = [solver.order for solver in solvers().values()]
    assert orders == sorted(set(orders))


def test_names_are_known_without_a_solver_and_solvers_without_their_packages() -> None:
    assert loaded("solver_names", "name.startswith(('treemip.solv', 'numpy'))") == ""
    assert loaded("solvers", f"name in {(*PACKAGES, 'scipy')!r}") == ""


def test_every_solver_can_be_run_and_installed() -> None:
    for name, solver in solvers().items():
        assert solver.name == name
        assert (solver.solve is None) != (solver.program is None and solver.package_call is None)
        assert bool(solver.package) == bool(solver.extra)
        assert bool(solver.job) == bool(solver.package_call)
        assert solver.caps.lazy == bool(solver.native or solver.separates_continuous)
        assert solver.solve is not None or (solver.install and solver.formats)


def test_a_file_with_an_underscore_is_no_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "core" / "solvers"
    (folder / "_parts").mkdir(parents=True)
    for name in ("_shared.py", "mine.py", "_parts/__init__.py"):
        (folder / name).touch()
    monkeypatch.setattr(registry, "_PACKAGE", tmp_path)
    assert solver_names.__wrapped__() == {"mine"}
