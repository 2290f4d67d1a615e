"""Scores of the training and the test part of a saved tree as tables, ready to print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treemip.api.learned_from import Words
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.measures import OfSpec
from treemip.core.tree.score import (
    AnyScore,
    Score,
    ValueScore,
    score_of,
    score_of_json,
    with_spec,
)
from treemip.core.tree.score_text import class_rows, lines_of, percent, survival_rows, wrong_of
from treemip.core.tree.tree import Tree
from treemip.study.report.curves_chart import class_curves_of, curve_charts
from treemip.writers.picture.contents import shown

Row = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Scores of the training or the test part, ready to print. curves: what charts of a class
    say, and the charts."""

    name: str
    measures: tuple[Row, ...]
    classes: tuple[Row, ...]
    groups: tuple[Row, ...]
    curves: tuple[tuple[str, str], ...] = ()


def recorded_parts(said: dict[str, Any]) -> list[Part]:
    """Scores as the file records them; none where those are damaged."""
    saved = said.get("scores")
    parts = []
    for name in ("training", "test"):
        try:
            if isinstance(saved, dict) and saved.get(name):
                parts.append(_part(name, score_of_json(saved[name]), ()))
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            continue
    return parts


@dataclass(frozen=True)
class OfTheSpec:
    """The spec's own objective and measures. words: what they are recomputed from, or the error
    that says why they cannot be."""

    spec: Spec
    words: Words | TreemipError

    def on(self, tree: Tree, table: Table) -> OfSpec:
        if isinstance(self.words, TreemipError):
            return OfSpec.unknown(self.spec, self.words)
        return self.words.on(tree, table)


def parts_of(tree: Tree, data: Data, own: OfTheSpec | None) -> list[Part]:
    parts = [("training", data.train)] + ([("test", data.test)] if data.test else [])
    return [
        replace(
            _part(name, scored(tree, each, own), _groups(tree, each)),
            curves=tuple(curve_charts(class_curves_of(tree, each, data.positive), name)),
        )
        for name, each in parts
    ]


def scored(tree: Tree, table: Table, own: OfTheSpec | None) -> AnyScore:
    """With the spec's objective and measures, where the file says what the spec is."""
    found = score_of(tree, table)
    return found if own is None else with_spec(found, *own.on(tree, table))


def _part(name: str, found: AnyScore, groups: tuple[Row, ...]) -> Part:
    used = (
        ("leaves used", str(found.leaves_used)),
        ("features used", str(len(found.distinct_features))),
    )
    if isinstance(found, Score):
        return _part_of_classes(name, found, used, groups)
    rows: list[Row] = [("points", str(found.points)), *lines_of(name, found)]
    if isinstance(found, ValueScore) and found.mae is not None:
        rows += [("MAE", f"{found.mae:.5g}")]
        rows += [("R2", f"{found.r2:.5g}")] if found.r2 is not None else []
    return Part(name, (*rows, *survival_rows(found), *used), (), ())


def _part_of_classes(
    name: str, found: Score, used: tuple[Row, ...], groups: tuple[Row, ...]
) -> Part:
    measures = (
        ("accuracy", f"{percent(found.accuracy)} ({wrong_of(found)})"),
        ("balanced accuracy", percent(found.balanced_accuracy)),
        *lines_of(name, found),
        *used,
    )
    classes = class_rows(found, tuple(map(shown, found.classes)))
    return Part(name, measures, tuple(classes), groups)


FEWEST_IN_GROUPS = 3  # points, on average


def _groups(tree: Tree, table: Table) -> tuple[Row, ...]:
    """Of each group of people: points, accuracy, and for each class the share of its points that
    are given it (rate) and the share of the class that is (recall). None of a column of so many
    groups that they tell single people."""
    if not table.groups or not tree.predicts_label:
        return ()
    names = tuple(map(shown, tree.classes))
    heads = [head for each in names for head in (f"given {each}", f"recall of {each}")]
    rows: list[Row] = [("group", "points", "accuracy", *heads)]
    given = tree.predict_numbers(table.inputs)
    for column, (codes, values) in table.groups.items():
        if FEWEST_IN_GROUPS * len(values) > len(codes):
            continue
        for k, value in enumerate(values):
            here = codes == k
            cells = [_share(given[here] == table.y[here])]
            for label in range(len(names)):
                of_class = here & (table.y == label)
                cells += [_share(given[here] == label), _share(given[of_class] == label)]
            rows.append((f"{shown(column)} {shown(value)}", str(int(here.sum())), *cells))
    return tuple(rows) if len(rows) > 1 else ()


def _share(hits: np.ndarray) -> str:
    return percent(float(hits.mean()) if len(hits) else None)
