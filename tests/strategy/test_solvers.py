"""What a solver refuses is said before time goes into a start."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import treemip
from treemip.api.solving import Run
from treemip.core.registry import solvers
from treemip.core.source.diagnostic import TreemipError

HEAD = 'data "t" { label c positive "y"; scale minmax; } topology complete(depth = 2);'
TABLE = {"a": [0, 1, 2, 3], "c": ["n", "n", "y", "y"]}
MARGINS = "split margin by margot;"
STEEP = "split randomized by mrct(gamma = 1e9);"
WRITER = f"command:{sys.executable} {{model}} {{solution}}"


@pytest.fixture
def no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*_: object) -> None:
        raise AssertionError("a start was looked for")

    monkeypatch.setattr(Run, "begin", begin)


@pytest.mark.parametrize(
    ("split", "solver", "message"),
    [
        (MARGINS, "highs", "a quadratic objective beside integer variables; HiGHS cannot take it"),
        (MARGINS, "ipopt", "Ipopt has no integers: 'assign' is binary"),
        (STEEP, "highs", "HiGHS has no nonlinear functions: "),
        (STEEP, "scip", "SCIP cannot compute 'logistic' of "),
        (STEEP, WRITER, "has no nonlinear functions: "),
    ],
)
@pytest.mark.usefixtures("no_start")
def test_a_model_that_a_named_solver_does_not_take(split: str, solver: str, message: str) -> None:
    compiled = treemip.loads(f"{HEAD} {split}", data=TABLE).compile()
    with pytest.raises(TreemipError) as raised:
        compiled.solve(solver)
    first = raised.value.diagnostics[0]
    assert first.code == "E601"
    assert message in first.message


@pytest.mark.usefixtures("no_start")
def test_a_folder_with_files(tmp_path: Path) -> None:
    (tmp_path / "work.txt").write_text("mine")
    compiled = treemip.loads(f"{HEAD} split univariate by oct;", data=TABLE).compile()
    with pytest.raises(TreemipError, match="it is not empty") as raised:
        compiled.solve(WRITER, keep=tmp_path)
    assert raised.value.diagnostics[0].code == "E603"


@pytest.mark.parametrize(
    ("version", "fault"),
    [("2.7", "loses"), ("2.7.1", "loses"), ("2.70", ""), ("2", ""), ("3.0.1", "errs"), ("", "")],
)
def test_a_fault_is_that_of_a_version_by_the_beginning_of_its_number(
    version: str, fault: str
) -> None:
    made = replace(solvers()["highs"], faulty={"2.7": "loses", "3.0.1": "errs"})
    assert made.fault_of(version) == fault


def test_an_answer_of_a_version_that_is_known_to_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("highspy")
    compiled = treemip.loads(f"{HEAD} split univariate by oct;", data=TABLE).compile()
    plain = compiled.solve("highs", start="none")
    assert [w.code for w in plain.warnings] == []
    version = plain.answer.solver_version
    one = replace(solvers()["highs"], faulty={version: "loses trees"})
    monkeypatch.setitem(solvers(), "highs", one)
    warnings = compiled.solve("highs", start="none").warnings
    assert [(w.code, w.message, w.remedy) for w in warnings] == [
        (
            "W611",
            f"HiGHS {version} loses trees: another version may say otherwise",
            "pip install --upgrade highspy",
        )
    ]
    engine = compiled.solve("highs")  # which HiGHS has no part in
    assert [w.code for w in engine.warnings] == []


def test_the_versions_that_install_are_not_known_to_be_wrong() -> None:
    text = (Path(treemip.__file__).parents[1] / "pyproject.toml").read_text()
    (admitted,) = (line for line in text.splitlines() if '"highspy>=' in line)
    for version in solvers()["highs"].faulty:
        assert f"!={version}.*" in admitted
