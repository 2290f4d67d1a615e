"""A call of the kernel in another thread, while the main one attends to signals, time and
progress."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

from treemip.core.compiled.structures import called
from treemip.core.solving.interrupt import start

WAIT = 0.02  # seconds between two looks at signals and progress


def run_beside(
    function: Callable[..., int],
    task: ctypes.Structure,
    control: ctypes.Structure,
    look: Callable[[], bool],
    *others: object,
) -> None:
    """Calls a function of the kernel as `called` does. look: is called again and again meanwhile,
    and says whether to end soon; `control.stop` is how that is told. Raises MemoryError."""
    failed: list[MemoryError] = []
    done = threading.Event()

    def run() -> None:
        try:
            called(function, task, control, *others)
        except MemoryError as error:
            failed.append(error)

    start(run, done.set)
    wait = WAIT / 20
    try:
        while not done.wait(wait):
            if look():
                control.stop = 1
            wait = min(2 * wait, WAIT)
    finally:
        control.stop = 1
        done.wait()
    if failed:
        raise failed[0]
