"""level(1: a, 2: b): one value for each level of the tree."""

from __future__ import annotations

import pytest
from spec_texts import resolved, said

from treemip.lower.bind import bind, read_topology


def levels(value: str, depth: int = 2) -> list[float]:
    spec = resolved(
        f"topology complete(depth = {depth});\nvar a free;\nparam C {{t in nodes}} = {value};\n"
        "formulation mine splits oblique;\n# split "
    )
    assert read_topology(spec.topology).size == 2 ** (depth + 1) - 1
    return bind(spec, None).values["C"].values.tolist()


def test_levels_from_the_root_down() -> None:
    assert levels("level(1: 100, 2: 10, 3: 1)") == [100, 10, 10, 1, 1, 1, 1]


def test_levels_in_any_order() -> None:
    assert levels("level(3: 1, 1: 100, 2: 10)") == [100, 10, 10, 1, 1, 1, 1]


def test_the_last_level_holds_below() -> None:
    assert levels("level(1: 100, 2: 10)") == [100, 10, 10, 10, 10, 10, 10]
    assert levels("level(1: 5)", depth=1) == [5, 5, 5]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("level(1: 1, 3: 2)", "3"),
        ("level(2: 1)", "2"),
        ("level(1: 1, 1: 2)", "1"),
        ("level(1.5: 1)", "1.5"),
        ("level(0: 1, 1: 2)", "0"),
        ("level(1: 1, 2)", "level(1: 1, 2)"),
        ("1 + level(1: 1, 2: 2)", "level(1: 1, 2: 2)"),
    ],
)
def test_levels_without_gaps(value, words) -> None:
    assert said(f"param C {{t in branches}} = {value};") == [("E203", words)]
