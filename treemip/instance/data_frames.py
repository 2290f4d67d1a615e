"""Tables of other libraries to plain arrays, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treemip.instance.columns import Unreadable
from treemip.source.diagnostic import Diagnostic, TreemipError


def columns_of(data: Any, y: Any = None, label: str = "class") -> dict[str, np.ndarray]:
    """Arrays (N,) by column name, in order.

    `data` is a pandas or polars DataFrame, a mapping of names to arrays, an array (N, p) whose
    columns are then called x1 … xp, or a pair (X, y). With `y`, a column `label` is added; "" for
    data without a label. Names that are not strings become strings. Raises TreemipError E301.
    """
    if isinstance(data, tuple) and len(data) == 2 and y is None:
        data, y = data
    try:
        columns = _columns(data)
        if y is not None and not label:
            raise Unreadable("the spec says  label none;  but labels are given", "leave y out")
        if y is not None and label in columns:
            raise Unreadable(f"the features already have a column called '{label}'")
    except Unreadable as fault:
        raise TreemipError(Diagnostic.outside("E301", fault.message, fault.remedy)) from None
    if y is not None:
        columns[label] = _vector(y)
    return columns


def _columns(data: Any) -> dict[str, np.ndarray]:
    library = type(data).__module__.partition(".")[0]
    if library == "polars":
        return arrays_of_polars(data)
    if library == "pandas":
        return _arrays_of_pandas(data)
    if isinstance(data, Mapping):
        return {str(name): _vector(values) for name, values in data.items()}
    try:
        matrix = np.asarray(data)
    except ValueError:
        remedy = "give a data frame, a dict of columns, an array (rows, columns), or a pair (X, y)"
        raise Unreadable("the rows have different lengths", remedy) from None
    if matrix.ndim != 2:
        raise Unreadable(
            f"features must be a table (rows, columns), not an array with {matrix.ndim} dimensions"
        )
    return {f"x{j + 1}": matrix[:, j] for j in range(matrix.shape[1])}


def _vector(values: Any) -> np.ndarray:
    library = type(values).__module__.partition(".")[0]
    if library == "polars":
        return _array_of_polars(values)
    if library == "pandas" and hasattr(values, "to_numpy"):
        return _array_of_pandas(values)
    return np.asarray(values)


def _arrays_of_pandas(frame: Any) -> dict[str, np.ndarray]:
    if not hasattr(frame, "columns"):
        raise Unreadable(f"features must be a table, not a {type(frame).__name__}")
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise Unreadable("two columns of the data frame have the same name")
    return {name: _array_of_pandas(frame.iloc[:, j]) for j, name in enumerate(names)}


def _array_of_pandas(series: Any) -> np.ndarray:
    """Missing values are NaN among nullable numbers, None among nullable truth values."""
    kind = getattr(series.dtype, "kind", "O")
    if kind == "b" and not isinstance(series.dtype, np.dtype):
        values = series.to_numpy(dtype=object, na_value=None)
        return values if series.isna().any() else values.astype(bool)
    if kind in "iuf" and not isinstance(series.dtype, np.dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(series.to_numpy())


def arrays_of_polars(frame: Any) -> dict[str, np.ndarray]:
    """Arrays (N,) of a polars DataFrame by name."""
    if not hasattr(frame, "get_columns"):
        raise Unreadable(f"features must be a table, not a {type(frame).__name__}")
    return {series.name: _array_of_polars(series) for series in frame.get_columns()}


def _array_of_polars(series: Any) -> np.ndarray:
    import polars as pl

    if series.dtype == pl.Null or series.dtype.is_decimal():
        return series.cast(pl.Float64).to_numpy()
    if series.dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String).to_numpy()
    return series.to_numpy()
