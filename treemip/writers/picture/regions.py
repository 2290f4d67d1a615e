"""The class that a tree predicts at each point of the plane of two raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treemip.core.instance.columns import column_of, read_numbers
from treemip.core.instance.data_frames import columns_of
from treemip.core.instance.encoder import Encoder
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.suggest import did_you_mean
from treemip.core.tree.tree import Tree
from treemip.writers.convert.phrases import class_names
from treemip.writers.convert.words import short
from treemip.writers.picture.contents import shown
from treemip.writers.picture.figure import figures
from treemip.writers.picture.shapes import INK, colour, fitted

MARKS = "os^Dv<>P"
"""The marks of points by class, for those who do not tell the colours apart."""


def regions(
    tree: Tree,
    data: Any,
    features: tuple[str, str] | None = None,
    ax: Any = None,
    resolution: int = 300,
    classes: Any = None,
) -> Any:
    """Draw a tree's decision regions over two numeric columns, and the points of `data`.

    data: rows as `predict` takes them; points have their class where the label's column is there
    or `classes` (M,) are given. features: the columns of the axes; they may be left out where the
    tree has two. All others are held at the median of `data`, or at its most frequent value.
    Returns the axes. Raises E301, E302, E602, E902.
    """
    figures()
    encoder = tree.fitted_encoder()
    if tree.answer.kind == "value":
        raise refused("regions are drawn for classes, and the tree predicts values", "use plot")
    columns = columns_of(data, classes, encoder.label)
    pair = _pair(encoder, columns, features)
    values = [read_numbers(column_of(name, columns[name], encoder.marks)) for name in pair]
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(6.4, 4.8), layout="constrained").add_subplot()
    grid = [_axis(each, resolution) for each in values]
    held = _held(encoder, columns, pair)
    labels = _labels(tree, held, pair, grid)
    _paint(ax, tree, grid, labels)
    _points(ax, tree, values, columns.get(encoder.label))
    if held:
        text = ", ".join(f"{shown(name)} {_text(value)}" for name, value in held.items())
        ax.set_title(fitted(f"at {text}", 420, 11), fontsize="small", parse_math=False)
    ax.set_xlabel(shown(pair[0]), parse_math=False)
    ax.set_ylabel(shown(pair[1]), parse_math=False)
    return ax


def _pair(
    encoder: Encoder, columns: dict[str, np.ndarray], features: Sequence[str] | None
) -> tuple[str, str]:
    """The columns of the axes. Raises E902 for other than two, E302 for unknown ones."""
    known = [feature.column for feature in encoder.features]
    if features is None and len(known) == 2:
        features = known
    if features is None or isinstance(features, str) or len(features) != 2:
        message = f"regions are drawn over two features; the tree was trained on {len(known)}"
        raise refused(message, f"name two, such as features={tuple(known[:2])!r}")
    for name in features:
        feature = next((f for f in encoder.features if f.column == name), None)
        if feature is None:
            raise refused(f"the tree has no feature '{name}'", did_you_mean(name, known))
        if feature.levels is not None:
            raise refused(f"'{name}' has categories, and an axis needs numbers", "name another")
        if name not in columns:
            message = f"the data have no column '{name}'"
            raise TreemipError(Diagnostic.outside("E302", message, did_you_mean(name, columns)))
    if features[0] == features[1]:
        raise refused(f"the feature '{features[0]}' is named twice", "name two features")
    return features[0], features[1]


def _axis(values: np.ndarray, resolution: int) -> np.ndarray:
    """Places from a little below the least value to a little above the greatest."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    space = (high - low) * 0.05 or 0.5
    return np.linspace(low - space, high + space, resolution)


def _labels(
    tree: Tree, held: dict[str, Any], pair: tuple[str, str], grid: list[np.ndarray]
) -> np.ndarray:
    """Class numbers over the plane, int64 (places of the second column, places of the first)."""
    first, second = np.meshgrid(*grid)
    rows: dict[str, np.ndarray] = {pair[0]: first.ravel(), pair[1]: second.ravel()}
    rows |= {name: np.full(first.size, value) for name, value in held.items()}
    return tree.predict_numbers(tree.encode(rows)).reshape(first.shape)


def _held(
    encoder: Encoder, columns: dict[str, np.ndarray], pair: tuple[str, str]
) -> dict[str, Any]:
    """The values of the other columns."""
    others = [feature.column for feature in (*encoder.features, *encoder.kept)]
    return {
        name: _typical(columns[name]) for name in others if name not in pair and name in columns
    }


def _text(value: Any) -> str:
    return short(float(value)) if isinstance(value, float | int | np.number) else shown(str(value))


def _typical(values: np.ndarray) -> Any:
    """The median of numbers, the most frequent of other values."""
    if values.dtype.kind in "iuf":
        return np.nanmedian(values)
    names, counts = np.unique(values.astype(str), return_counts=True)
    return names[counts.argmax()]


def _paint(ax: Any, tree: Tree, grid: list[np.ndarray], labels: np.ndarray) -> None:
    from matplotlib.colors import ListedColormap

    count = len(tree.classes)
    colours = ListedColormap([colour(k) for k in range(count)])
    ax.pcolormesh(
        *grid,
        labels,
        cmap=colours,
        vmin=-0.5,
        vmax=count - 0.5,
        alpha=0.35,
        shading="nearest",
        rasterized=True,
    )
    if labels.min() < labels.max():
        edges = np.arange(count - 1) + 0.5
        ax.contour(*grid, labels, levels=edges, colors=INK, linewidths=0.8)


def _points(ax: Any, tree: Tree, values: list[np.ndarray], label: np.ndarray | None) -> None:
    """The points of each class by a mark of its own; without classes, dots."""
    if label is None:
        ax.scatter(*values, s=12, color=INK)
        return
    known = tree.class_values
    for k, (name, shown_name) in enumerate(zip(tree.classes, class_names(tree), strict=True)):
        here = (label == known[k]) | (label.astype(str) == name)
        ax.scatter(
            values[0][here],
            values[1][here],
            s=18,
            marker=MARKS[k % len(MARKS)],
            color=colour(k),
            edgecolors=INK,
            linewidths=0.5,
            label=shown(shown_name).replace("$", r"\$"),
        )
    ax.legend()
