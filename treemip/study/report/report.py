"""A page about a saved tree that needs no network and no script: picture, counts, verdict, scores,
spec, mathematics, progress, and where the tree comes from; rows of the data only if asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from treemip import __version__
from treemip.api.learned_from import Words, words_for
from treemip.api.program import Program
from treemip.api.recorded_program import data_asked, recorded_program
from treemip.api.reverify import Reverified, reverify
from treemip.api.spec_of_tree import SavedSpec, name_of_text
from treemip.api.store import read_tree
from treemip.core.instance.encoded_table import Data
from treemip.core.instance.table import load_table
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.leaf_outcomes import outcomes_of
from treemip.core.tree.tree import Tree
from treemip.study.report.beside import comparison_rows, requirement_rows
from treemip.study.report.proof import better_tree, number, verdict_rows
from treemip.study.report.scores import OfTheSpec, parts_of, recorded_parts, scored
from treemip.writers.pages.displays import mathematics, told
from treemip.writers.pages.highlight import highlighted
from treemip.writers.pages.leaf_points import Points, nodes, read_points
from treemip.writers.pages.progress_chart import chart, read_progress
from treemip.writers.picture.contents import shown
from treemip.writers.picture.page import BROAD, heading
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.svg import svg
from treemip.writers.render.text import templates

TEMPLATES = Path(__file__).parent / "templates"

WIDEST, MARGINS, NARROW = 1184, 32, 600
"""Pixels: the largest width of a picture on the page, the margins beside it, as the template has
them, and the width up to which a window is a phone's."""

SMALLEST, SMALLEST_ON_PHONES = 0.6, 0.38
"""Scales below which a picture is not shown whole, as in `picture/templates/moving.js`."""

Row = tuple[str, ...]


def report(
    path: str | Path,
    data: str | Path | None = None,
    progress: str | Path | None = None,
    rows: bool = False,
    title: str | None = None,
) -> tuple[str, list[Diagnostic]]:
    """The page, and warnings about what it could not say.

    data: in place of the recorded data file. progress: what `solve --log-json` wrote. rows: list
    the first training rows of each node; without, the page has counts and shares only. title: the
    heading, in place of the names of spec and data. Without the data the page has what the tree's
    file records, and says so. Raises E701, E901, E902.
    """
    said, tree = read_tree(path)
    events = read_progress(progress) if progress is not None else []
    again, why_not = _verified_again(path, data)
    program = _recorded(said, path)
    loaded, place, missing = _loaded(said, program, path, data, tree)
    points, beside = None, _Beside()
    parts = recorded_parts(said)
    if loaded is not None:
        own = _own(said, program, path, tree, loaded)
        tree = _with_points(tree, loaded, own)
        points = read_points(tree, loaded.train, *place) if rows else Points(loaded.train, None)
        parts, beside = parts_of(tree, loaded, own), _beside(tree, loaded, own)
    warnings = list(again.warnings) if again is not None else []
    notes = [*why_not, *(each for each in missing if each not in why_not), *warnings]
    scene = scene_of(tree)
    text = _page(
        title=shown(title or _title(said, path)),
        version=__version__,
        picture=svg(scene, link="#node-"),
        broad=scene.width > BROAD,
        wide=round(scene.width, 1),
        fits=_fits(scene.width),
        root=round(scene.root[0] / scene.width, 4),
        drawing=str(tree),
        nodes=nodes(tree, points),
        verdict=verdict_rows(said, again),
        better=better_tree(said, again),
        notes=_without_folders(map(told, notes), (path, data or path, Path("here"))),
        parts=parts,
        requirements=beside.requirements,
        comparison=beside.comparison,
        spec=highlighted(_text_of(said)),
        mathematics=_mathematics(program),
        chart=chart(events),
        provenance=_provenance(said, path),
    )
    return text, warnings


