"""What differs between two saved trees: columns, splits, answers, rules, and the rows' answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.score import AnyScore
from treemip.core.tree.score_text import percent
from treemip.study.life.alignment import Step, aligned, node_text
from treemip.study.life.changed_answers import Changed, Moves, changed_answers
from treemip.study.life.rows import Rows, Saved
from treemip.writers.convert.raw_splits import RawTree, raw_tree
from treemip.writers.convert.rules import rules

Row = tuple[str, ...]


@dataclass(frozen=True)
class TreeDiff:
    """Two trees and what differs. changed: the rows' answers, None where they could not be
    compared, for the reason `no_rows`."""

    old: Saved
    new: Saved
    raw: tuple[RawTree, RawTree]
    steps: tuple[Step, ...]
    changed: Changed | None
    no_rows: str

    @property
    def splits(self) -> list[Step]:
        return [step for step in self.steps if not step.is_leaf]

    @property
    def leaves(self) -> list[Step]:
        return [step for step in self.steps if step.is_leaf]

    @property
    def is_same(self) -> bool:
        """Whether the trees ask and answer the same."""
        return all(step.kind == "kept" for step in self.steps)

    def texts(self, step: Step) -> tuple[str, str]:
        """What the step's node says in the old tree and in the new one; empty without one."""
        pairs = zip(self.raw, (step.old, step.new), strict=True)
        first, second = ("" if node is None else node_text(tree, node) for tree, node in pairs)
        return first, second

    def numbers(self, step: Step) -> tuple[int | None, int | None]:
        """The numbers of the step's node in both trees."""
        pairs = zip((self.old, self.new), (step.old, step.new), strict=True)
        first, second = (
            None if node is None else int(saved.tree.topology.heap[node.node])
            for saved, node in pairs
        )
        return first, second

    def said(self) -> list[tuple[str, str, str]]:
        """What the files say of their trees, where that differs: its name, old, new."""
        pairs = zip(_facts(self.old), _facts(self.new), strict=True)
        return [(name, a, b) for (name, a), (_, b) in pairs if a != b]

    def columns(self) -> tuple[list[str], list[str]]:
        """Columns that only the old tree takes, and those that only the new one takes."""
        old, new = self.old.columns, self.new.columns
        return [c for c in old if c not in new], [c for c in new if c not in old]

    def rules(self) -> tuple[list[str], list[str], int]:
        """Rules that only the old tree has, that only the new one has, and how many both have."""
        old, new = (_rules(tree) for tree in self.raw)
        both = sum(rule in new for rule in old)
        return [r for r in old if r not in new], [r for r in new if r not in old], both

    def to_json(self) -> dict[str, Any]:
        gone, come, both = self.rules()
        only = self.columns()
        return {
            "old": self.old.name,
            "new": self.new.name,
            "same_tree": self.is_same,
            "files": [{"what": name, "old": a, "new": b} for name, a, b in self.said()],
            "columns": {"only_old": only[0], "only_new": only[1]},
            "splits": [self._step_json(step) for step in self.splits],
            "leaves": [self._step_json(step) for step in self.leaves],
            "rules": {"only_old": gone, "only_new": come, "both": both},
            "points": None if self.changed is None else self.changed.to_json(),
            **({"no_points": self.no_rows} if self.changed is None else {}),
        }

    def _step_json(self, step: Step) -> dict[str, Any]:
        sides = zip(("old", "new"), self.numbers(step), self.texts(step), strict=True)
        parts = {
            side: None if number is None else {"node": number, "text": text}
            for side, number, text in sides
        }
        return {"kind": step.kind, **parts}


def diff(
    old: Path, new: Path, data: Path | None = None, by: str | None = None, mark: str | None = None
) -> TreeDiff:
    """Compare two saved trees. data: rows to compare their answers on, else those of the file that
    the new tree records, or the old one; mark: its separator.

    Raises TreemipError: E701 and E901 for the trees; E301, E302 and E902 for given rows.
    """
    first, second = Saved.read(old), Saved.read(new)
    raw = raw_tree(first.tree), raw_tree(second.tree)
    changed, why = None, ""
    try:
        rows = (
            second.recorded_rows() if data is None else Rows.read(data, mark, second.encoder.marks)
        )
    except TreemipError as error:
        if data is not None or by is not None:
            raise
        why = error.diagnostics[0].message
    else:
        try:
            changed = changed_answers(first, second, rows, by)
        except TreemipError as error:
            if data is not None or by is not None:
                raise
            why = error.diagnostics[0].message
    return TreeDiff(first, second, raw, tuple(aligned(*raw)), changed, why)


def _rules(tree: RawTree) -> list[str]:
    """A rule for each leaf, without the notes on missing values."""
    return rules(tree).partition("\n\n")[0].strip().splitlines()


