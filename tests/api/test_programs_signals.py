"""Signals are those of the program that uses treemip: its handlers stay, and Ctrl-C is its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.api import starting, verified_tree
from treemip.core.files.undo import SIGNALS
from treemip.core.model.answer import Progress
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("highspy", reason="a solver is needed")
posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")

PROGRAM = """
import random, signal, sys, threading
import treemip

TEXT = '''data "t" { label class; scale minmax; }
topology complete(depth = 3);
split oblique by soct(eps = 0.01);
strategy { start search seconds 60; }
'''
draw = random.Random(1)
rows = [(draw.random(), draw.random(), draw.choice("xy")) for _ in range(60)]
data = dict(zip(("a", "b", "class"), map(list, zip(*rows))))
stage = sys.argv[1]
told = []

def tell(progress):
    if progress.stage == stage and progress.objective is not None and not told:
        told.append(progress)
        print("running", flush=True)

def solved(**how):
    start = {} if stage == "search" else {"start": "none"}
    solver = "highs" if stage == "search" else stage
    compiled = treemip.loads(TEXT, data=data).compile()
    result = compiled.solve(solver, time_limit=60, on_progress=tell, **start, **how)
    print("result", result.status, result.verified, flush=True)

"""
"""Not solved to the end in a minute; a first tree is there within a second."""


def ended(body: str, stage: str, *numbers: int) -> tuple[int, str]:
    """Exit code and output of the program with that body, which gets the signals in the stage."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM + body, stage],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line == "running\n":
            break
    for number in numbers:
        running.send_signal(number)
    out, _ = running.communicate(timeout=50)
    return running.returncode, out


SIGTERM = pytest.mark.parametrize(
    ("stage", "how"), one_in(3, ["search", "highs"], ["", 'on_interrupt="keep"'])
)


@posix
@pytest.mark.parametrize("stage", ["search", "highs"])
def test_ctrl_c_is_a_keyboard_interrupt(stage: str) -> None:
    assert ended("solved()", stage, signal.SIGINT) == (-signal.SIGINT, "")


@posix
@pytest.mark.parametrize("stage", one_in(2, ["search", "highs", "scip"]))
def test_ctrl_c_keeps_the_tree_where_that_is_asked_for(stage: str) -> None:
    pytest.importorskip("pyscipopt")
    code, out = ended('solved(on_interrupt="keep")', stage, signal.SIGINT)
    assert (code, out) == (0, "result interrupted True\n")


@posix
@SIGTERM
def test_without_a_handler_sigterm_ends_the_program(stage: str, how: str) -> None:
    assert ended(f"solved({how})", stage, signal.SIGTERM) == (-signal.SIGTERM, "")


OWN_HANDLER = """
def end(number, frame):
    print("ends", flush=True)
    raise SystemExit(7)

signal.signal(signal.SIGTERM, end)
solved(HOW)
"""


@posix
@SIGTERM
def test_a_service_that_is_asked_to_end_ends(stage: str, how: str) -> None:
    assert ended(OWN_HANDLER.replace("HOW", how), stage, signal.SIGTERM) == (7, "ends\n")


@posix
def test_no_solver_is_left_over() -> None:
    """One in a process of its own is killed: nobody waits for its tree."""
    never = f"command:{sys.executable} -c 'import time; time.sleep(60)' {{model}} {{solution}}"
    body = f"""
import os
from treemip.core.solving import child
started = child._started
def told(*arguments):
    process = started(*arguments)
    print(process.pid, flush=True)
    print("running", flush=True)
    return process
child._started = told
try:
    treemip.loads(TEXT, data=data).compile().solve({never!r}, start="none")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM + body, "none"], stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    pid = int(running.stdout.readline())
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=40)[0] == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


IN_A_LOOP = """
import asyncio

async def main():
    asked = threading.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)

    def listen(progress):
        tell(progress)
        if told and asked.wait(30):
            raise RuntimeError("asked")

    compiled = treemip.loads(TEXT, data=data).compile()
    try:
        await asyncio.to_thread(compiled.solve, stage, start="none", on_progress=listen)
    except RuntimeError as error:
        print(error, flush=True)

asyncio.run(main())
"""


@posix
def test_a_loop_beside_a_solve_in_a_thread_gets_its_signals() -> None:
    assert ended(IN_A_LOOP, "highs", signal.SIGTERM) == (0, "asked\n")


@posix
def test_a_loop_that_is_blocked_by_a_solve_ends_at_the_second_ctrl_c() -> None:
    """As asyncio has it for whatever blocks: the first one cancels the task that runs."""
    body = "import asyncio\nasync def main(): solved()\nasyncio.run(main())"
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM + body, "highs"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdout is not None
    while running.stdout.readline() != "running\n":
        pass
    for _ in range(40):  # two that are one to the system are one to the program
        running.send_signal(signal.SIGINT)
        try:
            running.wait(1)
            break
        except subprocess.TimeoutExpired:
            pass
    assert (running.returncode, running.stdout.read()) == (-signal.SIGINT, "")


# ------------------------------------------------------------------- at every moment


SPEC = """data "t" { label c; scale minmax; }
topology complete(depth = 2);
split oblique by soct;
"""


def compiled(points: int = 40, text: str = "") -> treemip.Compiled:
    draw = np.random.default_rng(4)
    data = {name: draw.random(points).round(2).tolist() for name in "ab"}
    data["c"] = draw.choice(["x", "y"], points).tolist()
    return treemip.loads(SPEC + text, data=data).compile()


def interrupting(real: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with Ctrl-C while it runs."""

    def interrupted(*arguments: Any, **named: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*arguments, **named)

    return interrupted


