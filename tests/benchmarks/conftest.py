"""A small table, its models by hand-worked formulas, and the comparison of MPS files."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
DEPTH = 2


@pytest.fixture(scope="session")
def peers_python() -> str:
    """The Python with the peers: TREEMIP_PEERS, benchmarks/.venv, or the one that runs this."""
    own = BENCHMARKS / ".venv" / "bin" / "python"
    return os.environ.get("TREEMIP_PEERS") or str(own if own.exists() else sys.executable)


@pytest.fixture(scope="session")
def run() -> Callable[..., None]:
    """Run a command that must succeed."""

    def run(*command: str | Path | int) -> None:
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


OWN = {"tables", *(path.stem for path in BENCHMARKS.glob("*.py"))}


def forget() -> None:
    """Modules of other folders that are called as those of benchmarks/, and these."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in OWN:
            sys.modules.pop(name)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """script(name): a module of benchmarks/, for one test alone."""
    before = [*sys.path]
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    forget()
    yield importlib.import_module
    sys.path[:] = before
    forget()


@pytest.fixture
def compare(script) -> ModuleType:
    pytest.importorskip("highspy", reason="models are compared by HiGHS' reader")
    return script("compare")


@pytest.fixture(scope="session")
def build(peers_python, run) -> Callable[[Path, str, str], Path]:
    """Build a formulation over a folder's table.csv by one peer; gives the MPS file."""

    def build(folder: Path, formulation: str, peer: str) -> Path:
        module = "numpy" if peer == "arrays" else peer
        there = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        if subprocess.run([peers_python, "-c", there], check=False).returncode:
            pytest.skip(f"{peer} is not installed; `benchmarks/compile.py --setup` installs it")
        target = folder / f"{peer}.{formulation}.mps"
        script = BENCHMARKS / "peers" / f"with_{peer}.py"
        run(peers_python, script, formulation, str(DEPTH), folder / "table.csv", target)
        return target

    return build


@pytest.fixture(scope="session")
def folder(tmp_path_factory, build) -> Path:
    """table.csv (23 points, one of them twice, 3 classes) and arrays.{soct,binoct}.mps."""
    folder = tmp_path_factory.mktemp("peers")
    random_ = random.Random(7)
    rows = [[random_.randrange(6 + j % 2) for j in range(3)] for _ in range(22)]
    rows = [*rows, rows[0]]
    lines = ["x1,x2,x3,class"]
    lines += [",".join(map(str, [*row, min(2, sum(row) // 5)])) for row in rows]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    for formulation in ("soct", "binoct"):
        build(folder, formulation, "arrays")
    return folder
