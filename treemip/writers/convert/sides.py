"""What holds on each side of a split, in words: `duration ≤ 24` and `duration > 24`, `purpose is
car or tv` and `purpose is radio`; no side is the denial of a question about the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treemip.core.instance.missing_columns import MISSING
from treemip.core.tree.raw_units import feature_of
from treemip.core.tree.tree import Tree
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
    positions,
    split_of,
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


def sides_of(tree: Tree, node: int, wording: Wording) -> Sides | None:
    """Those of a split of one column; None for one of several."""
    by_category = tree.by_category(node)
    if by_category is not None:
        column = on_one_line(by_category.column)
        mine, others = (
            list(map(on_one_line, names)) for names in (by_category.left, by_category.right)
        )
        sides = _side(mine, others, False, True, wording), _side(others, mine, True, True, wording)
        return Sides(column, *(f"{column} {side}" for side in sides))
    used = np.flatnonzero(tree.weights[node])
    if len(used) and feature_of(tree, int(used[0])) is not None:
        return _of_columns(tree, node, wording)
    if len(used) != 1:
        return None
    name, weight = on_one_line(tree.features[used[0]]), float(tree.weights[node, used[0]])
    threshold = float(tree.threshold[node])

    def goes_left(value: float) -> bool:
        total = weight * value
        return total < threshold if tree.strict else total <= threshold

    sign, text = compared(weight > 0, threshold / weight, tree.strict, goes_left, wording.number)
    return Sides(name, *both_signs(name, sign, text))


def _of_columns(tree: Tree, node: int, wording: Wording) -> Sides | None:
    split = split_of(tree, node)
    if isinstance(split, bool):  # a column of one value
        column = on_one_line(tree.features[np.flatnonzero(tree.weights[node])[0]])
        every, none = wording.say("every point"), wording.say("no point")
        return Sides(column, *((every, none) if split else (none, every)))
    if isinstance(split, Limit):
        return _of_limit(split, tree.strict, wording)
    if not isinstance(split, Missing | Values):
        return None
    column = on_one_line(split.feature.column)
    if split.feature.levels is None:
        left, right = (f"{wording.say('is')} {wording.say(key)}" for key in ("missing", "known"))
        left, right = (left, right) if split.left else (right, left)
    else:
        left, right = _of_levels(split, wording)
    return Sides(column, f"{column} {left}", f"{column} {right}")


def _of_limit(split: Limit, strict: bool, wording: Wording) -> Sides:
    column = on_one_line(split.feature.column)
    sign, text = limit_of_values(split, strict, wording.number)
    sides = list(both_signs(column, sign, text))
    if split.missing is not None:
        sides[0 if split.missing else 1] += f" {wording.say('or')} {wording.say('missing')}"
    return Sides(column, *sides)


def both_signs(column: str, sign: str, text: str) -> tuple[str, str]:
    """`length < 3` and `length ≥ 3`"""
    return f"{column} {SIGNS[sign]} {text}", f"{column} {SIGNS[OPPOSITE[sign]]} {text}"


def _of_levels(split: Missing | Values, wording: Wording) -> tuple[str, str]:
    """The categories of each side, or those that it has not where they are fewer and the other
    side's; a value that training did not have is among those of the side where it goes."""
    left = levels_left(split)
    known = dict(enumerate(map(on_one_line, level_names(split.feature))))
    if split.feature.keeps_missing:
        known[NO_VALUE] = wording.say("missing") if MISSING not in known.values() else MISSING
    mine = [name for k, name in known.items() if k in left]
    others = [name for k, name in known.items() if k not in left]
    taken = UNSEEN in positions(split.feature)
    there = UNSEEN in left
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