def _facts(saved: Saved) -> Iterator[tuple[str, str]]:
    """What the file says of where the tree comes from."""
    spec = saved.document.get("spec") or {}
    formulation = "" if saved.program is None else saved.program.spec.formulation
    yield "formulation", formulation or "not known"
    yield "label", saved.encoder.label or "none"
    yield "classes", ", ".join(saved.tree.classes) or "numbers"
    yield "data", str(spec.get("data_sha256") or "not known")[:12]
    optimality = saved.document.get("optimality")
    proven = isinstance(optimality, dict) and optimality.get("proven")
    yield "proof", "optimal" if proven else "none"
    yield "objective", _objective(saved)


def _objective(saved: Saved) -> str:
    """The objective as the spec writes it; of several in turn, each."""
    return " then ".join(f"{sense} {text}" for sense, text in saved.objectives) or "not known"


# ------------------------------------------------------------------------ as text


def rows_of(found: TreeDiff) -> Iterator[tuple[str, list[Row]]]:
    """The tables of the text, each with its heading."""
    only = found.columns()
    columns: list[Row] = [("columns only in old", ", ".join(only[0]))] if only[0] else []
    columns += [("columns only in new", ", ".join(only[1]))] if only[1] else []
    said = [(name, f"{a} -> {b}") for name, a, b in found.said()]
    if found.is_same:
        columns.append(("the trees ask and answer the same",))
    if said or columns:
        yield "", [*said, *columns]
    yield "splits", _steps(found, found.splits)
    yield "leaves", _steps(found, [s for s in found.leaves if s.kind != "kept"])
    gone, come, both = found.rules()
    kept = [("=", f"{both} the same in both")] if both else []
    yield "rules", [*(("-", rule) for rule in gone), *(("+", rule) for rule in come), *kept]
    if found.changed is None:
        yield "points", [(f"not compared: {found.no_rows}",)]
        return
    yield f"points of {found.changed.file}", _points(found.changed)
    if found.changed.groups:
        yield f"by {found.changed.by}", _by_group(found.changed)
    yield "scores", _scores(found)


def _steps(found: TreeDiff, steps: list[Step]) -> list[Row]:
    rows: list[Row] = []
    for step in steps:
        old, new = found.texts(step)
        text = old if old == new or not new else new if not old else f"{old} -> {new}"
        places = [str(n) for n in dict.fromkeys(found.numbers(step)) if n is not None]
        rows.append((step.kind, f"node {' -> '.join(places)}", text))
    return rows or [("none differs",)]


def _points(changed: Changed) -> list[Row]:
    whole = changed.whole
    share = percent(whole.changed / whole.points if whole.points else None)
    rows: list[Row] = [("another answer", f"{whole.changed} of {whole.points} ({share})")]
    rows += [(f"  {a} -> {b}", str(count)) for a, b, count in whole.ways]
    if whole.mean is not None and whole.changed:
        rows += [("  mean change", f"{whole.mean:+.5g}")]
        rows += [("  mean size of the change", f"{whole.mean_size:.5g}")]
        rows += [("  largest change", f"{whole.largest:+.5g}")]
    if changed.left_out:
        rows.append(("left out", f"{changed.left_out} rows that one of the trees refuses"))
    return rows


def _by_group(changed: Changed) -> list[Row]:
    numbers = changed.whole.mean is not None
    ways = list(dict.fromkeys((a, b) for a, b, _ in changed.whole.ways))
    last = ["mean change"] if numbers else [f"{a} -> {b}" for a, b in ways]
    rows: list[Row] = [("group", "points", "changed", "share", *last)]
    for move in changed.groups:
        share = percent(move.changed / move.points)
        rows.append((move.group, str(move.points), str(move.changed), share, *_cells(move, ways)))
    return rows


def _cells(move: Moves, ways: list[tuple[str, str]]) -> list[str]:
    if move.mean is not None:
        return [f"{move.mean:+.5g}"]
    counts = {(a, b): count for a, b, count in move.ways}
    return [str(counts.get(way, 0)) for way in ways]


def _scores(diff: TreeDiff) -> list[Row]:
    changed = diff.changed
    assert changed is not None
    found = [score_numbers(score) for score in changed.scores]
    if _objective(diff.old) != _objective(diff.new):  # two measures are no row of one table
        for each in found:
            each.pop("objective", None)
    names = dict.fromkeys((*found[0], *found[1]))
    if not names:
        return [(f"none: {changed.no_score}",)]
    rows: list[Row] = [("", "old", "new")]
    rows += [(name, *(each.get(name, "none") for each in found)) for name in names]
    return rows


def score_numbers(score: AnyScore | None) -> dict[str, str]:
    """Measures of a score, by name, as text."""
    if score is None:
        return {}
    said = score.to_json()
    found = {
        name.replace("_", " "): percent(said[name])
        for name in ("accuracy", "balanced_accuracy")
        if name in said
    }
    names = ("errors", "log_loss", "brier", "mse", "mae", "r2", "objective")
    for name in names:
        if said.get(name) is not None:
            found[name.replace("_", " ")] = f"{said[name]:.6g}"
    return found | {name: f"{value:.6g}" for name, value in score.measures.items()}
