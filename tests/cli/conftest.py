"""A run of the command line, a copy of folder/ to run it in, and a small tree solved once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import Run, runner
from small_cli import FOLDER, small_spec

from treemip.cli.main import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, a copy of folder/."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return small_spec(tmp_path)


@pytest.fixture(scope="session")
def solved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("highspy", reason="a solver is needed")
    folder = tmp_path_factory.mktemp("solved")
    path, tree = small_spec(folder), folder / "small.json"
    words = ["--start", "none", "--solver", "highs", "-o", str(tree)]
    assert main(["solve", str(path), *words]) == 0
    return folder


@pytest.fixture
def solved(solved_once: Path, tmp_path: Path) -> Path:
    """tree.json of the small spec, with spec and data beside it; the test may change it."""
    for file in solved_once.iterdir():
        shutil.copy(file, tmp_path)
    text = (tmp_path / "small.json").read_text()
    (tmp_path / "small.json").write_text(text.replace(str(solved_once), str(tmp_path)))
    return tmp_path / "small.json"
