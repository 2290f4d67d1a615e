"""Conditions name what can arrive at a node: no value that a split above has sent elsewhere."""

from __future__ import annotations

from html import escape
from textwrap import dedent

import numpy as np
import pytest

import treemip
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.rules import rules

SPEC = """\
data "rows.csv" {{ label class; {settings} }}
topology complete(depth = 2);
split univariate by oct;
"""
ROWS = {
    "kidney": ["none", "mild", "severe", "mild", "none", "severe"],
    "age": [1.0, 2.0, 3.0, np.nan, 5.0, 6.0],
    "class": ["a", "b", "a", "b", "a", "b"],
}


def drawn(settings: str, *splits: tuple[str, float, float]) -> Tree:
    """A tree of depth 2 whose branches (root, left, right) split one column of x each: name,
    weight and threshold."""
    compiled = treemip.loads(SPEC.format(settings=settings), ROWS).compile()
    encoder = compiled.instance.data.encoder
    weights, threshold = np.zeros((7, len(encoder.names))), np.zeros(7)
    for t, (name, weight, limit) in enumerate(splits):
        weights[t, encoder.names.index(name)], threshold[t] = weight, limit
    answer = ClassAnswer(np.array([-1, -1, -1, 0, 1, 0, 1]), ("a", "b"))
    heap = from_heap(np.arange(1, 8))
    return Tree(heap, weights, threshold, False, answer, encoder.names, encoder)


ONEHOT, SIDE = "use kidney; encode onehot", "use age; missing side; scale minmax;"
NONE, SEVERE = ("kidney=none", 1.0, 0.5), ("kidney=severe", 1.0, 0.5)
LOWEST, YOUNG, OLD = (("age (missing lowest)", 1.0, at) for at in (-0.1, 0.3, 0.7))
HIGHEST = ("age (missing highest)", 1.0, 0.5)
CASES = {
    "levels that went elsewhere": (
        f"{ONEHOT};",
        (NONE, SEVERE, SEVERE),
        """
        every point
        ├─ kidney is mild or severe
        │  ├─ kidney is mild: a
        │  └─ kidney is severe: b
        └─ kidney is none
           ├─ every point: a
           └─ no point: b
        """,
    ),
    "other values where they can be": (
        f"{ONEHOT}(unseen = zero);",
        (NONE, SEVERE, SEVERE),
        """
        every point
        ├─ kidney is not none
        │  ├─ kidney is not severe: a
        │  └─ kidney is severe: b
        └─ kidney is none
           ├─ every point: a
           └─ no point: b
        """,
    ),
    "missing values that are on the left": (
        SIDE,
        (YOUNG, LOWEST, OLD),
        """
        every point
        ├─ age ≤ 1.625 or missing
        │  ├─ no point: a
        │  └─ every point: b
        └─ age > 1.625
           ├─ age ≤ 4.125: a
           └─ age > 4.125: b
        """,
    ),
    "numbers that are all beside the missing ones": (
        SIDE,
        (HIGHEST, LOWEST, OLD),
        """
        every point
        ├─ age ≤ 4.125
        │  ├─ no point: a
        │  └─ every point: b
        └─ age > 4.125 or missing
           ├─ age is missing: a
           └─ age is known: b
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_conditions_name_what_can_arrive(case: str) -> None:
    settings, splits, text = CASES[case]
    tree = drawn(settings, *splits)
    assert tree.drawn() == dedent(text).strip()
    page = tree.to_html()
    for line in dedent(text).strip().splitlines()[1:]:
        assert escape(line.lstrip("│├└─ ").split(": ")[0]) in page


def test_rules_have_the_values_that_arrive() -> None:
    """They join the conditions of a path, and leave out leaves that no value reaches."""
    assert rules(raw_tree(drawn(f"{ONEHOT};", NONE, SEVERE, SEVERE))).splitlines() == [
        "if kidney is mild then a",
        "if kidney is severe then b",
        "if kidney is none then a",
    ]
    lines = rules(raw_tree(drawn(SIDE, HIGHEST, LOWEST, OLD))).splitlines()
    assert lines[:3] == [
        "if age <= 4.125 then b",
        "if age is missing then a",
        "if age > 4.125 then b",
    ]
