"""Tables of other libraries to plain arrays, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from treemip.core.instance.cells import BLANKS, array_of
from treemip.core.instance.columns import Unreadable
from treemip.core.model.tolerances import LAST_EXACT
from treemip.core.source.diagnostic import Diagnostic, TreemipError


def columns_of(data: Any, y: Any = None, label: str = "class") -> dict[str, np.ndarray]:
    """Arrays (N,) by column name, in order.

    `data` is a pandas or polars DataFrame, a mapping of names to arrays, an array (N, p) whose
    columns are then called x1 … xp, or a pair (X, y). With `y`, a column `label` is added; "" for
    data without a label. Names that are not strings become strings, without blanks around them.
    Raises TreemipError E301.
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
        names = _names(data)
        return {name: _vector(data[key]) for name, key in zip(names, data, strict=True)}
    try:
        matrix = array_of(data)
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
    try:
        return array_of(values)
    except ValueError:  # lists of different lengths, which are refused as any value that is no cell
        objects = np.empty(len(values), object)
        objects[:] = values
        return objects


def _names(names: Iterable[Any]) -> list[str]:
    """Names as a file's header has them. Raises Unreadable where two are the same."""
    plain = [str(name).strip(BLANKS) for name in names]
    for name in plain:
        if plain.count(name) > 1:
            raise Unreadable(f"two columns have the same name, '{name}'", "rename one of them")
    return plain


def _arrays_of_pandas(frame: Any) -> dict[str, np.ndarray]:
    if not hasattr(frame, "columns"):
        raise Unreadable(f"features must be a table, not a {type(frame).__name__}")
    names = _names(frame.columns)
    return {name: _array_of_pandas(frame.iloc[:, j]) for j, name in enumerate(names)}


def _array_of_pandas(series: Any) -> np.ndarray:
    """Missing values are NaN among nullable numbers, and None where integers are longer than those
    of doubles, among nullable truth values and categories."""
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series.dtype, "categories"):
        categories = _array_of_pandas(series.dtype.categories.to_series())
        values = np.array([*categories.tolist(), None], object)
        return values[np.asarray(series.array.codes)]
    if isinstance(series.dtype, np.dtype) or kind not in "biuf":
        return np.asarray(series.to_numpy())
    if not series.isna().any():
        return np.asarray(series.to_numpy(dtype=np.dtype(f"{kind}{1 if kind == 'b' else 8}")))
    if kind == "b":
        return np.asarray(series.to_numpy(dtype=object, na_value=None))
    numbers = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind == "f" or (np.abs(numbers[~np.isnan(numbers)]) < LAST_EXACT).all():
        return numbers
    return np.asarray(series.to_numpy(dtype=object, na_value=None))


def arrays_of_polars(frame: Any) -> dict[str, np.ndarray]:
    """Arrays (N,) of a polars DataFrame by name."""
    if not hasattr(frame, "get_columns"):
        raise Unreadable(f"features must be a table, not a {type(frame).__name__}")
    names = _names(frame.columns)
    columns = zip(names, frame.get_columns(), strict=True)
    return {name: _array_of_polars(series) for name, series in columns}


def _array_of_polars(series: Any) -> np.ndarray:
    import polars as pl

    if series.dtype == pl.Null:
        return series.cast(pl.Float64).to_numpy()
    if series.dtype.is_decimal() or series.dtype == pl.Int128 or _has_long_gaps(series):
        return np.array(series.to_list(), object)
    if series.dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String).to_numpy()
    return series.to_numpy()


def _has_long_gaps(series: Any) -> bool:
    """Whether there are missing values among integers that are longer than those of doubles."""
    if not (series.dtype.is_integer() and series.null_count()):
        return False
    return not all(abs(end) < LAST_EXACT for end in (series.min() or 0, series.max() or 0))
