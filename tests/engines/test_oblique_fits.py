"""Which specs a proof for oblique trees takes: by what they mean and the rows of the stated model,
not by names."""

from __future__ import annotations

import re

import pytest

import treemip
from treemip.answers.engines.oblique.fits import oblique_problem
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.refusal import Refusal
from treemip.core.resolve import modules
from treemip.core.resources import library_path, shared_path
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

COLUMNS = {
    "a": [0.0, 0.5, 1.0, 0.25, 0.0, 1.0],
    "b": [0.0, 1.0, 0.3, 0.2, 0.0, 0.7],
    "c": ["0", "1", "0", "1", "1", "0"],
}
SHAPES = ["complete(depth = 1)", "complete(depth = 2)", 'shape "(. (. .))"']


def problem_of(split: str, shape: str = SHAPES[1], rest: str = "") -> ObliqueProblem:
    text = f'data "t.csv" {{ label c; }} topology {shape}; split oblique by {split};\n{rest}'
    made = treemip.loads(text, data=COLUMNS).compile()
    return oblique_problem(made.instance, made.stated)


COSTS = (
    "param cost_of {k in classes, m in classes} = if k = m then 0 else ord(k) + 2 * ord(m);"
    "minimize paid: sum {k in classes, m in classes} cost_of[k,m] * confusion[k,m];"
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("split", "gap"), [("soct(eps = 0.02)", 0.02), ("octh(mu = 0.03)", 0.03)])
@pytest.mark.parametrize("rest", ["", COSTS, "subject to r: splits <= 1;"])
def test_takes_the_formulations_of_the_library(
    split: str, gap: float, shape: str, rest: str
) -> None:
    assert problem_of(split, shape, rest).gap == gap


FREE = "points may pass a branch without a row of its hyperplane"
OPEN = "its rows do not bound the 1-norm of the coefficients"
PLACES = "it depends on where hyperplanes are, not only on which points they separate"

