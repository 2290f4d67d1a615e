"""A tree written as C predicts what the tree predicts, row by row, however it is optimized."""

from __future__ import annotations

import math
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from converted_trees import (
    SCALINGS,
    answering,
    as_rows,
    random_tree,
    rows_for,
    split_of,
    tree_asking,
)
from run_programs import c_answers

import treemip
from treemip.core.tree.tree import Tree
from treemip.writers.convert.c_source import c_string

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique", "randomized"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_c_predicts_as_the_tree_does(kind: str, scaling: str, tmp_path: Path) -> None:
    seed = SCALINGS.index(scaling)
    tree = random_tree(kind, scaling, seed)
    rows = rows_for(tree, 600, seed)
    expected = tree.predict_numbers(tree.encode(rows)).tolist()
    assert c_answers(tree, as_rows(rows), tmp_path) == expected


@pytest.mark.parametrize("how", ["constants", "linear", "shares"])
def test_c_answers_as_the_tree_does(how: str, tmp_path: Path) -> None:
    for seed, kind in enumerate(["univariate", "mixed", "oblique"]):
        tree = answering(random_tree(kind, "scale minmax", seed), how, seed)
        rows = rows_for(tree, 10_000 if seed == 0 else 300, seed)
        expected = tree.answers(tree.encode(rows)).tolist()
        assert c_answers(tree, as_rows(rows), tmp_path) == expected


def test_c_refuses_a_value_with_nan(tmp_path: Path) -> None:
    tree = answering(tree_asking("mixed", "level"), "linear", 0)
    row = as_rows(rows_for(tree, 1, 0))[-1] | {"level": math.nan}
    assert [math.isnan(value) for value in c_answers(tree, [row], tmp_path)] == [True]


def test_no_two_operations_become_one(tmp_path: Path) -> None:
    """A product and a sum as one fused operation, rounded once, would send each of these rows to
    the other side of its own threshold."""
    with open("/proc/cpuinfo") as file:
        if " fma " not in file.read():
            pytest.skip("the processor has no fused operations")
    tree, row = on_a_fused_edge()
    x = tree.encode({name: [value] for name, value in row.items()})
    assert tree.predict_numbers(x).tolist() == [0]
    assert c_answers(tree, [row], tmp_path, "-O3", "-ffp-contract=fast", "-mfma") == [0]


def on_a_fused_edge() -> tuple[Tree, dict[str, object]]:
    """A split of two columns, and a row on its threshold that is beyond it if rounded once."""
    weights = 1 / 3, 0.3
    for row in as_rows(rows_for(random_tree("univariate", "scale none", 0), 400, 0)):
        age, income = row["age"], row["income (k€)"]
        assert isinstance(age, float) and isinstance(income, float)
        products = age * weights[0], income * weights[1]
        exact = Fraction(weights[1]) * Fraction(income) if age > 0 else Fraction(0)
        if age > 0 and float(exact + Fraction(products[0])) > sum(products):
            columns = "age", "income (k€)"
            return split_of(dict(zip(columns, weights, strict=True)), sum(products)), row
    raise AssertionError("there is no such row")


def test_what_the_tree_refuses_is_minus_one(tmp_path: Path) -> None:
    tree = tree_asking("mixed", "level", "the town")
    rows = as_rows(rows_for(tree, 4, 0))[-4:]
    rows[0]["level"], rows[1]["level"], rows[2]["the town"] = np.nan, "-999", "C"
    rows[3]["level"], rows[3]["the town"] = 1.0, "A"
    found = c_answers(tree, rows, tmp_path)
    assert found[:3] == [-1, -1, -1]
    assert found[3] >= 0


def test_a_string_literal_holds_any_bytes() -> None:
    assert c_string('a"b\\c??/é\n1') == '"a\\042b\\134c\\077\\077/\\303\\251\\0121"'


def test_c_knows_the_texts_that_stand_for_a_level(tmp_path: Path) -> None:
    """As a data file has them: 1.0 is 1, 7 is the only level with that number."""
    columns = {"k": ["x", "1", "007", "True", "2.50"], "y": ["p", "q", "r", "s", "t"]}
    spec = (
        'data "m" { label y; encode onehot(unseen = zero) k; missing side marks "-9"; } '
        "topology complete(depth = 3); split univariate by oct; minimize misclassified;"
    )
    columns = {name: values * 2 for name, values in columns.items()}
    result = treemip.loads(spec, data=columns).compile().solve("highs", time_limit=20)
    tree = result.tree
    assert tree is not None
    cells = ["x", "1.0", "7", "TRUE", "2.5", "01", "1.00", "7.0", "other", "07", "false"]
    x = tree.encode({"k": cells})
    assert (x[[1, 2, 4]] == tree.encode({"k": ["1", "007", "2.50"]})).all()
    expected = tree.predict_numbers(x).tolist()
    rows: list[dict[str, object]] = [{"k": cell} for cell in cells]
    assert c_answers(tree, rows, tmp_path) == expected
