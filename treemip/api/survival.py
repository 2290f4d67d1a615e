"""Survival trees on rows: concordance, and what scikit-survival measures with weights for the
probability of being censored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.survival import leaf_curves, observed_in, observed_on
from treemip.core.tree.survival_curves import Curve, Observed
from treemip.core.tree.survival_score import SurvivalScore, harrell_c
from treemip.core.tree.tree import Tree

TIMES = 100
"""The most times of the rows at which a Brier score is computed."""

ENTRIES = 4_000_000
"""Survival probabilities, rows times times, that are in memory at once."""

WEIGHTED = ("ipcw_c", "integrated_brier")


def survival_score(
    instance: Instance, tree: Tree, table: Table, missing: str = ""
) -> SurvivalScore | None:
    """A survival tree on a table of the spec's columns; None where the spec has no survival times.

    instance: of the points that the tree was learned from, whose leaves have the curves. missing:
    why these points are others than they should be; empty where they are not.
    """
    rows = observed_on(instance, table)
    if rows is None or tree.answer.kind != "value":
        return None
    found = SurvivalScore(harrell_c(rows.time, rows.event, tree.values(table.inputs)))
    if missing:
        return _without(found, missing)
    try:
        needed("sksurv", "survival")
    except TreemipError as error:
        first = error.diagnostics[0]
        return _without(found, f"it needs scikit-survival: {first.remedy}")
    return _weighted(found, instance, rows, tree, table)


def _without(found: SurvivalScore, why: str) -> SurvivalScore:
    return replace(found, left_out=dict.fromkeys(WEIGHTED, why))


def _weighted(
    found: SurvivalScore, instance: Instance, rows: Observed, tree: Tree, table: Table
) -> SurvivalScore:
    """With both numbers of scikit-survival. rows: the times of the table."""
    training, curves = observed_in(instance), leaf_curves(instance, tree)
    assert training is not None and curves is not None
    left_out = {}
    ipcw_c, brier = None, None
    try:
        ipcw_c = _ipcw_c(training, rows, tree.values(table.inputs))
    except ValueError as error:
        left_out["ipcw_c"] = str(error)
    try:
        brier = _integrated_brier(training, rows, curves, tree.route(table.inputs))
    except ValueError as error:
        left_out["integrated_brier"] = str(error)
    return replace(found, ipcw_c=ipcw_c, integrated_brier=brier, left_out=left_out)


def _structured(observed: Observed, until: float) -> np.ndarray:
    """As scikit-survival takes them; a point observed for longer is censored at `until`."""
    found = np.empty(len(observed.time), [("event", bool), ("time", float)])
    found["event"] = observed.event & (observed.time <= until)
    found["time"] = np.minimum(observed.time, until)
    return found


def _ipcw_c(training: Observed, rows: Observed, risk: np.ndarray) -> float:
    """Of events before the last time of the training part, after which nothing says how many are
    censored."""
    from sksurv.metrics import concordance_index_ipcw

    last = float(training.time.max())
    both = _structured(training, last), _structured(rows, last)
    return float(concordance_index_ipcw(*both, risk, tau=last)[0])


def _integrated_brier(
    training: Observed, rows: Observed, curves: dict[int, Curve], leaf: np.ndarray
) -> float:
    """The mean over time, by trapezia, from the first of `brier_times` to the last."""
    from sksurv.metrics import brier_score

    times = brier_times(training, rows)
    if len(times) < 2:
        message = "fewer than two times of the rows are before the last one of the training part"
        raise ValueError(message)
    unknown = np.setdiff1d(leaf, list(curves))
    if len(unknown):
        raise ValueError("rows end in a leaf without training points")
    last = float(training.time.max())
    both = _structured(training, last), _structured(rows, last)
    scores, step = [], max(1, ENTRIES // len(leaf))
    nodes, place = np.unique(leaf, return_inverse=True)
    table = np.array([curves[node].survival_at(times) for node in nodes.tolist()])
    for start in range(0, len(times), step):
        some = slice(start, start + step)
        scores.append(brier_score(*both, table[place, some], times[some])[1])
    return float(np.trapezoid(np.concatenate(scores), times) / (times[-1] - times[0]))


def brier_times(training: Observed, rows: Observed) -> np.ndarray:
    """The distinct times of the rows that are before the last of the training part and of their
    own, ascending, float64; of more than TIMES so many, from the first to the last."""
    until = min(training.time.max(), rows.time.max())
    times = np.unique(rows.time[rows.time < until])
    if len(times) > TIMES:
        times = times[np.linspace(0, len(times) - 1, TIMES).astype(int)]
    return times
