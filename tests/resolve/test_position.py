"""`position(e, S)`: the number of an element within a set."""

from __future__ import annotations

import pytest

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError

HEAD = """\
data "none.csv" { label y; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
minimize misclassified;
"""
DATA = {"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0], "y": ["n", "n", "y", "y"]}


def values(text: str) -> list[float]:
    instance = loads(HEAD + text, data=DATA).instance
    return [float(v) for v in instance.values["p"].values]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("param p {l in leaves} = position(l, leaves);", [1, 2, 3, 4]),
        ("param p {l in leaves} = ord(l);", [4, 5, 6, 7]),
        ("param p {t in nodes} = position(t, leaves);", [0, 0, 0, 1, 2, 3, 4]),
        ("param p {l in leaves} = position(parent(l), ancestors(l));", [2, 2, 2, 2]),
        ('set s = {j in features : j != "a"}; param p {j in features} = position(j, s);', [0, 1]),
        ('param p = position("b", features);', [2]),
        ("set s = 3..9; param p {k in 2..4} = position(k, s);", [0, 1, 2]),
        (
            "param p {l in leaves} = position(l, {m in leaves : position(m, leaves) > 2});",
            [0, 0, 1, 2],
        ),
    ],
)
def test_values(text: str, expected: list[float]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("position(points, leaves)", "'position' takes an element of the set and the set"),
        ("position(1, leaves)", "'position' takes an element of the set and the set"),
        ("position(root)", "position"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(TreemipError, match=message) as caught:
        values(f"param p = {text};")
    assert caught.value.diagnostics[0].code in ("E203", "E204")
