"""What one leaf loses by its best answer: survival times, and shares of classes.

columns: time and event, or the classes c and the weights w, each (N,); leaf bool (N,).
"""

from __future__ import annotations

import numpy as np

Columns = dict[str, np.ndarray]


def hazards(columns: Columns) -> np.ndarray:
    """Nelson and Aalen's cumulative hazard at each point's time, step by step."""
    time, event = columns["time"], columns["event"]
    total, at = 0.0, {}
    for now in np.unique(time):
        total += event[time == now].sum() / (time >= now).sum()
        at[now] = total
    return np.array([at[now] for now in time])


def half_deviance(columns: Columns, leaf: np.ndarray, theta: float) -> float:
    event, own = columns["event"][leaf], hazards(columns)[leaf] * theta
    with np.errstate(divide="ignore"):
        logs = np.log(own[event == 1])
    return float((own - event).sum() - logs.sum())


def closed_form(columns: Columns, leaf: np.ndarray) -> float:
    """Of the best hazard."""
    deaths = columns["event"][leaf].sum()
    return half_deviance(columns, leaf, deaths / hazards(columns)[leaf].sum()) if deaths else 0.0


def over_list(columns: Columns, leaf: np.ndarray, steps: int) -> float:
    """The best of `steps` hazards and 0."""
    whole = hazards(columns)
    ends = 1 / whole.sum(), 1 / whole[columns["event"] == 1].min()
    values = [0.0, *np.geomspace(*ends, steps)]
    return min(half_deviance(columns, leaf, theta) for theta in values)


def shares(columns: Columns, leaf: np.ndarray) -> dict[str, float]:
    kinds, weight = columns["c"][leaf], columns["w"][leaf]
    return {k: weight[kinds == k].sum() / weight.sum() for k in np.unique(columns["c"])}


def brier(columns: Columns, leaf: np.ndarray) -> float:
    own = shares(columns, leaf)
    return sum(
        float(w * sum((own[k] - (k == c)) ** 2 for k in own))
        for c, w in zip(columns["c"][leaf], columns["w"][leaf], strict=True)
    )


def log_loss(columns: Columns, leaf: np.ndarray) -> float:
    own = shares(columns, leaf)
    return -sum(
        float(w * np.log(own[c]))
        for c, w in zip(columns["c"][leaf], columns["w"][leaf], strict=True)
    )
