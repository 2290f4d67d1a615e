"""Implications as big-M rows, model text in and model text out."""

from __future__ import annotations

from pathlib import Path

import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import profiles
from treemip.core.model.text import to_text
from treemip.core.solving.solve import choose, solve
from treemip.core.source.diagnostic import TreemipError


def test_each_row_has_the_tightest_big_m() -> None:
    text = """
var b binary;
var u {k in 1..2} >= -2, <= 3;
minimize u[1];
subject to r {k in 1..2}: b = 1 ==> u[k] <= k - 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: u(1)
subject to
  r(1): 3 b + u(1) <= 3
  r(2): 2 b + u(2) <= 3
variables
  binary b
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
"""
    )


def test_a_guard_of_zero() -> None:
    text = """
var b binary;
var u {k in 1..2} >= -2, <= 3;
minimize u[1];
subject to r {k in 1..2}: b = 0 ==> u[k] >= k;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: u(1)
subject to
  r(1): 3 b + u(1) >= 1
  r(2): 4 b + u(2) >= 2
variables
  binary b
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
"""
    )


def test_an_equation_is_two_rows() -> None:
    text = """
var b binary;
var v >= -2, <= 3;
minimize v;
subject to r: 1 - b = 1 ==> v = 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: v
subject to
  r_upper: -2 b + v <= 1
  r_lower: 3 b + v >= 1
variables
  binary b
  -2 <= v <= 3
"""
    )


def test_a_given_big_m_needs_no_bounds() -> None:
    text = """
var b binary;
var v;
minimize v;
subject to r: b = 1 ==> v >= 1 by big_m(7);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: v
subject to
  r: -7 b + v >= -6
variables
  binary b
  v free
"""
    )


def test_without_bounds_the_variable_is_named() -> None:
    with pytest.raises(TreemipError, match="'v' has no finite bounds") as caught:
        reformed_text("var b binary; var v >= 0; minimize v; subject to r: b = 1 ==> v <= 2;")
    assert caught.value.diagnostics[0].code == "E501"


def test_a_side_that_the_bounds_always_keep_has_big_m_zero() -> None:
    text = "var b binary; var v >= 0, <= 2; minimize v; subject to r: b = 1 ==> v <= 5;"
    assert "  r: v <= 5\n" in reformed_text(text)


def test_a_quadratic_body_has_no_exact_big_m() -> None:
    text = "var b binary; var v >= 0, <= 2; minimize v; subject to r: b = 1 ==> v * v <= 2;"
    with pytest.raises(TreemipError, match="must be linear") as caught:
        reformed_text(text)
    assert caught.value.diagnostics[0].code == "E502"


def test_an_indicator_without_bounds_needs_a_target_that_has_them() -> None:
    text = "var b binary; var v; minimize v; subject to r: b = 1 ==> v <= 2 by indicator;"
    with pytest.raises(TreemipError) as caught:
        reformed_text(text)
    assert caught.value.diagnostics[0].code == "E501"
    assert "compile --for scip" in caught.value.diagnostics[0].remedy


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


def test_several_guards_as_rows() -> None:
    text = """
var a binary; var b binary; var v >= 0, <= 3;
maximize v;
subject to r: a = 1 and b = 0 ==> v <= 1;
"""
    compiled = loads(text).compile(target="scip", implications="indicator")
    assert (
        reformed_text(text)
        == """\
maximize objective: v
subject to
  r: 2 a - 2 b + v <= 3
variables
  binary a
  binary b
  0 <= v <= 3
"""
    )
    assert (
        to_text(compiled.model)
        == """\
maximize objective: v
subject to
  r_guard: a - b - r_guard <= 0
  r: r_guard = 1 ==> v <= 1 [indicator]
variables
  binary a
  binary b
  0 <= v <= 3
  binary r_guard
"""
    )


@pytest.mark.parametrize("guard", ["g[1] = 1 and f = 1", "g[1] + g[2] = 1 and g[3] = 1"])
def test_each_guard_must_be_0_or_1(guard: str) -> None:
    with pytest.raises(TreemipError, match="must be 0 or 1 always"):
        reformed_text(DECLARED + f"subject to r: {guard} ==> v >= 0;")


DECLARED = """
var g {k in 1..3} binary;
var f >= 0, <= 1;
var v >= -1, <= 1;
minimize v;
"""


@pytest.mark.parametrize(
    ("guard", "why"),
    [
        ("f = 1", "'f' is continuous"),
        ("g[1] + g[2] = 1", "another value"),
        ("2 * g[1] = 0", "another value"),
        ("g[1] - g[2] = 1", "another value"),
        ("0.5 * g[1] + 0.5 * g[2] = 1", "not whole"),
    ],
)
def test_refused(guard: str, why: str) -> None:
    with pytest.raises(TreemipError, match=why) as caught:
        reformed_text(DECLARED + f"subject to r: {guard} ==> v >= 0;")
    assert caught.value.diagnostics[0].code == "E502"


@pytest.mark.parametrize(
    ("row", "allowed"),
    [
        ("sum {k in 1..3} g[k] = 1", True),
        ("g[1] + 2 * g[2] <= 1", True),
        ("g[1] + g[2] + f <= 1", True),
        ("g[1] + g[2] + v <= 1", False),  # v may be -1
        ("g[1] + g[2] <= 2", False),
        ("g[1] + g[3] <= 1", False),
        ("g[1] + g[2] >= 1", False),
    ],
)
def test_a_row_may_prove_a_sum(row: str, allowed: bool) -> None:
    text = DECLARED + f"subject to some: {row}; r: g[1] + g[2] = 1 ==> v >= 0;"
    if allowed:
        assert "  r: -g(1) - g(2) + v >= -1\n" in reformed_text(text)
        return
    with pytest.raises(TreemipError, match="another value"):
        reformed_text(text)


def test_each_guard_of_a_family_needs_its_proof() -> None:
    rows = "subject to some: g[1] + g[2] <= 1; r {k in 1..2}: g[k] + g[k + 1] = 1 ==> v >= 0;"
    with pytest.raises(TreemipError, match="another value"):
        reformed_text(DECLARED + rows)


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
