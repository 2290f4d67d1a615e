"""Functions and products: which need binaries, which are refused, what inverts them."""

from __future__ import annotations

import numpy as np

from treemip.api.program import loads


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
