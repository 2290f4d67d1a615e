"""What the leaves of a tree answer: a class, a distribution over classes, or a value.

A tree has its splits and one answer of these three kinds. Classes are those of the label, the
values of a group column, such as treatments, or the elements of a set that the spec lists. Nodes
are positions among the tree's nodes; x has the tree's inputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from treemip.core.resolve.builtins import GIVEN
from treemip.core.tree.routing import weighted_sum

Kind = Literal["class", "distribution", "value"]

NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")

LABEL = ""
"""In place of a group's name: the classes are the label's."""


@dataclass(frozen=True)
class ClassAnswer:
    """One class a leaf: leaf int64 (nodes,), class number at leaves, -1 elsewhere.

    of: the group or listed set whose elements the classes are, LABEL for the label's.
    """

    leaf: np.ndarray
    classes: tuple[str, ...]
    of: str = LABEL

    kind: ClassVar[Kind] = "class"

    @property
    def table(self) -> np.ndarray:
        """What each leaf says of each class, 0 or 1, float64 (nodes, K)."""
        table = np.zeros((len(self.leaf), len(self.classes)))
        leaves = np.flatnonzero(self.leaf >= 0)
        table[leaves, self.leaf[leaves]] = 1.0
        return table

    def is_same(self, leaves: np.ndarray) -> bool:
        """Whether leaves int64 (n,) all answer the same."""
        return len(np.unique(self.leaf[leaves])) == 1

    def differs(self, other: Answer, tolerance: float) -> np.ndarray:
        """Leaves that answer something else than another tree's, bool (nodes,)."""
        if not isinstance(other, ClassAnswer) or (self.classes, self.of) != _of(other):
            return np.ones(len(self.leaf), bool)
        return np.asarray(self.leaf != other.leaf)

    def tables(self) -> dict[str, np.ndarray]:
        """The tables of the language that hold this answer, flat; see resolve/builtins.py."""
        return {GIVEN + (self.of or "label"): self.table.ravel()}

    def leaf_json(self, node: int, features: tuple[str, ...]) -> dict[str, Any]:
        return {"class": self.classes[self.leaf[node]]}


@dataclass(frozen=True)
class DistributionAnswer:
    """A probability for each class: shares float64 (nodes, K), 0 at branches.

    leaf int64 (nodes,): the most probable class of each leaf, -1 elsewhere. of: as of ClassAnswer.
    """

    shares: np.ndarray
    leaf: np.ndarray
    classes: tuple[str, ...]
    of: str = LABEL

    kind: ClassVar[Kind] = "distribution"

    @classmethod
    def over(
        cls, shares: np.ndarray, is_leaf: np.ndarray, classes: tuple[str, ...], of: str = LABEL
    ) -> DistributionAnswer:
        """From shares float64 (nodes, K) and which nodes are leaves, bool (nodes,)."""
        leaf = np.where(is_leaf, shares.argmax(axis=1) if shares.shape[1] else 0, -1)
        return cls(shares, leaf, classes, of)

    @property
    def table(self) -> np.ndarray:
        """What each leaf says of each class, float64 (nodes, K)."""
        return self.shares

    def is_same(self, leaves: np.ndarray) -> bool:
        return bool((self.shares[leaves] == self.shares[leaves[0]]).all())

    def differs(self, other: Answer, tolerance: float) -> np.ndarray:
        if not isinstance(other, DistributionAnswer) or (self.classes, self.of) != _of(other):
            return np.ones(len(self.leaf), bool)
        return (self.leaf != other.leaf) | apart(self.shares, other.shares, tolerance)

    def tables(self) -> dict[str, np.ndarray]:
        return {GIVEN + (self.of or "label"): self.shares.ravel()}

    def leaf_json(self, node: int, features: tuple[str, ...]) -> dict[str, Any]:
        pairs = zip(self.classes, self.shares[node].tolist(), strict=True)
        return {"distribution": dict(pairs)}


@dataclass(frozen=True)
class ValueAnswer:
    """A number, affine in the inputs: base[l] + slopes[l] . x.

    base float64 (nodes,), slopes float64 (nodes, inputs), both 0 at branches; slopes are 0 where
    leaves answer constants. features: of the inputs, how many are features of x.
    """

    base: np.ndarray
    slopes: np.ndarray
    features: int

    kind: ClassVar[Kind] = "value"
    classes: ClassVar[tuple[str, ...]] = ()
    of: ClassVar[str] = LABEL

    @property
    def is_constant(self) -> bool:
        """Whether no leaf's value depends on the features."""
        return not self.slopes.any()

    def at(self, leaf: int, x: np.ndarray) -> np.ndarray:
        """The value of one leaf for rows of x float64 (M, inputs), float64 (M,)."""
        return self.base[leaf] + weighted_sum(x, self.slopes[leaf])

    def values(self, leaf: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The values of rows that end in leaves int64 (M,), float64 (M,)."""
        values = self.base[leaf]
        for node in np.unique(leaf[self.slopes[leaf].any(axis=1)]).tolist():
            rows = np.flatnonzero(leaf == node)
            values[rows] = self.at(node, x[rows])
        return values

    def is_same(self, leaves: np.ndarray) -> bool:
        first = leaves[0]
        same = (self.base[leaves] == self.base[first]).all()
        return bool(same and (self.slopes[leaves] == self.slopes[first]).all())

    def differs(self, other: Answer, tolerance: float) -> np.ndarray:
        if not isinstance(other, ValueAnswer):
            return np.ones(len(self.base), bool)
        constants = apart(self.base[:, None], other.base[:, None], tolerance)
        return constants | apart(self.slopes, other.slopes, tolerance)

    def tables(self) -> dict[str, np.ndarray]:
        slopes = self.slopes[:, : self.features]
        return {"given_value": self.base, "given_slope": slopes.ravel()}

    def leaf_json(self, node: int, features: tuple[str, ...]) -> dict[str, Any]:
        slopes = by_feature(features, self.slopes[node])
        return {"value": float(self.base[node]), **({"slopes": slopes} if slopes else {})}


Answer = ClassAnswer | DistributionAnswer | ValueAnswer


def _of(answer: ClassAnswer | DistributionAnswer) -> tuple[tuple[str, ...], str]:
    return answer.classes, answer.of


def apart(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Rows of a and b float64 (nodes, n) that differ by more than a relative tolerance."""
    if a.shape != b.shape:
        return np.ones(len(a), bool)
    return np.asarray((~(np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b)))).any(axis=1))


def by_feature(features: tuple[str, ...], numbers: np.ndarray) -> dict[str, float]:
    """The numbers float64 (inputs,) that are not 0, by name."""
    return {features[j]: float(numbers[j]) for j in np.flatnonzero(numbers)}


def are_numbers(classes: tuple[str, ...]) -> bool:
    """Whether all names of classes are numbers, such as 0 and 1."""
    return bool(classes) and all(NUMBER.fullmatch(name) for name in classes)


def header_json(answer: Answer, usual: Kind) -> dict[str, Any]:
    """What tree.json says of the answer; nothing where it is the usual kind, over the label."""
    if answer.kind == usual and answer.of == LABEL:
        return {}
    return {"answer": {"kind": answer.kind, **({"of": answer.of} if answer.of else {})}}
