"""The layout of scripts: long expressions broken, what nothing uses left out."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from treemip.writers.render.ampl.layout import folded as folded_ampl
from treemip.writers.render.ampl.layout import statement
from treemip.writers.render.python.layout import folded, pruned
from treemip.writers.render.text import split_outside

NAMES = st.sampled_from(["reach[i, l]", "coef[t, 'a + b']", "eps", "f(x, y)", "0.5"])
TEXTS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} * {})".format, inner, inner),
        st.builds("quicksum({} for i in {})".format, inner, inner),
    ),
    max_leaves=12,
)


def test_cuts_are_outside_of_brackets_and_quotes():
    assert split_outside("a + (b + c) + 'd + e' + f[g + h]", r" (?=\+ )") == [
        "a",
        "+ (b + c)",
        "+ 'd + e'",
        "+ f[g + h]",
    ]


@given(TEXTS, st.sampled_from([20, 40, 60]))
def test_folded_python_is_the_same_expression(text, width):
    said = folded(text, width, bracketed=False)
    assert ast.dump(ast.parse(said, mode="eval")) == ast.dump(ast.parse(text, mode="eval"))


@given(TEXTS, st.sampled_from([20, 40, 60]))
def test_folded_ampl_has_the_same_words(text, width):
    assert folded_ampl(text, width).split() == text.replace("(", " ( ").replace(
        ")", " ) "
    ).split() or "".join(folded_ampl(text, width).split()) == "".join(text.split())


def test_statements_are_broken_at_relations_then_at_sums():
    left = " + ".join(f"term_{k}[i]" for k in range(8))
    assert statement("s.t. row {i in points}:", f"{left} <= 1").splitlines() == [
        "s.t. row {i in points}:",
        f"  {left}",
        "    <= 1;",
    ]


SCRIPT = '''"""Head."""

import json
import math
from functools import cache, partial

FACTOR = 2
UNUSED = {"a": 1}
model = new_model()


def used():
    return helper(FACTOR)


def helper(a):
    return math.sqrt(a)


@cache
def recursive(n):
    return recursive(n - 1) + json.loads("1")


class Gone:
    """Nothing makes one."""


@cache
def twice(a):
    return 2 * a


x = table("x")
print(used(), twice(1))
'''


def test_what_no_statement_reaches_is_left_out():
    assert (
        pruned(SCRIPT)
        == '''"""Head."""

import math
from functools import cache

FACTOR = 2
model = new_model()


def used():
    return helper(FACTOR)


def helper(a):
    return math.sqrt(a)


@cache
def twice(a):
    return 2 * a


x = table("x")
print(used(), twice(1))
'''
    )


def test_pruning_twice_changes_nothing():
    assert pruned(pruned(SCRIPT)) == pruned(SCRIPT)
