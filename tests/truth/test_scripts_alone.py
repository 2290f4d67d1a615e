"""Every formulation's script in a fresh environment with what its head names, and no treemip."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "render"))
from exported import FORMULATIONS, QUADRATIC, SIDES, compiled

from treemip.writers.render.python.program import PACKAGES

pytest.importorskip("highspy")
pytest.importorskip("pyscipopt")
pytestmark = pytest.mark.truth

NAMED = re.compile(r"by pip install, (.*?); no\s+treemip", re.S)
LEFT_OUT = {
    "gurobipy": ("products",),  # Gurobi's restricted licence takes 200 products only
}


@pytest.mark.parametrize("target", PACKAGES)
def test_scripts_need_what_they_say_and_no_more(target, tmp_path):
    """status and objective as printed are those of HiGHS and SCIP here."""
    python = _fresh(tmp_path / "environment")
    texts = {**FORMULATIONS, **SIDES, **QUADRATIC}
    chosen = {k: v for k, v in texts.items() if k not in LEFT_OUT.get(target, ())}
    for name, text in chosen.items():  # quadratic ones last: they may need more
        model = compiled(text)
        script, data = model.to_script(target, f"{name}.py")
        (tmp_path / f"{name}.py").write_text(script, encoding="utf-8")
        (tmp_path / f"{name}_data.json").write_text(data, encoding="utf-8")
        _install(python, NAMED.search(script)[1].replace(",", " and ").split(" and "))
        done = _run([str(python), str(tmp_path / f"{name}.py")], cwd=tmp_path.anchor)
        said = dict(line.split(" ", 1) for line in done.splitlines() if " " in line)
        result = model.solve("scip" if name in QUADRATIC else "highs", start="none")
        assert said["status"] == result.status == "optimal", name
        assert float(said["objective"]) == pytest.approx(result.objective, rel=1e-5, abs=1e-6)
    listed = _run([str(python), "-m", "pip", "list"], cwd=tmp_path.anchor)
    assert "treemip" not in listed


_installed: dict[Path, set[str]] = {}


def _fresh(folder: Path) -> Path:
    _run([sys.executable, "-m", "venv", str(folder)], cwd=folder.anchor)
    return folder / "bin" / "python"


def _install(python: Path, packages: list[str]) -> None:
    new = {p.strip() for p in packages} - _installed.setdefault(python, set())
    if not new:
        return
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        *sorted(new),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if "Could not find a version" in done.stderr or "Connection" in done.stderr:
        pytest.skip(f"pip reaches no registry that has {', '.join(sorted(new))}")
    assert done.returncode == 0, done.stderr
    _installed[python] |= new


def _run(command: list[str], cwd: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
