"""What a signal undoes: temporary files and child processes must not outlive the command.

Whoever creates something temporary registers how it is removed, with `undoing`. The command line
lets the first SIGINT, SIGTERM or SIGHUP end the process at once (`leave`): everything registered is
undone, then the process exits. Raising KeyboardInterrupt instead would do so at any line, also
inside a clean-up or a callback of a solver, where it is lost or leaves things half done.
A search for a solution is stopped more gently, see solving/interrupt.py.

A program that uses treemip keeps its own handlers: SIGTERM and SIGHUP are never handled here, and
SIGINT only where the caller asks for it, or for the moment of an `uninterrupted` block.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import NoReturn

Handler = Callable[[int, object], None]
Undo = Callable[[], object]

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Requests to end. Ctrl-C, `kill`, and a terminal that is closed."""

INTERRUPTED = 130

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux's prctl(2)

_handled: list[signal.Signals] = [signal.SIGINT]
"""What treemip may handle: all of SIGNALS once it is the command line."""

_witnesses: list[int] = []
_undo: dict[int, Undo] = {}
_last_words = ["interrupted"]
_numbers = count()


@contextmanager
def undoing(undo: Undo) -> Iterator[None]:
    """Call `undo` when the process has to leave during the block.

    Without a signal nothing is called: the block cleans up after itself. `undo` must bear that
    there is nothing to undo yet, or any more.
    """
    number = next(_numbers)
    _undo[number] = undo
    try:
        yield
    finally:
        _undo.pop(number, None)


@contextmanager
def last_words(text: str) -> Iterator[None]:
    """During the block, what a process that has to leave says in place of "interrupted"."""
    _last_words.append(text)
    try:
        yield
    finally:
        _last_words.pop()


def undo_all() -> None:
    """Undo everything registered, the latest first: a child before the folder it writes in."""
    while _undo:
        _, undo = _undo.popitem()
        with suppress(Exception):
            undo()


def leave(number: int = signal.SIGINT, frame: object = None) -> NoReturn:
    """Undo everything registered and exit with 130, at once; a handler of signals."""
    for one in SIGNALS:
        with suppress(ValueError):  # not in the main thread
            signal.signal(one, signal.SIG_IGN)
    undo_all()
    with suppress(OSError):
        os.write(2, f"{_last_words[-1]}\n".encode(errors="backslashreplace"))
    exit_now(INTERRUPTED)


def exit_now(code: int) -> NoReturn:
    """Leave without taking modules and arrays apart, which takes time and changes nothing."""
    _bear_witness()
    os._exit(code)


def exit_cleaning_up(code: int) -> NoReturn:
    """Leave as Python does: what packages do at the end of a process is done."""
    _bear_witness()
    raise SystemExit(code)


def end_with(parent: int) -> None:
    """Let this process end with its parent, whose number this was, where the system is Linux."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _bear_witness() -> None:
    for descriptor in _witnesses:
        with suppress(OSError):
            os.write(descriptor, b".")


def testify(descriptor: int) -> None:
    """Let the exit write to the descriptor: the end was the command's own, and no crash."""
    _witnesses.append(descriptor)


def leave_on_signals() -> None:
    """Make `leave` the handler of the signals that are not ignored; for the command line.

    Windows cannot remove a file that is open, so that there KeyboardInterrupt unwinds the stack.
    """
    _handled[:] = SIGNALS
    if os.name != "posix":
        return
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, leave)


@contextmanager
def handled_by(handler: Handler) -> Iterator[dict[int, object]]:
    """Give the signals another handler for the block; yields the usual handlers by signal.

    The signals are those of the command line; in other programs SIGINT alone. Ignored signals stay
    ignored. Nothing changes outside the main thread, which alone gets them.
    """
    with _replaced(handler, _handled) as usual:
        yield usual


@contextmanager
def unwinding() -> Iterator[None]:
    """Where a signal would `leave`, it is a KeyboardInterrupt instead: the block cleans up after
    itself. All other handlers stay as they are."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    with _replaced(interrupt, [n for n in SIGNALS if signal.getsignal(n) is leave]):
        yield


@contextmanager
def _replaced(handler: Handler, numbers: Sequence[int]) -> Iterator[dict[int, object]]:
    if threading.current_thread() is not threading.main_thread():
        yield {}
        return
    usual = {number: signal.getsignal(number) for number in numbers}
    heeded = {n: before for n, before in usual.items() if before not in (signal.SIG_IGN, None)}
    try:
        for number in heeded:
            signal.signal(number, handler)
        yield dict(heeded)
    finally:
        for number, before in heeded.items():
            signal.signal(number, before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals wait for the end of the block, which must be short.

    Their handlers are then called; sent once more, a signal would reach an event loop twice.
    """
    arrived: list[tuple[int, object]] = []
    usual: dict[int, object] = {}
    try:
        with handled_by(lambda number, frame: arrived.append((number, frame))) as handlers:
            usual.update(handlers)
            yield
    finally:
        if arrived:
            number, frame = arrived[0]
            before = usual[number]
            if callable(before):
                before(number, frame)
            else:
                signal.raise_signal(number)  # to the system
