"""The picture by Matplotlib, and the message without it."""

from __future__ import annotations

import re
import struct
import sys

import pytest
from kinds_of_trees import KINDS, hostile, univariate

import treemip

SCENE_TEXTS = ["length < 2.45", "colour is red", "no: 40 (95 %)", "42 points", "yes", "no point"]


@pytest.mark.parametrize("kind", KINDS)
def test_png_and_pdf_of_each_kind(tmp_path, kind):
    pytest.importorskip("matplotlib")
    for suffix, head in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        path = tmp_path / f"tree{suffix}"
        treemip.plot.save(KINDS[kind](), path)
        assert path.read_bytes().startswith(head)


@pytest.mark.parametrize(
    ("size", "pixels"),
    [
        ("1200", (1200, None)),
        ("x801", (None, 801)),
        ("1601x903", (1601, 903)),
        ((457, 299), (457, 299)),
    ],
)
def test_a_png_has_the_pixels_that_are_asked_for(size, pixels, tmp_path):
    """One that is not asked for keeps the proportions of the picture."""
    pytest.importorskip("matplotlib")
    tree = univariate()
    treemip.plot.save(tree, tmp_path / "tree.png", size=size)
    wide, high = pixels_of(tmp_path / "tree.png")
    assert all(a == b for a, b in zip(pixels, (wide, high), strict=True) if a)
    if None in pixels:
        shown = re.search(r'width="([\d.]+)" height="([\d.]+)"', tree.to_svg())
        ratio = float(shown[1]) / float(shown[2])
        assert wide / high == pytest.approx(ratio, abs=ratio / min(wide, high))


def test_a_png_of_its_own_size_is_twice_as_fine(tmp_path):
    pytest.importorskip("matplotlib")
    tree = univariate()
    treemip.plot.save(tree, tmp_path / "tree.png")
    shown = re.search(r'width="([\d.]+)" height="([\d.]+)"', tree.to_svg())
    assert pixels_of(tmp_path / "tree.png") == pytest.approx(
        [2 * float(shown[1]), 2 * float(shown[2])], abs=2
    )


def test_more_pixels_than_can_be_drawn_are_refused(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(treemip.TreemipError) as caught:
        treemip.plot.save(univariate(), tmp_path / "tree.png", size="70000x100")
    assert str(caught.value) == (
        "error[E902]: the picture would have 70000 x 100 pixels\n"
        "  = help: give a size up to 65535, or write .svg"
    )


def pixels_of(path):
    """Width and height, from the head of a PNG."""
    return struct.unpack(">II", path.read_bytes()[16:24])


def test_a_figure_has_the_texts_of_the_picture():
    pytest.importorskip("matplotlib")
    shown = {text.get_text() for text in univariate().plot().texts}
    assert shown.issuperset(SCENE_TEXTS)


def test_a_tree_is_drawn_into_given_axes():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    axes = Figure(figsize=(4, 3)).subplots(1, 2)
    assert univariate().plot(ax=axes[1]) is axes[1]
    assert not axes[0].texts and axes[1].texts
    assert max(text.get_fontsize() for text in axes[1].texts) < 8


def test_names_are_no_formulas(tmp_path):
    pytest.importorskip("matplotlib")
    tree = hostile()
    assert any("$x_1$" in text.get_text().replace(r"\$", "$") for text in tree.plot().texts)
    with pytest.warns(UserWarning, match="Matplotlib has no font with all letters"):
        treemip.plot.save(tree, tmp_path / "tree.png")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_a_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(treemip.TreemipError) as caught:
        treemip.plot.save(univariate(), tmp_path / "tree.png")
    (told,) = caught.value.diagnostics
    assert (told.code, told.message, told.remedy) == (
        "E602",
        "this picture needs Matplotlib",
        'pip install "matplotlib>=3.8,<4"',
    )
    assert not list(tmp_path.iterdir())


def test_what_is_no_tree_is_said_to_be_none(tmp_path):
    with pytest.raises(treemip.TreemipError, match="a dict is not a tree"):
        treemip.plot.save({}, tmp_path / "tree.svg")
    assert list(tmp_path.iterdir()) == []
