"""Rules hold for the rows that reach their leaf, one rule for each row."""

from __future__ import annotations

import re

import numpy as np
import pytest
from converted_trees import SCALINGS, WITH_SIDES, random_tree, rows_for, split_of
from spoken_rules import as_rules_speak, holding, holds, in_sums

from treemip.core.tree.routing import weighted_sum
from treemip.writers.convert.raw_splits import Sum, raw_tree, splits
from treemip.writers.convert.rules import rules, sum_text


@pytest.mark.parametrize("kind", ["univariate", "sets"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_one_rule_holds_for_each_row_and_has_its_class(kind: str, scaling: str) -> None:
    for seed in range(4):
        tree = random_tree(kind, scaling, seed)
        rows = rows_for(tree, 200, seed)
        text = rules(raw_tree(tree))
        found = [holding(text, row) for row in as_rules_speak(tree, rows)]
        assert found == [[name] for name in tree.predict(rows)], text


def test_sums_are_in_raw_units() -> None:
    tree = split_of({"age": 2.0, "level>=0.7": -3.0}, 50.0)
    assert rules(raw_tree(tree)).splitlines() == [
        'if 2 age - 3 [level >= 0.7] <= 50 then b "c"',
        "if 2 age - 3 [level >= 0.7] > 50 then it's",
        "",
        "age: a missing value counts as 40.64905660377359",
        "[...] is 1 where it holds, else 0",
    ]


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_sum_is_the_tree_s_but_for_rounding(scaling: str) -> None:
    tree = random_tree("oblique", scaling, 5)
    rows = rows_for(tree, 300, 5)
    sums = [split for split in splits(raw_tree(tree).root) if isinstance(split, Sum)]
    assert sums
    x = tree.encode(rows)
    for split in sums:
        text = sum_text(split, "<=")
        left, _, limit = text.rpartition(" <= ")
        weights = next(
            w for w in tree.weights if [*w[w != 0]] == [term.weight for term in split.terms]
        )
        expected = weighted_sum(x, weights) - split.threshold
        spoken = as_rules_speak(tree, rows)
        found = [_total(left, row) - float(limit) for row in spoken]
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)


def _total(text: str, row: dict[str, object]) -> float:
    """The value of a sum such as `2 age - 3 [level >= 0.7]` on a row."""
    total = 0.0
    for sign, factor, name in re.findall(
        r"(- |-|\+ |^)([\d.e-]+ )?(\[.+?\]|.+?)(?= [+-] |$)", text
    ):
        value = row[in_sums(name)] if in_sums(name) in row else float(holds(name[1:-1], row))
        total += (-1 if "-" in sign else 1) * float(factor or 1) * float(value)  # type: ignore[arg-type]
    return total


def test_rules_say_where_missing_values_go() -> None:
    tree = split_of({"age (missing lowest)": 1.0}, 0.5, WITH_SIDES)
    first, second, *notes = rules(raw_tree(tree)).splitlines()
    assert re.fullmatch(r'if \(age <= [\d.]+ or age is missing\) then b "c"', first)
    assert re.fullmatch(r"if age > [\d.]+ then it's", second)
    assert notes == ["", "age: a missing value meets no comparison with a number"]
    tree = split_of({"level=missing": 1.0}, 0.5, WITH_SIDES)
    assert rules(raw_tree(tree)).splitlines() == [
        'if level is not missing then b "c"',
        "if level is missing then it's",
    ]
    tree = split_of({"colour=missing": 1.0, "level>=0.7": 2.0}, 0.5, WITH_SIDES)
    assert rules(raw_tree(tree)).splitlines()[0] == (
        'if 2 [level >= 0.7] + [colour is missing] <= 0.5 then b "c"'
    )
