"""abs, max and norms inside nonlinear expressions: exact inequalities, or no model."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from treemip.api.program import loads
from treemip.core.model.values import objective_value, row_values
from treemip.core.source.diagnostic import TreemipError

DECLARED = "var v >= -1, <= 1; var w >= 0.5, <= 2; var u {k in 1..2} >= -1, <= 1;\n"


FORMS = [
    "exp({})",
    "log({} + 0.5)",
    "logistic({})",
    "({} + 0.2)^0.5",
    "({} + 0.2)^(-1)",
    "({} + 1)^3",
    "w * ({} + 0.1)",
    "exp(-({}))",
    "(3 - ({})) * (({}) + 1) * w",
]


@st.composite
def pressed(draw: st.DrawFn) -> str:
    inner = draw(st.sampled_from(["abs(v)", "norminf(u[*])", "max(abs(v), u[1])", "v"]))
    for _ in range(draw(st.integers(1, 2))):
        inner = draw(st.sampled_from(FORMS)).replace("{}", inner)
    return f"{draw(st.sampled_from(['', '-2 * ']))}({inner})"


@given(pressed(), pressed(), st.sampled_from(["minimize", "maximize"]), st.integers(0, 10**6))
@settings(deadline=None)
def test_inequalities_are_exact(first: str, second: str, sense: str, seed: int) -> None:
    """Lowered from anywhere above to their values, results make nothing worse."""
    try:
        compiled = loads(f"{DECLARED}{sense} {first}; subject to r: {second} <= 1;").compile()
    except TreemipError as error:
        assert {d.code for d in error.diagnostics} <= {"E502", "E403"}
        assume(False)
    original, model = compiled.reformed.original, compiled.model
    assume(model.column_count == original.column_count)
    random = np.random.default_rng(seed)
    exact = compiled.reformed.invert(random.uniform(model.lower, model.upper))
    above = np.array(exact)
    for block in original.functions:  # each between its value and its greatest
        at = slice(block.result, block.result + block.length)
        above[at] = random.uniform(above[at], model.upper[at])
    sign = 1.0 if sense == "minimize" else -1.0
    worth = sign * objective_value(model, above)
    assert np.isnan(worth) or sign * objective_value(model, exact) <= worth + 1e-9
    row = next(r for r in original.rows if r.name == "r")
    number = list(model.rows).index(next(r for r in model.rows if r.name == "r"))
    start = sum(r.length for r in model.rows[:number])
    assert (row.upper == model.rows[number].upper).all()
    body = row_values(model, above)[start]
    assert np.isnan(body) or row_values(model, exact)[start] <= body + 1e-9