def _fits(width: float) -> str:
    """The windows in which a picture is shown whole, as a media query of CSS."""
    phone, other = (round(scale * width) + MARGINS for scale in (SMALLEST_ON_PHONES, SMALLEST))
    queries = [f"(min-width: {phone}px) and (max-width: {NARROW}px)"]
    queries += [f"(min-width: {other}px)"] if other <= WIDEST + MARGINS else []
    return ", ".join(queries)


class _Beside(NamedTuple):
    """Tables beside the scores, () where there is nothing to say."""

    requirements: tuple[Row, ...] = ()
    comparison: tuple[Row, ...] = ()


def _beside(tree: Tree, data: Data, own: OfTheSpec | None) -> _Beside:
    """Requirements and other trees, where the points are those that the tree was learned from."""
    words = None if own is None else own.words
    if not isinstance(words, Words) or words.missing:
        return _Beside()
    requirements = requirement_rows(words, tree)
    return _Beside(requirements, comparison_rows(words, tree, data, lambda t, x: scored(t, x, own)))


def _with_points(tree: Tree, data: Data, own: OfTheSpec | None) -> Tree:
    """The tree with the points of the data in its leaves."""
    words = None if own is None else own.words
    known = isinstance(words, Words) and not words.missing
    outcomes = outcomes_of(tree, words.instance) if known and isinstance(words, Words) else None
    counts = tree.counts_of(data.train.inputs, data.train.y)
    return replace(tree, counts=counts, outcomes=outcomes)


def _title(said: dict[str, Any], path: str | Path) -> str:
    """`credit, learned from credit-24.csv`"""
    spec, data = SavedSpec(said, path).names()
    return heading((spec if spec or data else Path(path).stem, data))


def _without_folders(texts: Iterable[str], files: Iterable[str | Path]) -> list[str]:
    """Texts that name files, without the folders of these: messages say where a file was looked
    for, and the page is sent to others."""
    folders = sorted({str(Path(file).resolve().parent) for file in files}, key=len, reverse=True)
    found = list(texts)
    for folder in folders:
        found = [text.replace(f"{folder}{os.sep}", "") for text in found]
    return found


def _page(**values: Any) -> str:
    environment = templates(TEMPLATES, autoescape=True)
    environment.filters["whole_numbers"] = whole_numbers
    text: str = environment.get_template("report.html").render(**values)
    return text


NUMBER = re.compile(
    r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?:/\d+(?:\.\d+)?)?(?: ?%)?(?!\w)"
)
"""`0.00447/8`, `-1.5e-07`, `80.5 %`; not a part of a word or of a checksum."""


def whole_numbers(text: object) -> Any:
    """A cell as HTML in which no line ends within a number."""
    from markupsafe import Markup, escape

    plain, found, end = str(text), Markup(""), 0
    for match in NUMBER.finditer(plain):
        found += escape(plain[end : match.start()])
        found += Markup('<span class="number">{}</span>').format(match[0])
        end = match.end()
    return found + escape(plain[end:]) if end else plain


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


def _provenance(said: dict[str, Any], path: str | Path) -> list[Row]:
    spec = said["spec"] if isinstance(said.get("spec"), dict) else {}
    rows: list[Row] = [("tree", Path(path).name)]
    if name_of_text(str(spec.get("name") or "")):
        rows.append(("spec", Path(str(spec["name"])).name))
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
        rows += [(f"seconds: {stage}", number(value)) for stage, value in seconds.items()]
    if said.get("time_limit") is not None:
        rows.append(("time limit", f"{number(said['time_limit'])} s"))
    warnings = said.get("warnings")
    if isinstance(warnings, list):
        rows += [("warning", str(w.get("message", ""))) for w in warnings if isinstance(w, dict)]
    return [tuple(visible(cell) for cell in row) for row in rows]


def _own(
    said: dict[str, Any],
    program: Program | TreemipError,
    path: str | Path,
    tree: Tree,
    data: Data,
) -> OfTheSpec | None:
    """None where the file does not say what its spec is."""
    if isinstance(program, TreemipError):
        return None
    try:
        return OfTheSpec(program.spec, words_for(said, tree, program, path, data.train, data))
    except TreemipError as error:
        return OfTheSpec(program.spec, error)
