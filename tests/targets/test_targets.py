"""Every formulation through every target by every solver: solved, or declared with its reason.

The suite has one cell of each kind and one of each reason; `make truth` has all others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
import pytest
from suite import class_formulations
from target_axes import (
    ELSEWHERE,
    FILES,
    LEFT_OUT,
    OWN,
    PROFILED,
    SOLVE,
    SOLVERS,
    TARGETS,
    Cell,
    cells,
    missing,
)
from target_cells import compiled, end_processes, run, wrong
from target_readers import Refused
from target_rules import UNSUPPORTED, in_suite, rule_of
from target_table import CASES, LINEAR, NONLINEAR, OBJECTIVE, ROWS
from target_tools import TOOLS

from treemip.api.compiled import Compiled
from treemip.core.files.model_files import FORMATS
from treemip.core.files.profiles import profiles
from treemip.core.resolve.modules import formulation_names
from treemip.core.strategy.solvers import names

SUITE = in_suite(cells())
CELLS = [pytest.param(c, id=str(c), marks=() if c in SUITE else pytest.mark.truth) for c in cells()]


@pytest.fixture(scope="module", autouse=True)
def processes() -> Iterator[None]:
    yield
    end_processes()


@pytest.fixture(autouse=True)
def any_number_of_threads() -> None:
    """HiGHS refuses another number of threads than the process's first run had."""
    with suppress(ImportError):
        import highspy

        highspy.Highs.resetGlobalScheduler(True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cell", CELLS)
def test_cell(cell: Cell, record_property: Callable[[str, object], None]) -> None:
    rule = rule_of(cell.formulation, cell.target, cell.solver)
    lost = missing(cell)
    if lost:
        pytest.skip(f"{lost} is not installed")
    try:
        found = run(cell)
        said = wrong(cell, found)
    except Refused as error:
        said = str(error)
    if rule is None:
        assert not said
        record_property("cell", "solved to the optimum, with a verified tree")
    else:
        assert said, f"it works now: take it out of the rule '{rule.why}' in target_rules.py"
        assert rule.says in said
        record_property("cell", "declared, and failing as declared")


# -------------------------------------------------------------------- nothing is left out


def test_every_formulation_has_a_case() -> None:
    """All whose leaves answer classes, and some of the others."""
    assert {*class_formulations()} <= CASES.keys()
    assert CASES.keys() <= {*formulation_names()}


def test_every_target_of_treemip_is_in_the_table() -> None:
    forms = {f".{name.partition('.')[2]}" for name in FILES.values()}
    assert forms == set(FORMATS)
    assert {name.partition(" ")[0] for name in PROFILED} == {"mps", "lp"}
    assert "fixed" in inspect.signature(Compiled.write).parameters
    live = {name for name in dir(Compiled) if name.startswith("to_")}
    assert live == TOOLS.keys() | ELSEWHERE.keys()
    assert set(TARGETS) == FILES.keys() | PROFILED.keys() | {SOLVE} | TOOLS.keys()
    assert OWN.keys() <= TOOLS.keys()


def test_every_solver_of_treemip_is_in_the_table() -> None:
    known = {*names(), *profiles()} - {"auto", "mip", "portable"}
    assert set(SOLVERS) == (known - LEFT_OUT.keys()) | {"ortools"}
    assert LEFT_OUT.keys() <= known


def test_every_rule_holds_somewhere() -> None:
    used = {rule_of(cell.formulation, cell.target, cell.solver) for cell in cells()}
    assert [rule for rule in UNSUPPORTED if rule not in used] == []


def test_most_cells_are_solved() -> None:
    """Each formulation by SCIP in memory and by one of its files; each solver with one of them."""
    solved = [c for c in cells() if rule_of(c.formulation, c.target, c.solver) is None]
    assert {c.formulation for c in solved if (c.target, c.solver) == (SOLVE, "scip")} == set(CASES)
    assert {c.formulation for c in solved if c.target in {**FILES, **PROFILED}} == set(CASES)
    assert {c.solver for c in solved} == set(SOLVERS)
    assert {c.target for c in solved} == set(TARGETS)


def test_the_suite_has_each_rule_formulation_solver_and_target() -> None:
    rules = {c: rule_of(c.formulation, c.target, c.solver) for c in SUITE}
    solved = [c for c, rule in rules.items() if rule is None]
    assert set(rules.values()) == {None, *UNSUPPORTED}
    assert {c.formulation for c in solved} == set(CASES)
    assert {c.solver for c in solved} == set(SOLVERS)
    assert {c.target for c in solved} == set(TARGETS)


@pytest.mark.parametrize("formulation", CASES)
def test_the_kind_of_a_case_is_its_model_s(formulation: str) -> None:
    model = compiled(formulation).model
    curved = any(rows.quadratic.count for rows in model.rows)
    kind = ROWS if curved else OBJECTIVE if model.objective.quadratic.count else LINEAR
    kind = NONLINEAR if model.tape.steps else kind
    assert CASES[formulation].kind == kind
    assert bool(np.any(model.integer)) == (kind != NONLINEAR)
