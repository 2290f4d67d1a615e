"""What signals undo, and when they have to wait."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from treemip.core.files import undo as interrupts
from treemip.core.files.undo import SIGNALS, handled_by, undo_all, undoing, uninterrupted, unwinding
from treemip.core.solving.interrupt import Watch, stoppable


def test_the_latest_is_undone_first_and_all_are() -> None:
    undone: list[str] = []

    def broken() -> None:
        undone.append("broken")
        raise OSError

    with undoing(lambda: undone.append("folder")), undoing(broken), undoing(lambda: None):
        with undoing(lambda: undone.append("over")):
            pass
        with undoing(lambda: undone.append("child")):
            undo_all()
    assert undone == ["child", "broken", "folder"]
    undo_all()
    assert undone == ["child", "broken", "folder"]


LEAVING = """
import os, signal, sys
from treemip.core.files.undo import leave_on_signals, undoing
leave_on_signals()
with undoing(lambda: print("undone", flush=True)):
    try:
        os.kill(os.getpid(), {number})
        signal.pause()
    finally:
        print("unwound")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there KeyboardInterrupt unwinds the stack")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_undoes_and_leaves(name: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LEAVING.format(number=int(getattr(signal, name)))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "undone\n", "interrupted\n")


def test_signals_wait_for_the_end_of_the_block() -> None:
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            steps.append("after the signal")
        steps.append("not reached")
    assert steps == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_is_called_once_for_a_signal_that_waited() -> None:
    """Sent once more, it would reach an event loop twice."""
    seen: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            assert seen == []
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, usual)


def test_only_a_command_waits_with_its_end() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with uninterrupted():
        assert [signal.getsignal(number) for number in SIGNALS[1:]] == before[1:]
    with unwinding():
        assert [signal.getsignal(number) for number in SIGNALS] == before


def test_another_thread_gets_no_signals_and_changes_no_handlers() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with handled_by(lambda number, frame: None), uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


# ------------------------------------------------------------------------------- stoppable


def test_before_the_first_search_a_signal_ends_the_block() -> None:
    with pytest.raises(KeyboardInterrupt), stoppable():
        signal.raise_signal(signal.SIGINT)


def test_a_signal_after_a_search_ends_those_that_follow_and_not_the_block() -> None:
    asked: list[str] = []
    with stoppable():
        assert not Watch().run(lambda: None, lambda: None)
        signal.raise_signal(signal.SIGINT)
        search, ended = Watch(), threading.Event()

        def stop() -> None:
            asked.append("stop")
            ended.set()

        assert search.run(lambda: (ended.wait(10), None)[1], stop)
        saved = "saved"
    assert (asked[:1], saved) == (["stop"], "saved")
    assert not Watch().run(lambda: None, lambda: None)  # the block is over


def test_a_second_signal_is_the_usual_handlers() -> None:
    with pytest.raises(KeyboardInterrupt), stoppable():
        Watch().run(lambda: None, lambda: None)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_nothing_is_registered_any_more(tmp_path: Path) -> None:
    from treemip.core.files.atomic import replacing

    with replacing(tmp_path / "a"):
        assert len(interrupts._undo) == 1
    assert interrupts._undo == {}
