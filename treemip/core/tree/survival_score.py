"""How well a survival tree tells early events from late ones: what is reported of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class SurvivalScore:
    """Of M right-censored points; each counts one, whatever its weight.

    harrell_c: Harrell's C of the leaves' values as risks. ipcw_c: Uno's C, which weights pairs by
    the inverse probability of being censored. integrated_brier: the Brier score of the leaves'
    Kaplan-Meier curves, weighted likewise, as its mean over time. left_out: why one of them is not
    known, by its name.
    """

    harrell_c: float | None
    ipcw_c: float | None = None
    integrated_brier: float | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "harrell_c": self.harrell_c,
            "ipcw_c": self.ipcw_c,
            "integrated_brier": self.integrated_brier,
            **({"left_out": self.left_out} if self.left_out else {}),
        }


def harrell_c(time: np.ndarray, event: np.ndarray, risk: np.ndarray) -> float | None:
    """The share of comparable pairs in which the point with the earlier event has the higher risk;
    equal risks count half. None without such pairs.

    time float64 (N,), event bool (N,), risk float64 (N,). A point is comparable with one that has
    its event before, or at the time at which the point is censored.
    """
    levels, level = np.unique(risk, return_inverse=True)
    later = np.zeros(len(levels))
    won = pairs = 0.0
    order = np.argsort(-time, kind="stable")
    cuts = np.flatnonzero(np.diff(time[order])) + 1
    for together in np.split(order, cuts):
        later += np.bincount(level[together[~event[together]]], minlength=len(levels))
        own = level[together[event[together]]]
        if len(own):
            below = np.cumsum(later)
            won += float((below[own] - later[own] / 2).sum())
            pairs += len(own) * float(below[-1])
        later += np.bincount(own, minlength=len(levels))
    return won / pairs if pairs else None
