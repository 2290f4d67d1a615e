"""The points that a spec speaks of as arrays, and the parts of its data: training and test."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treemip.core.instance import categories as kept
from treemip.core.instance.categories import Coded
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.saved_answers import SavedAnswers
from treemip.core.instance.selected import Selected
from treemip.core.model.arrays import Ragged, distinct_rows
from treemip.core.source.diagnostic import Diagnostic

LARGE = 100_000
"""Points of a table from which on the memory that a step took is given back at its end."""

SORTED = 20_000
"""Points up to which the distinct ones are in order."""

WITHOUT_CLASSES = {
    "class": "",
    "number": "the label is read as numbers",
    "none": "there is no label",
}
"""Why a label of each kind has no classes, in words."""


_inputs: dict[int, weakref.ref[np.ndarray]] = {}  # those of all tables, by id


def is_of_table(x: np.ndarray) -> bool:
    """Whether x is the `inputs` of a table, which nobody writes to."""
    known = _inputs.get(id(x))
    return known is not None and known() is x


@dataclass(frozen=True)
class Table:
    """N points with p encoded features and K classes.

    x float64 (N, p), C-contiguous and finite; uint8 where there are many of 0 and 1. `label_kind`
    "class": y int64 (N,), class numbers from 0, and `classes` sorted (as numbers where all are);
    "number": y float64 (N,), finite, and no classes; "none": y int64 (N,) zeros, and no classes.
    weight float64 (N,), positive. `groups` and `categorical` have codes int64 (N,) and the values
    they number, `numbers` float64 (N,) each, finite and never scaled. `row_numbers` int64 (N,)
    count the data rows of the file from 1; `ids` are the texts of the `id` column, where there is
    one. `missing`: of raw columns of features that have missing values, by name, in which rows,
    bool (N,).
    """

    features: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    classes: tuple[str, ...]
    weight: np.ndarray
    groups: Mapping[str, Coded]
    categorical: Mapping[str, Coded]
    row_numbers: np.ndarray
    ids: tuple[str, ...] | None = None
    label_kind: str = "class"
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)
    missing: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def without_classes(self) -> str:
        """Why there are no classes, in words; empty where there are."""
        return WITHOUT_CLASSES[self.label_kind]

    @cached_property
    def categories(self) -> Ragged:
        """The numbers of each kept column's categories, which run through all of them."""
        return kept.categories(self.categorical)

    @property
    def category_names(self) -> tuple[str, ...]:
        """`column=value` by the number of the category."""
        return kept.category_names((c, names) for c, (_, names) in self.categorical.items())

    @property
    def category_numbers(self) -> np.ndarray:
        """Each point's category in each kept column, int64 (N, kept columns); -1 for none."""
        return kept.category_numbers(self.categorical, len(self.y))

    def take(self, rows: np.ndarray) -> Table:
        """The points at these positions, int64 (n,), as a table of its own."""
        return replace(
            self,
            x=np.ascontiguousarray(self.x[rows]),
            y=self.y[rows],
            weight=self.weight[rows],
            groups={name: (codes[rows], names) for name, (codes, names) in self.groups.items()},
            categorical={
                name: (codes[rows], names) for name, (codes, names) in self.categorical.items()
            },
            row_numbers=self.row_numbers[rows],
            ids=None if self.ids is None else tuple(self.ids[row] for row in rows.tolist()),
            numbers={name: values[rows] for name, values in self.numbers.items()},
            missing={name: gaps[rows] for name, gaps in self.missing.items()},
        )

    def renumbered(self, groups: Mapping[str, tuple[str, ...]]) -> Table:
        """The same points with the numbers that values of groups have elsewhere, by the group's
        name; values that are not there have numbers behind those that are."""

        def coded(codes: np.ndarray, own: tuple[str, ...], known: tuple[str, ...]) -> Coded:
            names = tuple(dict.fromkeys((*known, *own)))
            number = np.array([*map(names.index, own), -1], np.int64)
            return number[codes], names

        return replace(
            self, groups={k: coded(*one, groups.get(k, one[1])) for k, one in self.groups.items()}
        )

    def followed_by(self, other: Table) -> Table:
        """These points and then those of another table, which has the same columns and numbers
        classes, categories and the values of groups alike; `other` may have more of the last."""

        def coded(own: Mapping[str, Coded], more: Mapping[str, Coded]) -> dict[str, Coded]:
            return {k: (np.append(own[k][0], codes), names) for k, (codes, names) in more.items()}

        none = (np.zeros(len(self.y), bool), np.zeros(len(other.y), bool))
        ids = None if self.ids is None or other.ids is None else (*self.ids, *other.ids)
        return replace(
            self,
            x=np.concatenate([self.x, other.x]),
            y=np.append(self.y, other.y),
            weight=np.append(self.weight, other.weight),
            groups=coded(self.groups, other.groups),
            categorical=coded(self.categorical, other.categorical),
            row_numbers=np.append(self.row_numbers, other.row_numbers),
            ids=ids,
            numbers={k: np.append(own, other.numbers[k]) for k, own in self.numbers.items()},
            missing={
                k: np.append(self.missing.get(k, none[0]), other.missing.get(k, none[1]))
                for k in {**self.missing, **other.missing}
            },
        )

    @cached_property
    def inputs(self) -> np.ndarray:
        """What a tree routes, float64 (N, p + categories), read-only; x where no column is kept."""
        inputs = kept.with_categories(self.x, self.categorical).view()
        inputs.flags.writeable = False
        number = id(inputs)
        _inputs[number] = weakref.ref(inputs, lambda _: _inputs.pop(number, None))
        return inputs

    def order(self, feature: int) -> np.ndarray:
        """The points in ascending order of an encoded feature, equal ones by number, int32 (N,)."""
        if feature not in self._orders:
            order = np.argsort(self.x[:, feature], kind="stable")
            self._orders[feature] = order.astype(np.int32)
        return self._orders[feature]

    @cached_property
    def _orders(self) -> dict[int, np.ndarray]:
        return {}

    @cached_property
    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct rows of `inputs`, float64 (M, p + categories), and which of them each point
        is, int64 (N,); in order, and where there are many points by their first appearance."""
        if len(self.y) > SORTED:
            first, of_point = distinct_rows(self.inputs)
            return self.inputs[first] if len(first) < len(self.y) else self.inputs, of_point
        x, of_point = np.unique(self.inputs, axis=0, return_inverse=True)
        return x, of_point.ravel()


@dataclass(frozen=True)
class Data:
    """The training part, the rest, and what was fitted on the first.

    `positive` is the number of the positive class, `digest` the SHA-256 of the file's bytes or of
    the arrays, `warnings` what the reader should hear about (W302). `selected`: of which points
    `train` is a part, where the strategy selects some. `filled`: those warnings that tell of
    missing values of the test part that no split has a side for. `tables`: files beside the data,
    by path and separator, from which parameters take their values. `answers`: saved trees whose
    answers are among the numbers of points.
    """

    train: Table
    test: Table | None
    encoder: Encoder
    positive: int | None
    digest: str
    warnings: tuple[Diagnostic, ...] = ()
    filled: tuple[Diagnostic, ...] = ()
    selected: Selected | None = None
    tables: Mapping[tuple[str, str | None], RawTable] = field(default_factory=dict)
    answers: tuple[SavedAnswers, ...] = ()

    @property
    def whole(self) -> Table:
        """All points of the training part, selected or not."""
        return self.train if self.selected is None else self.selected.whole
