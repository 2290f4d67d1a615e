"""What holds on each side of a split, in words: `duration ≤ 24` and `duration > 24`, `purpose is
car or tv` and `purpose is radio`; no side is the denial of a question about the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treemip.core.instance.missing_columns import MISSING
from treemip.core.tree.tree import Tree
from treemip.writers.convert.arriving import ANYTHING, Arriving, OfColumn, Range, column_split
from treemip.writers.convert.phrases import compared, limit_of_values
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    OPPOSITE,
    UNSEEN,
    Limit,
    Missing,
    Values,
    level_names,
    levels_left,
)
from treemip.writers.convert.words import on_one_line, short

SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">"}

MOST_NAMES = 3
"""Categories of a side that are named though the other side has fewer."""


class Wording(NamedTuple):
    """say: a word of `WORDS` by its key; number: a number as text."""

    say: Callable[[str], str]
    number: Callable[[float], str] = short


class Sides(NamedTuple):
    """column: what is asked about. left, right: what holds on each side."""

    column: str
    left: str
    right: str


def sides_of(
    tree: Tree, node: int, wording: Wording, arriving: Arriving = ANYTHING
) -> Sides | None:
    """Those of a split of one column, of what can arrive there; None for one of several."""
    split = column_split(tree, node)
    if split is not None:
        return _of_columns(tree, node, split, wording, arriving)
    used = np.flatnonzero(tree.weights[node])
    if len(used) != 1:
        return None
    name, weight = on_one_line(tree.features[used[0]]), float(tree.weights[node, used[0]])
    threshold = float(tree.threshold[node])

    def goes_left(value: float) -> bool:
        total = weight * value
        return total < threshold if tree.strict else total <= threshold

    sign, text = compared(weight > 0, threshold / weight, tree.strict, goes_left, wording.number)
    return Sides(name, *both_signs(name, sign, text))


def _of_columns(
    tree: Tree, node: int, split: OfColumn | bool, wording: Wording, arriving: Arriving
) -> Sides:
    one_way = split if isinstance(split, bool) else arriving.one_way(split)
    if one_way is not None:  # a column of one value, or of one that is left there
        first = tree.features[np.flatnonzero(tree.weights[node])[0]]
        column = on_one_line(first if isinstance(split, bool) else split.feature.column)
        every, none = wording.say("every point"), wording.say("no point")
        return Sides(column, *((every, none) if one_way else (none, every)))
    assert not isinstance(split, bool)
    if isinstance(split, Limit):
        return _of_limit(split, tree.strict, wording, arriving)
    column = on_one_line(split.feature.column)
    if split.feature.levels is None:
        return _of_missing(column, split.left is True, wording)
    left, right = _of_levels(split, wording, arriving.levels(split.feature))
    return Sides(column, f"{column} {left}", f"{column} {right}")


def _of_limit(split: Limit, strict: bool, wording: Wording, arriving: Arriving) -> Sides:
    """A limit that the present values which arrive are all on one side of tells them from missing
    ones."""
    column = on_one_line(split.feature.column)
    goes = [arriving.side(split, left) for left in (True, False)]
    for left, here in zip((True, False), goes, strict=True):
        if isinstance(here, Range) and here.missing and not here.present:
            return _of_missing(column, left, wording)
    sign, text = limit_of_values(split, strict, wording.number)
    sides = list(both_signs(column, sign, text))
    if split.missing is not None and arriving.numbers(split.feature).missing:
        sides[0 if split.missing else 1] += f" {wording.say('or')} {wording.say('missing')}"
    return Sides(column, *sides)


def _of_missing(column: str, left: bool, wording: Wording) -> Sides:
    """left: whether missing values go left, and present ones right."""
    words = ("missing", "known") if left else ("known", "missing")
    return Sides(column, *(f"{column} {wording.say('is')} {wording.say(key)}" for key in words))


def both_signs(column: str, sign: str, text: str) -> tuple[str, str]:
    """`length < 3` and `length ≥ 3`"""
    return f"{column} {SIGNS[sign]} {text}", f"{column} {SIGNS[OPPOSITE[sign]]} {text}"


def _of_levels(
    split: Missing | Values, wording: Wording, arriving: frozenset[int]
) -> tuple[str, str]:
    """The categories of each side, or those that it has not where they are fewer and the other
    side's; a value that training did not have is among those of the side where it goes. arriving:
    the levels that can be there."""
    left = levels_left(split)
    known = dict(enumerate(map(on_one_line, level_names(split.feature))))
    if split.feature.keeps_missing:
        known[NO_VALUE] = wording.say("missing") if MISSING not in known.values() else MISSING
    mine = [name for k, name in known.items() if k in arriving and k in left]
    others = [name for k, name in known.items() if k in arriving and k not in left]
    taken, there = UNSEEN in arriving, UNSEEN in left
    return (
        _side(mine, others, taken and there, taken, wording),
        _side(others, mine, taken and not there, taken, wording),
    )


def _side(names: list[str], others: list[str], unseen: bool, taken: bool, wording: Wording) -> str:
    """unseen: whether values that training did not have go there; taken: whether they may occur."""
    none = f"{wording.say('is not')} {_listed(wording, others)}"
    if unseen:
        more = [*names, wording.say("any other value")]
        return none if others and len(others) <= len(more) else _names(wording, more)
    short_enough = len(names) <= max(MOST_NAMES, len(others))
    return _names(wording, names) if taken or short_enough or not others else none


def _names(wording: Wording, names: list[str]) -> str:
    return f"{wording.say('is')} {_listed(wording, names)}"


def _listed(wording: Wording, names: list[str]) -> str:
    """`car`, `car or tv`, `car, tv or radio`"""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {wording.say('or')} {names[-1]}"
