"""The formulas of reformulations: what they cut off and what they leave, tried point by point."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product as pairs

import pytest
from exported import FORMULATIONS, compiled

from treemip.core.reform.formulas import (
    ABS,
    ABS_ATTAINED,
    MAX,
    MAX_ATTAINED,
    MIN,
    MIN_ATTAINED,
    PRODUCT,
    Inequality,
)
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Guard
from treemip.core.source.span import Source
from treemip.writers.render.names import Names
from treemip.writers.render.python.dialect import PythonDialect
from treemip.writers.render.reformulations import (
    PRODUCT_OF_BINARIES,
    formulas,
    named,
    relaxed_by,
    switched_off,
)
from treemip.writers.render.tables import ScriptData

HALVES = [k / 2 for k in range(-8, 9)]


@cache
def python() -> PythonDialect:
    return PythonDialect(ScriptData(compiled(FORMULATIONS["oct"]).instance), Names())


def holds(rows: Iterable[Inequality], **values: float) -> bool:
    """Whether inequalities without `=` hold, as Python reads what is written."""
    return all(eval(row.written({}), {}, values) for row in rows)


@pytest.mark.parametrize("low,high", [(-2, 3), (0, 1), (-3, -1), (2, 2)])
def test_a_product_is_the_one_point_that_its_rows_leave(low, high):
    rows = PRODUCT.values()
    for u, v in pairs((0, 1), [h for h in HALVES if low <= h <= high]):
        left = [w for w in HALVES if holds(rows, w=w, b=u, x=v, l=low, u=high)]
        assert left == [u * v]


def test_a_product_of_binaries_is_the_one_point_that_its_rows_leave():
    rows = PRODUCT_OF_BINARIES.values()
    for u, v in pairs((0, 1), repeat=2):
        assert [w for w in HALVES if 0 <= w <= 1 and holds(rows, w=w, b=u, x=v)] == [u * v]


@pytest.mark.parametrize("low,high", [(-2, 3), (0, 1), (-3, 0)])
def test_an_absolute_value_is_attained_for_one_sign(low, high):
    rows = (ABS | ABS_ATTAINED).values()
    for v in [h for h in HALVES if low <= h <= high]:
        left = {
            w for w, sign in pairs(HALVES, (0, 1)) if holds(rows, y=w, a=v, z=sign, l=low, u=high)
        }
        assert left == {abs(v)}


@pytest.mark.parametrize("side", [1, -1])
def test_an_extreme_is_attained_by_the_argument_picked(side):
    """Of two arguments in -1..2 and 0..3."""
    ranges = ((-1, 2), (0, 3))
    best = max(side * end for pair in ranges for end in pair)
    gaps = [best - min(side * end for end in pair) for pair in ranges]
    rows = (MAX, MAX_ATTAINED) if side > 0 else (MIN, MIN_ATTAINED)
    for a, b in pairs(*(range(low, high + 1) for low, high in ranges)):
        left = {
            w
            for w, picked in pairs(range(-4, 5), (0, 1))
            if all(
                holds(rows, y=w, a=v, s=gap, z=int(picked == k))
                for k, (v, gap) in enumerate(zip((a, b), gaps, strict=True))
            )
        }
        assert left == {max(a, b) if side > 0 else min(a, b)}


def test_a_guard_switches_its_row_off_at_the_other_value():
    for value, guard in pairs((0, 1), repeat=2):
        known = named("u"), t.Const(value=float(value), span=Source("none", "").span(0, 0))
        for v in known:
            text = python().text(switched_off(named("w"), v))
            assert eval(text, {}, {"w": guard, "u": value}) == int(guard != value)


def test_several_guards_relax_their_row_by_how_many_do_not_hold():
    span = Source("none", "").span(0, 0)
    for values, guards in pairs(pairs((0, 1), repeat=2), repeat=2):
        stated = [
            Guard(named(name), t.Const(value=float(value), span=span), span)
            for name, value in zip("wu", values, strict=True)
        ]
        text = python().text(relaxed_by(python(), stated))
        broken = sum(g != v for g, v in zip(guards, values, strict=True))
        assert eval(text, {}, dict(zip("wu", guards, strict=True))) == broken


def test_the_formulas_as_templates_show_them():
    assert formulas() == {
        "absolute": {
            "above": "result >= argument",
            "below": "result >= -argument",
            "positive": "result <= argument - 2 * min(low, 0) * (1 - positive)",
            "negative": "result <= -argument + 2 * max(high, 0) * positive",
        },
        "maximum": {"bound": "result >= a", "attained": "result <= a + (top - low) * (1 - pick)"},
        "product": {
            "on_upper": "w <= high * u",
            "on_lower": "w >= low * u",
            "off_upper": "w <= v - low * (1 - u)",
            "off_lower": "w >= v - high * (1 - u)",
        },
    }
