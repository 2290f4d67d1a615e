"""Rows over sets of tuples are the rows over their parts with a condition."""

from __future__ import annotations

import pandas as pd
import pytest

from treemip.api.program import loads
from treemip.core.model.text import to_text

DATA = pd.DataFrame({"a": [3.0, 1, 2, 1, 3], "b": [0.0, 1, 1, 0, 1], "y": [0, 1, 0, 1, 1]})
HEAD = (
    'data "points" { label y; scale minmax; }\n'
    "topology complete(depth = 2); split univariate by oct;\n"
    'set pairs = {i in points, k in points : x[i,"a"] < x[k,"a"]};\n'
    "set steps {t in branches} ="
    " {r in 1..depth(t) + 1, s in 1..r, i in points : s + r <= ord(i)};\n"
)
CONDITION = 'x[i,"a"] < x[k,"a"]'


def text(rest: str) -> str:
    model = loads(HEAD + rest, data=DATA).compile().model
    return to_text(model)


@pytest.mark.parametrize(
    ("tuples", "parts"),
    [
        ("q {(i, k) in pairs}: A", f"q {{i in points, k in points : {CONDITION}}}: A"),
        (
            "q {(i, k) in pairs : y[i] = y[k] and i != point(4)}: A",
            f"q {{i in points, k in points : {CONDITION} and y[i] = y[k] and i != point(4)}}: A",
        ),
        (
            "q {i in points, k in points : (k, i) in pairs}: A",
            'q {i in points, k in points : x[k,"a"] < x[i,"a"]}: A',
        ),
        (
            "q {i in points, k in points : not (i, k) in pairs or (k, i) not in pairs}: A",
            "q {i in points, k in points}: A",
        ),
        (
            "q {l in leaves, (i, k) in pairs, h in points : h != k}: reach[h,l] <= 1 + reach[k,l]",
            "q {l in leaves, i in points, k in points, h in points : h != k"
            f" and {CONDITION}}}: reach[h,l] <= 1 + reach[k,l]",
        ),
        (
            "q {t in branches, (r, s, i) in steps[t]}: reach[i,left(root)] * s <= r * active[t]",
            "q {t in branches, r in 1..depth(t) + 1, s in 1..r, i in points : s + r <= ord(i)}:"
            " reach[i,left(root)] * s <= r * active[t]",
        ),
        (
            "q {l in leaves}: sum {(i, k) in pairs} (reach[i,l] + 2 * reach[k,l]) <= card(pairs)",
            f"q {{l in leaves}}: sum {{i in points, k in points : {CONDITION}}}"
            f" (reach[i,l] + 2 * reach[k,l]) <= sum {{i in points, k in points : {CONDITION}}} 1",
        ),
        (
            "q {l in leaves}: card({i in points, k in points : i != k}) * occupied[l]"
            " <= card(steps[left(root)])",
            "q {l in leaves}: 20 * occupied[l] <= 9",
        ),
    ],
)
def test_the_model_is_the_same(tuples: str, parts: str) -> None:
    row = "reach[i,left(root)] <= reach[k,left(root)]"
    assert text(f"subject to {tuples.replace(': A', f': {row}')};") == text(
        f"subject to {parts.replace(': A', f': {row}')};"
    )


def test_variables_over_tuples() -> None:
    over = "var v {(i, k) in pairs} binary; minimize sum {(k, i) in pairs} v[k,i];"
    parts = (
        f"var v {{i in points, k in points : {CONDITION}}} binary;"
        f'minimize sum {{k in points, i in points : x[k,"a"] < x[i,"a"]}} v[k,i];'
    )
    assert text(over) == text(parts)


def test_an_empty_set_of_tuples() -> None:
    empty = "set none = {i in points, k in points : ord(i) > 9};"
    row = "subject to q {(i, k) in none}: reach[i,left(root)] <= reach[k,left(root)];"
    assert text(empty + row) == text("")
    assert text(empty + "subject to q: card(none) * occupied[left(left(root))] <= 1;")
    everywhere = "subject to q {i in points : (i, i) not in none}: reach[i,left(root)] <= 1;"
    assert text(empty + everywhere) == text(everywhere.replace(" : (i, i) not in none", ""))


def test_sets_of_tuples_of_sets_of_tuples() -> None:
    """Counts of tuples in sets that are made of each other, against Python's own tuples."""
    model = loads(
        """
        set s = {i in 1..3, j in 0.5..2.5, k in {n in 1..4 : n != i}};
        set t {i in 1..2} = {(i2, j, k) in s : i2 = i};
        set u = {(i, j, k) in s, (a, b, c) in t[1] : j <= b};
        var v {(i, j, k) in s} >= 0;
        minimize sum {(i, j, k) in t[1]} v[i,j,k] + 1000 * card(u) + card(t[2])
          + card({(i, j, k) in s : (i, j, k) in t[1]});
        """
    )
    s = [(i, j, k) for i in (1, 2, 3) for j in (1, 2) for k in (1, 2, 3, 4) if k != i]
    t = {i: [x for x in s if x[0] == i] for i in (1, 2)}
    u = [(x, y) for x in s for y in t[1] if x[1] <= y[1]]
    objective = model.compile().model.objective
    costs = [float(x in t[1]) for x in s]
    assert objective.linear.tolist() == costs[: len(objective.linear)]
    assert not any(costs[len(objective.linear) :])
    assert objective.constant == 1000 * len(u) + len(t[2]) + len(t[1])
