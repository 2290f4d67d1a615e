"""Solvers' threads are used again, and nothing that ran on them is kept."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
import weakref

import pytest

from treemip.solving.interrupt import Watch, start


def thread_of_a_run() -> int:
    seen: list[int] = []
    Watch().run(lambda: seen.append(threading.get_ident()), lambda: None)
    return seen[0]


def test_runs_in_a_row_share_a_thread() -> None:
    """SCIP crashes in a process that calls it on more than 64 threads, one after another."""
    assert len({thread_of_a_run() for _ in range(100)}) == 1


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
from treemip.solving.interrupt import STACK, start
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + STACK // 4, resource.RLIM_INFINITY))
start(print, print)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does")
def test_no_memory_for_a_thread_is_said() -> None:
    said = subprocess.run(
        [sys.executable, "-c", CROWDED], capture_output=True, text=True, check=False
    )
    assert "TreemipError: error[E405]: there is not enough memory: can't start" in said.stderr
    assert "= help: take fewer points" in said.stderr
