"""A licence that is missing, or too small for the model: what is said, and where to get one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from driven_models import maximum, model

from treemip.core.model.blocks import Index, Kind, SparseRows, Variables
from treemip.core.model.model import Model
from treemip.core.registry import installed
from treemip.core.solving.command import Log
from treemip.core.solving.optional import is_installed
from treemip.core.solving.process import run_installed
from treemip.core.solving.solver import Call
from treemip.core.source.diagnostic import Diagnostic, TreemipError

TOO_MANY = 5200
"""Columns that no licence of a package from the registry takes."""

NONE_NEEDED = "; or choose scip or highs, which need none"


def large() -> Model:
    """`model("b", [1], [[1]], 9)` with its column as many times."""
    one, many = model("b", [1], [[1]], 9.0), np.ones(TOO_MANY)
    columns = Variables("x", Index(length=TOO_MANY), 0, 0 * many, many, Kind.BINARY)
    pointers, numbers = np.array([0, TOO_MANY]), np.arange(TOO_MANY, dtype=np.int32)
    rows = replace(one.rows[0], matrix=SparseRows(pointers, numbers, many))
    objective = replace(one.objective, linear=many)
    return replace(one, variables=(columns,), rows=(rows,), objective=objective)


def refusal(
    solver: str, stated: Model, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Diagnostic:
    """Without the licences that may be on this machine."""
    for name in ("GRB_LICENSE_FILE", "MOSEKLM_LICENSE_FILE", "XPAUTH_PATH", "COPT_LICENSE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    with pytest.raises(TreemipError) as raised:
        run_installed(stated, solver)
    (found,) = raised.value.diagnostics
    return found


@pytest.mark.parametrize(
    ("solver", "package", "message"),
    [
        ("gurobi", "gurobipy", "Model too large for size-limited license"),
        ("cplex", "cplex", "Community Edition. Problem size limits exceeded"),
        ("xpress", "xpress", "Problem has too many rows and columns. The maximum is"),
        ("copt", "coptpy", f"The problem has {TOO_MANY} variables, exceeding the size limit of"),
        ("mosek", "mosek", "License cannot be located. The default search path is"),
    ],
)
def test_what_is_missing_and_how_to_get_it(
    solver: str, package: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_installed(package):
        pytest.skip(f"no package {package}")
    stated = maximum() if solver == "mosek" else large()
    found = refusal(solver, stated, tmp_path, monkeypatch)
    title = installed()[solver].title
    assert found.code == "E604"
    assert found.message.startswith(f"{title} has no licence for this model: {message}")
    assert "treemip" not in found.message and "\n" not in found.message
    assert found.remedy == installed()[solver].licence + NONE_NEEDED


# The last lines of logs, as the packages wrote them where their licences did not do.
LOGS = {
    "mosek": "treemip version 11.2.7\n*** A FLEXlm error occurred. FLEXlm reported:\n"
    "treemip failed Error: rescode.err_missing_license_file(1008): License cannot be located.\n",
    "gurobi": "MIPGap  0\n\ntreemip failed GurobiError: Model too large for size-limited license; "
    "visit https://gurobi.com/unrestricted for more information\n",
    "cplex": "treemip failed CplexSolverError: CPLEX Error  1016: Community Edition. Problem size "
    "limits exceeded. Purchase at http://ibm.biz/error1016.\n",
    "xpress": "treemip failed SolverError: ?120 Error: Problem has too many rows and columns. The "
    "maximum is 5000\n",
    "copt": "No license found. The size is limited to 2000 variables and 2000 constraints\n"
    "The problem has 3467 variables, exceeding the size limit of 2000\n"
    "treemip failed CoptError: 4, (LICENSE) Fail to solve problem\n",
}


def call_of(solver: str) -> Call:
    call = installed()[solver].package_call
    assert call is not None
    return call


@pytest.mark.parametrize("solver", LOGS)
def test_the_words_are_found_in_the_log_and_nothing_else_is(solver: str) -> None:
    found = Log("command\n" + LOGS[solver], call_of(solver)).unlicensed
    assert found and found in LOGS[solver] and not found.endswith(".")
    for line in (
        "Set parameter LicenseID to value 2800000",
        "Academic license - for non-commercial use only - expires 2027-01-01",
        "treemip version 13.0.3",
        "treemip failed Error: the model is not there",
    ):
        assert Log(f"command\n{line}\n", call_of(solver)).unlicensed == ""


def test_every_solver_with_a_licence_says_where_to_get_one() -> None:
    for entry in installed().values():
        calls = [call for call in (entry.program, entry.package_call) if call is not None]
        assert {bool(call.log.unlicensed) for call in calls} == {bool(entry.licence)}, entry.name
