"""New rows against those that a tree was learned from: leaves, features, scores, requirements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.tree.score import AnyScore
from treemip.core.tree.score_text import percent
from treemip.study.life.diff import Row, score_numbers
from treemip.study.life.features import FeatureDrift, feature_drifts
from treemip.study.life.psi import psi, reading
from treemip.study.life.requirements import Requirement, requirements
from treemip.study.life.rows import Rows, Saved, groups, unfit


@dataclass(frozen=True)
class Drift:
    """leaves: (number, training points, new rows). psi: of the leaves, None where the tree's file
    has no counts. refused: rows that the tree does not answer, in no leaf. parts: scores by the
    value of a column. not_compared: what could not be, and why."""

    tree: str
    rows: str
    points: int
    refused: int
    leaves: tuple[tuple[int, int, int], ...]
    psi: float | None
    features: tuple[FeatureDrift, ...]
    training: AnyScore | None
    score: AnyScore | None
    by: str
    parts: tuple[tuple[str, int, AnyScore | None], ...]
    requirements: tuple[Requirement, ...]
    not_compared: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        leaves = [
            {"node": node, "training": before, "new": now} for node, before, now in self.leaves
        ]
        return {
            "tree": self.tree,
            "rows": self.rows,
            "points": self.points,
            "refused": self.refused,
            "leaves": leaves,
            "psi": self.psi,
            "reading": reading(self.psi),
            "features": [each.to_json() for each in self.features],
            "scores": {"training": _json(self.training), "new": _json(self.score)},
            **({"by": self.by, "parts": self._parts_json()} if self.by else {}),
            "requirements": [each.to_json() for each in self.requirements],
            "not_compared": self.not_compared,
        }

    def _parts_json(self) -> list[dict[str, Any]]:
        return [{"value": v, "points": n, "score": _json(score)} for v, n, score in self.parts]


def _json(score: AnyScore | None) -> dict[str, Any] | None:
    return None if score is None else score.to_json()


def drift(path: Path, data: Path, by: str | None = None, mark: str | None = None) -> Drift:
    """by: a column of the rows, scored by its values. mark: separator of the rows.

    Raises TreemipError: E701 and E901 for the tree; E301, E302 and E902 for the rows.
    """
    saved = Saved.read(path)
    rows = Rows.read(data, mark, saved.encoder.marks)
    refusing = unfit(saved.encoder, rows)
    taken = rows.take(np.flatnonzero(~refusing))
    if not len(taken):
        raise refused(f"the tree answers no row of '{data.name}'", "see the messages of predict")
    x = saved.encoder.inputs(taken.raw, taken.place)
    missing: dict[str, str] = {}
    leaves, shift = _leaves(saved, x, missing)
    training = _training(saved, missing)
    score = _score(saved, taken, missing)
    parts = () if by is None else tuple(_parts(saved, taken, by))
    demanded: tuple[Requirement, ...] = ()
    try:
        demanded = requirements(saved, taken)
    except TreemipError as error:
        missing["requirements"] = error.diagnostics[0].message
    return Drift(
        tree=saved.name,
        rows=data.name,
        points=len(taken),
        refused=int(refusing.sum()),
        leaves=leaves,
        psi=shift,
        features=feature_drifts(saved.encoder, rows, training),
        training=_recorded(saved),
        score=score,
        by=by or "",
        parts=parts,
        requirements=demanded,
        not_compared=missing,
    )


def _leaves(
    saved: Saved, x: np.ndarray, missing: dict[str, str]
) -> tuple[tuple[tuple[int, int, int], ...], float | None]:
    """Training points and new rows of each leaf that has some, and the PSI of these shares."""
    tree = saved.tree
    now = np.bincount(tree.route(x), minlength=tree.topology.size)
    if tree.counts is None:
        missing["leaves"] = "the tree's file has no counts of training points"
        before = np.zeros_like(now)
    else:
        before = tree.counts.sum(axis=1)
    used = [n for n in tree.topology.leaves.tolist() if now[n] or before[n]]
    heap = tree.topology.heap
    found = tuple((int(heap[n]), int(before[n]), int(now[n])) for n in used)
    return found, psi(before[used], now[used]) if tree.counts is not None else None


def _training(saved: Saved, missing: dict[str, str]) -> Rows | None:
    """The rows of the training part, where the recorded data are still there and the same."""
    try:
        rows = saved.learned_rows()
        assert saved.program is not None
        data = saved.program.data
        assert data is not None
        return rows.take(data.whole.row_numbers - 1)
    except TreemipError as error:
        missing["features"] = error.diagnostics[0].message
        return None


def _recorded(saved: Saved) -> AnyScore | None:
    from treemip.api.saved_scores import recorded_scores

    try:
        return recorded_scores(saved.path).get("training")
    except TreemipError:
        return None


def _score(saved: Saved, rows: Rows, missing: dict[str, str]) -> AnyScore | None:
    try:
        return saved.tree.score_of_raw(rows.raw, rows.place)
    except TreemipError as error:
        missing["scores"] = error.diagnostics[0].message
        return None


def _parts(saved: Saved, rows: Rows, by: str) -> Iterator[tuple[str, int, AnyScore | None]]:
    """The score of the rows of each value of a column, in the values' order."""
    codes, names = groups(rows, by, "--by")
    for k in np.unique(codes).tolist():
        here = np.flatnonzero(codes == k)
        yield names[k], len(here), _score(saved, rows.take(here), {})


