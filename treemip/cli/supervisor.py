"""Under a limit on memory the command runs in a child process, whose crash ends in words.

SCIP, HiGHS and the libraries that they and NumPy use end the process when they get no memory: by
SIGSEGV, SIGABRT or an exit code of their own. Nothing inside that process can say so.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from treemip.files.undo import SIGNALS, testify
from treemip.source.memory import address_limit

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux's prctl(2)


def supervise() -> None:
    """Return where there is no limit, or in the child; the parent waits and exits as it does."""
    if os.name != "posix" or _limit() is None:
        return
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    parent = os.getpid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        testify(writing)
        _follow(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        return

    def pass_on(number: int, frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_SETMASK, usual)
    os.close(writing)
    status = os.waitpid(child, 0)[1]
    _end_as(status, crashed=not os.read(reading, 1))


def _limit() -> int | None:
    """The least limit on addresses or data, bytes."""
    found = [address_limit(name) for name in ("RLIMIT_AS", "RLIMIT_DATA")]
    return min((limit for limit in found if limit is not None), default=None)


def _follow(parent: int) -> None:
    """In the child: Ctrl-C reaches the parent alone, which passes it on, and its death ends us."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _end_as(status: int, crashed: bool) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    if crashed:
        from treemip.cli.console import BAD_INPUT, complain
        from treemip.source.diagnostic import Diagnostic
        from treemip.source.memory import REMEDY

        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        message = f"there is not enough memory: the solver or a library ended the command {how}"
        complain([Diagnostic.outside("E405", message, REMEDY)])
        code = BAD_INPUT
    os._exit(code)
