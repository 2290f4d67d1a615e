"""An Instance: a Spec together with its data, sets, trees and parameter values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import numpy as np

from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.lookup import Lookup
from treemip.core.instance.separated import FlowCuts, Supports
from treemip.core.instance.trees import Forest
from treemip.core.instance.tuple_sets import Tuples
from treemip.core.model.arrays import Ragged
from treemip.core.resolve.sorts import (
    CATEGORICAL,
    CATEGORY,
    CLASS,
    FEATURE,
    POINT,
    Element,
    Number,
    Sort,
    is_listed,
)
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Symbol
from treemip.core.resolve.typed_sets import Listed
from treemip.core.source.diagnostic import Diagnostic

Made = TypeVar("Made")


@dataclass(frozen=True)
class Values:
    """A table of known values: `values[lookup(indices)]`; for a set family a Ragged or Tuples.

    The values of a set family are its lengths.
    """

    lookup: Lookup
    values: np.ndarray
    ragged: Ragged | None = None
    tuples: Tuples | None = None


@dataclass(frozen=True, eq=False)
class Instance:
    """`values` holds the tables of data, parameters and declared sets by symbol name.

    `topology` is None for a spec without trees, `data` None for one without data. `lookups` are
    those of declared domains, each made when it is first asked for. `supports`, `flow_cuts`: what
    separators have found, none before a solve. `counts` float64 (N,): how many points each one
    stands for in sums over points, None where that is itself (see lower/alike_points.py).

    Nothing of it changes once `bind` has returned it, but for `lookups` and what `once` keeps,
    which follow from the rest.
    """

    spec: Spec
    data: Data | None
    topology: Forest | None
    values: Mapping[str, Values] = field(default_factory=dict)
    trees: Mapping[str, Forest] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    lookups: dict[Symbol, Lookup] = field(default_factory=dict)
    supports: Supports = field(default_factory=Supports)
    flow_cuts: FlowCuts = field(default_factory=FlowCuts)
    counts: np.ndarray | None = None
    _made: dict[Callable[[Instance], object], object] = field(
        default_factory=dict, init=False, repr=False
    )

    def once(self, make: Callable[[Instance], Made]) -> Made:
        """make(self), made at the first call. What is made follows from the instance alone, and
        does not change; another instance, such as one by `replace`, makes its own."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    @property
    def table(self) -> Table:
        assert self.data is not None
        return self.data.train

    @property
    def nodes(self) -> Forest:
        """The nodes of the tree that is sought; only for a spec with trees."""
        assert self.topology is not None
        return self.topology

    @property
    def splits_by_category(self) -> bool:
        """Whether splits can tell categories of kept columns: some variable is indexed by them."""
        return splits_by_category(self.spec)

    @cached_property
    def listed(self) -> dict[str, tuple[str, ...]]:
        """The elements of each set that the text lists, by its name."""
        return {s.name: s.value.texts for s in self.spec.sets if isinstance(s.value, Listed)}

    @property
    def other_labels(self) -> dict[str, tuple[str, ...]]:
        """What leaves may answer in place of classes: the values of each group column, the elements
        of each listed set, by its name."""
        groups = {name: values for name, (_, values) in self.table.groups.items()}
        return groups | self.listed

    def forest(self, sort: Sort) -> Forest:
        """The tree or family whose nodes are of this sort."""
        assert isinstance(sort, Element)
        if sort.of == "node":
            return self.nodes
        return self.trees[sort.name]

    def names(self, sort: Sort) -> tuple[str, ...]:
        """Names of the elements that a text can mention: classes, features, group values, points
        by the `id` column (none without one), and the columns that features are made of."""
        assert isinstance(sort, Element)
        if sort.of == "point":
            return self.table.ids or ()
        if sort.of == "column":
            assert self.data is not None
            return tuple(dict.fromkeys(self.data.encoder.origin))
        if sort.of == "class":
            return self.table.classes
        if sort.of == "feature":
            return self.table.features
        if sort == CATEGORICAL:
            return tuple(self.table.categorical)
        if sort == CATEGORY:
            return self.table.category_names
        if is_listed(sort):
            return self.listed[sort.name]
        return self.table.groups[sort.name][1]

    def size(self, sort: Sort) -> int | None:
        """How many points, features, classes or listed elements there are; None for other sorts."""
        if sort == POINT:
            return len(self.table.y)
        if sort == FEATURE:
            return len(self.table.features)
        if is_listed(sort):
            return len(self.names(sort))
        return len(self.table.classes) if sort == CLASS else None

    def labels(self, sort: Sort, ids: np.ndarray) -> np.ndarray:
        """What indices are printed as; see model.blocks.Index."""
        if isinstance(sort, Number):
            whole = ids.astype(np.int64)
            return whole if (whole == ids).all() else ids
        assert isinstance(sort, Element)
        if sort.of == "point":
            return self.table.row_numbers[ids]
        if sort.of == "node" or sort.of.startswith("tree:"):
            return self.forest(sort).heap[ids]
        return ids.astype(np.int64) + 1


def splits_by_category(spec: Spec) -> bool:
    """Whether some variable is indexed by kept columns or their categories."""
    sorts = {sort for symbol in spec.variables for sort in symbol.sorts}
    return bool(sorts & {CATEGORICAL, CATEGORY})
