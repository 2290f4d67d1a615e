"""Doubly robust scores of treatments: outcomes that models predict, corrected by what they miss."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import column_or_1d

from treemip.core.instance.data_frames import columns_of
from treemip.study.sklearn.columns import by_parts, dense, missing_in
from treemip.study.sklearn.errors import as_value_errors, invalid

LEAST_CHANCE = 0.01
"""Estimated propensities count as this much at least: a score divides by them."""


def doubly_robust_scores(
    X: Any,
    treatment: Any,
    outcome: Any,
    propensity: Any = None,
    *,
    outcome_model: Any = None,
    propensity_model: Any = None,
    folds: int = 5,
    random_state: int | None = 0,
) -> Any:
    """For each of N rows and K treatments what the treatment is worth, float64 (N, K), the
    treatments in the order of `np.unique(treatment)`. Where X or treatment is a pandas object, a
    DataFrame whose columns are the treatments and whose index is that of the rows; else an array.

    The outcome that a model of the treatment's own rows predicts, and for the treatment received
    what this misses, divided by the probability of that treatment (Robins, Rotnitzky and Zhao
    1994). Models are fitted without the fold of the row that they predict. X: a table of numbers
    and texts without gaps. treatment, outcome (N,). propensity: the probability of the treatment
    received, (N,), or of each treatment, (N, K); None: a model estimates it. Models: a random
    forest, and a logistic regression. Raises ValueError.
    """
    as_given, treatment = treatment, column_or_1d(treatment)
    if missing_in("treatment", treatment).any():
        raise invalid("E303", "treatment has missing values", "leave out these rows")
    names, given = np.unique(treatment, return_inverse=True)
    y = _outcomes(outcome, len(given))
    if len(names) < 2:
        raise invalid("E305", "all rows received one treatment", "give rows of two or more")
    fewest = int(np.bincount(given).min())
    if not 2 <= folds <= fewest:
        rarest = names[np.bincount(given).argmin()]
        message = f"folds is {folds}, and the treatment {str(rarest)!r} has {fewest} rows"
        raise invalid("E902", message, "take from 2 folds to as many as each treatment has rows")
    known_chance = None if propensity is None else _received(propensity, given, names)
    x = _matrix(X, len(given))
    if outcome_model is None:
        outcome_model = RandomForestRegressor(min_samples_leaf=5, random_state=random_state)
    if propensity_model is None:
        propensity_model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    predicted, chance = np.zeros((2, len(y), len(names)))
    split = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    for known, new in split.split(x, given):
        for k in range(len(names)):
            own = known[given[known] == k]
            predicted[new, k] = clone(outcome_model).fit(x[own], y[own]).predict(x[new])
        if known_chance is None:
            model = clone(propensity_model).fit(x[known], given[known])
            chance[new] = np.maximum(model.predict_proba(x[new]), LEAST_CHANCE)
    rows = np.arange(len(y))
    received = chance[rows, given] if known_chance is None else known_chance
    scores = predicted.copy()
    scores[rows, given] += (y - predicted[rows, given]) / received
    return _named(scores, names, X, as_given)


def _named(scores: np.ndarray, names: np.ndarray, *given: Any) -> Any:
    """The scores under the treatments' names and the index of the first pandas object given; the
    array where there is none."""
    index = next((one.index for one in given if _is_pandas(one)), None)
    if index is None:
        return scores
    from pandas import DataFrame

    return DataFrame(scores, index=index, columns=names)


def _is_pandas(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "index")


def _outcomes(outcome: Any, rows: int) -> np.ndarray:
    """float64 (N,). Raises EstimatorError."""
    try:
        y = column_or_1d(outcome).astype(np.float64)
    except (TypeError, ValueError):
        raise invalid("E305", "outcome has values that are no numbers", "give numbers") from None
    if len(y) != rows or not np.isfinite(y).all():
        message = f"outcome has {len(y)} rows, and treatment {rows}"
        if len(y) == rows:
            message = "outcome has missing or infinite values"
        raise invalid("E305", message, "give a finite number for each row")
    return y


def _received(propensity: Any, given: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The probability of each row's own treatment, float64 (N,). Raises EstimatorError."""
    chance = np.asarray(propensity, np.float64)
    if chance.shape == (len(given), len(names)):
        chance = chance[np.arange(len(given)), given]
    if chance.shape != (len(given),):
        message = f"propensity has the shape {chance.shape}"
        wanted = f"give ({len(given)},), of the treatment received, or ({len(given)}, {len(names)})"
        raise invalid("E305", message, wanted)
    if not ((chance > 0) & (chance <= 1)).all():
        message = "propensity has values that are not above 0 and at most 1"
        raise invalid("E305", message, "give the probability of the treatment that was received")
    return chance


def _matrix(X: Any, rows: int) -> np.ndarray:
    """Numbers as they are and texts one-hot, float64 (N, q). Raises EstimatorError."""
    parts = []
    with as_value_errors():
        columns = by_parts(columns_of(dense(X)))
    for name, values in columns.items():
        if len(values) != rows:
            raise invalid("E301", f"X has {len(values)} rows, and treatment {rows}", "give as many")
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)[:, None]
            if not np.isfinite(numbers).all():
                message = f"column '{name}' has missing values, which the models do not take"
                raise invalid("E303", message, "fill them in, or give gamma")
            parts.append(numbers)
        else:
            parts.append(OneHotEncoder(sparse_output=False).fit_transform(values[:, None]))
    return np.hstack(parts)