# ------------------------------------------------------------------------ as text


def rows_of(found: Drift) -> Iterator[tuple[str, list[Row]]]:
    """The tables of the text, each with its heading."""
    head: list[Row] = [("rows", f"{found.points} of {found.rows}")]
    if found.refused:
        head.append(("refused", f"{found.refused} rows that the tree does not answer"))
    yield "", head
    yield "leaves", _leaf_rows(found)
    yield "features", _feature_rows(found)
    yield "scores", _score_rows(found)
    if found.requirements:
        yield "requirements on these rows", [each.row for each in found.requirements]
    if found.not_compared:
        yield "not compared", [*found.not_compared.items()]


def _leaf_rows(found: Drift) -> list[Row]:
    before, now = (sum(each[k] for each in found.leaves) for k in (1, 2))
    rows: list[Row] = [("leaf", "training", "new")]
    for node, old, new in found.leaves:
        known = percent(old / before) if before else "not known"
        rows.append((str(node), known, percent(new / now if now else None)))
    return [*rows, ("PSI", *_psi_cells(found.psi))]


def _psi_cells(value: float | None) -> tuple[str, str]:
    return ("not known", "") if value is None else (f"{value:.3f}", reading(value))


def _feature_rows(found: Drift) -> list[Row]:
    rows: list[Row] = [("column", "PSI", "", "missing", "new values", "out of range")]
    for each in found.features:
        missing = f"{percent(each.missing)}"
        if each.missing_before is not None:
            missing = f"{percent(each.missing_before)} -> {missing}"
        new = f"{each.unseen} ({', '.join(each.unseen_values)})" if each.unseen else "0"
        outside = "" if each.outside is None else str(each.outside)
        rows.append((each.column, *_psi_cells(each.psi), missing, new, outside))
    return rows


def _score_rows(found: Drift) -> list[Row]:
    parts = [("training", found.training), ("new", found.score)]
    parts += [(value, score) for value, _, score in found.parts]
    measured = [(name, score_numbers(score)) for name, score in parts if score is not None]
    names = list(dict.fromkeys(key for _, each in measured for key in each))
    rows: list[Row] = [("rows", "points", *names)]
    for (name, each), score in zip(measured, (s for _, s in parts if s is not None), strict=True):
        rows.append((name, str(score.points), *(each.get(key, "none") for key in names)))
    return rows if measured else [("none",)]
