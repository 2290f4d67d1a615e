"""Declarations: levels, bounds, circles, trees."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, faults, resolved, said

from treemip.resolve import typed as t


def test_level_of_a_node_set_is_another_thing() -> None:
    spec = resolved("set second = level(2);")
    (second,) = (s for s in spec.sets if s.name == "second")
    assert isinstance(second.value, t.Call)


def test_circles_are_told_with_their_way() -> None:
    (fault,) = faults("let a = b + 1;\nlet b = c;\nlet c = 2 * a;")
    assert fault.message == "'a' depends on itself: a -> b -> c -> a"
    assert fault.span.text == "a"


def test_a_broken_declaration_is_reported_once() -> None:
    text = "let a = nothing;\nminimize a + a;\nsubject to r: a <= 1; s: a >= 0;"
    assert said(text) == [("E201", "nothing")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("var a < 1;", ("E206", "< 1")),
        ("var a >= points;", ("E204", "points")),
        ("var a >= active[root];", ("E206", "active[root]")),
        ("tree c {f in features} = points;", ("E204", "points")),
        ("set s = 3;", ("E204", "3")),
        ("term e(a) = points;", ("E204", "points")),
    ],
)
def test_values_are_of_their_sort(text, expected) -> None:
    assert said(text) == [expected]


def test_trees_are_families() -> None:
    bad = HEAD + 'split univariate by binoct;\ntree own = bisect(thresholds("a"));'
    assert [d.code for d in faults(bad)] == ["E203"]
