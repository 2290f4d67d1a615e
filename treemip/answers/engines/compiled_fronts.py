"""The best tree under rows that couple its leaves, by the compiled kernel: as `fronts.py`."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.compiled_task import CompiledTask, Control
from treemip.answers.engines.plans import Plan, of_heap
from treemip.answers.search.folds import Fold
from treemip.core.compiled.structures import Arrays, fields
from treemip.core.model.blocks import Function
from treemip.core.model.tolerances import KNOWN_ROW

if TYPE_CHECKING:
    from treemip.answers.engines.fronts import Fronts

MOST = 1_000_000
"""Trees of a list; what takes more is not proven here."""

MAX, MIN, SIZE = range(3)  # SIZE: the greatest absolute value


class _Rows(ctypes.Structure):
    """As in rows.h."""

    _fields_ = [
        *fields("width labels by_feature dominance folds most", ctypes.c_int64),
        *fields("points by_split by_leaf anywhere rest low high scale", ctypes.c_void_p),
        *fields("way counted function results offsets arguments to", ctypes.c_void_p),
        *fields("offset unit known_row", ctypes.c_double),
    ]


class CompiledFronts:
    """What `fronts` looks for, as the kernel takes it; it lives as long as its arrays."""

    def __init__(self, compiled: CompiledTask, fronts: Fronts) -> None:
        self.compiled, self.fronts = compiled, fronts
        self.arrays = Arrays()
        problem, real, whole = fronts.problem, self.arrays.real, self.arrays.whole
        folds = problem.folds
        offsets = [fold.offsets + start for fold, start in zip(folds, _starts(folds), strict=True)]
        self.c = _Rows(
            width=len(problem.constant),
            labels=problem.points.shape[1],
            by_feature=fronts.by_feature,
            dominance=fronts.dominance,
            folds=len(folds),
            most=MOST,
            points=real(problem.points),
            by_split=real(problem.by_split),
            by_leaf=real(problem.by_leaf),
            anywhere=real(fronts.each),
            rest=real(fronts.rest),
            low=real(problem.low),
            high=real(problem.high),
            scale=real(problem.scale),
            way=whole(fronts.way),
            counted=whole(np.any(fronts.each, axis=1)),
            function=whole(np.array([_number(fold) for fold in folds])),
            results=whole(np.array([len(f.to) for f in folds])),
            offsets=whole(np.concatenate([*offsets, np.zeros(0)])),
            arguments=whole(np.concatenate([*(f.rows for f in folds), np.zeros(0)])),
            to=real(np.concatenate([*(f.to for f in folds), np.zeros((0, len(problem.low)))])),
            offset=fronts.offset,
            unit=fronts.unit,
            known_row=KNOWN_ROW,
        )

    def best(self, limit: float, goal: float) -> tuple[float, Plan] | None:
        """As `Fronts.best`. Raises MemoryError."""
        fronts = self.fronts
        points = np.ascontiguousarray(fronts.every, np.int32)
        heap = np.zeros((2 << fronts.depth) - 1, np.int32)
        control = Control(complete=1, best=np.inf, bound=-np.inf)
        asked = (fronts.node, fronts.depth, points, len(points), float(limit), float(goal), heap)
        self.compiled.run("treemip_fronts", fronts.depth, control, self.c, *asked)
        return (control.best, of_heap(heap)) if np.isfinite(control.best) else None


def _number(fold: Fold) -> int:
    if fold.function is Function.MAX:
        return MAX
    return MIN if fold.function is Function.MIN else SIZE


def _starts(folds: tuple[Fold, ...]) -> list[int]:
    return np.cumsum([0, *(len(fold.rows) for fold in folds)])[:-1].tolist()
