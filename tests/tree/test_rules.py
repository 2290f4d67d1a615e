"""Rules hold for the rows that reach their leaf, one rule for each row."""

from __future__ import annotations

import re

import numpy as np
import pytest
from converted_trees import SCALINGS, as_rows, random_tree, rows_for

from treemip.instance.columns import column_of
from treemip.instance.row_location import RowLocation
from treemip.tree.convert.raw_splits import raw_tree
from treemip.tree.convert.rules import rules
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
