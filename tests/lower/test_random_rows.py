"""Random side constraints on random small tables, equal to a slow second reading of them."""

from __future__ import annotations

import numpy as np
from compared import compare
from hypothesis import given
from hypothesis import strategies as st

from treemip.api.program import loads

Scope = dict[str, str]  # bound name -> sort

SETS = {
    "point": ["points", "{h in points : y[h] = positive}", "{h in points : x[h,first] > 0.4}"],
    "branch": ["branches", "last_branches", "{s in branches : depth(s) < 2}"],
    "leaf": ["leaves", "{s in leaves : parent(s) in last_branches}", "leaves_under(left(root))"],
    "feature": ["features", "{h in features : card(thresholds(h)) > 1}"],
    "class": ["classes", "{h in classes : class_count[h] >= 2}"],
    "number": ["1..2", "0..card(classes) - 1", "{h in 1..4 : h != 2}", "thresholds(first)"],
}
# Sets that depend on a name bound before.
RAGGED = {
    ("branch", "leaf"): ["left_ancestors({})", "ancestors({})", "right_ancestors({})"],
    ("leaf", "branch"): ["leaves_under({})", "leaves_under(right({}))"],
    ("point", "class"): ["{{h in points : y[h] = {}}}", "{{h in points : y[h] != {}}}"],
    ("point", "point"): ["{{h in points : h != {} and x[h,first] <= x[{},first]}}"],
    ("feature", "point"): ["{{h in features : x[{},h] < 0.9}}"],
    ("number", "number"): ["1..{}", "{}..3"],
    ("number", "feature"): ["thresholds({})"],
    ("number", "branch"): ["0..depth({})"],
}
TABLE = """
param first_cost {j in features} = ord(j) / 4;
param first = argmin {j in features} first_cost[j];
param toll {t in nodes} = level(1: 3, 2: 5, 3: 7);
"""


@st.composite
def binder(draw: st.DrawFn, scope: Scope, name: str) -> tuple[str, str]:
    """`name in set` and the name's sort."""
    choices = [(text, sort) for sort, texts in SETS.items() for text in texts]
    for (sort, of), texts in RAGGED.items():
        for text in texts:
            choices += [(text.replace("{}", n), sort) for n, s in scope.items() if s == of]
    text, sort = draw(st.sampled_from(choices))
    return f"{name} in {text.replace('{{', '{').replace('}}', '}')}", sort


def of(scope: Scope, *sorts: str) -> list[str]:
    return [name for name, sort in scope.items() if sort in sorts]


@st.composite
def condition(draw: st.DrawFn, scope: Scope) -> str:
    tests = ["1 <= 2"]
    tests += [f"y[{i}] = positive" for i in of(scope, "point")]
    tests += [f"depth({t}) >= 1" for t in of(scope, "branch", "leaf")]
    tests += [f"{t} != root" for t in of(scope, "branch")]
    tests += [f"not {k} = negative" for k in of(scope, "class")]
    tests += [f"{j} in {{h in features : ord(h) > 1}}" for j in of(scope, "feature")]
    tests += [f"0 < {n} <= 2" for n in of(scope, "number")]
    tests += [f"x[{i},{j}] > 0.4" for i in of(scope, "point") for j in of(scope, "feature")]
    tests += [f"{t} not in ancestors({s})" for t in of(scope, "branch") for s in of(scope, "leaf")]
    two = draw(st.lists(st.sampled_from(tests), min_size=1, max_size=2))
    return draw(st.sampled_from([" and ", " or "])).join(two)


def numbers(scope: Scope) -> list[str]:
    """Terms that are known."""
    found = ["1", "0.5", "-2", "card(points)", "min {j in features} first_cost[j]"]
    found += [f"x[{i},{j}]" for i in of(scope, "point") for j in of(scope, "feature")]
    found += [f"(ord({k}) - class_count[{k}])" for k in of(scope, "class")]
    found += [f"toll[{t}] * depth({t})" for t in of(scope, "branch", "leaf")]
    return found + [f"({n} + 1) ^ 2" for n in of(scope, "number")]


