"""How the command's process begins and ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treemip.cli import checking
from treemip.core.source.span import Source

FULL = Path("/dev/full")
NEEDS_FULL = pytest.mark.skipif(not FULL.exists(), reason="no device is always full")
TREEMIP = [sys.executable, "-m", "treemip"]


def test_a_reader_that_stops_early_is_no_error() -> None:
    line = f"'{sys.executable}' -m treemip list | head -1"
    said = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == ("formulations\n", "")


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_stops_early_gives_no_exit_code(buffered: str) -> None:
    """1 would say that the tree is not verified; without a buffer Python meets the closed pipe in
    the midst of the command."""
    with subprocess.Popen(
        [*TREEMIP, "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": buffered},
        text=True,
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.returncode == 0


def test_an_error_that_nobody_reads_has_its_exit_code() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [*TREEMIP, "check", "no such file.tree"]
    said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=writing, check=False)
    os.close(writing)
    assert said.returncode == 2


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (MemoryError, 2, ["error[E405]: not enough memory", "use fewer points"]),
        (KeyboardInterrupt, 130, ["interrupted\n"]),
    ],
)
def test_what_ends_a_command_is_said(run, monkeypatch, error, code, told) -> None:
    def ends(*_: object, **__: object) -> None:
        raise error

    target = Source if error is MemoryError else checking
    monkeypatch.setattr(target, "read" if target is Source else "_checked", ends)
    said = run("check", "any.tree")
    assert said.code == code and all(words in said.err for words in told)


INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{at}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ["list"]
from treemip.cli.entry import run
run()
"""


def test_ctrl_c_while_modules_are_imported() -> None:
    for at in ("argparse", "treemip.cli.main", "treemip.cli.console"):
        command = [sys.executable, "-c", INTERRUPTED.format(at=at)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (said.returncode, said.stdout, said.stderr) == (130, "", "interrupted\n")


@NEEDS_FULL
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("check", "nowhere.tree"), 2),
        (("check", "small.tree"), 0),
        (("fmt", "--check", "messy.tree"), 1),
        (("solve", "small.tree", "--solver", "highs", "--time-limit", "0"), 3),
        (("solve", "small.tree", "--solver", "highs", "--json", "--log"), 0),
    ],
)
def test_messages_that_cannot_be_written_change_no_exit_code(
    command: tuple[str, ...], code: int, here: Path
) -> None:
    with FULL.open("w") as full:
        words = [*TREEMIP, *command]
        ended = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=full, check=False)
    assert ended.returncode == code


@NEEDS_FULL
def test_output_that_cannot_be_written_is_said() -> None:
    command = [*TREEMIP, "list"]
    with FULL.open("w") as full:
        said = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2
    assert said.returncode == 2
    assert "the output cannot be written: No space left on device" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.skipif(os.name != "posix", reason="streams are closed as a POSIX shell does")
def test_closed_streams_are_no_error(here: Path) -> None:
    def ran(line: str) -> tuple[int, str, str]:
        line = f"'{sys.executable}' -m treemip check {line}"
        said = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        return said.returncode, said.stdout, said.stderr

    assert ran("small.tree >&-") == (0, "", "")
    assert ran("small.tree 2>&-") == (0, "small.tree: fine\n", "")
    assert ran("nowhere.tree <&- >&- 2>&-") == (2, "", "")
