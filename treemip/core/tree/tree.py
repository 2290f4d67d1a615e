"""A decision tree by itself: splits, what leaves answer, and the encoding of new rows.

`splits.py` says which way rows go. Drawing, scores and tree.json are modules on top of this one,
which its methods import when called.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, Unpack

import numpy as np

from treemip.core.instance.encoder import Encoder
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.pickled import PickledWithoutRows
from treemip.core.tree.answers import LABEL, Answer, ClassAnswer, DistributionAnswer, ValueAnswer
from treemip.core.tree.leaf_shares import UNSMOOTHED, Smoothing, leaf_shares
from treemip.core.tree.splits import ByCategory, Splits, read_by_category

if TYPE_CHECKING:
    from onnx import ModelProto
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from treemip.core.instance.raw_table import RawTable
    from treemip.core.instance.row_location import RowLocation
    from treemip.core.tree.leaf_outcomes import LeafOutcomes
    from treemip.core.tree.measures import OfSpec
    from treemip.core.tree.score import AnyScore
    from treemip.writers.picture.style import Looks


class SpecOfTree(Protocol):
    """The spec that a tree was learned by."""

    def on_rows(self, tree: Tree, rows: RawTable, file: str) -> OfSpec:
        """What it says of the tree on raw rows; file: what they are called in messages."""
        ...

    def names(self) -> tuple[str, str]:
        """What the spec and its data are called, without folders; "" of what has no name."""
        ...

    def positive(self, tree: Tree) -> int | None:
        """The number of the class that it calls positive; None without one."""
        ...

    def leaf_weights(self, tree: Tree) -> np.ndarray | None:
        """What `Tree.leaf_weights` has, from the training points; None where they say nothing of
        it. Raises TreemipError where they are not found."""
        ...


@dataclass(frozen=True)
class Tree(Splits, PickledWithoutRows):
    """A tree over p inputs: encoded features, and a 0/1 column for each category of kept columns.

    topology, weights, threshold and strict: as of `Splits`. answer: of the leaves. counts int64
    (nodes, n): training points that end in each leaf, of each class of `count_names`, or all of
    them in one column where there are none; None where they are unknown. spec: what it was learned
    by, None where that is not known, as in a pickle. leaf_weights float64 (nodes, K): where leaves
    answer classes of the label, the weight of the training points of each class that end in each
    leaf, those that were not selected for the model included; None where it is not known.
    smoothing: of the shares that these make. outcomes: of the points in each leaf, where classes
    do not say it.
    """

    answer: Answer
    features: tuple[str, ...]
    encoder: Encoder | None = None
    name: str = "tree"
    counts: np.ndarray | None = None
    spec: SpecOfTree | None = field(default=None, compare=False)
    leaf_weights: np.ndarray | None = None
    smoothing: Smoothing = UNSMOOTHED
    outcomes: LeafOutcomes | None = None

    def _to_pickle(self) -> dict[str, Any]:
        return {**self.__dict__, "spec": None}

    def __str__(self) -> str:
        return self.drawn()

    def __repr__(self) -> str:
        leaves, features = len(self.topology.leaves), len(self.features)
        return f"<{type(self).__name__} {self.name}: {leaves} leaves, {features} features>"

    @property
    def classes(self) -> tuple[str, ...]:
        """What leaves choose from: the label's classes or a group's values; () of values."""
        return self.answer.classes

    @property
    def leaf_class(self) -> np.ndarray:
        """The class number of each leaf, -1 elsewhere, int64 (nodes,); of a distribution the most
        probable one. Raises TypeError where leaves predict values."""
        return self._classed().leaf

    @property
    def distribution(self) -> np.ndarray:
        """What leaves say of each class, 0 or 1 or a probability, float64 (nodes, K). Raises
        TypeError where leaves predict values."""
        return self._classed().table

    @property
    def value_answer(self) -> ValueAnswer:
        """The values of the leaves. Raises TypeError where they predict classes."""
        if not isinstance(self.answer, ValueAnswer):
            raise TypeError("the leaves of this tree predict classes, not values")
        return self.answer

    def _classed(self) -> ClassAnswer | DistributionAnswer:
        if isinstance(self.answer, ValueAnswer):
            raise TypeError("the leaves of this tree predict values, not classes")
        return self.answer

    @property
    def predicts_label(self) -> bool:
        """Whether leaves answer with classes of the label, or probabilities of these."""
        return self.answer.kind != "value" and self.answer.of == LABEL

    @property
    def count_names(self) -> tuple[str, ...]:
        """The classes that `counts` tells apart: the label's, where leaves predict it."""
        return self.answer.classes if self.predicts_label else ()

    def counts_of(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Points x float64 (M, p) with class numbers y int64 (M,) by the leaf where they end, int64
        (nodes, n), as `counts`."""
        size, classes = self.topology.size, max(1, len(self.count_names))
        of_class = y if self.count_names else 0
        counts = np.bincount(self.route(x) * classes + of_class, minlength=size * classes)
        return counts.reshape(size, classes)

    # ------------------------------------------------------------------- pictures

    def drawn(self, counts: np.ndarray | None = None, **looks: Unpack[Looks]) -> str:
        """The tree as text. Arguments as of `to_svg`, but size and palette."""
        from treemip.writers.picture.drawing import drawing, style_of_text

        return drawing(self, counts, style_of_text(looks))

    def to_svg(self, counts: np.ndarray | None = None, **looks: Unpack[Looks]) -> str:
        """The tree as a picture: splits in raw units, leaves with what their points show.

        counts int64 (nodes, n): points by leaf, as `counts`; the training points without. looks:
        title, note, size, palette, language, words, digits, depth and unit, as of `treemip show`.
        Raises E902 for a look that is none.
        """
        from treemip.writers.picture.scene import scene_of
        from treemip.writers.picture.style import style_of
        from treemip.writers.picture.svg import svg

        return svg(scene_of(self, counts, style_of(looks)))

    def to_html(self, counts: np.ndarray | None = None, **looks: Unpack[Looks]) -> str:
        """A page with the picture, which can be moved and enlarged, its leaves as a table, and the
        tree as text; it needs no network. Arguments as of `to_svg`."""
        from treemip.writers.picture.page import page
        from treemip.writers.picture.style import style_of

        return page(self, counts, style_of(looks))

    def to_dot(self, counts: np.ndarray | None = None, **looks: Unpack[Looks]) -> str:
        """The tree in the language of Graphviz. Arguments as of `to_svg`."""
        from treemip.writers.picture.dot import dot
        from treemip.writers.picture.style import style_of

        return dot(self, counts, style_of(looks))

    def plot(self, ax: Any = None, counts: np.ndarray | None = None, **looks: Unpack[Looks]) -> Any:
        """Draw the picture with Matplotlib: into `ax`, or a figure of its own. Returns the axes.

        Other arguments as of `to_svg`. Raises E602 without Matplotlib.
        """
        from treemip.writers.picture.figure import plot
        from treemip.writers.picture.scene import scene_of
        from treemip.writers.picture.style import style_of

        return plot(scene_of(self, counts, style_of(looks)), ax)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'

    def by_category(self, node: int) -> ByCategory | None:
        """What a branch says, where it sends some categories of one kept column left."""
        return read_by_category(self.encoder, self.weights[node], float(self.threshold[node]))

    def predict_numbers(self, x: np.ndarray) -> np.ndarray:
        """Class numbers of encoded rows, int64 (M,). Raises TypeError of values."""
        return self.leaf_class[self.route(x)]

    def values(self, x: np.ndarray) -> np.ndarray:
        """The values of encoded rows, float64 (M,). Raises TypeError of classes."""
        return self.value_answer.values(self.route(x), x)

    def answers(self, x: np.ndarray) -> np.ndarray:
        """What encoded rows are answered: class numbers int64 (M,) or values float64 (M,)."""
        return self.values(x) if self.answer.kind == "value" else self.predict_numbers(x)

    @cached_property
    def shares(self) -> np.ndarray:
        """The probability of each class in each leaf, float64 (nodes, K), 0 at branches: the share
        in the weight of its training points, or what the leaf itself answers. Raises E701 where
        neither is known, TypeError where leaves predict values."""
        return leaf_shares(self)

    def survival_curves(self) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """Times float64 (T,), evenly up to the longest of the training points, and for each leaf
        with training points their Kaplan-Meier estimates then, float64 (T,); keys as `route` gives
        them. Raises E902 where the tree has no survival times.
        """
        if self.outcomes is None or self.outcomes.kind != "time":
            message = "the tree has no survival curves in its leaves"
            raise refused(message, "solve a spec of survival times again, by ost or ost_grid")
        return self.outcomes.curves()

    def smoothed(self, smoothing: Smoothing | str | float | None) -> Self:
        """The tree with its shares smoothed: by 1, Laplace's correction, or "m=5", the m-estimate.

        Raises E902 for other texts, and where leaves do not answer classes of the label.
        """
        wanted = Smoothing.of(smoothing)
        if wanted.strength and (self.answer.kind != "class" or not self.predicts_label):
            message = "only shares of training points are smoothed, and the leaves of this tree"
            what = "values" if self.answer.kind == "value" else "probabilities of their own"
            raise refused(f"{message} answer {what}", "leave the smoothing out")
        return replace(self, smoothing=wanted)

    def class_chances(self, x: np.ndarray) -> np.ndarray:
        """The probability of each class for encoded rows, float64 (M, K): the `shares` of their
        leaves. Raises E701 where these are not known, TypeError of values."""
        return np.asarray(self.shares[self.route(x)])

    def encode(self, rows: Any) -> np.ndarray:
        """Raw rows (DataFrame, dict of columns, matrix) as x float64 (M, p). Raises E3xx."""
        encoder, raw = self.fitted_encoder(), self._raw(rows)
        x = encoder.inputs(raw)
        _warn_of_fills(encoder, raw)
        return x

    def fitted_encoder(self) -> Encoder:
        """How rows are encoded. Raises E701 where that is not known."""
        if self.encoder is None:
            message = "the tree does not say how rows are encoded"
            raise TreemipError(Diagnostic.outside("E701", message, "solve again with -o"))
        return self.encoder

    def _raw(self, rows: Any, classes: Any = None) -> RawTable:
        """Columns by name, the classes under the label's name. Raises E301."""
        from treemip.core.instance.columns import Unreadable
        from treemip.core.instance.data_frames import columns_of
        from treemip.core.instance.raw_table import table_of_arrays

        encoder = self.fitted_encoder()
        try:
            return table_of_arrays(columns_of(rows, classes, encoder.label), encoder.marks)
        except Unreadable as fault:
            raise TreemipError(Diagnostic.outside("E301", fault.message, fault.remedy)) from None

    def predict(self, rows: Any) -> np.ndarray:
        """Classes or values of raw rows, encoded and scaled as the training part was; (M,).

        Classes are numbers where the label's are (int64 where all are whole), else str.
        """
        x = self.encode(rows)
        if self.answer.kind == "value":
            return self.values(x)
        return self.class_values[self.predict_numbers(x)]

    def predict_proba(self, rows: Any) -> np.ndarray:
        """The probability of each class for raw rows, float64 (M, K) in the order of `classes`.

        Of a tree of classes the shares of the training points in a row's leaf, by their weight, as
        `shares` and `smoothed` say; a tree of probabilities has its own. Raises E701 where the
        training points are not known, TypeError where leaves predict values.
        """
        return self.class_chances(self.encode(rows))

    def score(
        self,
        rows: Any,
        classes: Any = None,
        *,
        positive: Any = None,
        weights: Any = None,
        bins: int = 10,
    ) -> AnyScore:
        """What papers report of a tree, on raw rows with their labels, and what its spec says of
        it there: `objective`, `terms`, `measures`, and in `left_out` why one of these is not known.

        The labels (M,) stand in the label's column of `rows` unless they are given. A Score where
        leaves predict the label's classes, a ValueScore where they predict values, a ChoiceScore
        where they choose among the values of a group. Raises E3xx.

        A Score also has `probabilities`: of the class `positive`, the spec's own or the second of
        two without, each row counted by `weights` (M,), calibration and gains in so many `bins`.
        """
        encoder, raw = self.fitted_encoder(), self._raw(rows, classes)
        _warn_of_fills(encoder, raw)
        weights = None if weights is None else np.asarray(weights, float)
        return self.score_of_raw(raw, None, positive, weights, bins)

    def score_of_raw(
        self,
        raw: RawTable,
        place: RowLocation | None = None,
        positive: Any = None,
        weights: np.ndarray | None = None,
        bins: int = 10,
    ) -> AnyScore:
        """The same of a table as it was read. place: where its rows stand."""
        from treemip.core.instance.row_location import RowLocation
        from treemip.core.tree.score import score, with_probabilities, with_spec

        encoder, place = self.fitted_encoder(), place or RowLocation()
        x, y = encoder.inputs(raw, place), encoder.labels(raw, place)
        found = score(self, x, y)
        if self.spec is None:
            why = "the tree is without its spec here"
            found = with_spec(found, None, {}, {"objective": why})
        else:
            found = with_spec(found, *self.spec.on_rows(self, raw, place.file))
        return with_probabilities(found, self, x, y, positive, weights, bins)

    @property
    def class_values(self) -> np.ndarray:
        """The classes as values of the label's own type, (K,); those of a group as texts."""
        if self.encoder is None or not self.predicts_label or not self.encoder.classes.numeric:
            return np.array(self.classes, object)
        values = np.array([float(name) for name in self.classes])
        return values.astype(np.int64) if (values % 1 == 0).all() else values

    def to_json(self) -> dict[str, Any]:
        """Nodes from the root down by heap number; weights by feature name, zeros left out."""
        from treemip.core.tree.saved import tree_json

        return tree_json(self)

    def to_text(self, target: str, table: str | None = None, dialect: str | None = None) -> str:
        """The tree in a language of `treemip convert`, such as "rules" or "python".

        table: for SQL, "data" without; dialect: for SQL, one of sqlglot's. Raises E902 for what
        the target cannot carry, E701 for a tree without an encoder, E602 without sqlglot.
        """
        from treemip.writers.convert.targets import converted

        return converted(self, target, table, dialect)

    def to_onnx(self) -> ModelProto:
        """The tree as an ONNX model that computes in double precision.

        Inputs are the raw columns (rows, 1) by name: double, NaN where missing, or string.
        Outputs: prediction (rows,), probabilities (rows, K) and refused (rows,), true where
        `predict` would raise. Raises E602 without onnx, E701 for a tree without an encoder, E902.
        """
        from treemip.writers.convert.onnx_model import onnx_model
        from treemip.writers.convert.raw_splits import raw_tree

        return onnx_model(raw_tree(self))

    def to_sklearn(self, rows: Any = None) -> DecisionTreeClassifier | DecisionTreeRegressor:
        """A univariate tree of numeric columns as a fitted classifier of scikit-learn, or a
        regressor where leaves predict constant values.

        Its inputs are raw columns, `feature_names_in_`, compared in single precision. rows: raw
        rows on which both must agree, and which its nodes count; else they count the training
        points. Leaves have the probabilities of classes. Raises E602 without scikit-learn, E902
        for other splits and values, E703 for rows on which the two differ.
        """
        from treemip.writers.convert.raw_splits import raw_tree
        from treemip.writers.convert.scikit import to_sklearn

        return to_sklearn(raw_tree(self), rows)

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Tree:
        """The inverse of `to_json`. Raises KeyError, ValueError or TypeError when malformed."""
        from treemip.core.tree.saved import tree_of

        return tree_of(saved)


def _warn_of_fills(encoder: Encoder, raw: RawTable) -> None:
    for diagnostic in encoder.fill_warnings(raw, "rows"):
        warnings.warn(f"{diagnostic.code}: {diagnostic.message}", stacklevel=4)