@pytest.mark.parametrize(
    "stage", ["core.instance.side_tables.read", "core.lower.bind.bind", "api.lowering.lower"]
)
def test_before_the_solve(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    module, name = f"treemip.{stage}".rsplit(".", 1)
    real = getattr(import_module(module), name)
    monkeypatch.setattr(f"treemip.{stage}", interrupting(real))
    with pytest.raises(KeyboardInterrupt):
        compiled()


def test_while_the_solver_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first search Ctrl-C has nothing to keep."""
    monkeypatch.setattr(starting, "chosen", interrupting(starting.chosen))
    for how in ("raise", "keep"):
        with pytest.raises(KeyboardInterrupt):
            compiled().solve("highs", start="cart", time_limit=1, on_interrupt=how)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["verify", "tree_from_values"])
def test_during_verification(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(verified_tree, name, interrupting(getattr(verified_tree, name)))
    with pytest.raises(KeyboardInterrupt):
        compiled(8).solve("highs", start="cart", time_limit=1)
    result = compiled(8).solve("highs", start="cart", time_limit=1, on_interrupt="keep")
    assert result.verified  # the searches are over, and what is left is done


def test_twice_during_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    real = interrupting(interrupting(verified_tree.verify))
    monkeypatch.setattr(verified_tree, "verify", real)
    result = compiled(8).solve("highs", start="cart", time_limit=1, on_interrupt="keep")
    assert result.tree is None
    assert [note.message for note in result.failure] == [
        "interrupted before the solution was verified"
    ]


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_in_a_callback(solver: str) -> None:
    """The search's is in the main thread, the solver's is not."""
    pressed: list[str] = []

    def press(progress: Progress) -> None:
        if progress.stage == solver and not pressed:
            pressed.append(progress.stage)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        compiled().solve(solver, start="cart", time_limit=20, on_progress=press)
    assert pressed == [solver]
    pressed.clear()
    how = {"on_progress": press, "on_interrupt": "keep"}
    result = compiled().solve(solver, start="cart", time_limit=20, **how)  # type: ignore[arg-type]
    assert (result.status, result.verified, pressed) == ("interrupted", True, [solver])


def test_a_callback_may_interrupt_by_itself() -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "highs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compiled().solve("highs", start="cart", time_limit=20, on_progress=stop)


def test_a_solve_within_a_solve() -> None:
    inner: list[str] = []

    def again(progress: Progress) -> None:
        if not inner:
            inner.append("begun")
            compiled().solve("highs", start="cart", time_limit=20, on_progress=press)
            inner.append("done")

    def press(progress: Progress) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        compiled().solve("highs", start="cart", time_limit=20, on_progress=again)
    assert inner == ["begun"]


def test_later_objectives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was solved is kept where that is asked for, and nothing is said of it elsewhere."""
    stages: list[int | None] = []

    def press(progress: Progress) -> None:
        stages.append(progress.objective_number)
        if progress.objective_number == 2 and stages[-2:-1] != [2]:
            signal.raise_signal(signal.SIGINT)

    text = "minimize misclassified then splits;"
    with pytest.raises(KeyboardInterrupt):
        compiled(8, text).solve("highs", time_limit=4, on_progress=press)
    how = {"on_progress": press, "on_interrupt": "keep"}
    result = compiled(8, text).solve("highs", time_limit=4, **how)  # type: ignore[arg-type]
    assert result.verified
    assert result.objectives


def test_a_word_that_means_nothing() -> None:
    with pytest.raises(TreemipError, match="on_interrupt is 'stop'\n  = help: give \"raise\""):
        compiled().solve(on_interrupt="stop")  # type: ignore[arg-type]


# ------------------------------------------------------------------------- threads


def test_no_handler_is_touched() -> None:
    """In a thread, whatever becomes of an interrupt, nor in the main one."""
    before = [signal.getsignal(number) for number in SIGNALS]
    seen: list[list[object]] = []

    def look(progress: Progress) -> None:
        seen.append([signal.getsignal(number) for number in SIGNALS])

    def work() -> None:
        for how in ("raise", "keep"):
            compiled(8).solve("highs", time_limit=1, on_progress=look, on_interrupt=how)  # type: ignore[arg-type]

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    count = len(seen)
    compiled(8).solve("highs", time_limit=1, on_progress=look)
    assert 0 < count < len(seen) and all(handlers == before for handlers in seen)
    assert [signal.getsignal(number) for number in SIGNALS] == before
