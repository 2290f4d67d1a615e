"""A separable problem solved by the compiled kernel: the same trees as `Separable.solve`, in a
fraction of the time."""

from __future__ import annotations

import ctypes
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.beside import run_beside
from treemip.answers.engines.plans import NONE, Side
from treemip.core.compiled.structures import Arrays, fields
from treemip.core.model.tolerances import EQUAL

if TYPE_CHECKING:
    from treemip.answers.engines.separable import Separable


OPTIONS = (
    *("threads", "window", "few", "kept", "patience", "part"),
    *("known_bytes", "per_pair", "per_bin"),
)
"""Attributes of a separable problem that the kernel has, too."""


class _Task(ctypes.Structure):
    """As in task.h."""

    _fields_ = [
        *fields("points features stats extra must_split plain whole curve", ctypes.c_int64),
        *fields("threads window few kept", ctypes.c_int64),
        *fields("bin bins order short_units stat most base price", ctypes.c_void_p),
        *fields("left right number low high jump size", ctypes.c_void_p),
        *fields("unit step tolerance least_price leaf_price", ctypes.c_double),
        *fields("low_place high_place equal", ctypes.c_double),
        ("parts", ctypes.c_double * 6),
        *fields("patience part known_bytes per_pair per_bin seconds", ctypes.c_double),
    ]


class Control(ctypes.Structure):
    """As in task.h."""

    _fields_ = [
        *fields("stop complete evaluated", ctypes.c_int64),
        *fields("best bound", ctypes.c_double),
    ]


class _Line(ctypes.Structure):
    _fields_ = [
        *fields("relaxed exact", ctypes.c_double),
        *fields("feature bin left right", ctypes.c_int64),
    ]


class CompiledTask:
    """A separable problem as the kernel takes it; it lives as long as its arrays."""

    def __init__(self, library: ctypes.CDLL, task: Separable) -> None:
        self.library, self.task = library, task
        self.arrays = Arrays()
        real, whole = self.arrays.real, self.arrays.whole
        bins, topology, conditions = task.bins, task.problem.topology, task.problem.conditions
        ends = np.append(bins.start[1:], bins.count)
        extra = len(task.stats) - (task.labels - 1)
        in_units = task.whole and task.curve is None
        self.c = c = _Task(
            points=bins.points,
            features=len(bins.start),
            stats=task.labels - 1,
            extra=extra,
            must_split=task.problem.unsplit is None,
            plain=task.plain,
            whole=in_units,
            curve=task.curve.kernel if task.curve is not None else 0,
            unit=task.unit,
            step=task.step,
            tolerance=task.tolerance,
            least_price=task.least_price,
            leaf_price=task.leaf_price,
            equal=EQUAL,
        )
        c.bin, c.bins = whole(bins.rank), whole(ends - bins.start)
        c.order = whole(bins.order)
        c.short_units = whole(task.units if in_units else np.zeros(0))
        stats, base = _stats_of(task)
        c.left, c.right = whole(topology.left), whole(topology.right)
        c.number = whole(np.searchsorted(topology.branches, np.arange(topology.size)))
        c.stat, c.most = real(stats), real(task.most)
        c.base, c.price = real(base), real(task.feature_price)
        c.low, c.high = real(conditions.low), real(conditions.high)
        c.jump, c.size = real(conditions.jump), real(conditions.tolerance)
        for name, number in task.curve.kernel_numbers().items() if task.curve is not None else ():
            setattr(c, name, number)

    def solve(self, node: int, depth: int, rows: np.ndarray, below: float) -> Side:
        """As `Separable.solve`. Raises MemoryError."""
        side = self._called("treemip_solve", node, depth, rows, below)
        self.task.report(depth, side.exact, side.relaxed)
        self.task.problem.reports.tick()
        return side

    def side(
        self, node: int, depth: int, rows: np.ndarray, below: float, known: np.ndarray | None
    ) -> Side:
        """As `Separable.subtree`, on this thread's own. Raises MemoryError."""
        near = None if known is None else np.ascontiguousarray(known, np.float64)
        bound, bounds = np.zeros(self.task.bins.count), ctypes.c_int64()
        side = self._called("treemip_side", node, depth, rows, below, near, bound, bounds)
        return replace(side, bound=bound if bounds.value else None)

    def _called(
        self, name: str, node: int, depth: int, rows: np.ndarray, below: float, *more: object
    ) -> Side:
        """What a function of the kernel finds below a node."""
        control = Control(complete=1, best=np.inf, bound=-np.inf)
        points = np.ascontiguousarray(rows, np.int32)
        lines = (_Line * (2 << depth))()  # leaves without points have one, too
        found = (node, depth, points, len(points), float(below), lines)
        self.run(name, depth, control, *found, *more)
        return _side(self.task, lines, 0)

    def run(self, name: str, depth: int, control: Control, *arguments: object) -> None:
        """Calls a function of the kernel on a worker, its arguments as of `called`; signals are
        heeded and progress is told beside it. Raises MemoryError."""
        task, function = self.task, getattr(self.library, name)
        for option in OPTIONS:
            setattr(self.c, option, getattr(task, option))
        self.c.seconds = min(1e9, max(0.0, task.until - time.perf_counter()))

        def look() -> bool:
            task.report(depth, control.best, control.bound)
            return task.late

        run_beside(function, self.c, control, look, *arguments)
        task.evaluated += control.evaluated
        task.complete = task.complete and bool(control.complete)


def _stats_of(task: Separable) -> tuple[np.ndarray, np.ndarray]:
    """The sums that the kernel takes, float64 (s, M), and what points cost beside, (M,)."""
    if task.curve is None:
        return task.stats, task.costs[:, 0]
    sums, base = task.curve.kernel_sums(task.costs)
    return np.concatenate([sums, task.stats[task.labels - 1 :]]), base


def _side(task: Separable, lines: ctypes.Array[_Line], at: int) -> Side:
    line = lines[at]
    cut = NONE if line.feature < 0 else int(task.bins.start[line.feature] + line.bin)
    below = None
    if line.left:
        below = _side(task, lines, line.left), _side(task, lines, line.right)
    return Side(line.relaxed, line.exact, cut, below=below)
