"""What scikit-learn hands over, as columns by name: features, groups, weights."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    get_tags,
)
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import validate_data

from treemip.core.instance.cells import array_of
from treemip.core.instance.columns import Unreadable, column_of
from treemip.core.instance.data_frames import columns_of
from treemip.study.sklearn.errors import as_value_errors, invalid

Columns = dict[str, np.ndarray]

DENSE = 50_000_000
"""Entries of a sparse matrix, with its zeros, that are held as an array."""

PARTS = ("year", "month", "day", "weekday", "hour")
"""The parts of a datetime, which are its features; days of the week count from Monday, 0."""

GROUP = "group"
"""What groups (N,) are called in the language."""


def training_columns(
    estimator: Any, X: Any, y: Any, numbers: bool = False
) -> tuple[Columns, np.ndarray]:
    """Features (N,) by name, datetimes by their parts, and y (N,); sets `n_features_in_` and
    `feature_names_in_`.

    numbers: whether y must be numbers, and becomes float64. Raises ValueError and TypeError as
    scikit-learn's own estimators do.
    """
    gaps = _allows_missing(estimator)
    _demand_labels(y)
    X = dense(X)
    if not _is_frame(X):
        matrix, y = validate_data(estimator, array_of(X), y, y_numeric=numbers, **_checks(gaps))
        return _columns(matrix, gaps), _numbers(y) if numbers else y
    validate_data(estimator, X, y, skip_check_array=True)
    columns, y = _columns(X, gaps), column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return columns, _numbers(y) if numbers else y


def dense(X: Any) -> Any:
    """A sparse matrix as an array (N, p), anything else as it is. Raises EstimatorError E902 for
    one that has more than `DENSE` entries with its zeros."""
    if not issparse(X):
        return X
    rows, columns = X.shape if X.ndim == 2 else (1, X.shape[0])
    if rows * columns > DENSE:
        message = f"X is sparse, and as an array ({rows}, {columns}) it has over {DENSE:,} entries"
        raise invalid("E902", message, "select columns before, for instance by SelectKBest")
    return X.toarray()


def _demand_labels(y: Any) -> None:
    """Raises ValueError for None and NA among labels, which scikit-learn lets pass as objects."""
    values = np.asarray(y)
    if y is None or values.dtype.kind != "O":  # scikit-learn refuses to fit without y
        return
    gaps = missing_in("y", values.ravel())
    if gaps.any():
        row = int(np.argmax(gaps)) + 1
        raise ValueError(f"Input y contains NaN: the label of row {row} is missing")


def _numbers(y: np.ndarray) -> np.ndarray:
    """float64 (N,). Raises EstimatorError E305 for anything else."""
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        message = "y has values that are no numbers"
        raise invalid("E305", message, "use OptimalTreeClassifier for classes") from None


def new_columns(estimator: Any, X: Any) -> Columns:
    """Features (M,) by name of rows to predict, with the columns of the fit. Raises as above."""
    gaps = _allows_missing(estimator)
    X = dense(X)
    if not _is_frame(X):
        return _columns(validate_data(estimator, array_of(X), reset=False, **_checks(gaps)), gaps)
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return _columns(X, gaps)


def _checks(gaps: bool) -> dict[str, Any]:
    """How scikit-learn checks an array of any type; gaps: whether values may be missing."""
    return {"dtype": None, "ensure_all_finite": "allow-nan" if gaps else True}


def _allows_missing(estimator: Any) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)


def _is_frame(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("pandas", "polars") and hasattr(X, "columns")


def by_parts(columns: Columns) -> Columns:
    """Columns of datetimes, datetime64 (N,), as numbers for each of PARTS, float64, by the column's
    name, a dot and the part's; others as they are. Raises EstimatorError E301 for a name that is
    there."""
    found: Columns = {}
    for name, values in columns.items():
        own = _parts(values) if values.dtype.kind == "M" else {}
        found |= {f"{name}.{part}": numbers for part, numbers in own.items()} or {name: values}
        for part in own:
            if f"{name}.{part}" in columns:
                message = f"'{name}' is a date, whose {part} is called like a column"
                raise invalid("E301", message, f"rename '{name}.{part}'")
    return found


def _parts(values: np.ndarray) -> Columns:
    """The parts of datetimes, datetime64 (N,), NaN where there is none."""
    gone = np.isnat(values)
    years, months, days, hours = (values.astype(f"datetime64[{unit}]") for unit in "YMDh")
    numbers = (
        years.astype(int) + 1970,
        months.astype(int) % 12 + 1,
        (days - months).astype(int) + 1,
        (days.astype(int) + 3) % 7,  # the first day of 1970 was a Thursday
        (hours - days).astype(int),
    )
    return {part: np.where(gone, np.nan, one) for part, one in zip(PARTS, numbers, strict=True)}


def given_columns(names: tuple[str, ...]) -> dict[str, str]:
    """By the names of `by_parts`, the columns that were given."""
    dates = [name.removesuffix(f".{PARTS[0]}") for name in names if name.endswith(f".{PARTS[0]}")]
    parts = {f"{date}.{part}": date for date in dates for part in PARTS}
    whole = {date for date in dates if all(f"{date}.{part}" in names for part in PARTS)}
    return {name: parts[name] if parts.get(name) in whole else name for name in names}


def _columns(X: Any, gaps: bool) -> Columns:
    """Columns of a frame by name, dates by their parts, x1 … xp of an array (N, p).

    Raises ValueError where a column has infinite values, or missing ones and not `gaps`, and for no
    rows.
    """
    with as_value_errors():
        columns = by_parts(columns_of(X))
    if not len(X):
        raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}); at least 1 is required")
    for name, values in columns.items():
        if values.dtype.kind == "f" and np.isinf(values).any():
            raise ValueError(f"Input X contains infinity: column '{name}'")
        if missing_in(name, values).any() and not gaps:
            raise ValueError(
                f"Input X contains NaN: column '{name}' has missing values. Fill them in before, "
                'for instance with a SimpleImputer in a Pipeline, or set missing="side"'
            )
    return columns


def missing_in(name: str, values: np.ndarray) -> np.ndarray:
    """bool (N,). Raises EstimatorError E304 for values that are neither numbers nor text."""
    try:
        return column_of(name, values).missing
    except Unreadable as fault:
        raise invalid("E304", fault.message, fault.remedy) from None


# -------------------------------------------------------------------------- weights and groups


def point_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """float64 (N,), not negative and not all 0; None without weights. Raises ValueError."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(rows, sample_weight)
    name = "sample_weight"
    weight = np.asarray(
        check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name=name)
    )
    if weight.shape != (rows,):
        raise ValueError(f"{name} has the shape {weight.shape}, and X has {rows} rows")
    if (weight < 0).any():
        raise ValueError(f"{name} has negative weights")
    if not weight.any():
        raise ValueError(f"{name} is zero for all points")
    return weight


