"""Formulas: the rows that they become, and what scripts write of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.lower.linear import Linear
from treemip.core.reform import formulas
from treemip.core.reform.formulas import Inequality

ALL = {
    f"{name}[{key}]" if key else name: one
    for name, value in vars(formulas).items()
    if isinstance(value, dict | Inequality) and name.isupper()
    for key, one in (value.items() if isinstance(value, dict) else [("", value)])
}
UNKNOWN = "wbxyazg"


@pytest.mark.parametrize("name", ALL)
@given(seed=st.integers(0, 2**32 - 1))
def test_rows_hold_where_the_text_does(name: str, seed: int) -> None:
    """Python evaluates the text at a random point; `rows` gives the same difference of sides."""
    rng = np.random.default_rng(seed)
    one = ALL[name]
    values = {letter: float(rng.integers(-4, 5)) for letter in "wbxyazglusM"}
    is_big_m = name.startswith("BIG_M")
    unknown = [u for u in UNKNOWN if not (is_big_m and u == "b")]
    columns = {u: Linear.variables(np.array([k])) for k, u in enumerate(unknown)}
    known = {k: Linear.known(np.array([v])) for k, v in values.items() if k not in columns}
    x = np.array([values[u] for u in unknown])
    body, lower, upper = one.rows({**columns, **known})
    matrix = body.matrix()
    activity = float(matrix.data @ x[matrix.indices])
    text = one.written({letter: f"({value})" for letter, value in values.items()})
    assert bool(lower[0] <= activity <= upper[0]) == eval(text)
    mirrored, low, high = one.rows({**columns, **known}, mirrored=True)
    turned = mirrored.matrix()
    assert (turned.data @ x[turned.indices], low[0], high[0]) == (-activity, -upper[0], -lower[0])
