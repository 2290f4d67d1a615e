"""Functions and products: which need binaries, which are refused, what inverts them."""

from __future__ import annotations

import numpy as np
import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError


@pytest.mark.parametrize(
    ("use", "binaries"),
    [
        ("minimize abs(v); subject to r: abs(v) <= 1;", 0),
        ("maximize -abs(v);", 0),
        ("minimize v; subject to r: 2 >= abs(v) + v;", 0),
        ("minimize v; subject to r: abs(v) + v >= 0;", 1),
        ("minimize v; subject to r: abs(v) = 1;", 1),
        ("minimize abs(v) ^ 1 - 2 * abs(v - 1);", 1),
        ("minimize v; subject to r: b = 1 ==> abs(v) <= 1;", 0),
        ("minimize v; subject to r: b = 1 ==> abs(v) >= 1;", 1),
    ],
)
def test_a_binary_only_where_the_result_may_not_fall(use: str, binaries: int) -> None:
    text = reformed_text("var b binary; var v >= -1, <= 1; " + use)
    assert text.count("binary abs") == binaries


@pytest.mark.parametrize(
    ("text", "code", "message", "place"),
    [
        ("var v >= -1; maximize abs(v);", "E501", "'v' has no finite bounds", "abs(v)"),
        (
            "var v >= 0, <= 1; var w >= -1; maximize max(v, w);",
            "E501",
            "'w' has no finite bounds",
            "max(v, w)",
        ),
        ("var b binary; var v >= 0; maximize b * v;", "E501", "'v' has no finite bounds", "b * v"),
        (
            "var v >= 0, <= 1; minimize max {k in 1..2} max {h in 1..k - 1} (v + h);",
            "E404",
            "'max' over an empty set",
            "max {h in 1..k - 1} (v + h)",
        ),
    ],
)
def test_refused_at_their_places(text: str, code: str, message: str, place: str) -> None:
    with pytest.raises(TreemipError, match=message) as caught:
        reformed_text(text)
    (found,) = caught.value.diagnostics
    assert found.code == code and found.span is not None and place in found.span.text


def test_invert_gives_the_value_itself_where_the_solver_s_is_beyond_it() -> None:
    """A row may leave the result above |v| when nothing presses it down."""
    reformed = (
        loads("var v >= -2, <= 2; minimize v; subject to r: abs(v + 1) <= 9;").compile().reformed
    )
    assert reformed.invert(np.array([-2.0, 7.5])).tolist() == [-2.0, 1.0]


def test_norminf_of_nothing_is_zero() -> None:
    text = (
        "set none = 1..0; var w {k in none}; var v; minimize v; subject to r: norminf(w[*]) >= v;"
    )
    reformed = loads(text).compile().reformed
    assert reformed.invert(np.full(reformed.model.column_count, -0.5)).tolist() == [-0.5, 0.0]


def test_invert_takes_extremes_group_by_group() -> None:
    text = "var u {k in 1..3} >= -9, <= 9; minimize sum {k in 1..3} %s {h in 1..k} u[h];"
    for word, found in (("max", [4.0, 4.0, 5.0]), ("min", [4.0, -6.0, -6.0])):
        reformed = loads(text % word).compile().reformed
        values = np.zeros(reformed.model.column_count)
        values[:3] = 4.0, -6.0, 5.0
        assert reformed.invert(values)[3:].tolist() == found
