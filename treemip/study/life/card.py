"""A model card in Markdown: what a saved tree is, how good, within which limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treemip.api.compare_saved import optimality_of
from treemip.api.learned_from import words_for
from treemip.api.saved_scores import recorded_scores
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.feature import Feature
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.requirements_on import constraints_on
from treemip.core.tree.score import AnyScore, score_of
from treemip.core.tree.score_text import percent
from treemip.core.tree.tree import Tree
from treemip.study.life.diff import score_numbers
from treemip.study.life.requirements import own_texts
from treemip.study.life.rows import Saved
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.rules import rules
from treemip.writers.convert.words import DIGITS, short

MOST_VALUES = 12
"""Categories that are listed, and groups that a table of them has."""


def card(path: Path) -> str:
    """The card. What needs the recorded data, and these are not there, is left out with the reason.

    Raises TreemipError: E701, E901.
    """
    saved = Saved.read(path)
    data, why = _data(saved)
    sections = (
        ("What it does", _purpose(saved)),
        ("Rules", _rules(saved)),
        ("How it was learned", _learning(saved)),
        ("Data", _data_lines(saved, data, why)),
        ("Features", _features(saved)),
        ("Scores", _scores(saved)),
        ("Groups", _groups(saved, data)),
        ("Requirements", _requirements(saved, data, why)),
        ("Limits", _limits(saved)),
        ("To check it again", _again(saved)),
    )
    parts = [f"# Model card: {_cell(saved.name)}"]
    for heading, lines in sections:
        text = "\n".join(lines)
        parts += [f"## {heading}\n\n{text}"] if text else []
    return "\n\n".join(parts) + "\n"


def _data(saved: Saved) -> tuple[Data | None, str]:
    """The data as they were learned from, or why they are not there."""
    try:
        saved.learned_rows()
        assert saved.program is not None
        return saved.program.data, ""
    except TreemipError as error:
        return None, error.diagnostics[0].message


def _cell(text: object) -> str:
    """A text in a table or a line of Markdown."""
    escaped = visible(str(text)).replace("\\", "\\\\").replace("|", "\\|")
    return "".join(f"\\{c}" if c in "`*_<>[]" else c for c in escaped)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, head))} |"
    yield "|" + "---|" * len(head)
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)


# ------------------------------------------------------------------------ what it is


def _purpose(saved: Saved) -> Iterator[str]:
    tree, label = saved.tree, saved.encoder.label
    leaves = len(raw_tree(tree).leaves)
    if tree.outcomes is not None and tree.outcomes.kind == "time":
        what = (
            "predicts the hazard of an event over time, as a multiple of the hazard of all points"
        )
    elif tree.answer.kind == "value":
        what = f"predicts a number, `{_plain(label)}`" if label else "predicts a number"
    elif tree.predicts_label:
        what = f"predicts `{_plain(label)}`, one of {', '.join(map(_cell, tree.classes))}"
    else:
        what = f"chooses `{_plain(tree.answer.of)}`, one of {', '.join(map(_cell, tree.classes))}"
    yield f"A decision tree with {leaves} leaves that {what}. Purpose and owner: to be filled in."


def _plain(text: str) -> str:
    return visible(text).replace("`", "'")


def _rules(saved: Saved) -> Iterator[str]:
    yield "```"
    yield rules(raw_tree(saved.tree), short).strip().replace("```", "'''")
    yield "```"
    yield ""
    yield f"Numbers are rounded to {DIGITS} digits; `treemip convert {_plain(saved.name)}` writes"
    yield "them in full."


def _learning(saved: Saved) -> Iterator[str]:
    said, program = saved.document, saved.program
    if program is not None:
        spec = program.spec
        name = f"`{_plain(spec.formulation)}`" if spec.formulation else "its own text"
        paper = f" ({_cell(spec.paper)})" if spec.paper else ""
        yield f"* Formulation: {name}{paper}, {spec.split} splits"
    several = len(saved.objectives) > 1
    for number, (sense, text) in enumerate(saved.objectives, 1):
        yield f"* Objective{f' {number}' if several else ''}: {sense} `{_plain(text)}`"
    yield f"* Verdict when it was saved: {_cell(said.get('verdict') or 'not known')}"
    found = optimality_of(said) if isinstance(said.get("optimality"), dict) else None
    if found is not None:
        yield f"* Proof: {_cell(found.text(said['verdict']))}"
    of = " of the last objective" if several else ""
    for name, title in (("objective", "value"), ("bound", "bound"), ("gap", "gap")):
        if said.get(name) is not None:
            yield f"* {title.capitalize()}{of}: {short(said[name])}"
    solver = f"{said.get('solver', 'not known')} {said.get('solver_version', '')}"
    yield f"* Solver: {_cell(solver.strip())}"


def _data_lines(saved: Saved, data: Data | None, why: str) -> Iterator[str]:
    spec = saved.document.get("spec") or {}
    program = saved.program
    if program is not None and program.spec.data is not None:
        kept = spec.get("from_memory") is False
        yield f"* File: {_cell(Path(program.spec.data.path).name) if kept else 'data in memory'}"
    yield f"* SHA-256: `{_plain(str(spec.get('data_sha256')))}`"
    yield f"* Training points: {saved.document.get('points')}"
    if data is not None:
        yield f"* Test points: {len(data.test.y) if data.test is not None else 'none'}"
    else:
        yield f"* Not read again: {_cell(why)}"
    yield f"* Label: `{_plain(saved.encoder.label) or 'none'}`"


def _features(saved: Saved) -> Iterator[str]:
    used = {feature.column for feature in raw_tree(saved.tree).features}
    every = (*saved.encoder.features, *saved.encoder.kept)
    rows = [(f.column, "yes" if f.column in used else "no", _values(f), _missing(f)) for f in every]
    yield from _table(("column", "used by the tree", "values", "missing values"), rows)


def _values(feature: Feature) -> str:
    if feature.levels is None:
        return "numbers"
    names = feature.levels.names
    more = f" and {len(names) - MOST_VALUES} more" if len(names) > MOST_VALUES else ""
    return ", ".join(names[:MOST_VALUES]) + more


def _missing(feature: Feature) -> str:
    if feature.keeps_missing:
        return "have a side"
    return "refused" if feature.fill is None else f"count as {feature.fill_text}"


# ------------------------------------------------------------------------ how good


def _scores(saved: Saved) -> Iterator[str]:
    try:
        found = recorded_scores(saved.path)
    except TreemipError as error:
        yield _cell(error.diagnostics[0].message)
        return
    measured = {part: score_numbers(score) for part, score in found.items()}
    names = list(dict.fromkeys(name for each in measured.values() for name in each))
    rows = [
        (part, str(found[part].points), *(each.get(name, "none") for name in names))
        for part, each in measured.items()
    ]
    yield from _table(("part", "points", *names), rows)
    if "test" not in found:
        yield ""
        yield "There was no test part: these scores are of the points that it was learned from."


def _groups(saved: Saved, data: Data | None) -> Iterator[str]:
    if data is None:
        return
    parts = [("training", data.whole), *([("test", data.test)] if data.test is not None else [])]
    rows = [row for name, table in parts for row in _group_rows(saved.tree, name, table)]
    if rows:
        names = list(dict.fromkeys(name for *_, each in rows for name in each))
        cells = [(*first, *(each.get(n, "none") for n in names)) for *first, each in rows]
        yield from _table(("part", "group", "points", *names), cells)


def _group_rows(
    tree: Tree, part: str, table: Table
) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Scores of each group, and the share of it that is given each class."""
    for column, (codes, values) in table.groups.items():
        if len(values) > MOST_VALUES:
            continue
        for k in np.unique(codes).tolist():
            here = table.take(np.flatnonzero(codes == k))
            found: AnyScore = score_of(tree, here)
            given = {}
            if tree.predicts_label:
                counts = np.bincount(tree.predict_numbers(here.inputs), minlength=len(tree.classes))
                shares = zip(tree.classes, counts / len(here.y), strict=True)
                given = {f"given {name}": percent(float(share)) for name, share in shares}
            yield part, f"{column} {values[k]}", str(len(here.y)), score_numbers(found) | given


