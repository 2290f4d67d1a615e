"""Which rows get another answer from a new tree than from an old one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.tree.score import AnyScore
from treemip.core.tree.tree import Tree
from treemip.study.life.alignment import SAME
from treemip.study.life.rows import Rows, Saved, groups, unfit


@dataclass(frozen=True)
class Moves:
    """Rows of a group, or all. ways: of classes, how many go from which to which, most first.
    mean, mean_size, largest: of numbers, the mean change, the mean of its size, and the largest
    change, the new less the old answer; None of classes."""

    group: str
    points: int
    changed: int
    ways: tuple[tuple[str, str, int], ...] = ()
    mean: float | None = None
    mean_size: float | None = None
    largest: float | None = None

    def to_json(self) -> dict[str, Any]:
        said: dict[str, Any] = {"points": self.points, "changed": self.changed}
        if self.mean is not None:
            numbers = {"mean": self.mean, "mean_size": self.mean_size, "largest": self.largest}
            return {**said, "by": numbers}
        ways = [{"from": a, "to": b, "points": count} for a, b, count in self.ways]
        return {**said, "ways": ways}


@dataclass(frozen=True)
class Changed:
    """The rows that both trees answer. left_out: how many rows one of them refuses."""

    file: str
    whole: Moves
    by: str
    groups: tuple[Moves, ...]
    left_out: int
    scores: tuple[AnyScore | None, AnyScore | None]
    no_score: str

    def to_json(self) -> dict[str, Any]:
        parts = {move.group: move.to_json() for move in self.groups}
        scores = [None if score is None else score.to_json() for score in self.scores]
        return {
            "rows": self.file,
            "left_out": self.left_out,
            **self.whole.to_json(),
            **({"by_column": self.by, "groups": parts} if self.by else {}),
            "scores": dict(zip(("old", "new"), scores, strict=True)),
            **({"no_score": self.no_score} if self.no_score else {}),
        }


def changed_answers(old: Saved, new: Saved, rows: Rows, by: str | None) -> Changed:
    """Raises TreemipError: E302 for rows that lack columns, E902 for a column to group by, and for
    answers of two kinds."""
    kinds = {saved.tree.answer.kind == "value" for saved in (old, new)}
    if len(kinds) > 1:
        raise refused("one tree answers classes and the other numbers", "compare trees of one kind")
    refusing = unfit(old.encoder, rows) | unfit(new.encoder, rows)
    taken = rows.take(np.flatnonzero(~refusing))
    if not len(taken):
        raise refused(f"no row of {rows.place.file} is answered by both trees", "see treemip drift")
    answers = [_answers(saved.tree, taken) for saved in (old, new)]
    parts: tuple[Moves, ...] = ()
    if by is not None:
        codes, names = groups(taken, by, "--by")
        parts = tuple(_moves(names[k], answers, codes == k) for k in np.unique(codes).tolist())
    scores, why = _scores(old, new, taken)
    whole = _moves("", answers, np.ones(len(taken), bool))
    return Changed(rows.place.file, whole, by or "", parts, int(refusing.sum()), scores, why)


def _answers(tree: Tree, rows: Rows) -> np.ndarray:
    """Names of classes, objects (M,), or float64 numbers (M,)."""
    found = tree.answers(tree.fitted_encoder().inputs(rows.raw, rows.place))
    return found if tree.answer.kind == "value" else np.array(tree.classes, object)[found]


def _moves(group: str, answers: list[np.ndarray], here: np.ndarray) -> Moves:
    old, new = (each[here] for each in answers)
    if old.dtype == np.float64:
        by = new - old
        by[np.isclose(old, new, rtol=SAME, atol=0.0)] = 0.0
        sizes = np.abs(by)
        largest = float(by[sizes.argmax()]) if len(by) else 0.0
        mean, size = (float(each.mean()) if len(by) else 0.0 for each in (by, sizes))
        return Moves(group, len(by), int(np.count_nonzero(by)), (), mean, size, largest)
    other = old != new
    pairs = Counter(zip(old[other].tolist(), new[other].tolist(), strict=True))
    ways = tuple((*pair, count) for pair, count in pairs.most_common())
    return Moves(group, len(old), int(other.sum()), ways)


def _scores(old: Saved, new: Saved, rows: Rows) -> tuple[tuple[Any, Any], str]:
    """Both trees on the rows, and why there is none, where they have no labels."""
    found: list[AnyScore | None] = []
    why = ""
    for saved in (old, new):
        try:
            found.append(saved.tree.score_of_raw(rows.raw, rows.place))
        except TreemipError as error:
            found.append(None)
            why = error.diagnostics[0].message
    return (found[0], found[1]), why
