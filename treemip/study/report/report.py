"""A page about a saved tree that needs no network and no script: picture, counts, verdict, scores,
spec, mathematics, progress, and where the tree comes from; rows of the data only if asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from treemip import __version__
from treemip.api.compare_saved import optimality_of
from treemip.api.learned_from import Words, words_for
from treemip.api.program import Program
from treemip.api.reverify import Reverified, data_asked, recorded_program, reverify
from treemip.api.store import read_tree
from treemip.core.instance.table import Data, Table, load_table
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.measures import OfSpec
from treemip.core.tree.saved import is_number
from treemip.core.tree.score import (
    AnyScore,
    Score,
    ValueScore,
    score_of,
    score_of_json,
    with_spec,
)
from treemip.core.tree.score_text import class_rows, lines_of, percent, wrong_of
from treemip.core.tree.tree import Tree
from treemip.writers.pages.displays import mathematics, told
from treemip.writers.pages.highlight import highlighted
from treemip.writers.pages.leaf_points import Points, nodes, read_points
from treemip.writers.pages.progress_chart import chart, read_progress
from treemip.writers.picture.contents import shown
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.svg import svg
from treemip.writers.render.text import templates

TEMPLATES = Path(__file__).parent / "templates"

BROAD = 900.0
"""Width in px of a picture beyond which it is printed on a page across."""

Row = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Scores of the training or the test part, ready to print."""

    name: str
    measures: tuple[Row, ...]
    classes: tuple[Row, ...]
    groups: tuple[Row, ...]


def report(
    path: str | Path,
    data: str | Path | None = None,
    progress: str | Path | None = None,
    rows: bool = False,
) -> tuple[str, list[Diagnostic]]:
    """The page, and warnings about what it could not say.

    data: in place of the recorded data file. progress: what `solve --log-json` wrote. rows: list
    the first training rows of each node; without, the page has counts and shares only. Without the
    data it has what the tree's file records, and says so. Raises E701, E901, E902.
    """
    said, tree = read_tree(path)
    events = read_progress(progress) if progress is not None else []
    again, why_not = _verified_again(path, data)
    program = _recorded(said, path)
    loaded, place, missing = _loaded(said, program, path, data, tree)
    points = None
    parts = _recorded_parts(said)
    if loaded is not None:
        train = loaded.train
        points = read_points(tree, train, *place) if rows else Points(train, None)
        tree = replace(tree, counts=tree.counts_of(loaded.train.inputs, loaded.train.y))
        parts = _parts(tree, loaded, _own(said, program, path, tree, loaded))
    warnings = list(again.warnings) if again is not None else []
    notes = [*why_not, *(each for each in missing if each not in why_not), *warnings]
    scene = scene_of(tree)
    text = _page(
        title=shown(Path(path).name),
        version=__version__,
        picture=svg(scene, link="#node-"),
        broad=scene.width > BROAD,
        drawing=str(tree),
        nodes=nodes(tree, points),
        verdict=_verdict(said, again),
        notes=_without_folders(map(told, notes), (path, data or path, Path("here"))),
        parts=parts,
        spec=highlighted(_text_of(said)),
        mathematics=_mathematics(program),
        chart=chart(events),
        provenance=_provenance(said, path),
    )
    return text, warnings


def _without_folders(texts: Iterable[str], files: Iterable[str | Path]) -> list[str]:
    """Texts that name files, without the folders of these: messages say where a file was looked
    for, and the page is sent to others."""
    folders = sorted({str(Path(file).resolve().parent) for file in files}, key=len, reverse=True)
    found = list(texts)
    for folder in folders:
        found = [text.replace(f"{folder}{os.sep}", "") for text in found]
    return found


def _page(**values: Any) -> str:
    text: str = templates(TEMPLATES, autoescape=True).get_template("report.html").render(**values)
    return text


# ---------------------------------------------------------------- spec and data


def _verified_again(
    path: str | Path, data: str | Path | None
) -> tuple[Reverified | None, list[Diagnostic]]:
    try:
        return reverify(path, data), []
    except TreemipError as error:
        return None, list(error.diagnostics)


def _recorded(said: dict[str, Any], path: str | Path) -> Program | TreemipError:
    """The spec that the file records, or why there is none."""
    try:
        return recorded_program(said, path)
    except TreemipError as error:
        return error


