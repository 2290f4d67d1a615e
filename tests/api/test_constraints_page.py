"""docs/constraints.md and specs/constraints: every wish a spec, every spec on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import treemip

ROOT = Path(__file__).parents[2]
SPECS = {p.stem: p for p in sorted((ROOT / "specs" / "constraints").glob("*.tree"))}
PAGE = (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^### \[(\w+)\].*?\n(.*?)(?=^##)", PAGE, re.M | re.S))

REACHES = {
    "leaf_size": 24,
    "forbidden_in_split": 24,
    "points_right": 24,
    "points_together": 24,
    "sign": 24,
}
"""Specs that take a second; all 24 points can be classified with them."""


def test_the_page_has_every_spec() -> None:
    assert set(SHOWN) == set(SPECS)


@pytest.mark.parametrize("name", SPECS)
def test_the_lines_on_the_page_are_the_specs(name: str) -> None:
    spec = SPECS[name].read_text(encoding="utf-8")
    blocks = re.findall(r"```tree\n(.*?)```", SHOWN[name], re.S)
    assert blocks and all(block.strip() in spec for block in blocks)
    behind = spec.partition("split ")[2].partition("\n")[2]
    assert behind.strip() == blocks[-1].strip(), "a line of the spec is not shown"


@pytest.mark.parametrize("name", SPECS)
def test_specs_compile_without_a_word_of_warning(name: str) -> None:
    compiled = treemip.load(SPECS[name]).compile()
    assert compiled.warnings == []
    assert len(compiled.instance.table.y) == 24


def test_explain_says_what_gave_way() -> None:
    compiled = treemip.load(SPECS["recall"]).compile()
    assert "Left out by `drop`: loss_high (21)" in compiled.explain()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.truth if name == "sign" else ()) for name in REACHES],
)
def test_some_are_solved(name: str) -> None:
    result = treemip.load(SPECS[name]).compile().solve(time_limit=60)
    assert (result.status, result.verified) == ("optimal", True)
    assert result.objective == pytest.approx(REACHES[name])


def test_monotone_branches_orders_only_what_a_split_by_the_feature_tells_apart() -> None:
    """Classes that depend on another feature, which is bad at both ends: no tree that orders all
    its leaves has them, and every tree of it alone is monotone in the duration."""
    grid = [(d, b) for d in range(3) for b in range(3)]
    table = {
        "duration": [d for d, _ in grid],
        "b": [b for _, b in grid],
        "class": ["good" if b == 1 else "bad" for _, b in grid],
    }
    errors = {}
    for name in ("monotone", "monotone_branches"):
        behind = SPECS[name].read_text(encoding="utf-8").partition("split ")[2].partition("\n")[2]
        text = (
            'data "t" { label class positive "good"; scale minmax; } topology complete(depth = 2);'
            f"split univariate by oct; minimize misclassified; {behind}"
        )
        result = treemip.loads(text, data=table).compile().solve(time_limit=60)
        assert result.verified and result.optimality.proven
        errors[name] = result.train_errors
    assert errors == {"monotone": 3, "monotone_branches": 0}