def class_weights(class_weight: Any, y: np.ndarray, sample_weight: Any) -> Any:
    """The weights (N,) of points of classes y (N,), times those of their classes where there are
    any. Raises ValueError."""
    if class_weight is None:
        return sample_weight
    if not isinstance(class_weight, dict) and class_weight != "balanced":
        message = f"class_weight is {class_weight!r}, neither a dictionary nor 'balanced'"
        raise invalid("E902", message, 'such as class_weight={"bad": 5}')
    if isinstance(class_weight, dict):
        for name, weight in class_weight.items():
            if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
                message = f"class_weight gives the class {name!r} the weight {weight!r}"
                raise invalid("E902", message, "give a number of 0 or more")
        present = set(np.unique(y).tolist())
        unknown = [name for name in class_weight if name not in present]
        if unknown and len(unknown) == len(class_weight):
            message = f"class_weight names {unknown[0]!r}, and y has no class that it names"
            raise invalid("E902", message, "name the classes as y does")
        if unknown and not present <= set(class_weight):
            # Classes left out weigh 1; scikit-learn would blame them for the unknown one.
            message = f"class_weight names {unknown[0]!r}, which is no class of y"
            remedy = "name the classes as y does; those left out weigh 1"
            raise invalid("E902", message, remedy)
    own = np.asarray(compute_sample_weight(class_weight, y))
    given = point_weights(sample_weight, len(y))
    return own if given is None else own * given


def group_columns(groups: Any, rows: int) -> Columns:
    """Columns for constraints by name: those of a table, or groups (N,) as "group".

    Raises ValueError.
    """
    if groups is None:
        return {}
    with as_value_errors():
        named = _is_frame(groups) or isinstance(groups, dict)
        columns = columns_of(groups) if named else {GROUP: column_or_1d(np.asarray(groups))}
    for name, values in columns.items():
        if len(values) != rows:
            message = f"groups has {len(values)} rows, and X has {rows}"
            raise invalid("E301", message, "give a group for each row")
        if missing_in(name, values).any():
            raise invalid("E303", f"the group '{name}' has missing values", "fill them in")
    return columns


def taken(columns: Columns, here: np.ndarray) -> Columns:
    """The rows where `here` bool (N,) is true."""
    return {name: values[here] for name, values in columns.items()}


# ------------------------------------------------------------------------------ survival times


def survival_times(y: Any, all_censored: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Whether events happened, bool (N,), and times, float64 (N,), of scikit-survival's y.

    Raises ValueError for another form, negative or missing times, and unless `all_censored` where
    no event happens.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None or len(names) != 2:
        raise invalid(
            "E305",
            "y must be a structured array with the first field being a binary class event indicator"
            " and the second field the time of the event/censoring",
            'such as sksurv.util.Surv.from_dataframe("event", "time", frame)',
        )
    event, time = column_or_1d(y[names[0]]), column_or_1d(y[names[1]])
    if event.dtype.kind != "b":
        message = f"the first field of y, '{names[0]}', is not of type bool"
        raise invalid("E305", message, "the event comes first, True where it happened, then times")
    if time.dtype.kind not in "iuf":
        raise invalid("E305", f"the times in y, '{names[1]}', are no numbers", "give numbers")
    time = time.astype(np.float64)
    assert_all_finite(time, input_name="y")
    if (time < 0).any():
        raise invalid("E305", "y has a negative time", "count times from 0")
    if not all_censored and not event.any():
        raise invalid("E305", "all points are censored: a survival tree needs an event", "add some")
    return event, time
