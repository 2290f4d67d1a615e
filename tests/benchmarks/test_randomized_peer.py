"""The randomized tree written by hand in Pyomo is the one that treemip builds from its module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from suite import one_in

pytest.importorskip("casadi")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SPEC = """data "table.csv" {{ label class; scale minmax; }}
topology complete(depth = {depth});
split randomized by mrct;
"""


@pytest.mark.parametrize("depth", one_in(2, [2, 3]))
def test_both_have_the_same_objective_and_rows(folder, run, peers_python, script, tmp_path, depth):
    if subprocess.run([peers_python, "-c", "import casadi, pyomo"], check=False).returncode:
        pytest.skip("pyomo or casadi is not installed; `benchmarks/compile.py --setup` does it")
    spec = folder / f"mrct{depth}.tree"
    spec.write_text(SPEC.format(depth=depth))
    table, own, peer = (tmp_path / name for name in ("table.npz", "own.json", "peer.json"))
    train = BENCHMARKS / "train.py"
    run(sys.executable, train, "prepare", spec, 1, table)
    run(sys.executable, train, "run", spec, table, own, 0)
    run(peers_python, BENCHMARKS / "peers" / "train_pyomo.py", table, peer, 0)
    first, second = (json.loads(path.read_text()) for path in (own, peer))
    furthest = script("randomized").furthest
    assert furthest(first, second) < 1e-9
    assert {run["status"] for run in first["runs"]} <= {"locally_optimal", "solver_limit"}
    wrong = dict(second, values=[[v + 1e-6 for v in row] for row in second["values"]])
    assert furthest(first, wrong) > 1e-8
