"""Tables of cells of all kinds, a tree over them, and all ways to hand it the same row."""

from __future__ import annotations

import csv
import math
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

import treemip
from treemip.core.instance.decimals import number_of
from treemip.core.instance.table import load_rows
from treemip.core.instance.trees import from_heap
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.splits import IN_SET, SET_THRESHOLD
from treemip.core.tree.tree import Tree
from treemip.sklearn import OptimalTreeClassifier

NAMES = ("x1", "x2", "x3")
Row = tuple[object, ...]

MISSING = (None, math.nan, np.float32("nan"), pd.NA, "", " \t", Decimal("nan"))
MARKED = ("?", -999, -999.0, "-999", "-999.0")
NUMBERS = (
    *(0, 1, -0.0, 1.0, 2, 2.0, 0.5, 1e3, 1000, 1e-5, 1e16, 10**16, 2**53 + 1, -(2**63), 10**30),
    *(np.int8(1), np.float64(2.0), np.float32(0.5), np.uint64(2**64 - 1), Decimal("0.50")),
    *("1", "1.0", " 5 ", "+5", "5.", "1e3", "-0", ".5", "0.5", "10", "9007199254740993"),
)
TRUTH_VALUES = (True, False, np.bool_(True), "True", "true", "FALSE")
TEXTS = (
    "a",
    "b c",
    "x\u00a0",
    "\u00a0",
    "NaN",
    "nan",
    "inf",
    "007",
    "7",
    "\u0661",
    "1,5",
    'q"',
    "\n",
)
INFINITE = (math.inf, -math.inf, "1e999")

NUMBER_CELLS = st.sampled_from(NUMBERS) | st.integers(-3, 3) | st.floats(-3, 3)
TEXT_CELLS = st.sampled_from((*TEXTS, *TRUTH_VALUES)) | NUMBER_CELLS
GAPS = st.sampled_from((*MISSING, *MARKED))
ANY = TEXT_CELLS | GAPS | st.sampled_from(INFINITE)
ROWS = st.tuples(TEXT_CELLS | GAPS, TEXT_CELLS | GAPS, NUMBER_CELLS | GAPS)
TABLES = st.tuples(
    st.lists(ROWS, min_size=8, max_size=8), st.lists(st.tuples(ANY, ANY, ANY), max_size=6)
)

SPEC = """
data "m" {
  label y;
  encode onehot(unseen = zero) x1;
  encode keep(unseen = zero) x2;
  missing side marks "?", "-999";
}
topology complete(depth = 1);
split oblique by svm1_odt;
"""


def tree_of(rows: list[Row], seed: int) -> Tree | None:
    """A tree with a class of its own in each leaf, over the encoding of 8 rows; None where they
    give no encoding."""
    columns = {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}
    try:
        data = treemip.loads(SPEC, data={**columns, "y": [f"c{k}" for k in range(8)]}).data
    except TreemipError as error:
        assert error.diagnostics[0].code in ("E303", "E306"), error
        return None
    assert data is not None
    encoder, rng = data.encoder, np.random.default_rng(seed)
    topology = from_heap(np.arange(1, 16))
    p, width = len(encoder.names), len(encoder.input_names)
    weights, threshold = np.zeros((15, width)), np.zeros(15)
    for k, t in enumerate(topology.branches.tolist()):
        origin = NAMES[k % 3]
        if origin == "x2":
            weights[t, rng.integers(p, width)] = IN_SET
            threshold[t] = SET_THRESHOLD
            continue
        j = rng.choice([j for j in range(p) if encoder.origin[j] == origin])
        weights[t, j] = rng.choice([1.0, -1.0])
        threshold[t] = weights[t, j] * rng.choice(data.train.x[:, j])
    classes = np.cumsum(topology.is_leaf) - 1
    answer = ClassAnswer(np.where(topology.is_leaf, classes, -1), encoder.classes.names)
    return Tree(topology, weights, threshold, False, answer, encoder.input_names, encoder, "t")


