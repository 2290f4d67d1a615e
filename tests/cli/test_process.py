"""How the command's process begins and ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treemip.cli import checking
from treemip.cli.main import main
from treemip.core.source.span import Source

FULL = Path("/dev/full")
COMMAND = [sys.executable, "-m", "treemip", "list"]


def test_a_reader_that_stops_early_is_no_error() -> None:
    said = subprocess.run(
        f"'{sys.executable}' -m treemip list | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (said.stdout, said.stderr) == ("formulations\n", "")


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_stops_early_gives_no_exit_code(buffered: str) -> None:
    """1 would say that the tree is not verified; without a buffer Python meets the closed pipe in
    the midst of the command."""
    with subprocess.Popen(
        COMMAND,
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
    command = [sys.executable, "-m", "treemip", "check", "no such file.tree"]
    reading, writing = os.pipe()
    os.close(reading)
    said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=writing, check=False)
    os.close(writing)
    assert said.returncode == 2


def test_memory_that_is_used_up_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Source, "read", greedy)
    assert main(["check", "any.tree"]) == 2
    said = capsys.readouterr().err
    assert "error[E405]: not enough memory" in said
    assert "use fewer points" in said


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("check", "nowhere.tree"), 2),
        (("check", "small.tree"), 0),
        (("fmt", "--check", "small.tree"), 1),
        (("solve", "small.tree", "--solver", "highs", "--time-limit", "0"), 3),
        (("solve", "small.tree", "--solver", "highs", "--json", "--log"), 0),
        (("list", "nothing"), 2),
    ],
)
def test_messages_that_cannot_be_written_change_no_exit_code(
    command: tuple[str, ...], code: int, spec: Path
) -> None:
    spec.write_text(spec.read_text().replace("depth = 1", "depth=1"))
    with FULL.open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "treemip", *command],
            cwd=spec.parent,
            stdout=subprocess.DEVNULL,
            stderr=full,
            check=False,
        )
    assert ended.returncode == code


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_neither_results_nor_messages_can_be_written() -> None:
    with FULL.open("w") as full:
        assert subprocess.run(COMMAND, stdout=full, stderr=full, check=False).returncode == 2


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_output_that_cannot_be_written_is_said() -> None:
    with FULL.open("w") as full:
        said = subprocess.run(COMMAND, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert said.returncode == 2
    assert "the output cannot be written: No space left on device" in said.stderr
    assert "Traceback" not in said.stderr


def test_ctrl_c_inside_a_command_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "_checked", interrupted)
    assert main(["check", "any.tree"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.skipif(os.name != "posix", reason="streams are closed as a POSIX shell does")
def test_closed_streams_are_no_error(spec: Path) -> None:
    def ran(more: str, *command: str) -> tuple[int, str, str]:
        line = f"'{sys.executable}' -m treemip {' '.join(command)} {more}"
        said = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        return said.returncode, said.stdout, said.stderr

    assert ran(">&-", "check", f"'{spec}'") == (0, "", "")
    assert ran("2>&-", "check", f"'{spec}'") == (0, f"{spec}: fine\n", "")
    assert ran("2>&-", "check", "nowhere.tree") == (2, "", "")
    assert ran("<&- >&- 2>&-", "check", "nowhere.tree") == (2, "", "")
