"""Univariate formulations on neighbouring doubles and at the ends of what a double can be."""

from __future__ import annotations

from math import nextafter

import numpy as np
import pytest
from reference.leaf_sums import least_errors, thresholds
from suite import one_in

import treemip
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

LEAST = 5e-324
VALUES = {
    "neighbours": [0.3, nextafter(0.3, 1)],
    "neighbours of neighbours": [1.0, nextafter(1, 2), nextafter(nextafter(1, 2), 2), 2.0],
    "neighbours below 0": [nextafter(-0.1, -1), -0.1, 0.1, nextafter(0.1, 1)],
    "least doubles": [0.0, LEAST, 2 * LEAST, 3 * LEAST],
    "around 0": [-LEAST, 0.0, LEAST],
    "two zeros": [-1.0, -0.0, 0.0, 1.0],
    "ends": [-1.7e308, -1e308, 1e308, nextafter(1.7e308, 1)],
    "far apart": [-1e308, LEAST, 1.0, 1e308],
    "great integers": [2.0**53, 2.0**53 + 2, 2.0**53 + 4, 2.0**60],
}

SPECS = {
    "binoct": ("", "binoct", ""),
    "binoct at class boundaries": (
        "",
        "binoct",
        "set cut_points {f in features} = class_thresholds(f);",
    ),
    "binoct scaled": ("scale minmax;", "binoct", ""),
    "binoct standardized": ("scale standard;", "binoct", ""),
    "oct": ("scale minmax;", "oct", ""),
    "flow_oct": ("bin thresholds;", "flow_oct", ""),
}

EXACT = ("binoct", "binoct at class boundaries", "flow_oct")
"""Those that part any two values."""


def table(values: list[float], seed: int) -> dict[str, list]:
    """Each value twice or more, with classes of all kinds and a feature that tells nothing."""
    rng = np.random.default_rng(seed)
    a = [*values, *values, *rng.choice(values, 4)]
    classes = rng.choice(["x", "y"], len(a)).tolist()
    classes[0], classes[-1] = "x", "y"
    return {"a": a, "b": [1.0] * len(a), "c": classes}


def solved(name: str, columns: dict[str, list], depth: int = 1) -> Result:
    settings, formulation, rest = SPECS[name]
    text = (
        f'data "t" {{ label c; {settings} }} topology complete(depth = {depth});'
        f"split univariate by {formulation}; {rest}"
    )
    return treemip.loads(text, data=columns).compile().solve("highs", start="none")


@pytest.mark.parametrize(("values", "name"), one_in(5, VALUES, SPECS))
def test_the_tree_is_the_model_s(name: str, values: str) -> None:
    for seed in range(3):
        columns = table(VALUES[values], seed)
        try:
            result = solved(name, columns)
        except TreemipError as fault:
            # A scale cannot be fitted to a range that is no normal double, which is said.
            assert name not in EXACT
            assert [d.code for d in fault.diagnostics] == ["E304"]
            continue
        assert result.status == "optimal" and result.verified, result.report
        assert result.report is not None and result.tree is not None
        if name in EXACT:
            assert result.report.repaired == ()
            ways = thresholds(np.array([columns["a"]]).T)
            assert result.train_errors == least_errors(ways, columns["c"], 1)
        given = result.tree.predict(columns)
        assert int((given != np.array(columns["c"])).sum()) == result.train_errors
        for i in range(len(given)):
            assert result.tree.predict({"a": columns["a"][i : i + 1], "b": [1.0]})[0] == given[i]


def test_two_zeros_are_one_value() -> None:
    columns = {"a": [-0.0, 0.0, -0.0, 0.0, 1.0], "c": ["x", "y", "x", "y", "y"]}
    for name in EXACT:
        result = solved(name, columns)
        assert result.train_errors == 2 and result.verified
        assert result.tree is not None
        zeros = result.tree.predict({"a": [-0.0, 0.0]})
        assert zeros[0] == zeros[1]


@pytest.mark.parametrize("name", EXACT)
def test_neighbouring_doubles_at_depth_two(name: str) -> None:
    """Three neighbours in a row, of which the middle one is of another class."""
    low = 0.1
    middle, high = nextafter(low, 1), nextafter(nextafter(low, 1), 1)
    columns = {"a": [low, low, middle, middle, high, high], "c": ["x", "x", "y", "y", "x", "x"]}
    result = solved(name, columns, depth=2)
    assert result.status == "optimal" and result.verified, result.report
    assert result.train_errors == 0


def test_neighbouring_doubles_of_two_classes() -> None:
    """Two errors at least: BinOCT claimed 1, since a midpoint was rounded to a value."""
    near = nextafter(0.3, 1)
    columns = {"a": [0.3, 0.3, 0.3, near, near, near], "c": ["x", "y", "x", "y", "x", "y"]}
    result = solved("binoct", columns)
    assert result.objective == 2 and result.train_errors == 2 and result.verified
