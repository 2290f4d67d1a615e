"""Rules as text, read again: which of them hold for a row in the words that rules have for it."""

from __future__ import annotations

import re

import numpy as np
from converted_trees import as_rows

from treemip.core.instance.columns import column_of
from treemip.core.instance.missing_columns import scale_of
from treemip.core.instance.row_location import RowLocation
from treemip.core.tree.tree import Tree


def holding(text: str, row: dict[str, object]) -> list[str]:
    """The classes of the rules that hold for a row."""
    lines = [line for line in text.split("\n\n", maxsplit=1)[0].splitlines() if line]
    found = []
    for line in lines:
        conditions, _, name = re.sub("^if ", "", line).rpartition(" then ")
        if not conditions or all(holds(c, row) for c in _split(conditions)):
            found.append(name)
    return found


def _split(conditions: str) -> list[str]:
    """What is joined by "and", outside of "(… or a is missing)"."""
    parts: list[str] = []
    for part in conditions.split(" and "):
        if parts and parts[-1][0] == "(" and not parts[-1].endswith(" is missing)"):
            parts[-1] += f" and {part}"
        else:
            parts.append(part)
    return parts


def holds(condition: str, row: dict[str, object]) -> bool:
    if match := re.fullmatch(r"\((.+) or (.+ is missing)\)", condition):
        return holds(match[2], row) or all(holds(c, row) for c in match[1].split(" and "))
    if match := re.fullmatch(r"(.+ >= .+) or missing", condition):
        return holds(match[1], row) or row[match[1].partition(" >= ")[0]] == "missing"
    if match := re.fullmatch(r"([^\[]+?) (<|<=|>|>=) (\S+)", condition):
        column, operator, number = match.groups()
        if column in row:
            if row[column] == "missing":
                return False
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


def in_sums(name: str) -> str:
    """Under what name a row has the number that a sum speaks of."""
    return f"in sums: {name}"


def as_rules_speak(tree: Tree, rows: dict[str, np.ndarray]) -> list[dict[str, object]]:
    """Missing values filled in or under that name, and each value of a categorical column under its
    one name."""
    encoder = tree.encoder
    assert encoder is not None
    spoken = dict(rows)
    for feature in (*encoder.features, *encoder.kept):
        raw = column_of(feature.column, rows[feature.column], encoder.marks)
        values = feature.read(raw, RowLocation())
        if feature.levels is not None:
            names = np.array([*feature.levels.names, "missing", "unseen"], object)
            values = np.where(np.isnan(values), len(names) - 2, values)
            spoken[feature.column] = names[values.astype(int)]
        else:
            spoken[feature.column] = np.where(np.isnan(values), "missing", values.astype(object))
            for k, name in enumerate(feature.names):
                scale = scale_of(feature.finish, k)
                if scale is not None and scale.constant is not None:
                    spoken[in_sums(name)] = values
                elif scale is not None:
                    scaled = feature.encode(raw, RowLocation())[:, k].tolist()
                    spoken[in_sums(name)] = np.array([scale.unscaled(value) for value in scaled])
    return as_rows(spoken)