# ----------------------------------------------------------------------- ways to hand a row over


def file_text(value: object) -> str:
    """What pandas writes for a value."""
    return "" if pd.isna(value) else str(value)  # type: ignore[call-overload]


def from_file(tree: Tree, rows: list[Row], folder: Path) -> list[str]:
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([NAMES, *([file_text(value) for value in row] for row in rows)])
    assert tree.encoder is not None
    return tree.class_values[
        tree.predict_numbers(tree.encoder.inputs(*load_rows(path, tree.encoder)))
    ].tolist()


def by_name(rows: list[Row]) -> dict[str, list[object]]:
    return {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}


def objects(rows: list[Row]) -> np.ndarray:
    array = np.empty((len(rows), len(NAMES)), object)
    for i, row in enumerate(rows):
        array[i] = row
    return array


def estimated(tree: Tree, X: Any) -> list[str]:
    """The answer of a scikit-learn estimator with this tree."""
    estimator = OptimalTreeClassifier(missing="side")
    estimator.tree_, estimator.n_features_in_, estimator._columns = tree, len(NAMES), NAMES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        leaf = estimator.apply(X)
    return tree.class_values[tree.leaf_class[leaf]].tolist()


TABLES_IN_MEMORY: dict[str, Callable[[list[Row]], Any]] = {
    "lists": by_name,
    "rows": lambda rows: [list(row) for row in rows],
    "arrays": lambda rows: {n: objects(rows)[:, j] for j, n in enumerate(NAMES)},
    "matrix": objects,
    "pandas": lambda rows: pd.DataFrame(objects(rows), columns=NAMES),
}
"""All of them keep each value as it is."""

TYPED: dict[str, Callable[[Row], Any]] = {
    "numpy": lambda row: {name: np.array([v]) for name, v in zip(NAMES, row, strict=True)},
    "pandas": lambda row: pd.DataFrame(by_name([row])),
    "nullable": lambda row: pd.DataFrame(by_name([row])).convert_dtypes(),
    "pyarrow": lambda row: pd.DataFrame(by_name([row])).convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda row: pd.DataFrame(by_name([row])).astype("category"),
    "polars": lambda row: pl.DataFrame(
        {name: [None if pd.isna(v) else v] for name, v in zip(NAMES, row, strict=True)}
    ),
}
"""Libraries that give the column of a single value a type of their own."""


def typed(row: Row) -> Iterator[tuple[str, Any]]:
    """The tables that the libraries can make of it without another number in it."""
    for name, make in TYPED.items():
        try:
            table = make(row)
        except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
            continue
        if not any(is_long(v) for v in row) or name not in ("nullable", "pyarrow"):
            yield name, table


def is_long(value: object) -> bool:
    """Whether pandas makes an integer of a double that stands for several (2**53 and beyond)."""
    return isinstance(value, float) and value.is_integer() and abs(value) >= 2**53


def stored(tree: Tree, row: Row) -> list[str | float] | None:
    """What stands in a database for a row: texts as a file has them, NaN for no number; None where
    a column of numbers has a text."""
    assert tree.encoder is not None
    features = {f.column: f for f in (*tree.encoder.features, *tree.encoder.kept)}
    values: list[str | float] = []
    for name, cell in zip(NAMES, map(file_text, row), strict=True):
        levels = features[name].levels
        number = number_in(cell) if levels is None or levels.numeric else None
        if number is None and (levels is None or levels.numeric):
            return None
        values.append(cell if number is None else number)
    return values


def number_in(cell: str) -> float | None:
    """What stands in a database, or a field, for a cell of a column of numbers; None for a text."""
    text = cell.strip(" \t")
    if text in ("", "?"):
        return math.nan
    words = {"true": 1.0, "false": 0.0}
    known = text in ("True", "TRUE", "true", "False", "FALSE", "false")
    return words[text.lower()] if known else number_of(text)
