"""Indices that are numbers but not whole, such as thresholds, are told apart in every name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from treemip.api.program import loads
from treemip.core.model.text import to_text

TEXT = """
data "t" { label class; }
topology complete(depth = 1);
var up {j in features, v in thresholds(j)} binary;
var low {k in 0..1} >= 0, <= 1;
minimize sum {j in features, v in thresholds(j)} v * up[j,v];
subject to
  rise {j in features, v in thresholds(j) : v > 0.5}: up[j,v] + low[1] >= 1;
"""
TABLE = (np.array([[0.0, -3.0], [1.0, 3.0], [1.5, 3.0]]), np.array(["n", "n", "y"]))


def test_the_model_as_text() -> None:
    assert to_text(loads(TEXT, TABLE).compile().model) == (
        "minimize objective: 0.5 up(1,0.5) + 1.25 up(1,1.25)\n"
        "subject to\n"
        "  rise(1,1.25): up(1,1.25) + low(1) >= 1\n"
        "variables\n"
        "  binary up(1,0.5)\n"
        "  binary up(1,1.25)\n"
        "  binary up(2,0)\n"
        "  0 <= low(0) <= 1\n"
        "  0 <= low(1) <= 1\n"
    )


def test_the_names_in_a_file_and_its_map(tmp_path: Path) -> None:
    compiled = loads(TEXT, TABLE).compile()
    compiled.write(tmp_path / "m.mps", map_path=tmp_path / "m.json")
    text = (tmp_path / "m.mps").read_text()
    assert "up(1,1.25)" in text and "rise(1,1.25)" in text
    side = json.loads((tmp_path / "m.json").read_text())
    assert [b["counted"] for b in (*side["columns"], *side["rows"])] == [False] * 3
    compiled.write(tmp_path / "m.mps", names="short", map_path=tmp_path / "m.json")
    side = json.loads((tmp_path / "m.json").read_text())
    assert side["columns"][0]["labels"] == {"table": [[1, 1, 2], [0.5, 1.25, 0.0]]}
    assert side["rows"][0]["labels"] == {"product": [[[1, 1]], [[1.25, 1.25]]]}


def test_a_row_that_is_broken() -> None:
    from treemip.core.tree.residuals import model_violations

    model = loads(TEXT, TABLE).compile().model
    (found,) = model_violations(model, {"up": np.zeros(3), "low": np.zeros(2)})
    assert found.text() == "'rise' for j = 1, v = 1.25 by 1"


def test_names_are_found_again_in_a_solution(tmp_path: Path) -> None:
    compiled = loads(TEXT, TABLE).compile()
    (tmp_path / "s.sol").write_text(
        "solution status: optimal\nobjective value: 1.25\nup(1,1.25) 1 (obj:1.25)\n"
    )
    found = compiled.decode(tmp_path / "s.sol")
    assert found.values["up"].tolist() == [0, 1, 0]
