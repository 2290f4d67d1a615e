"""Under a limit on memory a command ends with its result or in words, never in a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from suite import one_in

from treemip.cli import entry
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.memory import REMEDY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux's")

COMMANDS = {
    "list": "list",
    "check": "check small.tree --data",
    "compile": "compile small.tree -o m.mps",
    "highs": "solve small.tree --solver highs --start none --threads 1",
    "scip": "solve small.tree --solver scip --start none",
    "cbc": "solve small.tree --solver cbc --start none",
    "search": "solve small.tree",
    "cart": "solve small.tree --solver highs --start cart",
}


def limited(folder: Path, kilobytes: int, command: str) -> subprocess.CompletedProcess[str]:
    line = f"ulimit -v {kilobytes}; exec '{sys.executable}' -m treemip {command}"
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


@pytest.mark.parametrize(
    ("command", "megabytes"),
    one_in(
        7,
        ["check", "highs", "scip", "cart", "search"],
        [60, 100, 120, 150, 200, 250, 300, 330, 500],
    ),
)
def test_a_result_or_words(command: str, megabytes: int, spec: Path) -> None:
    ended = limited(spec.parent, megabytes * 1000, COMMANDS[command])
    assert ended.returncode in (0, 2), ended
    assert "Traceback" not in ended.stderr, ended
    if ended.returncode == 2:
        assert "error[E405]: not enough memory" in ended.stderr, ended
        assert "\n  = help: use fewer points" in ended.stderr, ended


@pytest.mark.parametrize(
    "command", one_in(3, ["compile", "list", "check", "highs", "scip", "search", "cbc"])
)
def test_a_limit_that_suffices(command: str, spec: Path) -> None:
    """Below what the heap and a heap for each thread would begin with."""
    ended = limited(spec.parent, 600_000, COMMANDS[command])
    assert ended.returncode == 0, ended
    assert "error" not in ended.stderr


def test_exit_codes_and_streams_are_those_of_the_command(spec: Path) -> None:
    for command, code in (("list", 0), ("check nowhere.tree", 2)):
        line = f"exec '{sys.executable}' -m treemip {command}"
        free = subprocess.run(
            ["bash", "-c", line], cwd=spec.parent, capture_output=True, text=True, check=False
        )
        under = limited(spec.parent, 600_000, command)
        assert (under.returncode, under.stdout, under.stderr) == (code, free.stdout, free.stderr)


CRASHING = """
import os, sys
from treemip.cli import process
from treemip.core.files import undo as interrupts
process.least_limit = lambda: 1
process.supervise()
{end}
"""


@pytest.mark.parametrize(
    ("end", "how"),
    [
        ("os.abort()", "by SIGABRT"),
        ("os.kill(os.getpid(), 11)", "by SIGSEGV"),
        ("os._exit(127)", "with code 127"),
        ("os._exit(1)", "with code 1"),
    ],
)
def test_a_crash_is_said(end: str, how: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CRASHING.format(end=end)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "error[E405]: not enough memory: the solver or a library ended the command "
        f"{how}\n  = help: use fewer points or a smaller topology, or raise the limits that "
        "ulimit shows\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_passed_on(number: signal.Signals) -> None:
    end = f"""
import signal, time
signal.signal({number:d}, lambda *_: interrupts.exit_now(3))
print("on", flush=True)
time.sleep(60)
"""
    code = CRASHING.format(end=end)
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "on\n"
    running.send_signal(number)
    assert running.wait(20) == 3


def test_the_command_does_not_outlive_its_supervisor() -> None:
    code = CRASHING.format(end="print(os.getpid(), flush=True); import time; time.sleep(60)")
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    child = int(running.stdout.readline())
    assert child != running.pid
    running.kill()
    running.wait()
    end = time.monotonic() + 10
    while os.path.exists(f"/proc/{child}") and _state(child) != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


@pytest.mark.parametrize(
    "error", [MemoryError(), ImportError("x.so: failed to map segment from shared object")]
)
def test_no_memory_at_the_start_is_said_in_the_same_words(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, int]] = []

    def failing() -> None:
        raise error

    monkeypatch.setattr("treemip.core.files.undo.leave_on_signals", failing)
    monkeypatch.setattr(entry, "_end", lambda message, code: said.append((message, code)))
    entry.run()
    words = str(TreemipError(Diagnostic.outside("E405", "not enough memory", REMEDY)))
    assert said == [(words, 2)]
