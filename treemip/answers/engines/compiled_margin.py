"""Margin trees by the compiled kernel: the same optimum as `sides.prove`, in a fraction of the
time."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.beside import run_beside
from treemip.answers.engines.margin.problem import PointRows
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

    def look() -> bool:
        task.tell(control.best + problem.constant, control.bound + problem.constant)
        return task.late()

    run_beside(library.treemip_margin, c, control, look, place, uses, share)
    look()
    task.nodes += control.nodes
    some = slice(None if control.found else 0)
    low = float(control.bound + problem.constant)
    return place[some], uses[some].astype(bool), share[some], low


def _task_of(task: Task, arrays: Arrays) -> _Task:
    problem, topology, needs = task.problem, task.problem.topology, task.problem.needs
    rows = [problem.rows.get(node) for node in range(topology.size)]
    own = PointRows.joined([one for one in rows if one is not None])
    whole, real = arrays.whole, arrays.real
    return _Task(
        points=len(problem.x),
        features=problem.x.shape[1],
        nodes=topology.size,
        left=whole(topology.left),
        right=whole(topology.right),
        start=whole(np.cumsum([0, *(0 if r is None else len(r.point) for r in rows)])),
        point=whole(own.point),
        side=whole(own.side),
        sign=real(own.sign),
        least=real(own.least),
        price=real(own.price),
        x=real(problem.x),
        scale=real(problem.scale),
        marginal=real(problem.marginal),
        charge=real(problem.charge),
        needs=whole(np.full(topology.size, -1) if needs is None else needs),
        widest=problem.widest,
        goal=task.goal - problem.constant,
        tolerance=task.tolerance,
        seconds=min(1e9, max(0.0, task.until - time.perf_counter())),
        bytes=BYTES,
    )
