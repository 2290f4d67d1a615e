"""Commands as they are run: limits, starts and files filled in, each a word of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from driven_models import maximum

from treemip.core.model.answer import Limits
from treemip.core.registry import installed
from treemip.core.solvers.cbc import SOLVER as CBC
from treemip.core.solvers.glpk import SOLVER as GLPK
from treemip.core.solvers.gurobi import SOLVER as GUROBI
from treemip.core.solvers.lp_solve import SOLVER as LP_SOLVE
from treemip.core.solving.command import LIMITS, Files, arguments, called
from treemip.core.solving.process import run_installed
from treemip.core.solving.solver import Call, Solver
from treemip.core.source.diagnostic import TreemipError

ALL = Limits(2.5, 0.01, 0.5, 4, 1e-7, 3, log=True)


def command(entry: Solver, call: Call | None, limits: Limits, given: bool = False) -> str:
    assert call is not None
    return " ".join(arguments(entry, call, limits, Files(Path("f"), call.suffix), given))


def test_every_option_of_cbc() -> None:
    assert command(CBC, CBC.program, ALL, given=True) == (
        "f/model.mps timeMode elapsed sec 2.5 ratio 0.01 allow 0.5 threads 4 primalT 1e-07 "
        "integerT 1e-07 randomCbcSeed 3 randomSeed 3 mips f/start.mst solve "
        "solution f/solution.sol saveSolution f/solution.sol.saved"
    )
    solution = "solution f/solution.sol saveSolution f/solution.sol.saved"
    plain = f"f/model.mps timeMode elapsed solve {solution}"
    assert command(CBC, CBC.program, Limits()) == plain


def test_whole_seconds_and_threads_of_serial_solvers() -> None:
    limits = Limits(time=2.2, threads=8)
    assert command(GLPK, GLPK.program, limits) == (
        "--freemps f/model.mps --tmlim 3 -w f/solution.sol"
    )
    assert command(LP_SOLVE, LP_SOLVE.program, limits) == "-fmps f/model.mps -S3 -timeout 3"


def test_a_proof_is_asked_for_unless_a_gap_is() -> None:
    assert command(GUROBI, GUROBI.program, Limits()) == (
        "LogFile= MIPGap=0 ResultFile=f/solution.json f/model.mps"
    )
    assert command(GUROBI, GUROBI.package_call, Limits(gap=0.1), given=True) == (
        "gurobi f/model.mps f/solution.json start=f/start.mst MIPGap=0.1"
    )


@pytest.mark.parametrize("entry", installed().values(), ids=list(installed()))
def test_the_table_is_sound(entry: Solver) -> None:
    calls = [call for call in (entry.program, entry.package_call) if call is not None]
    assert calls
    assert bool(entry.package) == (entry.package_call is not None)
    for call in calls:
        assert {*call.options, *call.always} <= set(LIMITS)
        assert "time" in call.options
        words = " ".join(call.arguments)
        assert "{model}" in words
        assert ("{solution}" in words) != call.prints
        assert ("{start}" in words) == (call.start is not None)
        for line in (call.log.bound, call.log.nodes, call.log.version):
            assert line == "" or line.count("(") == 1


def test_every_solver_of_the_table_has_a_format() -> None:
    for entry in installed().values():
        assert {form.name.split()[0] for form in entry.formats} == {entry.title}


def test_a_program_on_the_path_goes_before_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for gurobi_cl, as its manual has it: options, ResultFile, the model last."""
    program = tmp_path / "gurobi_cl"
    program.write_text(f"""#!{sys.executable}
import sys
options = dict(word.split("=", 1) for word in sys.argv[1:-1])
assert 8 < float(options["TimeLimit"]) <= 9 and sys.argv[-1].endswith("model.mps"), sys.argv
print("Gurobi Optimizer version 12.0.1 build v12.0.1rc0 (linux64)")
print("Explored 17 nodes (5 simplex iterations) in 0.01 seconds (0.00 work units)")
text = '{{"SolutionInfo": {{"Status": 2, "ObjVal": -15.5, "ObjBound": -15.5}}, "Vars": ['
text += '{{"VarName": "x_1(7)", "X": 2}}, {{"VarName": "x_2(7)", "X": 0.5}}, '
open(options["ResultFile"], "w").write(text + '{{"VarName": "objective_constant", "X": 1}}]}}')
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called("gurobi")[2] == [str(program)]
    answer = run_installed(maximum(), "gurobi", Limits(time=9))
    assert (answer.status, answer.objective, answer.bound) == ("optimal", 15.5, 15.5)
    assert (answer.nodes, answer.solver_version) == (17, "12.0.1")


def test_words_of_a_command_stay_whole(tmp_path: Path) -> None:
    entry, call, head = called(f"command:{sys.executable} -c 'a b' {{model}} x{{threads}}y")
    assert head == [sys.executable]
    found = list(arguments(entry, call, Limits(threads=2), Files(tmp_path, ".sol"), False))
    assert found == ["-c", "a b", str(tmp_path / "model.mps"), "x2y"]


def test_a_program_in_the_folder_where_treemip_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child runs in a folder of its own, where `bin/own` would be something else."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "own"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert called("command:bin/own {model}")[2] == [str(program)]


def test_a_limit_without_its_place() -> None:
    entry, call, _ = called(f"command:{sys.executable} {{model}}")
    with pytest.raises(TreemipError, match="takes no seed from treemip"):
        list(arguments(entry, call, Limits(time=1, seed=1), Files(Path(), ".sol"), False))


def test_a_place_without_its_limit() -> None:
    """An empty word in its stead would be another command."""
    entry, call, _ = called(f"command:{sys.executable} {{model}} sec {{time}}")
    with pytest.raises(TreemipError, match=r"has {time}, and no time limit is given") as caught:
        list(arguments(entry, call, Limits(), Files(Path(), ".sol"), False))
    assert caught.value.diagnostics[0].remedy == (
        "give the limit, or leave {time} out of the command"
    )


@pytest.mark.parametrize(
    ("mark", "remedy"),
    [
        ("tme", "did you mean 'time'?"),
        (
            "q",
            "the placeholders are 'model', 'solution', 'time', 'gap', 'absolute_gap', 'threads', "
            "'feasibility', 'seed'",
        ),
        (
            "start",
            "the placeholders are 'model', 'solution', 'time', 'gap', 'absolute_gap', 'threads', "
            "'feasibility', 'seed'",
        ),
    ],
)
def test_a_mark_that_stands_for_nothing(mark: str, remedy: str) -> None:
    with pytest.raises(TreemipError, match="unknown placeholder") as caught:
        called(f"command:{sys.executable} {{model}} {{{mark}}}")
    assert caught.value.diagnostics[0].remedy == remedy
