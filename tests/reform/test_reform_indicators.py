"""Implications kept as indicators: their form, and the same optimum as with big-M, everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from treemip.api.program import loads
from treemip.files.model_files import write_model
from treemip.files.profiles import profiles
from treemip.model.text import to_text
from treemip.solving.solve import choose, solve
from treemip.source.diagnostic import TreemipError


def kept(text: str) -> str:
    return to_text(loads(text).compile(target="scip").model)


def test_one_binary_and_one_relation_stay() -> None:
    text = """
var b binary; var u {k in 1..2} >= -2, <= 3;
minimize u[1];
subject to
  r {k in 1..2}: b = 0 ==> u[k] >= k by indicator;
  turned: 1 - b = 1 ==> u[1] <= 2 by indicator;
"""
    assert (
        kept(text)
        == """\
minimize objective: u(1)
subject to
  r(1): b = 0 ==> u(1) >= 1 [indicator]
  r(2): b = 0 ==> u(2) >= 2 [indicator]
  turned: b = 0 ==> u(1) <= 2 [indicator]
variables
  binary b
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
"""
    )


def test_sums_become_binaries_and_ranges_two_rows() -> None:
    text = """
var b {k in 1..2} binary; var u >= -2, <= 3;
minimize u;
subject to
  one: b[1] + b[2] <= 1;
  r: b[1] + b[2] = 1 ==> 1 <= u <= 2 by indicator;
"""
    assert (
        kept(text)
        == """\
minimize objective: u
subject to
  one: b(1) + b(2) <= 1
  r_guard: b(1) + b(2) - r_guard = 0
  r_upper: r_guard = 1 ==> u <= 2 [indicator]
  r_lower: r_guard = 1 ==> u >= 1 [indicator]
variables
  binary b(1)
  binary b(2)
  -2 <= u <= 3
  binary r_guard
"""
    )


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
