"""What a variable means where rows say it, and where they do not."""

from __future__ import annotations

import pytest

import treemip

SAID = [
    # by an equation for each of its indices, on either side
    "var v {l in leaves}; minimize misclassified; subject to a {k in leaves}: v[k] = points_in[k];",
    "var v {l in leaves}; minimize misclassified; subject to a {k in leaves}: points_in[k] = v[k];",
    "var v integer; minimize v; subject to a: v = misclassified + 2 * splits;",
    # by what it is no less than, at a price
    "var v >= 0; minimize v; subject to a {l in leaves}: v >= points_in[l];",
    "var v; minimize 2 * v + splits; subject to a: v >= splits; b: 3 - splits <= v;",
    "var v; let w = -2 * v; maximize w; subject to a: v >= splits;",
    "var v {k in classes} >= 0; minimize sum {k in classes} v[k];"
    " subject to a {k in classes, l in leaves}: v[k] >= label[l,k];",
    # by what it is no more than, where more is better
    "var v <= 9; maximize v - splits; subject to a {l in leaves}: v <= points_in[l];",
    "var v; minimize splits - 2 * v; subject to a: v <= splits; b: 3 - splits >= v;",
    # one by way of another
    "var v; var u; minimize u; subject to a: v = splits; b: u >= 2 * v;",
]
UNSAID = [
    "var v {l in leaves}; minimize misclassified;"
    " subject to a {l in leaves : ord(l) > 1}: v[l] = 1;",
    "var v; minimize misclassified; subject to a: 2 * v = splits;",
    "var v; minimize misclassified; subject to a: v = 2 * splits - v;",
    "var v; var u; minimize v + u; subject to a: v = u + splits; b: u + v <= 3;",
    "var v binary; minimize misclassified; subject to a: splits = 1 ==> v = 1;",
    "var v <= 9; maximize v - misclassified; subject to a: v >= splits;",
    "var v >= 0; minimize v; subject to a: v <= splits;",
    "var v; minimize v; subject to a: v >= splits; b: v <= 3 - splits;",
    "var v integer; minimize v; subject to a: v >= 0.5 * splits;",
    "var v; minimize v - 2 * v + misclassified; subject to a: v >= splits;",
    "var v; minimize abs(v - 2); subject to a: v >= splits;",
    "var v; minimize v; subject to a: v >= splits; b: v >= 1 - v;",
]


def means(rest: str) -> bool:
    text = 'data "t" { label c; scale minmax; } topology complete(depth = 2);\n'
    data = {"u": [0.0, 1.0, 2.0], "c": ["n", "y", "y"]}
    spec = treemip.loads(f"{text}split univariate by oct; {rest}", data=data).instance.spec
    return all(v.means is not None for v in spec.variables if v.name in ("u", "v"))


@pytest.mark.parametrize("rest", SAID)
def test_rows_say_what_a_variable_means(rest: str) -> None:
    assert means(rest)


@pytest.mark.parametrize("rest", UNSAID)
def test_rows_that_leave_a_variable_free_say_nothing(rest: str) -> None:
    assert not means(rest)


def test_the_coefficients_of_splits_are_the_tree_itself() -> None:
    own = treemip.loads(
        'data "t" { label c; scale minmax; } topology complete(depth = 1);'
        "split univariate by oct; minimize misclassified;"
        "subject to a {t in branches}: bias[t] = 0.5 * active[t];",
        data={"u": [0.0, 1.0], "c": ["n", "y"]},
    )
    assert own.instance.spec.concepts["bias"].means is None
