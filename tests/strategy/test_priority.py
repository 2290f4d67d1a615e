"""Branching priorities reach the blocks, the root's first, and leave the model as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import treemip

BASE = Path(__file__).resolve().parents[2] / "specs"
TEXT = 'data "data/iris.csv" { label class; } topology complete(depth = 2); split univariate'


def test_root_first() -> None:
    model = treemip.loads(f"{TEXT} by binoct;", base=BASE).compile().model
    by_name = {b.name: b for b in model.variables}
    coef, bit = by_name["coef"], by_name["bit"]
    assert coef.priority is not None and bit.priority is not None
    root, child = coef.priority[0], coef.priority[-1]
    assert root > bit.priority[0] > child > bit.priority[-1] > 0
    assert np.array_equal(np.unique(coef.priority[:4]), [root])
    assert by_name["label"].priority is None


def test_a_spec_has_the_last_word() -> None:
    text = f"{TEXT} by binoct; strategy {{ priority label; }}"
    blocks = {b.name: b for b in treemip.loads(text, base=BASE).compile().model.variables}
    assert blocks["coef"].priority is None
    assert blocks["label"].priority is not None and set(blocks["label"].priority) == {1}
