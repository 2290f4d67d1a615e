"""Rules hold for the rows that reach their leaf, one rule for each row."""

from __future__ import annotations

import re

import numpy as np
import pytest
from converted_trees import SCALINGS, as_rows, random_tree, rows_for, split_of

from treemip.instance.columns import column_of
from treemip.instance.row_location import RowLocation
from treemip.tree.convert.raw_splits import Sum, raw_tree, splits
from treemip.tree.convert.rules import rules, sum_text
from treemip.tree.routing import weighted_sum
from treemip.tree.tree import Tree


def holding(text: str, row: dict[str, object]) -> list[str]:
    """The classes of the rules that hold for a row."""
    lines = [line for line in text.split("\n\n", maxsplit=1)[0].splitlines() if line]
    found = []
    for line in lines:
        conditions, _, name = re.sub("^if ", "", line).rpartition(" then ")
        if not conditions or all(_holds(c, row) for c in conditions.split(" and ")):
            found.append(name)
    return found


def _holds(condition: str, row: dict[str, object]) -> bool:
    if match := re.fullmatch(r"([^\[]+?) (<|<=|>|>=) (\S+)", condition):
        column, operator, number = match.groups()
        if column in row:
            return _compare(float(row[column]), operator, float(number))  # type: ignore[arg-type]
    if match := re.fullmatch(r"(.+?) is (not )?(.+)", condition):
        return (str(row[match[1]]) == match[3]) != bool(match[2])
    match = re.fullmatch(r"(.+?) (not )?in \{(.*)\}", condition)
    assert match, condition
    return (str(row[match[1]]) in match[3].split(", ")) != bool(match[2])


def _compare(value: float, operator: str, number: float) -> bool:
    return {
        "<": value < number,
        "<=": value <= number,
        ">": value > number,
        ">=": value >= number,
    }[operator]


def as_rules_speak(tree: Tree, rows: dict[str, np.ndarray]) -> list[dict[str, object]]:
    """Missing values filled in, and each value of a categorical column under its one name."""
    encoder = tree.encoder
    assert encoder is not None
    spoken = dict(rows)
    for feature in (*encoder.features, *encoder.kept):
        raw = column_of(feature.column, rows[feature.column], encoder.marks)
        values = feature.read(raw, RowLocation())
        if feature.levels is not None:
            names = np.array([*feature.levels.names, "unseen"], object)
            spoken[feature.column] = names[values.astype(int)]
        else:
            spoken[feature.column] = values.astype(object)
    return as_rows(spoken)


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
        value = row[name] if name in row else float(_holds(name[1:-1], row))
        total += (-1 if "-" in sign else 1) * float(factor or 1) * float(value)  # type: ignore[arg-type]
    return total
