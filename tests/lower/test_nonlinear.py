"""Nonlinear expressions: whole models, and random ones against the slow reading of their specs."""

from __future__ import annotations

import numpy as np
import pytest
from at_point import AtPoint, completed
from hypothesis import given
from hypothesis import strategies as st
from second_reading import rows_of
from tape_models import mrct, random_data

from treemip.api.program import Program, loads
from treemip.core.lower.bind import bind
from treemip.core.lower.lower import lower
from treemip.core.model.text import to_text
from treemip.core.model.values import objective_value, row_values

X = [[0.0, 1.0], [0.25, 0.5], [0.5, 0.75], [1.0, 0.0]]
Y = ["no", "yes", "no", "yes"]
HEAD = """
data "t" { label class; }
topology shape "((. .) .)";
var a {t in branches, j in features} >= -1, <= 1;
var b {t in branches} >= 0.5, <= 2;
"""

SPEC = """
var u {h in 1..2} >= -1, <= 1; var v >= 1, <= 3;
let wave {h in 1..2} = exp(2 * u[h]);
minimize all: 3 * wave[1] + wave[1] * wave[2] - v^2 + u[1] / v + v^0.5 + 2^v;
subject to
  twice {h in 1..2}: wave[h] - 1 <= 4 * v;
  cubes: prod {h in 1..2} (u[h] * v) >= -5;
  both: 0 <= (u[1] + v)^-1 * 6 <= 9;
  plain {h in 1..2}: u[h] * v <= 2;
  inside: sqrt(u[1]^2 + u[2]^2) + log(v) <= 2;
  grown: v^(u[1] + 2) >= 1;
"""

TEXT = """\
minimize all: -v^2 + 3 s5 + s19 + s21 + s22 + s24
subject to
  twice(1): -4 v + s5 <= 1
  twice(2): -4 v + s6 <= 1
  cubes: s8 >= -5
  both: 0 <= 6 s10 <= 9
  plain(1): u(1) * v <= 2
  plain(2): u(2) * v <= 2
  inside: s14 + s15 <= 2
  grown: s18 >= 1
tape
  s1 = u(1)
  s2 = u(2)
  s3 = 2 u(1)
  s4 = 2 u(2)
  s5 = exp(s3)
  s6 = exp(s4)
  s7 = v
  s8 = s2 * s1 * s7 * s7
  s9 = u(1) + v
  s10 = s9^(-1)
  s11 = s1 * s1
  s12 = s2 * s2
  s13 = s11 + s12
  s14 = s13^0.5
  s15 = log(s7)
  s16 = u(1) + 2
  s17 = s16 * s15
  s18 = exp(s17)
  s19 = s6 * s5
  s20 = s7^(-1)
  s21 = s20 * s1
  s22 = s7^0.5
  s23 = 0.6931471805599453 v
  s24 = exp(s23)
variables
  -1 <= u(1) <= 1
  -1 <= u(2) <= 1
  1 <= v <= 3
"""


def test_a_model_as_text() -> None:
    assert to_text(lower(bind(loads(SPEC).spec, None))) == TEXT


def compared(program: Program, seed: int) -> None:
    """Objective and rows of the model against the slow reading, at a random point."""
    instance = bind(program.spec, program.data)
    model = lower(instance, program.spec.cuts)
    random = np.random.default_rng(seed)
    own = [b for b in model.variables if b.name in {s.name for s in program.spec.variables}]
    low, high = (np.concatenate([getattr(b, side) for b in own]) for side in ("lower", "upper"))
    point = random.uniform(low, high)
    reading = AtPoint(instance, {b.name: point[b.start : b.stop] for b in own})
    x = completed(model, point)
    assert program.spec.objective is not None
    assert objective_value(model, x) == pytest.approx(
        reading.number(program.spec.objective.value, {}), rel=1e-9, abs=1e-9
    )
    values, start, found = row_values(model, x), 0, {}
    for block in model.rows:
        own_values = values[start : start + block.length]
        found[block.name] = np.stack([block.lower - own_values, block.upper - own_values]).T
        start += block.length
    expected: dict[str, list] = {}
    for constraint in program.spec.constraints:
        for suffix, _, (body, least, most, _) in rows_of(constraint, reading):
            assert not body  # the slow reading has no variables, so a row is all in its bounds
            expected.setdefault(constraint.name + suffix, []).append([least, most])
    assert set(found) == set(expected)
    for name, rows in expected.items():
        assert found[name] == pytest.approx(np.array(rows), rel=1e-8, abs=1e-8), name


# ---------------------------------------------------------------------- random expressions

SETS = {"t": "branches", "j": "features", "i": "points"}


