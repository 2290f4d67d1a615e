"""A call of the kernel beside the main thread, which heeds signals, time and progress."""

from __future__ import annotations

import threading
from collections.abc import Callable

from treemip.core.solving.interrupt import start

WAIT = 0.02  # seconds between two looks at signals and progress


def run_beside(call: Callable[[], int], look: Callable[[], None], stop: Callable[[], None]) -> None:
    """Runs a call that says 0, or else that memory was too little. look: is called again and again
    meanwhile; stop: ends the call soon. Raises MemoryError."""
    failed: list[int] = []
    done = threading.Event()

    def run() -> None:
        failed.append(call())

    start(run, done.set)
    wait = WAIT / 20
    try:
        while not done.wait(wait):
            look()
            wait = min(2 * wait, WAIT)
    finally:
        stop()
        done.wait()
    if failed[0]:
        raise MemoryError("the compiled kernel")