CHANGED = [
    ("soct", "reach[i,left(t)] = 1 ==>", "active[t] = 1 ==>", FREE),
    ("soct", "dot(coef[t,*], x[i,*]) <= bias[t]", "sum {j in features} coef[t,j] <= bias[t]", FREE),
    ("soct", "dot(coef[t,*], x[i,*]) <= bias[t]", "dot(coef[t,*], x[i,*]) / 2 <= bias[t]", FREE),
    ("soct", "{i in points, t in branches}:\n    reach[i,right(t)] = 1",
     "{i in points, t in branches : t != root}:\n    reach[i,right(t)] = 1", FREE),
    ("octh", "l in leaves, t in left_ancestors(l)",
     "l in leaves, t in left_ancestors(l) : t != root", FREE),
    ("octh", "dot(coef[t,*], x[i,*]) + mu <= bias[t]",
     "dot(coef[t,*], x[i,*]) + mu <= bias[t] + active[t]",
     "the gap at a branch, -0.995, is not between 0.0001 and 1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "why"), CHANGED)
def test_refuses_rows_that_keep_no_gap(
    monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str, why: str
) -> None:
    change(monkeypatch, name, old, new)
    with pytest.raises(Refusal) as refusal:
        problem_of(name)
    assert str(refusal.value) == why


def test_refuses_coefficients_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (library_path() / "soct.tree").read_text()
    for old, new in (
        ("norm1(coef[t,*]) <= 1", "sum {j in features} coef[t,j] <= 1"),
        ("j in features} >= -1, <= 1", "j in features} free"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    formulation(monkeypatch, "soct", text)
    with pytest.raises(Refusal) as refusal:
        problem_of("soct")
    assert str(refusal.value) == OPEN


OTHER_ROWS = [
    ("soct", "sum {l in leaves} reach[i,l] = 1", "sum {l in leaves} reach[i,l] <= 1"),
    ("soct", "sum {k in classes} label[l,k] = 1", "sum {k in classes} label[l,k] <= 2"),
    ("soct", "hit[i,l] <= reach[i,l]", "hit[i,l] <= 2 * reach[i,l]"),
    ("soct", "hit[i,l] <= label[l,y[i]]", "hit[i,l] <= 1"),
    ("octh", "- card(points) * (1 - label[l,k]);", "- 2 * card(points) * (1 - label[l,k]);"),
    ("octh", "reach[i,l] <= occupied[l]", "reach[i,l] <= 2 * occupied[l]"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new"), OTHER_ROWS)
def test_rows_that_say_what_trees_are_make_no_difference(
    monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str
) -> None:
    """The claim is about trees, whatever else solutions of a model without these rows would be."""
    plain = problem_of(name)
    change(monkeypatch, name, old, new)
    changed = problem_of(name)
    assert (changed.gap, changed.base, changed.unit) == (plain.gap, plain.base, plain.unit)
    assert (changed.loss == plain.loss).all()


@pytest.mark.parametrize(
    ("name", "old", "new", "gap"),
    [
        ("soct", "- eps >= bias[t]", "- eps / 2 >= bias[t]", 0.05),
        ("soct", "x[i,*]) <= bias[t]", "x[i,*]) + eps <= bias[t]", 0.2),
        ("soct", "norm1(coef[t,*]) <= 1", "norm1(coef[t,*]) <= 1 / 2", 0.2),
        ("soct", "norm1(coef[t,*]) <= 1", "norm1(coef[t,*]) <= 1.6", 0.0625),
        ("soct", "norm1(coef[t,*]) <= 1", "norm1(coef[t,*]) >= 1", 0.05),  # two features in [-1, 1]
        ("soct", "{t in branches}: norm1", "{t in branches : t != root}: norm1", 0.05),
        ("soct", "norm1(coef[t,*]) <= 1", "1 >= norm1(coef[t,*])", 0.1),
        (
            "octh",
            "sum {j in features} size[t,j] <= active[t]",
            "sum {j in features} 4 * size[t,j] <= 5 * active[t]",
            0.08,
        ),
        ("octh", "size[t,j] >= -coef[t,j]", "-coef[t,j] <= size[t,j]", 0.1),
        ("octh", "size[t,j] >= -coef[t,j]", "size[t,j] >= -coef[t,j] - 1", 0.05),
        (
            "soct",
            "dot(coef[t,*], x[i,*]) <= bias[t] by big_m(M[i])",
            "2 * dot(coef[t,*], x[i,*]) <= 2 * bias[t] - 0.02 by big_m(5)",
            0.11,
        ),
        (
            "soct",
            "reach[i,left(t)] = 1 ==> dot(coef[t,*], x[i,*]) <= bias[t] by big_m(M[i])",
            "dot(coef[t,*], x[i,*]) <= bias[t] + M[i] * (1 - reach[i,left(t)])",
            0.1,
        ),
        (
            "octh",
            "reach[i,l] = 1 ==> dot(coef[t,*], x[i,*]) + mu <= bias[t] by big_m(2 + mu)",
            "dot(coef[t,*], x[i,*]) + mu * reach[i,l] <= bias[t] + 2 * (1 - reach[i,l])",
            0.1,
        ),
        ("octh", ">= bias[t] by big_m(2)", "- mu >= bias[t] by big_m(2 + mu)", 0.2),
    ],
)
def test_the_gap_is_that_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str, gap: float
) -> None:
    """Whatever the parameter says that usually is the gap."""
    change(monkeypatch, name, old, new)
    split = {"soct": "soct(eps = 0.1)", "octh": "octh(mu = 0.1)"}[name]
    assert problem_of(split).gap == pytest.approx(gap)


@pytest.mark.parametrize(
    ("split", "rest", "why"),
    [
        ("soct", "minimize misclassified + 2 * splits;",
         "its objective has prices of splits or leaves"),
        ("soct", "minimize misclassified + bias[root];", PLACES),
        ("soct", "minimize max {k in classes} (1 - recall[k]);",
         "its objective takes functions of sums, such as abs, max or a square"),
        ("soct(eps = 0.00001)", "", "the gap at a branch, 1e-05, is not between 0.0001 and 1"),
    ],
)  # fmt: skip
def test_refuses_other_objectives_and_gaps(split: str, rest: str, why: str) -> None:
    with pytest.raises(Refusal) as refusal:
        problem_of(split, rest=rest)
    assert str(refusal.value) == why


def change(monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
    """The formulation or the routing that it uses, with one text in place of another."""
    used = [shared_path() / "oblique_routing.tree"] if name == "octh" else []
    places = [library_path() / f"{name}.tree", *used]
    (path,) = (p for p in places if joined(p.read_text()).count(joined(old)) == 1)
    formulation(monkeypatch, path.stem, joined(path.read_text()).replace(joined(old), joined(new)))


def joined(text: str) -> str:
    """With each implication on one line."""
    return re.sub(r"\n\s+(?=reach|==>|by)", " ", text)


def formulation(monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    changed, usual = parse(Source(f"library/{name}.tree", text)), modules.library_module
    monkeypatch.setattr(
        modules, "library_module", lambda one: changed if one == name else usual(one)
    )
