"""Guards that are not 0 or 1 always are refused; a big-M row would not be exact for them."""

from __future__ import annotations

import pytest
from reform_models import reformed_text

from treemip.source.diagnostic import TreemipError

DECLARED = """
var g {k in 1..3} binary;
var f >= 0, <= 1;
var v >= -1, <= 1;
minimize v;
"""


@pytest.mark.parametrize(
    ("guard", "why"),
    [
        ("f = 1", "'f' is continuous"),
        ("g[1] + g[2] = 1", "another value"),
        ("2 * g[1] = 0", "another value"),
        ("g[1] - g[2] = 1", "another value"),
        ("0.5 * g[1] + 0.5 * g[2] = 1", "not whole"),
    ],
)
def test_refused(guard: str, why: str) -> None:
    with pytest.raises(TreemipError, match=why) as caught:
        reformed_text(DECLARED + f"subject to r: {guard} ==> v >= 0;")
    assert caught.value.diagnostics[0].code == "E502"


@pytest.mark.parametrize(
    ("row", "allowed"),
    [
        ("sum {k in 1..3} g[k] = 1", True),
        ("g[1] + 2 * g[2] <= 1", True),
        ("g[1] + g[2] + f <= 1", True),
        ("g[1] + g[2] + v <= 1", False),  # v may be -1
        ("g[1] + g[2] <= 2", False),
        ("g[1] + g[3] <= 1", False),
        ("g[1] + g[2] >= 1", False),
    ],
)
def test_a_row_may_prove_a_sum(row: str, allowed: bool) -> None:
    text = DECLARED + f"subject to some: {row}; r: g[1] + g[2] = 1 ==> v >= 0;"
    if allowed:
        assert "  r: -g(1) - g(2) + v >= -1\n" in reformed_text(text)
        return
    with pytest.raises(TreemipError, match="another value"):
        reformed_text(text)


def test_each_guard_of_a_family_needs_its_proof() -> None:
    rows = "subject to some: g[1] + g[2] <= 1; r {k in 1..2}: g[k] + g[k + 1] = 1 ==> v >= 0;"
    with pytest.raises(TreemipError, match="another value"):
        reformed_text(DECLARED + rows)