def variables(scope: Scope) -> list[str]:
    found = ["active[root]", "splits", "misclassified"]
    points, leaves = of(scope, "point"), of(scope, "leaf")
    branches, features, classes = (of(scope, s) for s in ("branch", "feature", "class"))
    found += [f"reach[{i},{t}]" for i in points for t in branches + leaves]
    found += [f"reach[{i},left({t})]" for i in points for t in branches]
    found += [f"label[{s},{k}]" for s in leaves for k in classes]
    found += [f"label[{s},y[{i}]]" for s in leaves for i in points]
    found += [f"coef[{t},{j}]" for t in branches for j in features]
    found += [f"uses[{t},{j}]" for t in branches for j in features]
    found += [f"correct[{i}]" for i in points] + [f"bias[{t}]" for t in branches]
    found += [f"dot(coef[{t},*], x[{i},*])" for t in branches for i in points]
    return found + [f"uses_anywhere[{j}]" for j in features]


@st.composite
def expression(draw: st.DrawFn, scope: Scope, depth: int) -> str:
    """An affine or piecewise expression over the names in scope."""
    kinds = ["term", "term", "sum", "choice", "reduce", "plus"] if depth else ["term"]
    kind = draw(st.sampled_from(kinds))
    if kind in ("sum", "reduce"):
        name = f"n{len(scope)}"
        bound, sort = draw(binder(scope, name))
        inner = {**scope, name: sort}
        test = f" : {draw(condition(inner))}" if draw(st.booleans()) and kind == "sum" else ""
        body = draw(expression(inner, depth - 1))
        if kind == "reduce" and "leaves_under" not in bound and "ancestors" not in bound:
            body = f"abs({body})"
        return f"(sum {{{bound}{test}}} ({body}))"
    if kind == "choice":
        test = draw(condition(scope))
        parts = [draw(expression(scope, depth - 1)) for _ in range(2)]
        return f"(if {test} then {parts[0]} else {parts[1]})"
    if kind == "plus":
        parts = [draw(expression(scope, depth - 1)) for _ in range(2)]
        return f"({parts[0]} {draw(st.sampled_from('+-'))} {parts[1]})"
    factor = draw(st.sampled_from(numbers(scope)))
    return f"({factor}) * {draw(st.sampled_from(variables(scope)))}"


@st.composite
def constraint(draw: st.DrawFn, number: int) -> str:
    scope: Scope = {}
    binders = []
    for k in range(draw(st.integers(0, 3))):
        bound, sort = draw(binder(scope, f"d{k}"))
        binders.append(bound)
        scope[f"d{k}"] = sort
    test = f" : {draw(condition(scope))}" if scope and draw(st.booleans()) else ""
    domain = f" {{{', '.join(binders)}{test}}}" if binders else ""
    local, body = "", draw(expression(scope, 2))
    if draw(st.booleans()):
        bound, sort = draw(binder(scope, "n9"))
        inner = draw(expression({**scope, "n9": sort}, 1))
        local = f"let group = {bound.removeprefix('n9 in ')} in "
        body = f"{body} + sum {{n9 in group}} ({inner}) / (1 + card(group))"
    side = draw(st.sampled_from(numbers(scope)))
    op = draw(st.sampled_from(["<=", ">=", "="]))
    double = f"-card(points) <= {body} <= {side} + 9"
    return (
        f"c{number}{domain}: {local}{draw(st.sampled_from([f'{body} {op} {side} + 2', double]))};"
    )


@st.composite
def tables(draw: st.DrawFn) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    points = draw(st.integers(3, 5))
    columns = {f"f{j}": rng.integers(0, 4, points) / 3 for j in range(2)}
    return {**columns, "class": np.array(["p", "n"])[np.r_[0, 1, rng.integers(0, 2, points - 2)]]}


@given(
    tables(),
    st.sampled_from(["soct", "octh", "oct", "binoct"]),
    st.sampled_from(["complete(depth = 2)", 'shape "((. .) .)"', 'shape "(. (. (. .)))"']),
    st.tuples(constraint(0), constraint(1)),
)
def test_side_constraints(
    table: dict[str, np.ndarray], formulation: str, topology: str, rows: tuple[str, ...]
) -> None:
    kind = "oblique" if formulation in ("soct", "octh") else "univariate"
    if formulation == "binoct":
        rows = tuple(r.replace("bias[", "active[") for r in rows)
    text = (
        f'data "t" {{ label class positive "p"; scale minmax; }} topology {topology};'
        f"split {kind} by {formulation}; {TABLE}"
    )
    program = loads(text + "\nsubject to " + "\n".join(rows), table)
    compare_or_void(program, rows)


def compare_or_void(program, rows: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    from treemip.core.source.diagnostic import TreemipError

    try:
        compare(program)
    except TreemipError as error:
        codes = {d.code for d in error.diagnostics}
        assert codes == {"E403"}, rows  # no variables, and does not hold
