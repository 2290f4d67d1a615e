"""Margin trees by the compiled kernel: the same optimum as `sides.prove`, in a fraction of the
time."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING

import numpy as np

from treemip.engines.compiled.beside import run_beside

if TYPE_CHECKING:
    from treemip.engines.margin.sides import Task, Tree

BYTES = 1 << 30
"""Of open nodes, beyond which the search goes deep before it goes on with the best bound."""


def _fields(kind: type, *names: str) -> list[tuple[str, type]]:
    return [(name, kind) for name in names]


class _Task(ctypes.Structure):
    """As in margin_task.h."""

    _fields_ = [
        *_fields(ctypes.c_int64, "points", "features", "nodes"),
        *_fields(ctypes.c_void_p, "left", "right", "start", "point", "side"),
        *_fields(ctypes.c_void_p, "sign", "least", "price", "x", "scale", "marginal"),
        *_fields(ctypes.c_double, "goal", "tolerance", "seconds", "bytes"),
    ]


class _Control(ctypes.Structure):
    _fields_ = [
        *_fields(ctypes.c_int64, "stop", "complete", "nodes", "found"),
        *_fields(ctypes.c_double, "best", "bound"),
    ]


def run_compiled(library: ctypes.CDLL, task: Task) -> tuple[Tree | None, float]:
    """As `sides.prove`. Raises MemoryError."""
    from treemip.engines.margin.sides import Tree

    problem, topology = task.problem, task.problem.topology
    arrays: list[np.ndarray] = []

    def at(values: object, kind: type) -> int:
        arrays.append(np.ascontiguousarray(values, kind))
        return int(arrays[-1].ctypes.data)

    rows = [problem.rows.get(node) for node in range(topology.size)]
    own = [one for one in rows if one is not None]
    c = _Task(
        points=len(problem.x),
        features=problem.x.shape[1],
        nodes=topology.size,
        left=at(topology.left, np.int32),
        right=at(topology.right, np.int32),
        start=at(np.cumsum([0, *(0 if r is None else len(r.point) for r in rows)]), np.int32),
        point=at(np.concatenate([r.point for r in own]), np.int32),
        side=at(np.concatenate([r.side for r in own]), np.int32),
        sign=at(np.concatenate([r.sign for r in own]), np.float64),
        least=at(np.concatenate([r.least for r in own]), np.float64),
        price=at(np.concatenate([r.price for r in own]), np.float64),
        x=at(problem.x, np.float64),
        scale=at(problem.scale, np.float64),
        marginal=at(problem.marginal, np.float64),
        goal=task.goal - problem.constant,
        tolerance=task.tolerance,
        seconds=min(1e9, max(0.0, task.until - time.perf_counter())),
        bytes=BYTES,
    )
    control = _Control(complete=1, best=np.inf, bound=-np.inf)
    place = np.zeros(len(problem.x), np.int32)
    uses = np.zeros((topology.size, problem.x.shape[1]), np.uint8)

    def call() -> int:
        ends = (ctypes.c_void_p(array.ctypes.data) for array in (place, uses))
        return int(library.treemip_margin(ctypes.byref(c), ctypes.byref(control), *ends))

    def stop() -> None:
        control.stop = 1

    def look() -> None:
        task.tell(control.best + problem.constant, control.bound + problem.constant)
        if task.late():
            stop()

    run_beside(call, look, stop)
    task.tell(control.best + problem.constant, control.bound + problem.constant)
    task.nodes += control.nodes
    tree = Tree(place.astype(np.int64), uses.astype(bool)) if control.found else None
    return tree, float(control.bound + problem.constant)
