"""Two trees and what differs between them, as a picture and as a page."""

from __future__ import annotations

from pathlib import Path

from treemip.study.life.diff import Row, TreeDiff, rows_of
from treemip.writers.picture.contents import shown
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.svg import svg
from treemip.writers.picture.two_trees import Mark, Side, two_trees
from treemip.writers.render.text import templates

TEMPLATES = Path(__file__).parent / "templates"

MARKS = {
    "moved": Mark("~", "#A36100", "moved, or answers otherwise"),
    "replaced": Mark("x", "#7A3E9D", "replaced"),
    "removed": Mark("-", "#B3261E", "removed"),
    "added": Mark("+", "#00754A", "added"),
}
"""Dark enough for white signs; the sign tells them apart without the colour."""


def picture(found: TreeDiff) -> str:
    """Both trees side by side, as SVG."""
    old: dict[int, Mark] = {}
    new: dict[int, Mark] = {}
    for step in found.steps:
        if step.kind in MARKS:
            for marks, number in zip((old, new), found.numbers(step), strict=True):
                if number is not None:
                    marks[number] = MARKS[step.kind]
    sides = [
        Side(scene_of(saved.tree), f"{word}: {shown(saved.name)}", marks)
        for saved, word, marks in ((found.old, "old", old), (found.new, "new", new))
    ]
    return svg(two_trees(sides[0], sides[1], _title(found)))


def page(found: TreeDiff) -> str:
    """A page with the picture and all tables; it needs no network."""
    tables: list[tuple[str, list[Row]]] = [*rows_of(found)]
    text: str = (
        templates(TEMPLATES, autoescape=True)
        .get_template("diff.html")
        .render(title=_title(found), picture=picture(found), tables=tables)
    )
    return text


def _title(found: TreeDiff) -> str:
    return f"{shown(found.old.name)} and {shown(found.new.name)}"
