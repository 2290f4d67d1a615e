"""How the command's process begins and ends, also where memory is limited.

Nothing of this touches a process that imports treemip."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from typing import NoReturn

from treemip.core.files.undo import SIGNALS, end_with, exit_cleaning_up, exit_now, testify
from treemip.core.source.memory import address_limit, least_limit

# Parameters of glibc's mallopt(3) and of madvise(2).
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
_HUGE_PAGES = 14
_KEPT = 1 << 30  # bytes
_HEAP = 1 << 30  # bytes of addresses that the heap begins with; memory once they are written to
_GROWTH = 1 << 26  # bytes it grows by beyond
_LARGE = 1 << 20  # bytes of an array with pages of its own, which go back when it does
_HUGE = 1 << 21  # bytes of a huge page


def begin() -> None:
    """Settings for a short life with few large arrays; call it before numpy is imported."""
    # treemip multiplies no large matrices: threads for that would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nor has it many objects in circles, which the collector would look for again and again.
    gc.set_threshold(100_000)
    _keep_freed_memory()
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # not every terminal can show the lines of a tree
            stream.reconfigure(errors="backslashreplace")


def let_go() -> None:
    """For large tables: an object in a circle may hold an array of as many numbers as points, and
    of pages that are kept many fit no other array."""
    gc.set_threshold(700)
    gc.collect()
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, _LARGE)
        libc.mallopt(_TRIM_THRESHOLD, _GROWTH)


def _open_closed() -> None:
    """What the caller closed, as `>&-` does, becomes something that takes all and keeps nothing.

    It gets the free number. Else a file opened later would, and what libraries print go there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def end(code: int) -> NoReturn:
    """Leave at once: taking every module and array apart costs 40 ms and changes nothing.

    Files are closed by then. mypy ends the same way. Where there were worker processes, joblib
    releases their locks at the end; without that it says that they leaked.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass  # the reader, such as `head`, has what it wanted
    except OSError as error:
        with suppress(OSError):
            sys.stderr.write(f"treemip: the output cannot be written: {error.strerror}\n")
        code = code or 2
    with suppress(OSError):
        sys.stderr.flush()
    if "joblib" in sys.modules:
        exit_cleaning_up(code)
    exit_now(code)


@contextmanager
def results_apart(wanted: bool) -> Iterator[None]:
    """What is printed inside goes to stderr, so that stdout has the result alone.

    Solvers are not Python's: they print to the process's first descriptor, some of it when the C
    library's buffer is full.
    """
    if not wanted:
        yield
        return
    sys.stdout.flush()
    with redirect_stdout(sys.stderr), _descriptors_joined():
        yield


@contextmanager
def _descriptors_joined() -> Iterator[None]:
    """Descriptor 1 is what 2 is; nothing is done where either is closed."""
    try:
        _flush_c()
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        _flush_c()
        os.dup2(kept, 1)
        os.close(kept)


def _flush_c() -> None:
    with suppress(OSError, AttributeError, TypeError):  # where there is no C library to ask
        ctypes.CDLL(None).fflush(None)


def _keep_freed_memory() -> None:
    """Let an array take the pages of one that has gone, where the C library is glibc.

    By default the pages of every large array go back to the system and the next array gets
    fresh ones, each cleared at its first touch. With them kept, and huge ones where Linux has any
    to give, writing a model takes a sixth less.
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        if address_limit("RLIMIT_AS") is not None:
            # A heap of its own for every thread would take 64 MB of the addresses for each.
            libc.mallopt(_ARENA_MAX, 1)
            return
        libc.mallopt(_MMAP_THRESHOLD, _KEPT)
        libc.mallopt(_TRIM_THRESHOLD, _KEPT)
        libc.mallopt(_TOP_PAD, _HEAP)
        libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
        some = libc.malloc(ctypes.c_size_t(2 * _HUGE))  # the heap grows
        libc.mallopt(_TOP_PAD, _GROWTH)
        if some is None:
            return
        libc.free(ctypes.c_void_p(some))
        end = libc.sbrk(0)
        first = (end - _HEAP) // _HUGE * _HUGE + _HUGE
        libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), _HUGE_PAGES)


# ---------------------------------------------------------------- under a limit on memory
#
# There the command runs in a child process, whose crash ends in words.
# SCIP, HiGHS and the libraries that they and NumPy use end the process when they get no memory: by
# SIGSEGV, SIGABRT or an exit code of their own. Nothing inside that process can say so.


def supervise() -> None:
    """Return where there is no limit, or in the child; the parent waits and exits as it does."""
    if os.name != "posix" or least_limit() is None:
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


def _follow(parent: int) -> None:
    """In the child: Ctrl-C reaches the parent alone, which passes it on, and its death ends us."""
    os.setpgid(0, 0)
    end_with(parent)


def _end_as(status: int, crashed: bool) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    if crashed:
        from treemip.cli.console import BAD_INPUT, complain
        from treemip.core.source.diagnostic import Diagnostic
        from treemip.core.source.memory import REMEDY

        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        message = f"not enough memory: the solver or a library ended the command {how}"
        complain([Diagnostic.outside("E405", message, REMEDY)])
        code = BAD_INPUT
    os._exit(code)
