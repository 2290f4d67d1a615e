"""The wheel and the sdist, built and installed where no checkout is: the README's first steps run
on every Python from 3.11 on that this machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.truth
ROOT = Path(__file__).parents[2]
STEPS = (
    ("--version",),
    ("formulations", "oct"),
    ("example", "credit", "-o", "first"),
    ("check", "--data", "first/credit.tree"),
    ("solve", "first/credit.tree", "-o", "credit.json"),
    ("verify", "credit.json"),
    ("predict", "credit.json", "first/data/credit-24.csv", "-o", "classes.csv"),
    ("compile", "first/credit.tree", "-o", "credit.mps"),
    ("init", "first/data/credit-24.csv", "--label", "class", "-o", "mine.tree"),
)


def run(*command: object, cwd: Path) -> str:
    free = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(one) for one in command],
        check=False,
        cwd=cwd,
        env=free,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def pythons() -> list[str]:
    """3.11 to 3.14, each pyenv's or the first of its name on the path, where pyenv has shims that
    run nothing."""
    found = {}
    folders = [*Path.home().glob(".pyenv/versions/*/bin"), *os.get_exec_path()]
    for minor in range(11, 15):
        path = shutil.which(f"python3.{minor}", path=os.pathsep.join(map(str, folders)))
        if path is not None:
            found[minor] = path
    return list(found.values())


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the sdist, and the wheel that is made of it."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "venv", folder / "tools", cwd=folder)
    tool = folder / "tools" / "bin" / "python"
    run(tool, "-m", "pip", "install", "-q", "build", cwd=folder)
    run(tool, "-m", "build", "--outdir", folder / "dist", ROOT, cwd=folder)
    return folder / "dist"


def test_the_sdist_has_the_tests_and_no_built_library(built):
    (sdist,) = built.glob("*.tar.gz")
    names = run("tar", "-tzf", sdist, cwd=built).split()
    assert any(name.endswith("tests/conftest.py") for name in names)
    assert not [name for name in names if name.endswith((".so", ".pyc"))]


@pytest.mark.parametrize("python", pythons(), ids=lambda path: Path(path).name)
def test_the_wheel_runs_without_a_checkout(built, tmp_path, python):
    (wheel,) = built.glob("*.whl")
    run(python, "-m", "venv", "environment", cwd=tmp_path)
    bin_ = tmp_path / "environment" / "bin"
    run(bin_ / "python", "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    for step in STEPS:
        run(bin_ / "treemip", *step, cwd=tmp_path)
    where = run(bin_ / "python", "-c", "import treemip; print(treemip.__file__)", cwd=tmp_path)
    assert str(bin_.parent) in where
    assert len((tmp_path / "classes.csv").read_text().split()) == 25
