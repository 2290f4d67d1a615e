"""A run of the command line, and a small spec; solved once for the tests that read its tree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_cli import runner, small_spec

from treemip.cli.main import main


@pytest.fixture
def run(capsys):
    """run("solve", path, …) -> Said(code, out, err)."""
    return runner(capsys)


@pytest.fixture
def spec(tmp_path) -> Path:
    return small_spec(tmp_path)


@pytest.fixture(scope="session")
def solved_once(tmp_path_factory) -> Path:
    pytest.importorskip("highspy", reason="a solver is needed")
    folder = tmp_path_factory.mktemp("solved")
    path = small_spec(folder)
    assert (
        main(
            [
                "solve",
                str(path),
                "--start",
                "none",
                "--solver",
                "highs",
                "-o",
                str(folder / "small.json"),
            ]
        )
        == 0
    )
    return folder


@pytest.fixture
def solved(solved_once, tmp_path) -> Path:
    """tree.json of the small spec, with spec and data beside it; the test may change it."""
    for file in solved_once.iterdir():
        shutil.copy(file, tmp_path)
    text = (tmp_path / "small.json").read_text()
    (tmp_path / "small.json").write_text(text.replace(str(solved_once), str(tmp_path)))
    return tmp_path / "small.json"
