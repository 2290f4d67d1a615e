"""Warnings of reductions over nothing: for every index, in the spec's own text alone."""

from __future__ import annotations

import pytest

from treemip.api.program import loads

HEAD = """\
data "none.csv" { label y; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
"""
DATA = {"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0], "y": ["n", "n", "y", "y"]}


def warnings(text: str) -> list[str]:
    compiled = loads(HEAD + text, data=DATA).compile()
    return [w.message for w in compiled.warnings if w.code == "W401"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "minimize misclassified + sum {l in leaves : ord(l) = 1} occupied[l];",
            "this 'sum' is over an empty set, so it is 0",
        ),
        (
            "minimize splits; subject to r {t in branches}: "
            "sum {s in branches : depth(s) > 5 and s != t} active[s] <= 1;",
            "this 'sum' is over an empty set for every index, so it is 0",
        ),
        (
            'param p = prod {j in features : j = "a" and j = "b"} 3; minimize p * splits;',
            "this 'prod' is over an empty set, so it is 1",
        ),
    ],
)
def test_warned_of(text: str, message: str) -> None:
    assert warnings(text) == [message]


@pytest.mark.parametrize(
    "text",
    [
        "minimize misclassified;",
        "minimize misclassified + sum {l in leaves : position(l, leaves) = 1} occupied[l];",
        # empty at the root, and not elsewhere
        "minimize splits; subject to r {t in branches}: sum {s in ancestors(t)} active[s] <= 3;",
        # a family without rows
        "minimize splits; subject to r {t in branches : depth(t) > 5}: "
        "sum {s in branches : s != s} active[s] <= 1;",
    ],
)
def test_not_warned_of(text: str) -> None:
    assert warnings(text) == []


def test_what_to_write_for_the_number_of_a_leaf() -> None:
    text = "minimize misclassified + sum {l in leaves : ord(l) = 1} occupied[l];"
    compiled = loads(HEAD + text, data=DATA).compile()
    remedies = [w.remedy for w in compiled.warnings if w.code == "W401"]
    assert "position(l, leaves) among leaves" in remedies[0]


def test_once_however_often_the_model_is_built() -> None:
    program = loads(HEAD + "minimize splits + sum {l in leaves : ord(l) = 1} occupied[l];", DATA)
    program.compile()
    assert len([w for w in program.compile().warnings if w.code == "W401"]) == 1
