"""What can arrive at a node: the values of a column that the splits above it leave.

Conditions in text, pictures, pages and rules name no other. Only splits of single columns say
something of a column; a sum leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from treemip.core.instance.encodings.doubles import ordinal
from treemip.core.instance.feature import Feature
from treemip.core.tree.raw_units import feature_of
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    Limit,
    Missing,
    Sum,
    Values,
    levels_left,
    positions,
    split_of,
)

OfColumn = Limit | Missing | Values


def column_split(tree: Tree, node: int) -> OfColumn | bool | None:
    """A branch's split where a single column decides it, and whether all go left where that column
    is constant; None for another split, and where the tree has no encoder."""
    used = np.flatnonzero(tree.weights[node])
    by_category = tree.by_category(node)
    if by_category is not None:
        kept = tree.fitted_encoder().kept
        feature = next(each for each in kept if each.column == by_category.column)
        places = _places(feature).items()
        return Values(feature, frozenset(k for name, k in places if name in by_category.left))
    if not len(used) or feature_of(tree, int(used[0])) is None:
        return None
    split = split_of(tree, node)
    return None if isinstance(split, Sum) else split


def _places(feature: Feature) -> dict[str, int]:
    """The position of each category of a kept column, that of missing values among them."""
    assert feature.levels is not None
    known = len(feature.levels.names)
    return {name: k if k < known else NO_VALUE for k, name in enumerate(feature.categories)}


@dataclass(frozen=True)
class Range:
    """What a numeric column may be on a path; `missing` where missing values have a side."""

    feature: Feature
    limits: tuple[Limit, ...] = ()
    present: bool = True
    missing: bool = True

    @property
    def empty(self) -> bool:
        return not self.present and not self.missing

    def narrowed(self, condition: Limit | Missing) -> Range:
        if isinstance(condition, Missing):
            if condition.left:
                return replace(self, present=False, limits=())
            return replace(self, missing=False)
        missing = self.missing and bool(condition.missing)
        if not self.present:
            return replace(self, missing=missing)
        limits = {limit.operator[0]: limit for limit in self.limits}
        limits = with_limit(limits, replace(condition, missing=None))
        present = not exclude(limits)
        return Range(self.feature, tuple(limits.values()) if present else (), present, missing)


@dataclass(frozen=True)
class Arriving:
    """columns: by name, what is left of those that the splits above asked about: of a number its
    range, of a categorical column the positions of its levels."""

    columns: Mapping[str, Range | frozenset[int]] = field(default_factory=dict)

    def levels(self, feature: Feature) -> frozenset[int]:
        """A value that training did not have is among those of a kept column, as it goes right."""
        found = self.columns.get(feature.column)
        if isinstance(found, frozenset):
            return found
        return frozenset(positions(feature)) | frozenset([UNSEEN] * (feature.finish is None))

    def numbers(self, feature: Feature) -> Range:
        found = self.columns.get(feature.column)
        return found if isinstance(found, Range) else Range(feature, missing=feature.keeps_missing)

    def side(self, split: OfColumn, left: bool) -> Range | frozenset[int]:
        """What arrives on a side of a split."""
        if split.feature.levels is None:
            assert not isinstance(split, Values)
            return self.numbers(split.feature).narrowed(split if left else split.opposite)
        assert not isinstance(split, Limit)
        here, mine = self.levels(split.feature), levels_left(split)
        return here & mine if left else here - mine

    def one_way(self, split: OfColumn) -> bool | None:
        """Whether all that arrives goes left, or right; None where some goes either way, and where
        nothing arrives."""
        left, right = (_some(self.side(split, side)) for side in (True, False))
        return left if left != right else None

    def after(self, split: OfColumn | bool | None, left: bool) -> Arriving:
        """What arrives at a child."""
        if split is None or isinstance(split, bool):
            return self
        return Arriving({**self.columns, split.feature.column: self.side(split, left)})


ANYTHING = Arriving()


def _some(values: Range | frozenset[int]) -> bool:
    return not values.empty if isinstance(values, Range) else bool(values)


# ------------------------------------------------------------------------ limits of numbers


def with_limit(limits: dict[str, Limit], limit: Limit) -> dict[str, Limit]:
    """The tightest limit on either side, by "<" and ">"."""
    side = limit.operator[0]
    if side in limits and not _tighter(limit, limits[side]):
        return limits
    return {**limits, side: limit}


def exclude(limits: dict[str, Limit]) -> bool:
    """Whether no number is within both limits."""
    return len(limits) == 2 and _end(limits[">"]) > _end(limits["<"])


def _end(limit: Limit) -> int:
    """The last double that meets a limit, as a position among the doubles."""
    return ordinal(limit.number) + {"<": -1, ">": 1}.get(limit.operator, 0)


def _tighter(limit: Limit, other: Limit) -> bool:
    ends = _end(limit), _end(other)
    return ends[0] < ends[1] if limit.operator[0] == "<" else ends[0] > ends[1]
