"""The time each stage took, as a result and its tree.json have it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import treemip

X = np.arange(12.0).reshape(6, 2)
TEXT = 'data "t" { label class; scale minmax; } topology complete(depth = 1); '


def test_a_solve_says_what_reading_compiling_and_verifying_took(tmp_path: Path) -> None:
    program = treemip.loads(TEXT + "split oblique by soct;", (X, np.arange(6) % 2))
    result = program.compile().solve("highs")
    stages = ["read", "compile", "search", "start", "solve", "verify"]
    assert list(result.seconds) == stages
    assert all(seconds > 0 for seconds in result.seconds.values())
    result.save(tmp_path / "tree.json")
    said = json.loads((tmp_path / "tree.json").read_text())["seconds"]
    assert said == {stage: round(seconds, 6) for stage, seconds in result.seconds.items()}


def test_a_second_compile_does_not_read_again() -> None:
    program = treemip.loads(TEXT + "split oblique by soct;", (X, np.arange(6) % 2))
    first, second = program.compile(), program.compile()
    assert first.seconds is not second.seconds
    assert second.seconds["read"] < 1e-3
