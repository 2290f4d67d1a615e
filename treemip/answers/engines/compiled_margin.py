"""Margin trees by the compiled kernel: the same optimum as `sides.prove`, in a fraction of the
time."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.beside import run_beside
from treemip.core.compiled.structures import Arrays, fields

if TYPE_CHECKING:
    from treemip.answers.engines.margin.sides import Task

BYTES = 1 << 30
"""Of open nodes, beyond which the search goes deep before it goes on with the best bound."""


class _Task(ctypes.Structure):
    """As in margin_task.h."""

    _fields_ = [
        *fields("points features nodes", ctypes.c_int64),
        *fields("left right start point side", ctypes.c_void_p),
        *fields("sign least price x scale marginal charge needs", ctypes.c_void_p),
        ("widest", ctypes.c_int64),
        *fields("goal tolerance seconds bytes", ctypes.c_double),
    ]


class _Control(ctypes.Structure):
    _fields_ = [
        *fields("stop complete nodes found", ctypes.c_int64),
        *fields("best bound", ctypes.c_double),
    ]


def run_compiled(
    library: ctypes.CDLL, task: Task
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """As `sides.prove`: place int32 (N,), uses bool (nodes, p) and share float64 (nodes,) of the
    best tree, empty where there is none, and the bound. Raises MemoryError."""
    problem, arrays = task.problem, Arrays()
    c, control = _task_of(task, arrays), _Control(complete=1, best=np.inf, bound=-np.inf)
    place = np.zeros(len(problem.x), np.int32)
    uses = np.zeros((problem.topology.size, problem.x.shape[1]), np.uint8)
    share = np.ones(problem.topology.size)

    def call() -> int:
        ends = (ctypes.c_void_p(array.ctypes.data) for array in (place, uses, share))
        return int(library.treemip_margin(ctypes.byref(c), ctypes.byref(control), *ends))

    def stop() -> None:
        control.stop = 1

    def look() -> None:
        task.tell(control.best + problem.constant, control.bound + problem.constant)
        if task.late():
            stop()

    run_beside(call, look, stop)
    look()
    task.nodes += control.nodes
    some = slice(None if control.found else 0)
    low = float(control.bound + problem.constant)
    return place[some], uses[some].astype(bool), share[some], low


def _task_of(task: Task, arrays: Arrays) -> _Task:
    problem, topology, needs = task.problem, task.problem.topology, task.problem.needs
    rows = [problem.rows.get(node) for node in range(topology.size)]
    own = [one for one in rows if one is not None]
    at, numbers = arrays.at, (np.int32, np.float64)
    return _Task(
        points=len(problem.x),
        features=problem.x.shape[1],
        nodes=topology.size,
        left=at(topology.left, numbers[0]),
        right=at(topology.right, numbers[0]),
        start=at(np.cumsum([0, *(0 if r is None else len(r.point) for r in rows)]), numbers[0]),
        point=at(np.concatenate([r.point for r in own]), numbers[0]),
        side=at(np.concatenate([r.side for r in own]), numbers[0]),
        sign=at(np.concatenate([r.sign for r in own]), numbers[1]),
        least=at(np.concatenate([r.least for r in own]), numbers[1]),
        price=at(np.concatenate([r.price for r in own]), numbers[1]),
        x=at(problem.x, numbers[1]),
        scale=at(problem.scale, numbers[1]),
        marginal=at(problem.marginal, numbers[1]),
        charge=at(problem.charge, numbers[1]),
        needs=at(np.full(topology.size, -1) if needs is None else needs, numbers[0]),
        widest=problem.widest,
        goal=task.goal - problem.constant,
        tolerance=task.tolerance,
        seconds=min(1e9, max(0.0, task.until - time.perf_counter())),
        bytes=BYTES,
    )
