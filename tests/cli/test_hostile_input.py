"""Escape sequences, endless files and faults of treemip: what the user meets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_cli import SPEC as SMALL

from treemip.cli import main as unexpected
from treemip.cli.main import reported

ESCAPE = "\x1b[2J\x1b[31mred\x07\x9b\u202e"
CSV = f'"a{ESCAPE}",class\n' + "".join(f"{k},{'y' if k > 3 else 'n' + ESCAPE}\n" for k in range(8))
SPEC = SMALL.replace("small.csv", "odd.csv")


def demand_plain(text: str) -> None:
    assert all(c.isprintable() or c == "\n" for c in text), text


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    (tmp_path / "odd.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "odd.tree").write_text(SPEC)
    return tmp_path / "odd.tree"


def test_no_name_moves_the_cursor(run, odd: Path, tmp_path: Path) -> None:
    tree, data = tmp_path / "tree.json", tmp_path / "odd.csv"
    for command in (
        ("check", odd, "--data"),
        ("compile", odd, "--stop-after", "bind"),
        ("compile", odd, "--stop-after", "lower"),
        ("explain", odd),
        ("explain", odd, "--format", "md"),
        ("stats", odd),
        ("diagnose", odd),
        ("solve", odd, "--solver", "highs", "-o", tree),
        ("show", tree),
        ("score", tree, data),
        ("score", tree),
        ("verify", tree),
    ):
        said = run(*command)
        assert said.code == 0, said.err
        demand_plain(said.out + said.err)
    # What is read by programs is as it is.
    classes = {f"n{ESCAPE}", "y"}
    assert set(run("predict", tree, data).out.splitlines()[1:]) == classes


@pytest.mark.parametrize(
    "name", ["a\x1b[2J.tree", "a\x1b]0;title\x07.csv", "a\u2028b.json", "\x9b31m.sol"]
)
def test_file_names_in_messages(run, odd: Path, name: str) -> None:
    for command in (
        ("check", name),
        ("show", name),
        ("decode", odd, name),
        ("explain", odd, "-o", f"none{name}/x"),
    ):
        said = run(*command)
        assert said.code == 2
        demand_plain(said.out + said.err)


def test_a_name_of_a_million_letters_does_not_fill_the_screen(run, tmp_path: Path) -> None:
    path = tmp_path / "long.tree"
    path.write_text(SPEC + f"minimize misclassified + {'a' * 1_000_000};\n")
    said = run("check", path)
    assert said.code == 2
    assert said.err.startswith("error[E201]: unknown name 'aaa")
    assert len(said.err) < 10_000


def test_a_spec_that_is_no_file(run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.tree")
    with open(tmp_path / "sparse.tree", "wb") as file:
        file.truncate(1 << 40)
    for name, reason in (
        ("fifo.tree", "it is a named pipe, not an ordinary file"),
        ("sparse.tree", "it has 1 099 512 MB, and at most 20 MB can be read"),
        ("", "it is a directory"),
    ):
        said = run("check", tmp_path / name)
        assert said.code == 2
        assert said.err == f"error[E901]: cannot read '{tmp_path / name}': {reason}\n"


def test_rows_from_standard_input(solved: Path) -> None:
    command = [sys.executable, "-m", "treemip", "predict", str(solved), "/dev/stdin"]
    rows = solved.with_name("small.csv").read_bytes()
    piped = subprocess.run(command, input=rows, capture_output=True, timeout=60, check=False)
    assert piped.returncode == 0, piped.stderr
    with open(solved.with_name("small.csv"), "rb") as file:
        given = subprocess.run(command, stdin=file, capture_output=True, timeout=60, check=False)
    assert piped.stdout == given.stdout
    assert len(piped.stdout.splitlines()) == 25


def test_an_error_that_nobody_expected_is_told_in_words(
    capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv(unexpected.SHOW, raising=False)

    def command() -> int:
        raise KeyError("coef\x1b[2J")

    assert reported(command) == 2
    (written,) = tmp_path.iterdir()
    said = capsys.readouterr().err
    assert said == (
        f"error: treemip {unexpected.__version__} failed, and this is a bug in treemip\n"
        "  KeyError: 'coef\\x1b[2J'\n"
        "  = help: please report it with the command, its input and the traceback; "
        f"the traceback is in {written}\n"
    )
    assert 'raise KeyError("coef' in written.read_text()


def test_the_traceback_is_shown_where_it_is_asked_for(capsys, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv(unexpected.SHOW, "1")
    assert reported(lambda: 1 // 0) == 2
    said = capsys.readouterr().err
    assert said.startswith("Traceback (most recent call last):\n")
    assert said.endswith("ZeroDivisionError: integer division or modulo by zero\n")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    monkeypatch.delenv(unexpected.SHOW)
    assert reported(lambda: 1 // 0) == 2
    assert "set TREEMIP_TRACEBACK=1 to see the traceback" in capsys.readouterr().err


def test_nesting_that_no_stage_foresaw(capsys) -> None:
    def deeper(level: int = 0) -> int:
        return deeper(level + 1) + 1

    assert reported(deeper) == 2
    said = capsys.readouterr().err
    assert said == "error[E111]: something in the input is nested too deeply\n"
