"""Implications by special ordered sets: the model, that it is exact, the optimum of big-M."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.api.program import loads
from treemip.core.files.flat_model import special_sets
from treemip.core.model.model import Model
from treemip.core.model.text import to_text
from treemip.core.model.values import row_values, violation
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

TEXT = """
var b binary; var c binary; var u >= -2, <= 3; var v;
minimize u + v;
subject to
  one: b + c <= 1;
  p: b = 1 ==> u + v <= -1;
  q {k in 1..2}: b = 0 ==> k * u - v = 1;
  r: 1 - c = 1 ==> -1 <= v <= 2;
  s: c = 1 ==> 2 * u >= 1.5;
  t: 1 - b - c = 0 ==> v >= -7;
  w: 1 - c = 0 ==> u <= 5;
"""


def by_sos1(text: str) -> Model:
    return loads(text).compile(implications="sos1").model


def test_by_sos1_is_a_set_where_the_target_has_them() -> None:
    text = TEXT.replace("v;\nmin", "v >= -9, <= 9;\nmin").replace("-1;", "-1 by sos1;", 1)
    scip = loads(text).compile(target="scip").model
    assert [block.name for block in scip.special_sets] == ["p"]
    portable = loads(text).compile()
    assert not portable.model.special_sets
    instead = {note.source: note.instead for note in portable.reformed.notes}
    assert instead["p"] == "special ordered sets"
    assert set(instead.values()) == {"", "special ordered sets"}


WAYS: dict[str, tuple[int, int]] = {"big_m": (0, 0), "indicator": (7, 0), "sos1": (0, 6)}


@pytest.mark.parametrize("way", WAYS)
def test_the_option_is_stronger_than_the_text(way: Literal["big_m", "indicator", "sos1"]) -> None:
    text = TEXT.replace("v;\nmin", "v >= -9, <= 9;\nmin").replace("-7;", "-7 by big_m(9);")
    text = text.replace("u <= 5;", "u <= 5 by indicator;").replace("1.5;", "1.5 by sos1;")
    compiled = loads(text).compile(implications=way)
    model = compiled.model
    assert (len(model.implications), len(model.special_sets)) == WAYS[way]
    assert {note.instead for note in compiled.reformed.notes} == {""}


def test_an_unknown_way_is_refused() -> None:
    with pytest.raises(TreemipError, match="unknown way 'sos2' to state implications") as caught:
        loads(TEXT).compile(implications="sos2")  # type: ignore[arg-type]
    assert caught.value.diagnostics[0].code == "E902"


def test_no_bounds_are_needed() -> None:
    text = "var b binary; var v; minimize b + v; subject to r: b = 0 ==> v >= -3; w: v >= -8 - b;"
    with pytest.raises(TreemipError, match="E501"):
        loads(text).compile(target="portable")
    assert solve(by_sos1(text), "scip").objective == pytest.approx(-8)
    assert to_text(by_sos1(text)).count("r_under >= 0\n") == 1


def test_what_highs_cannot_take_is_refused_at_its_place() -> None:
    with pytest.raises(TreemipError) as caught:
        solve(by_sos1(TEXT), "highs")
    (first, *_) = caught.value.diagnostics
    assert first.message == "HiGHS has no special ordered sets, by which 'p' is stated"
    assert first.span is not None and first.span.text.startswith("p: b = 1 ==>")


ROWS = st.tuples(
    st.sampled_from(["b", "1 - b", "b + c", "1 - b - c"]),
    st.integers(0, 1),
    st.sampled_from(["u + v <= {0}", "2 * u - v >= {0}", "u - 3 * v = {0}", "{0} <= v <= {0} + 2"]),
    st.integers(-3, 3),
)


@given(rows=st.lists(ROWS, min_size=1, max_size=3), u=st.integers(-3, 3), v=st.integers(-3, 3))
def test_a_point_can_be_completed_just_when_the_implications_hold(
    rows: list[tuple[str, int, str, int]], u: int, v: int
) -> None:
    """No solver: literals are set by their rows, slacks as small as they can be."""
    stated = [f"r{k}: {g} = {w} ==> {body.format(n)};" for k, (g, w, body, n) in enumerate(rows)]
    text = (
        "var b binary; var c binary; var u >= -3, <= 3; var v;\nminimize u;\n"
        f"subject to one: b + c <= 1;\n{' '.join(stated)}"
    )
    model = by_sos1(text)
    for b, c in ((0, 0), (0, 1), (1, 0)):
        holds = all(
            _holds(f"{g} != {w} or {body.format(n)}", {"b": b, "c": c, "u": u, "v": v})
            for g, w, body, n in rows
        )
        x = completed(model, np.array([b, c, u, v], float))
        sets = [x[members] for members, _ in special_sets(model).each()]
        assert violation(model, x) == 0
        assert all((one != 0).sum() <= 1 for one in sets) == holds


def _holds(body: str, at: dict[str, int]) -> bool:
    return bool(eval(body.replace(" = ", " == "), {}, dict(at)))


def completed(model: Model, own: np.ndarray) -> np.ndarray:
    """All columns, from those of the spec."""
    x = np.zeros(model.column_count)
    x[: len(own)] = own
    first = 0
    values = row_values(model, x)
    starts = {block.name: block.start for block in model.variables}
    for block in model.rows:
        here = values[first : first + block.length]
        first += block.length
        if block.name.endswith("_on"):
            x[starts[block.name]] = here[0] - block.upper[0]
            continue
        for name, beyond in (("over", here - block.upper), ("under", block.lower - here)):
            if f"{block.name}_{name}" in starts:
                x[starts[f"{block.name}_{name}"]] = max(0.0, beyond[0])
    return x


SPECS = [
    """
var b binary; var c binary; var u >= -2, <= 3; var v >= -4, <= 4;
{sense} u + 2 * v - 3 * b + c;
subject to
  p: b = 1 ==> u + v <= -1;
  q: b = 0 ==> u - v = 1 {other};
  r: 1 - c = 1 ==> -1 <= v <= 2 {by};
  s: c = 1 ==> 2 * u >= 1.5 {by};
""",
    """
var b {{k in 1..3}} binary; var u >= -2, <= 3; var v integer >= -4, <= 4;
{sense} 3 * u - v + b[1] - b[2];
subject to
  one: sum {{k in 1..3}} b[k] <= 1;
  p: b[1] + b[2] = 1 ==> u = v {by};
  q: 1 - b[1] - b[3] = 0 ==> u + v >= 2;
  r: b[3] = 0 ==> v <= 1 {other};
""",
]


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_optimum_is_that_of_big_m(spec: str, sense: str) -> None:
    pytest.importorskip("pyscipopt")
    plain = loads(spec.format(sense=sense, by="", other=""))
    expected = solve(plain.compile().model, "highs").objective
    program = loads(spec.format(sense=sense, by="by indicator", other="by big_m(20)"))
    made = program.compile(implications="sos1")
    assert solve(made.model, "scip").objective == pytest.approx(expected)
    both = loads(spec.format(sense=sense, by="by sos1", other="by indicator"))
    mixed = both.compile(target="scip").model
    assert mixed.special_sets and mixed.implications
    assert solve(mixed, "scip").objective == pytest.approx(expected)
