"""A tree written as Rust predicts what the tree predicts, row by row."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from converted_trees import (
    SCALINGS,
    answering,
    as_rows,
    random_tree,
    rows_for,
    tree_asking,
)
from drawn_trees import tree as drawn_tree
from run_programs import rust_answers

needs_rust = pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc")


@needs_rust
@pytest.mark.parametrize(
    ("kind", "scaling"),
    [*zip(["univariate", "mixed", "oblique", "randomized", "mixed"], SCALINGS, strict=True)],
)
def test_rust_predicts_as_the_tree_does(kind: str, scaling: str, tmp_path: Path) -> None:
    tree = random_tree(kind, scaling, 1)
    rows = rows_for(tree, 300, 1)
    expected = tree.predict_numbers(tree.encode(rows)).tolist()
    assert rust_answers(tree, as_rows(rows), tmp_path) == expected


@needs_rust
@pytest.mark.parametrize("how", ["constants", "linear", "shares"])
def test_rust_answers_as_the_tree_does(how: str, tmp_path: Path) -> None:
    tree = answering(random_tree("mixed", "scale minmax(0.1, 0.7)", 2), how, 2)
    rows = rows_for(tree, 300, 2)
    expected = tree.answers(tree.encode(rows)).tolist()
    assert rust_answers(tree, as_rows(rows), tmp_path) == expected


@needs_rust
def test_rust_refuses_what_the_tree_refuses(tmp_path: Path) -> None:
    tree = answering(tree_asking("mixed", "level"), "linear", 0)
    row = as_rows(rows_for(tree, 1, 0))[-1] | {"level": math.nan}
    assert [math.isnan(value) for value in rust_answers(tree, [row], tmp_path)] == [True]


def test_a_whole_module() -> None:
    tree = drawn_tree(
        {1: ({"length": 0.5, "width": -1.0}, 0.25), 3: ({"colour=red": -1.0}, -0.5)},
        {2: 0, 6: 1, 7: 0},
    )
    golden = Path(__file__).parent / "golden" / "tree.rs"
    assert tree.to_text("rust") == golden.read_text(encoding="utf-8")
