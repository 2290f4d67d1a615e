"""The core stands alone: models are compiled, written and solved by a solver, and their trees
verified, without the other layers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "specs" / "iris.tree"
OTHERS = ("answers", "methods", "writers", "study")

COMPILED = "program.compile().write(folder + '/iris.mps')"
SOLVED = """
from treemip.core.model.answer import Limits
from treemip.core.strategy.solvers import solve_with
from treemip.core.tree.from_values import tree_from_values
from treemip.core.tree.readout import by_name, routed_by_solution
from treemip.core.tree.verify import verify

compiled = program.compile()
answer = solve_with(compiled.model, "highs", Limits(time=2))
back = compiled.solved
values = by_name(back.original, back.invert(answer.values))
end = routed_by_solution(compiled.instance, values)
tree, repaired, moved = tree_from_values(compiled.instance, values, end)
report = verify(compiled.instance, back.original, values, tree, end, tuple(repaired), moved)
assert report.verified, report
"""
LOADED = """
import sys, treemip
folder, spec = sys.argv[1:]
program = treemip.load(spec)
{what}
print(*sorted(name for name in sys.modules if name.startswith("treemip.")))
"""


def loaded(what: str, folder: Path) -> set[str]:
    """The modules of treemip that a program has loaded at its end."""
    script = LOADED.format(what=what)
    told = [sys.executable, "-c", script, str(folder), str(SPEC)]
    done = subprocess.run(told, capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("what", [COMPILED, SOLVED], ids=["compile", "solve and verify"])
def test_path_and_core_load_no_other_layer(what: str, tmp_path: Path) -> None:
    modules = loaded(what, tmp_path)
    assert "treemip.core.lower.lower" in modules
    assert {name for name in modules if name.split(".")[1] in OTHERS} == set()


@pytest.mark.parametrize("name", ["plot", "sklearn"])
def test_public_modules_are_found_either_way(name: str) -> None:
    pytest.importorskip({"plot": "numpy", "sklearn": "sklearn"}[name])
    one = f"import treemip; a = treemip.{name}; import treemip.{name} as b; assert a is b"
    subprocess.run([sys.executable, "-c", one], check=True, cwd=ROOT)