@st.composite
def positive(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """An expression that is at least 0.1 everywhere."""
    inner = draw(expression(names, depth - 1))
    form = draw(st.sampled_from(["exp(({}) / 20)", "(({})^2 + 0.5)", "(logistic({}) + 0.1)"]))
    return form.format(inner)


@st.composite
def expression(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    atoms = ["b[root]", "0.5", "b[left(root)]"]
    atoms += ["b[t]"] * ("t" in names) + ["a[t,j]"] * ("t" in names and "j" in names)
    atoms += ["x[i,j]"] * ("i" in names and "j" in names)
    atoms += ["share[i,t]"] * ("i" in names and "t" in names) + ["heat[t]"] * ("t" in names)
    if depth <= 0:
        return draw(st.sampled_from(atoms))
    kind = draw(st.sampled_from(["two", "two", "call", "reduce", "power", "choice", "negative"]))
    if kind == "two":
        left, right = draw(expression(names, depth - 1)), draw(expression(names, depth - 1))
        op = draw(st.sampled_from(["+", "-", "*", "/"]))
        if op == "/":
            right = draw(positive(names, depth - 1))
        return f"(({left}) {op} ({right}))"
    if kind == "reduce":
        free = [n for n in SETS if n not in names]
        if not free:
            return draw(st.sampled_from(atoms))
        name = draw(st.sampled_from(free))
        op = draw(st.sampled_from(["sum", "prod", "prod"]))
        return f"({op} {{{name} in {SETS[name]}}} ({draw(expression((*names, name), depth - 1))}))"
    if kind == "power":
        base = draw(positive(names, depth - 1))
        power = draw(st.sampled_from(["2", "3", "0.5", "-1", "(-1.5)", "b[root]", "1", "0"]))
        return f"({base})^{power}"
    if kind == "choice" and "t" in names:
        parts = [draw(expression(names, depth - 1)) for _ in range(2)]
        return f"(if t = root then {parts[0]} else {parts[1]})"
    if kind == "negative":
        return f"(-({draw(expression(names, depth - 1))}))"
    function = draw(st.sampled_from(["log", "sqrt", "logistic", "abs"]))
    if function == "abs":
        return "abs(b[root] - 1)"
    return f"{function}({draw(positive(names, depth - 1))})"


@st.composite
def specs(draw: st.DrawFn) -> str:
    """A random objective and two families of rows; lets of which both may make use."""
    share = "logistic(dot(a[t,*], x[i,*]) - b[t])"
    rows = [draw(expression(("t",), 2)), draw(expression(("i", "t"), 3))]
    return f"""{HEAD}
let share {{i in points, t in branches}} = {share};
let heat {{t in branches}} = prod {{i in points}} (1 - share[i,t]) + exp(b[t]);
minimize goal: {draw(expression((), 4))} + {draw(expression((), 3))};
subject to
  first {{t in branches}}: {rows[0]} + b[t] * heat[t] <= 7;
  second {{i in points, t in branches : t != root}}: -3 <= {rows[1]} + 1.01 * b[t] <= share[i,t];
"""


@given(specs(), st.integers(0, 99))
def test_random_expressions_are_worth_what_the_spec_says(text: str, seed: int) -> None:
    compared(loads(text, (np.array(X), np.array(Y))), seed)


@pytest.mark.parametrize("explicit", [0, 1])
@pytest.mark.parametrize("shape", ["(. .)", "((. .) .)", "((. .) (. (. .)))"])
def test_mrct(shape: str, explicit: int) -> None:
    text = f"""data "t" {{ label class; }} topology shape "{shape}";
    split randomized by mrct(explicit = {explicit}, gamma = 8);
    minimize expected_cost + 0.5 * l0_local + 0.25 * l0_global(2) + l1 + linf + log_local
      + appr1_local(q = 0.5) + appr1_global + appr2_local(q = 2, eps = 0.1) + log_global(0.01);
    """
    compared(loads(text, (np.array(X), np.array(Y))), explicit)


@pytest.mark.parametrize("depth", [1, 2, pytest.param(3, marks=pytest.mark.truth)])
def test_the_module_is_the_model_by_hand(depth: int) -> None:
    """Objective and rows of `mrct` and of a tape that shares no code with the lowering."""
    x, y = random_data(7, 3, 2, seed=depth)
    names = np.array(["no", "yes"])[y]
    text = (
        f'data "t" {{ label class; }} topology complete(depth = {depth}); split randomized by mrct;'
    )
    program = loads(text, (x, names))
    model, by_hand = lower(bind(program.spec, program.data)), mrct(x, y, depth)
    random = np.random.default_rng(depth)
    for _ in range(5):
        point = random.uniform(model.lower, model.upper)
        assert objective_value(model, point) == pytest.approx(objective_value(by_hand, point))
        assert row_values(model, point) == pytest.approx(row_values(by_hand, point))
    for side in ("lower", "upper"):
        own, other = ([getattr(r, side) for r in m.rows] for m in (model, by_hand))
        assert np.concatenate(own) == pytest.approx(np.concatenate(other))


@pytest.mark.parametrize(
    ("shape", "branches", "nodes"), [("((. .) (. .))", 3, 6), ("((. .) (. (. .)))", 4, 8)]
)
def test_path_probabilities_are_shared(shape: str, branches: int, nodes: int) -> None:
    """For each point one product a node below the second level, whatever mentions them."""
    text = f"""data "t" {{ label class; }} topology shape "{shape}";
    split randomized by mrct;
    subject to enough {{l in leaves}}: sum {{i in points}} reach[i,l] >= 0.1;
    """
    program = loads(text, (np.array(X), np.array(Y)))
    model = lower(bind(program.spec, program.data))
    logistic = [s for s in model.tape.steps if getattr(s, "function", None)]
    assert [s.length for s in logistic] == [4 * branches]
    products = [s for s in model.tape.steps if hasattr(s, "factors")]
    assert sum(s.length for s in products) == 4 * (
        (nodes - 2)  # the two children of the root need no product
        + 2 * (branches + 1)  # times the own label for the rate, times the cost for the objective
    )
