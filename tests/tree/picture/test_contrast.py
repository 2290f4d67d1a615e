"""Every text of a picture can be told from what it stands on, by WCAG AA: 4.5 to 1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from contrast import LEAST, faint_in_svg, ratio
from kinds_of_trees import KINDS
from test_leaves import spreads, valued

import treemip
from treemip.study.life.diff_picture import MARKS
from treemip.writers.pages.highlight import COLOURS, highlighted
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.style import PALETTES
from treemip.writers.picture.svg import svg
from treemip.writers.picture.two_trees import Side, two_trees

CSS = Path(treemip.__file__).parent / "study" / "playground" / "assets" / "playground.css"
DRAWN = re.compile(r'\.picture \[fill="(#\w+)"\] \{ fill: var\((--\w+)\); \}')
PICTURES = {**KINDS, "valued": lambda: valued(spreads())}


def test_the_ratio_is_that_of_wcag() -> None:
    assert ratio("#000", "#ffffff") == ratio("#ffffff", "#000000") == pytest.approx(21)
    assert ratio("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    faint = '<svg xmlns="{}"><rect width="9" height="9" fill="#777777"/>{}</svg>'
    text = '<text x="2" y="8" fill="#ffffff">pale</text>'
    assert list(faint_in_svg(faint.format("http://www.w3.org/2000/svg", text))) == [
        "'pale': #ffffff on #777777, 4.48"
    ]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("kind", PICTURES)
def test_pictures(kind: str, palette: str) -> None:
    picture = PICTURES[kind]().to_svg(palette=palette, title="T", note="N")
    assert list(faint_in_svg(picture)) == []


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_by_day_and_by_night_in_the_playground(kind: str) -> None:
    css = CSS.read_text(encoding="utf-8")
    names, picture = dict(DRAWN.findall(css)), PICTURES[kind]().to_svg()
    assert set(re.findall(r'<text[^>]* fill="(#\w+)"', picture)) <= set(names)
    day, night = (
        dict(re.findall(r"(--\w+): (#\w+);", part))
        for part in css.split("* {", 1)[0].split("@media")
    )
    for colours in (day, night):
        own = {fill: colours[name] for fill, name in names.items()}
        assert list(faint_in_svg(picture, lambda fill, own=own: own.get(fill, fill))) == []


def test_two_trees_and_texts_of_the_language() -> None:
    scene = scene_of(KINDS["univariate"]())
    for mark in MARKS.values():
        side = Side(scene, "old: tree.json", dict.fromkeys(range(1, 8), mark))
        assert list(faint_in_svg(svg(two_trees(side, side, "both")))) == []
    (ground,) = re.findall(r"background:(#\w+)", highlighted("split univariate by oct;"))
    for kind, look in COLOURS.items():
        assert ratio(re.findall(r"color:(#\w+)", look)[0], ground) >= LEAST, kind
