"""The solver is chosen before the model is reformulated: the same words, the same model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treemip
from treemip.api import solving
from treemip.api.compiled import Compiled
from treemip.cli.main import main
from treemip.model.text import to_text
from treemip.source.diagnostic import TreemipError

pytest.importorskip("pyscipopt", reason="SCIP takes indicators")
pytest.importorskip("highspy", reason="HiGHS takes none")

DATA = "a,c\n" + "\n".join(f"{k},{'y' if k in (2, 3) else 'n'}" for k in range(6)) + "\n"
HEAD = 'data "t.csv" { label c; scale minmax; }\ntopology complete(depth = 2);\n'
OWN = """split oblique;
var coef {t in branches, j in features} >= -1, <= 1;
var bias {t in branches} {bounds};
var reach {i in points, l in leaves} binary;
var label {l in leaves, k in classes} binary;
let hit {i in points, l in leaves} = reach[i,l] * label[l,y[i]];
maximize correctly: sum {i in points, l in leaves} hit[i,l];
subject to
  one_leaf {i in points}: sum {l in leaves} reach[i,l] = 1;
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  go_left {i in points, t in branches}:
    sum {l in leaves_under(left(t))} reach[i,l] = 1
      ==> dot(coef[t,*], x[i,*]) <= bias[t] {by};
  go_right {i in points, t in branches}:
    sum {l in leaves_under(right(t))} reach[i,l] = 1
      ==> dot(coef[t,*], x[i,*]) >= bias[t] + 0.05 {by};
route left when dot(coef[t,*], x[i,*]) <= bias[t];
predict class argmax {k in classes} label[l,k];
"""
SPECS = {
    "by indicator": HEAD + OWN.replace("{bounds}", ">= -2, <= 2").replace("{by}", "by indicator"),
    "unbounded": HEAD + OWN.replace("{bounds}", "free").replace("{by}", ""),
    "by sos1": HEAD + OWN.replace("{bounds}", "free").replace("{by}", "by sos1"),
}


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(DATA)
    path = tmp_path / "t.tree"
    path.write_text(SPECS[request.param])
    return path


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts of the models that are handed to a solver."""
    models: list[str] = []
    real = solving.solve_with

    def watched(model, *rest, **options):  # type: ignore[no-untyped-def]
        models.append(f"{rest[0]} {to_text(model)}")
        return real(model, *rest, **options)

    monkeypatch.setattr(solving, "solve_with", watched)
    return models


def test_every_way_of_saying_it_solves_the_same_model(
    spec: Path, solved: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> dict[str, Any]:
        assert main(["solve", "--json", "--start", "none", *words]) == 0
        return json.loads(capsys.readouterr().out)

    results = [
        treemip.load(spec).compile().solve(start="none"),
        treemip.load(spec).compile().solve("scip", start="none"),
        treemip.load(spec).compile(target="scip").solve("scip", start="none"),
    ]
    results += [told(str(spec)), told(str(spec), "--solver", "scip")]
    named = spec.with_name("named.tree")
    named.write_text(spec.read_text() + "strategy { solver scip; }\n")
    results.append(treemip.load(named).compile().solve(start="none"))
    results.append(told(str(named)))
    assert len(solved) == len(results) == 7
    assert len(set(solved)) == 1
    objectives = [
        r["objective"] if isinstance(r, dict) else (r.verified and r.objective) for r in results
    ]
    assert objectives == pytest.approx([6.0] * 7)


def test_the_result_has_the_model_that_was_solved(spec: Path) -> None:
    made = treemip.load(spec).compile()
    result = made.solve("scip", start="none")
    assert result.answer.values is not None
    assert len(result.answer.values) == result.compiled.model.column_count
    again = result.compiled.tree_of(result.answer.values)
    assert again.verified
    assert again.objective == result.objective


def test_files_are_portable_as_ever(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(DATA)
    (tmp_path / "t.tree").write_text(SPECS["by indicator"])
    made = treemip.load(tmp_path / "t.tree").compile()
    made.solve("scip", start="none")
    made.write(tmp_path / "lazy.mps")
    treemip.load(tmp_path / "t.tree").compile(target="portable").write(tmp_path / "eager.mps")
    assert (tmp_path / "lazy.mps").read_bytes() == (tmp_path / "eager.mps").read_bytes()
    assert not made.model.implications


def test_a_target_is_kept_whatever_solves_it(tmp_path: Path, solved: list[str]) -> None:
    (tmp_path / "t.csv").write_text(DATA)
    (tmp_path / "t.tree").write_text(SPECS["by indicator"])
    program = treemip.load(tmp_path / "t.tree")
    portable = program.compile(target="portable")
    assert portable.solve("scip", start="none").verified
    assert solved == [f"scip {to_text(portable.model)}"]
    with pytest.raises(TreemipError, match="HiGHS has no implications") as raised:
        program.compile(target="scip").solve("highs", start="none")
    assert raised.value.diagnostics[0].code == "E601"
    with pytest.raises(TreemipError, match="E601"):
        program.compile(implications="indicator").solve("highs", start="none")
    assert program.compile(implications="indicator").solve(start="none").answer.solver == "scip"


def test_without_bounds_only_a_solver_with_indicators_will_do(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(DATA)
    (tmp_path / "t.tree").write_text(SPECS["unbounded"])
    made = treemip.load(tmp_path / "t.tree").compile()
    for failing in (
        lambda: made.solve("highs", start="none"),
        lambda: made.write(tmp_path / "t.mps"),
        lambda: made.program.compile(target="portable"),
    ):
        with pytest.raises(TreemipError, match="E501"):
            failing()
    assert made.solve().verified


def test_a_model_is_reformulated_once_for_each_form(monkeypatch: pytest.MonkeyPatch) -> None:
    from treemip.api import compiled as module

    calls = []
    real = module.reform
    monkeypatch.setattr(module, "reform", lambda *a, **k: (calls.append(a), real(*a, **k))[1])
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by oct;'
    made = treemip.loads(text, data={"a": [0.0, 1.0], "c": ["n", "y"]}).compile()
    before = len(calls)
    for solver in ("highs", "scip"):
        assert made.solve(solver).verified
    assert isinstance(made.for_solver("gurobi"), Compiled)
    assert made.for_solver("gurobi") is made
    assert len(calls) == before
