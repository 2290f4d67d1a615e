"""Ends a child when this process is gone: after SIGKILL we cannot do that ourselves.

A shell waits for a line from us. When instead its input ends, because the system closed it for a
process that is no more, it kills the child's group. Linux could send the child a signal of its own
accord (PR_SET_PDEATHSIG), but that has to be asked for between fork and exec, where a process with
threads may deadlock, and it reaches no solver behind a script.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

WAIT = 'read -r released || kill -KILL "-$1"'


@contextmanager
def guarded(group: int) -> Iterator[None]:
    """While the block runs, the process group does not outlive this process; on POSIX systems."""
    command = ["/bin/sh", "-c", WAIT, "treemip-guard", str(group)]
    if os.name != "posix" or not os.path.exists(command[0]):
        yield
        return
    nothing = subprocess.DEVNULL
    guard = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True
    )
    try:
        yield
    finally:
        with suppress(OSError):  # somebody may have ended the guard
            guard.communicate(b"released\n")
