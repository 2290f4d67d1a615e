"""Solvers' threads are used again, and nothing that ran on them is kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable

import pytest

from treemip.core.files.undo import SIGNALS
from treemip.core.model.answer import Progress
from treemip.core.solving import interrupt
from treemip.core.solving.interrupt import Watch, start, stoppable

REPORT = Progress(0.0, 1.0, None, None, 0)


def press(*after: float) -> None:
    """Ctrl-C, as many times as there are waits."""

    def body() -> None:
        for wait in after:
            time.sleep(wait)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=body, daemon=True).start()


def test_work_runs_on_another_thread_and_comes_back() -> None:
    seen: list[threading.Thread] = []
    stopped = Watch().run(lambda: seen.append(threading.current_thread()), lambda: None)
    assert not stopped
    assert seen[0] is not threading.current_thread()


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        Watch().run(lambda: print(1 / 0), lambda: None)


def test_in_a_block_one_interrupt_asks_the_work_to_stop() -> None:
    asked = threading.Event()
    press(0.05)
    with stoppable():
        watch = Watch()
        assert watch.run(lambda: _wait(asked), asked.set)
    assert watch.stopping.is_set()
    assert not watch.abandoned


def test_a_solver_that_does_not_listen_at_once_is_asked_again() -> None:
    asked: list[int] = []

    def work() -> None:
        while len(asked) < 3:
            time.sleep(0.01)

    press(0.01)
    with stoppable():
        assert Watch().run(work, lambda: asked.append(1))


def test_a_second_interrupt_gives_up_waiting() -> None:
    release = threading.Event()
    press(0.05, 0.05)
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), stoppable():
        Watch().run(lambda: _wait(release), lambda: None)
    assert time.perf_counter() - begun < 5
    release.set()


def test_without_a_block_an_interrupt_stops_the_work_and_is_raised() -> None:
    asked, ended = threading.Event(), threading.Event()

    def work() -> None:
        _wait(asked)
        ended.set()

    press(0.05)
    watch = Watch()
    with pytest.raises(KeyboardInterrupt):
        watch.run(work, asked.set)
    assert ended.is_set()  # nothing goes on behind the caller's back
    assert watch.abandoned


def test_work_that_does_not_listen_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "PATIENCE", 0.2)
    release, asked = threading.Event(), threading.Event()
    press(0.05)
    with pytest.raises(KeyboardInterrupt):
        Watch().run(lambda: _wait(release), asked.set)
    assert asked.is_set()
    release.set()


def test_a_second_interrupt_waits_no_longer() -> None:
    release = threading.Event()
    press(0.05, 0.3)
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        Watch().run(lambda: _wait(release), lambda: None)
    assert time.perf_counter() - begun < interrupt.PATIENCE / 2
    release.set()


def test_work_that_has_not_begun_is_never_done(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Callable[[], None]] = []
    done: list[str] = []

    def interrupted(work: Callable[[], None], end: Callable[[], None]) -> None:
        given.append(work)
        raise KeyboardInterrupt

    monkeypatch.setattr(interrupt, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Watch().run(lambda: done.append("work"), lambda: done.append("stop"))
    given[0]()
    assert done == []


@pytest.mark.parametrize("number", SIGNALS)
def test_the_programs_own_handlers_stay_and_are_called(number: signal.Signals) -> None:
    seen: list[int] = []

    def own(number: int, frame: object) -> None:
        seen.append(number)

    usual = signal.signal(number, own)
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), number)).start()

        def work() -> None:
            while not seen:
                time.sleep(0.01)

        assert not Watch().run(work, lambda: None)
        assert signal.getsignal(number) is own
        assert seen == [number]
    finally:
        signal.signal(number, usual)


def test_what_the_programs_handler_raises_ends_the_search_and_is_raised() -> None:
    """Such as SystemExit of a service that is asked to end, or a time limit by SIGALRM."""
    asked = threading.Event()

    def end(number: int, frame: object) -> None:
        raise SystemExit(7)

    usual = signal.signal(signal.SIGTERM, end)
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(SystemExit):
            Watch().run(lambda: _wait(asked), asked.set)
    finally:
        signal.signal(signal.SIGTERM, usual)


def test_a_block_leaves_other_signals_to_the_program() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with stoppable():
        within = [signal.getsignal(number) for number in SIGNALS]
    changed = [number for number, a, b in zip(SIGNALS, before, within, strict=True) if a is not b]
    assert changed == [signal.SIGINT]
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_the_usual_handler_is_back_afterwards() -> None:
    usual = signal.getsignal(signal.SIGINT)
    with stoppable():
        Watch().run(lambda: None, lambda: None)
    with pytest.raises(ValueError, match="broken"), stoppable():
        Watch().run(_broken, lambda: None)
    assert signal.getsignal(signal.SIGINT) is usual


def test_an_ignored_interrupt_stays_ignored() -> None:
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        press(0.05)
        with stoppable():
            assert not Watch().run(lambda: time.sleep(0.2), lambda: None)
    finally:
        signal.signal(signal.SIGINT, usual)


def test_from_a_thread_that_gets_no_signals() -> None:
    outcomes: list[bool] = []
    other = threading.Thread(
        target=lambda: outcomes.append(Watch().run(lambda: None, lambda: None))
    )
    other.start()
    other.join()
    assert outcomes == [False]


def test_an_error_in_the_callback_ends_the_search_and_is_raised() -> None:
    calls: list[Progress] = []

    def on_progress(progress: Progress) -> None:
        calls.append(progress)
        raise RuntimeError("the display is gone")

    watch = Watch(on_progress=on_progress)
    released = threading.Event()

    def work() -> None:
        watch.report(REPORT)
        watch.report(REPORT)
        _wait(released)

    with pytest.raises(RuntimeError, match="the display is gone"):
        watch.run(work, released.set)
    assert calls == [REPORT]


def test_reports_now_and_then() -> None:
    assert not Watch().due()
    watch = Watch(on_progress=lambda progress: None)
    assert watch.due()
    watch.report(REPORT)
    assert not watch.due()


def test_time_left() -> None:
    assert Watch().left(7.0) == 7.0
    assert Watch(0.0).left(7.0) == 0.0
    assert 59 < Watch(60.0).left(7.0) <= 60


def _wait(event: threading.Event) -> None:
    assert event.wait(10)


def _broken() -> None:
    raise ValueError("broken")


def thread_of_a_run() -> int:
    seen: list[int] = []
    Watch().run(lambda: seen.append(threading.get_ident()), lambda: None)
    return seen[0]


def test_runs_in_a_row_share_a_thread() -> None:
    """SCIP crashes in a process that calls it on more than 64 threads, one after another."""
    assert len({thread_of_a_run() for _ in range(100)}) == 1


def test_threads_made_at_once_leave_the_size_of_stacks_as_it_is() -> None:
    usual = threading.stack_size()
    makers = [threading.Thread(target=interrupt.Worker) for _ in range(20)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert threading.stack_size() == usual


def test_runs_at_once_have_their_own() -> None:
    both, seen = threading.Barrier(2, timeout=10), []

    def work() -> None:
        both.wait()
        seen.append(threading.get_ident())

    done = [threading.Event(), threading.Event()]
    for one in done:
        start(work, one.set)
    assert all(one.wait(10) for one in done)
    assert len(set(seen)) == 2
    assert thread_of_a_run() in seen


def test_a_thread_outlives_a_failure() -> None:
    before = thread_of_a_run()
    with pytest.raises(ZeroDivisionError):
        Watch().run(lambda: print(1 / 0), lambda: None)
    assert thread_of_a_run() == before


def test_an_idle_thread_keeps_nothing_alive() -> None:
    class Model:
        pass

    model = Model()
    known = weakref.ref(model)
    Watch().run(lambda model=model: None, lambda: None)
    del model
    thread_of_a_run()
    assert known() is None


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_makes_its_own() -> None:
    thread_of_a_run()
    child = multiprocessing.get_context("fork").Process(target=thread_of_a_run)
    child.start()
    child.join(20)
    assert child.exitcode == 0


CROWDED = """
import resource
from treemip.core.solving.interrupt import STACK, start
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + STACK // 4, resource.RLIM_INFINITY))
start(print, print)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does")
def test_no_memory_for_a_thread_is_said() -> None:
    said = subprocess.run(
        [sys.executable, "-c", CROWDED], capture_output=True, text=True, check=False
    )
    assert "TreemipError: error[E405]: not enough memory: can't start" in said.stderr
    assert "= help: use fewer points" in said.stderr
