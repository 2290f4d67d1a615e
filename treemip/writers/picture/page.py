"""A page with a tree's picture, which can be moved, enlarged and walked by keys, its leaves as a
table, and the tree as text for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treemip.core.tree.tree import Tree
from treemip.writers.picture.boxes import Names, names_of
from treemip.writers.picture.contents import Leaf, Split, contents, shown, splits_of
from treemip.writers.picture.drawing import drawing
from treemip.writers.picture.leaf_boxes import leaf_title, order_of, outcome_text, percent
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.style import PLAIN, Style
from treemip.writers.picture.svg import printable, svg

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATES = Path(__file__).parent / "templates"

BROAD = 900.0
"""Width in px of a picture beyond which it is printed on a page across."""


class Row(NamedTuple):
    """A leaf of the table. rule: what holds on the way to it. rest: what its points show."""

    number: str
    rule: tuple[str, ...]
    answer: str
    points: str
    rest: str


def page(tree: Tree, counts: np.ndarray | None = None, style: Style = PLAIN) -> str:
    """One file of HTML that needs no network."""
    scene, root = scene_of(tree, counts, style), contents(tree, counts, style)
    scale = scene.shown[0] / scene.width
    weights = [
        {
            "heap": s.heap,
            "sides": s.sides,
            "rows": [(t.feature, style.number(t.weight)) for t in s.terms],
        }
        for s in splits_of(root)
        if s.terms
    ]
    text: str = _template().render(
        language=style.language,
        title=_title(tree, style),
        keys=style.say("keys"),
        say=style.say,
        root=[round(place * scale, 1) for place in scene.root],
        high=round(scene.shown[1]) + 2,
        broad=scene.width > BROAD,
        picture=svg(scene),
        leaves=list(_rows(root, (), names_of(tree), style)),
        weights=weights,
        text=drawing(tree, counts, replace(style, title="", note="")),
        script=(TEMPLATES / "moving.js").read_text(encoding="utf-8"),
    )
    return text


def _title(tree: Tree, style: Style) -> str:
    if style.title:
        return shown(style.title)
    spec, data = ("", "") if tree.spec is None else tree.spec.names()
    return shown(heading((spec if tree.name == Tree.name else tree.name, data), style))


def heading(names: tuple[str, str], style: Style = PLAIN) -> str:
    """`credit, learned from credit.csv`, from the names of spec and data; "" of what has none."""
    spec, data = names
    if not data:
        return spec or style.say("title")
    learned = f"{style.say('learned from')} {data}"
    return f"{spec}, {learned}" if spec else f"{style.say('title')} {learned}"


def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    strict: dict[str, Any] = {"undefined": StrictUndefined, "autoescape": True, "finalize": _clean}
    environment = Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, **strict)
    return environment.get_template("page.html")


def _clean(value: object) -> object:
    """A value of the template, texts without what HTML has no way to write; markup as it is."""
    return printable(value) if type(value) is str else value


def _rows(node: Split | Leaf, rule: tuple[str, ...], names: Names, style: Style) -> Iterator[Row]:
    if isinstance(node, Split):
        for child, side in zip((node.left, node.right), node.conditions, strict=True):
            yield from _rows(child, (*rule, side), names, style)
        return
    answer = leaf_title(node, names, style).split(": ", 1)[1].split("; ")[0]
    total = None if node.counts is None else int(node.counts.sum())
    rest = [] if node.outcome is None else [outcome_text(node.outcome, names, style)]
    if node.chances is not None:
        chances = (
            f"{names.classes[k]}: {node.chances[k]:.3g}" for k in order_of(node.chances, 5e-4)
        )
        rest.append(", ".join(chances))
    if total and node.counts is not None and names.counted:
        counted = ((names.classes[k], node.counts[k]) for k in order_of(node.counts, 0.5))
        rest.append(
            ", ".join(f"{name}: {count} ({percent(count, total)})" for name, count in counted)
        )
    heap = ", ".join(map(str, node.heap))
    yield Row(heap, rule, answer, "" if total is None else str(total), "; ".join(rest))
