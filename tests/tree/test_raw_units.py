"""A hyperplane in raw units says of a raw row what the scaled one says of the encoded row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kinds_of_trees import FEATURES, NAMES, oblique

from treemip.core.tree.raw_units import in_raw_units

NUMBERS = st.floats(-100, 100, allow_nan=False).map(lambda v: round(v, 3))


@given(
    st.lists(NUMBERS, min_size=4, max_size=4), NUMBERS, st.lists(NUMBERS, min_size=4, max_size=4)
)
def test_raw_and_encoded_sides_agree(weights, threshold, values):
    scaled = ("length", "width", "weight", "same")
    finishes = {f.column: f.finish for f in FEATURES}
    tree = oblique()
    table = np.zeros_like(tree.weights)
    encoded = raw = 0.0
    for name, weight in zip(scaled, weights, strict=True):
        table[0, NAMES.index(name)] = weight
    tree = replace(tree, weights=table, threshold=np.full(7, threshold))
    plane = in_raw_units(tree, 0)
    for name, weight, value in zip(scaled, weights, values, strict=True):
        encoded += weight * float(finishes[name].apply(np.array([value]))[0, 0])
        raw += plane.weights[NAMES.index(name)] * value
    assert np.isclose(encoded - threshold, raw - plane.threshold, rtol=1e-9, atol=1e-6)


def test_a_constant_feature_moves_into_the_threshold():
    plane = in_raw_units(oblique(), 0)
    assert plane.weights[NAMES.index("same")] == 0
    assert plane.effect[NAMES.index("same")] == 0
    # 0.5 (v - 1) / 5 - (w - 2) / 0.5 + 0.01 u + 2 * 0.5 <= 0.25
    assert np.isclose(plane.threshold, 0.25 + 0.1 - 4 - 1)
    assert np.isclose(plane.weights[NAMES.index("length")], 0.1)
