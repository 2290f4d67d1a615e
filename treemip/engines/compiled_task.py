"""A separable problem solved by the compiled kernel: the same trees as `Separable.solve`, in a
fraction of the time."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import TYPE_CHECKING

import numpy as np

from treemip.engines.plans import NONE, Side
from treemip.model.tolerances import EQUAL
from treemip.search.leaf_answers import Parabola
from treemip.solving.interrupt import start

if TYPE_CHECKING:
    from treemip.engines.separable import Separable

WAIT = 0.02  # seconds between two looks at signals and progress


def _fields(names: str, kind: type) -> list[tuple[str, type]]:
    return [(name, kind) for name in names.split()]


class _Task(ctypes.Structure):
    """As in task.h."""

    _fields_ = [
        *_fields("points features stats extra must_split plain whole parabola", ctypes.c_int64),
        *_fields("bin bins order short_units stat most base price", ctypes.c_void_p),
        *_fields("left right number low high jump size", ctypes.c_void_p),
        *_fields("unit step tolerance least_price leaf_price", ctypes.c_double),
        *_fields("low_place high_place equal seconds", ctypes.c_double),
    ]


class _Control(ctypes.Structure):
    _fields_ = [
        *_fields("stop complete evaluated", ctypes.c_int64),
        *_fields("best bound", ctypes.c_double),
    ]


class _Line(ctypes.Structure):
    _fields_ = [
        *_fields("relaxed exact", ctypes.c_double),
        *_fields("feature bin left right", ctypes.c_int64),
    ]


class CompiledTask:
    """A separable problem as the kernel takes it; it lives as long as its arrays."""

    def __init__(self, library: ctypes.CDLL, task: Separable) -> None:
        self.library, self.task = library, task
        self.arrays: list[np.ndarray] = []
        bins, topology, conditions = task.bins, task.problem.topology, task.problem.conditions
        ends = np.append(bins.start[1:], bins.count)
        extra = len(task.stats) - (task.labels - 1)
        whole = task.whole and task.curve is None
        self.c = c = _Task(
            points=bins.flat.shape[1],
            features=len(bins.start),
            stats=task.labels - 1,
            extra=extra,
            must_split=task.problem.unsplit is None,
            plain=task.plain,
            whole=whole,
            parabola=task.curve is not None,
            unit=task.unit,
            step=task.step,
            tolerance=task.tolerance,
            least_price=task.least_price,
            leaf_price=task.leaf_price,
            equal=EQUAL,
        )
        c.bin, c.bins = self._whole(bins.flat - bins.start[:, None]), self._whole(ends - bins.start)
        c.order = self._whole(bins.order)
        c.short_units = self._whole(task.units if whole else np.zeros(0))
        c.left, c.right = self._whole(topology.left), self._whole(topology.right)
        c.number = self._whole(np.searchsorted(topology.branches, np.arange(topology.size)))
        c.stat, c.most = self._real(task.stats), self._real(task.most)
        c.base, c.price = self._real(task.costs[:, 0]), self._real(task.feature_price)
        c.low, c.high = self._real(conditions.low), self._real(conditions.high)
        c.jump, c.size = self._real(conditions.jump), self._real(conditions.tolerance)
        if isinstance(task.curve, Parabola):
            self.c.low_place, self.c.high_place = task.curve.places

    def _whole(self, values: np.ndarray) -> int:
        return self._at(np.ascontiguousarray(values, np.int32))

    def _real(self, values: np.ndarray) -> int:
        return self._at(np.ascontiguousarray(values, np.float64))

    def _at(self, array: np.ndarray) -> int:
        self.arrays.append(array)
        return int(array.ctypes.data)

    def solve(self, node: int, depth: int, rows: np.ndarray, below: float) -> Side:
        """As `Separable.solve`.

        Signals are heeded and progress is told while the kernel runs beside. Raises MemoryError.
        """
        task, control = self.task, _Control(complete=1, best=np.inf, bound=-np.inf)
        self.c.seconds = min(1e9, max(0.0, task.until - time.perf_counter()))
        points = np.ascontiguousarray(rows, np.int32)
        lines = (_Line * (2 << depth))()  # leaves without points have one, too
        failed: list[int] = []

        def run() -> None:
            solve = self.library.treemip_solve
            failed.append(
                solve(
                    ctypes.byref(self.c),
                    ctypes.byref(control),
                    ctypes.c_int64(node),
                    ctypes.c_int64(depth),
                    ctypes.c_void_p(points.ctypes.data),
                    ctypes.c_int64(len(points)),
                    ctypes.c_double(below),
                    lines,
                )
            )

        done = threading.Event()
        start(run, done.set)
        try:
            self._wait(done, depth, control)
        finally:
            control.stop = 1
            done.wait()
        if failed[0]:
            raise MemoryError("the compiled kernel")
        task.evaluated += control.evaluated
        task.complete = task.complete and bool(control.complete)
        task.report(depth, lines[0].exact, lines[0].relaxed)
        task.problem.reports.tick()
        return _side(task, lines, 0)

    def _wait(self, done: threading.Event, depth: int, control: _Control) -> None:
        """Until the kernel has ended, or is asked to."""
        task, wait = self.task, WAIT / 20
        while not done.wait(wait):
            task.report(depth, control.best, control.bound)
            if task.late:
                control.stop = 1
            wait = min(2 * wait, WAIT)


def _side(task: Separable, lines: ctypes.Array[_Line], at: int) -> Side:
    line = lines[at]
    cut = NONE if line.feature < 0 else int(task.bins.start[line.feature] + line.bin)
    below = None
    if line.left:
        below = _side(task, lines, line.left), _side(task, lines, line.right)
    return Side(line.relaxed, line.exact, cut, below=below)
