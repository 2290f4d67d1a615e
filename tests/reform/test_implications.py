"""Implications: guards that are refused or proven, indicators, and the optimum of big-M."""

from __future__ import annotations

from pathlib import Path

import pytest

from treemip.api.program import loads
from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import profiles
from treemip.core.model.text import to_text
from treemip.core.solving.solve import choose, solve
from treemip.core.source.diagnostic import TreemipError

DECLARED = """
var g {k in 1..3} binary;
var f >= 0, <= 1;
var v >= -1, <= 1;
minimize v;
"""


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(
    ("way", "solver"), [("big_m", "highs"), ("indicator", "scip"), ("sos1", "scip")]
)
def test_several_guards(a: int, b: int, way: str, solver: str) -> None:
    """The row holds where all guards do, and nowhere else: v is 1 there and 3 elsewhere."""
    text = f"""
var a binary; var b {{k in 1..2}} binary; var v >= 0, <= 3;
maximize v;
subject to
  a_is: a = {a};
  b_is: b[1] = {b};
  one: b[1] + b[2] = 1;
  r: a = 1 and 1 - b[1] = 0 and b[1] + b[2] = 1 ==> v <= 1;
"""
    compiled = loads(text).compile(target=solver, implications=way)
    assert compiled.solve(solver).objective == pytest.approx(1 if a and b else 3)


def kept(text: str) -> str:
    return to_text(loads(text).compile(target="scip").model)


def test_without_by_only_what_no_bound_proves_is_an_indicator() -> None:
    text = """
var b binary; var u >= 0, <= 3; var v >= 0;
minimize -u - v;
subject to
  proven: b = 1 ==> u <= 2;
  open: b = 1 ==> v <= 2;
  cap: v <= 5 + b;
"""
    said = kept(text)
    assert "  proven: b + u <= 3\n" in said
    assert "  open: b = 1 ==> v <= 2 [indicator]\n" in said
    compiled = loads(text).compile(target="scip")
    assert choose(compiled.model) == "scip"
    assert solve(compiled.model).objective == pytest.approx(-8)
    with pytest.raises(TreemipError, match="E501"):
        loads(text.replace("cap: v <= 5 + b;", "cap: v + u <= 9;")).compile(target="portable")


SPECS = [
    """
var b binary; var c binary; var u >= -2, <= 3; var v >= -4, <= 4;
{sense} u + 2 * v - 3 * b + c;
subject to
  p: b = 1 ==> u + v <= -1 {by};
  q: b = 0 ==> u - v = 1 {by};
  r: 1 - c = 1 ==> -1 <= v <= 2 {by};
  s: c = 1 ==> 2 * u >= 1.5 {by};
""",
    """
var b {{k in 1..3}} binary; var u >= -2, <= 3; var v integer >= -4, <= 4;
{sense} 3 * u - v + b[1] - b[2];
subject to
  one: sum {{k in 1..3}} b[k] <= 1;
  p: b[1] + b[2] = 1 ==> u = v {by};
  q: 1 - b[1] - b[3] = 0 ==> u + v >= 2 {by};
  r: b[3] = 0 ==> v <= 1 {by};
""",
]


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_optimum_is_that_of_big_m(spec: str, sense: str, tmp_path: Path) -> None:
    pytest.importorskip("pyscipopt")
    expected = solve(loads(spec.format(sense=sense, by="")).compile().model, "highs").objective
    program = loads(spec.format(sense=sense, by="by indicator"))
    compiled = program.compile(target="scip")
    assert len(compiled.model.implications) > 0
    assert solve(compiled.model, "scip").objective == pytest.approx(expected)
    for form in ("lp", "mps"):
        path = tmp_path / f"m.{form}"
        told = write_model(compiled.model, path, profile=profiles()["scip"])
        assert told.indicators == sum(block.length for block in compiled.model.implications)
        assert _by_scip(path) * (-1 if told.negated else 1) == pytest.approx(expected)
    portable = program.compile()
    assert not portable.model.implications
    assert {note.instead for note in portable.reformed.notes} == {"indicators"}
    assert solve(portable.model, "highs").objective == pytest.approx(expected)


def _by_scip(path: Path) -> float:
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.optimize()
    assert model.getStatus() == "optimal"
    return float(model.getObjVal())


@pytest.mark.parametrize("solver", ["highs"])
def test_solvers_without_indicators_refuse_them(solver: str) -> None:
    text = SPECS[0].format(sense="minimize", by="by indicator")
    with pytest.raises(TreemipError, match="has no implications") as caught:
        solve(loads(text).compile(target="scip").model, solver)
    assert {d.code for d in caught.value.diagnostics} == {"E601"}


def test_implications_that_no_pass_has_seen_are_refused() -> None:
    text = SPECS[1].format(sense="minimize", by="by indicator")
    raw = loads(text).compile(target="scip").reformed.original
    with pytest.raises(TreemipError, match="SCIP takes indicators of one binary: 'p'") as caught:
        solve(raw, "scip")
    assert {d.code for d in caught.value.diagnostics} == {"E601"}