def _requirements(saved: Saved, data: Data | None, why: str) -> Iterator[str]:
    program = saved.program
    if program is None or not program.spec.own:
        return
    texts = own_texts(program.spec)
    if data is None:
        rows = [(name, text, "not evaluated") for name, text in texts.items()]
        yield from _table(("requirement", "text", "on the training part"), rows)
        yield ""
        yield f"Not evaluated: {_cell(why)}"
        return
    words = words_for(saved.document, saved.tree, program, saved.path, data.train, data)
    parts = [("training", data.train), *([("test", data.test)] if data.test is not None else [])]
    found = [constraints_on(words.instance, saved.tree, words.values, t) for _, t in parts]
    rows = [
        (each[0].name, texts[each[0].name], *(kept.text for kept in each))
        for each in zip(*found, strict=True)
    ]
    yield from _table(("requirement", "text", *(f"on the {name} part" for name, _ in parts)), rows)


# ------------------------------------------------------------------------ limits


def _limits(saved: Saved) -> Iterator[str]:
    every = (*saved.encoder.features, *saved.encoder.kept)
    refuse = [f.column for f in every if f.fill is None and not f.keeps_missing]
    unseen = [f.column for f in every if f.levels is not None and not f.takes_unseen]
    if refuse:
        yield f"* Rows without a value are refused in: {_cell(', '.join(refuse))}"
    if unseen:
        yield f"* Values that training did not have are refused in: {_cell(', '.join(unseen))}"
    optimality: Any = saved.document.get("optimality")
    if not (isinstance(optimality, dict) and optimality.get("proven")):
        yield "* It is not proven that no better tree of this kind exists."
    for warning in saved.document.get("warnings") or []:
        yield f"* {_cell(warning.get('message', ''))}"
    yield "* A proof and a score on the training part say nothing of other rows: see the test part,"
    yield "  and `treemip drift` for rows that come later."


def _again(saved: Saved) -> Iterator[str]:
    name = _plain(saved.name)
    yield "```"
    yield f"treemip verify {name}      # routes every point, recomputes objective and requirements"
    yield f"treemip score {name} labelled.csv"
    yield f"treemip drift {name} new.csv"
    yield "```"
    yield ""
    yield f"Checksum of the file: `{_plain(str(saved.document.get('checksum')))}`"
