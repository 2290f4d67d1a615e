"""Leaving out what a script does not use."""

from __future__ import annotations

from treemip.render.python.layout import pruned

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