def _loaded(
    said: dict[str, Any],
    program: Program | TreemipError,
    path: str | Path,
    data: str | Path | None,
    tree: Tree,
) -> tuple[Data | None, tuple[Path | None, str | None], list[Diagnostic]]:
    """The data as the tree encodes them, the file they are in and its separator.

    None where they cannot be read or are encoded in another way, with the reasons.
    """
    nowhere = None, None
    if isinstance(program, TreemipError):
        return None, nowhere, list(program.diagnostics)
    try:
        spec = program.spec.data
        if spec is None or (said["spec"]["from_memory"] is not False and data is None):
            return None, nowhere, []
        spec = data_asked(program, path, data)
        loaded = load_table(spec, program.base)
        if loaded.encoder != tree.encoder:
            message = "the data are encoded in another way than the tree: points are not shown"
            return None, nowhere, [Diagnostic.outside("E701", message)]
        return loaded, (program.base / spec.path, spec.separator), []
    except TreemipError as error:
        return None, nowhere, list(error.diagnostics)


def _text_of(said: dict[str, Any]) -> str:
    spec = said.get("spec")
    return str(spec.get("text", "")) if isinstance(spec, dict) else ""


def _mathematics(program: Program | TreemipError) -> str:
    if isinstance(program, TreemipError):
        return ""
    try:
        return mathematics(program.spec)
    except TreemipError:
        return ""


# ----------------------------------------------------------------- what is known


def _verdict(said: dict[str, Any], again: Reverified | None) -> list[Row]:
    if again is not None:
        proof = again.optimality.text(again.verdict) if again.optimality else "no proof is recorded"
        rows: list[Row] = [("verdict", f"{again.verdict}, checked again for this page")]
        rows += [("", each) for each in (*again.reservations, *again.problems)]
    else:
        rows = [("verdict", f"{said.get('verdict') or 'not known'}, as the file records")]
        optimality = optimality_of(said) if isinstance(said.get("optimality"), dict) else None
        proof = optimality.text(said["verdict"]) if optimality and said.get("verdict") else ""
    rows += [("optimality", proof)] if proof else []
    for name in ("status", "objective", "bound", "gap"):
        value = said.get(name)
        if value is not None:
            share = name == "gap" and is_number(value)
            text = f"{100 * value:.4g} %" if share else _number(value)
            rows.append((name, text.replace("_", " ")))
    solver = f"{said.get('solver', '')} {said.get('solver_version', '')}".strip()
    return [*rows, ("solver", solver)]


def _provenance(said: dict[str, Any], path: str | Path) -> list[Row]:
    spec = said["spec"] if isinstance(said.get("spec"), dict) else {}
    rows: list[Row] = [("tree", Path(path).name), ("spec", Path(str(spec.get("name", ""))).name)]
    parameters = spec.get("parameters")
    if isinstance(parameters, dict):
        rows += [("parameter", f"{name} = {value}") for name, value in parameters.items()]
    rows += [
        (title, str(value))
        for title, value in (
            ("SHA-256 of the spec", spec.get("sha256")),
            ("SHA-256 of the data", spec.get("data_sha256")),
            ("SHA-256 of the tree's file", said.get("checksum")),
            ("format", said.get("format")),
        )
        if value is not None
    ]
    seconds = said.get("seconds")
    if isinstance(seconds, dict):
        rows += [(f"seconds: {stage}", _number(value)) for stage, value in seconds.items()]
    if said.get("time_limit") is not None:
        rows.append(("time limit", f"{_number(said['time_limit'])} s"))
    warnings = said.get("warnings")
    if isinstance(warnings, list):
        rows += [("warning", str(w.get("message", ""))) for w in warnings if isinstance(w, dict)]
    return [tuple(visible(cell) for cell in row) for row in rows]


def _number(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)


# ------------------------------------------------------------------------ scores


def _recorded_parts(said: dict[str, Any]) -> list[Part]:
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
class _Own:
    """The spec's own objective and measures of the tree. words: what they are recomputed from, or
    the error that says why they cannot be."""

    spec: Spec
    tree: Tree
    words: Words | TreemipError

    def on(self, table: Table) -> OfSpec:
        if isinstance(self.words, TreemipError):
            return OfSpec.unknown(self.spec, self.words)
        return self.words.on(self.tree, table)


def _own(
    said: dict[str, Any],
    program: Program | TreemipError,
    path: str | Path,
    tree: Tree,
    data: Data,
) -> _Own | None:
    """None where the file does not say what its spec is."""
    if isinstance(program, TreemipError):
        return None
    try:
        return _Own(program.spec, tree, words_for(said, tree, program, path, data.train, data))
    except TreemipError as error:
        return _Own(program.spec, tree, error)


def _parts(tree: Tree, data: Data, own: _Own | None) -> list[Part]:
    parts = [("training", data.train)] + ([("test", data.test)] if data.test else [])
    return [_part(name, _score(tree, each, own), _groups(tree, each)) for name, each in parts]


def _score(tree: Tree, table: Table, own: _Own | None) -> AnyScore:
    """With the spec's objective and measures, where the file says what the spec is."""
    found = score_of(tree, table)
    return found if own is None else with_spec(found, *own.on(table))


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
    return Part(name, (*rows, *used), (), ())


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
