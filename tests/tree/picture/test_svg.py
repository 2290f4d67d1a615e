"""Whole pictures of each kind of tree, and what every picture must have."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from kinds_of_trees import KINDS, categories, hostile, oblique, randomized, univariate

from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree
from treemip.writers.picture.page import page
from treemip.writers.picture.scene import scene_of
from treemip.writers.picture.shapes import PALETTE, colour, fitted, text_width, wrapped
from treemip.writers.picture.svg import svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str, node: str) -> list[str]:
    """The lines of text that a node shows."""
    root = ElementTree.fromstring(picture)
    (group,) = (g for g in root.iter(f"{SVG}g") if g.get("data-node") == node)
    return [text.text for text in group.iter(f"{SVG}text")]


def titles(picture: str) -> dict[str, str]:
    root = ElementTree.fromstring(picture)
    return {g.get("data-node"): g.find(f"{SVG}title").text for g in root.iter(f"{SVG}g")}


@pytest.mark.parametrize("kind", KINDS)
def test_whole_pictures(golden, kind):
    tree = KINDS[kind]()
    golden(f"goldens/{kind}.svg", tree.to_svg())
    golden(f"goldens/{kind}.dot", tree.to_dot())
    golden(f"goldens/{kind}.txt", f"{tree}\n")


def test_leaves_show_their_points():
    picture = univariate().to_svg()
    assert texts(picture, "4") == ["no", "42 points", "no: 40 (95 %)", "perhaps: 2 (5 %)"]
    assert texts(picture, "5") == ["yes", "1 point", "yes: 1 (100 %)"]
    assert texts(picture, "6")[:3] == ["perhaps", "25 points", "perhaps: 17 (68 %)"]
    assert texts(picture, "7") == ["no", "no point"]
    assert titles(picture)["4"] == "leaf 4: no; 42 points: 40 no, 2 perhaps"


def conditions(picture: str) -> list[str]:
    """What stands above nodes, a line each, and legend and title."""
    root = ElementTree.fromstring(picture)
    return [text.text for text in root.findall(f"{SVG}text")]


def test_each_edge_says_its_own_condition_in_raw_units():
    picture = univariate().to_svg()
    assert texts(picture, "1") == ["length", "68 points"]
    assert conditions(picture)[:6] == [
        *("length < 2.45", "length ≥ 2.45", "colour is blue or green", "colour is red"),
        *("age ≥ 30", "age < 30"),
    ]
    towns = " ".join(conditions(categories().to_svg()))
    assert towns.startswith("town is town 0 or town 5 town is not town 0 or town 5 town is town 1,")
    assert "town is town 11 or any other value" in towns


def test_lines_are_as_wide_as_points_are_many():
    line = re.compile(r'<line [^>]*stroke="#8c8c8c"[^>]*stroke-width="([\d.]+)"')
    widths = [float(width) for width in line.findall(univariate().to_svg())]
    shares = np.array([43, 25, 42, 1, 25, 0]) / 68
    assert widths == pytest.approx(1.2 + 7.8 * shares, abs=0.06)
    assert not line.findall(replace(univariate(), counts=None).to_svg().replace('"1.2"', ""))


def test_oblique_splits_show_the_largest_effects_first():
    picture = oblique().to_svg()
    lines = ["-2 width", "0.1 length", "0.01 weight", "68 points"]
    assert texts(picture, "1") == ["weighted sum", *lines]
    assert conditions(picture)[:2] == ["sum ≤ -4.65", "sum > -4.65"]
    assert titles(picture)["1"] == "-2 width + 0.1 length + 0.01 weight ≤ -4.65"


def test_of_many_weights_the_largest_are_named_and_the_others_have_bars():
    many = wide().to_svg()
    assert "and 13 more" in texts(many, "1")
    bar = re.compile(r'<rect [^>]*fill="(#0072B2|#D55E00)"/>')
    assert len(bar.findall(many)) == 20
    assert titles(many)["1"].count("f") == 20


def wide() -> Tree:
    """A split of 20 features."""
    tree = univariate()
    features = tuple(f"f{k}" for k in range(20))
    weights = np.zeros((7, 20))
    weights[0] = np.linspace(-1, 1, 20)
    threshold = np.array([0.5, 1, 1, 0, 0, 0, 0])
    return replace(tree, weights=weights, threshold=threshold, features=features, encoder=None)


def test_randomized_splits_and_leaves_show_probabilities():
    picture = randomized().to_svg()
    lines = ["left with probability", "logistic(", "8 length", "-7 width", "- 6 )", "68 points"]
    assert texts(picture, "1") == lines
    assert texts(picture, "3")[0] == "left with probability 0.73106"
    assert texts(picture, "5")[1:] == ["most probable for 1 point", "yes: 75 %", "no: 25 %"]


def test_counts_are_left_out_where_they_are_not_known():
    picture = replace(univariate(), counts=None).to_svg()
    assert texts(picture, "4") == ["no"]


def test_a_tree_of_one_leaf_is_one_box():
    one = univariate()
    tree = replace(one, answer=ClassAnswer(np.array([-1, -1, -1, 1, 1, 1, 1]), one.classes))
    picture = tree.to_svg()
    assert list(titles(picture)) == ["4 5 6 7"]
    assert texts(picture, "4 5 6 7")[:2] == ["perhaps", "68 points, 4 leaves"]
    assert "<line" not in picture


def test_given_counts_take_the_place_of_the_training_points():
    counts = np.zeros((7, 3), np.int64)
    counts[3, 2] = 9
    assert texts(univariate().to_svg(counts), "4") == ["no", "9 points", "yes: 9 (100 %)"]


@pytest.mark.parametrize("make", [svg, page], ids=["svg", "page"])
def test_hostile_names_are_text(make):
    tree = hostile()
    text = svg(scene_of(tree)) if make is svg else page(tree)
    text = text.replace('<script>\n"use strict"', "", 1)  # the page's own
    assert not re.search(r"<script|<b |\x1b|\ufffe|\u202e", text)
    root = ElementTree.fromstring(svg(scene_of(tree)))
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert names == {"svg", "title", "rect", "line", "g", "text"}
    assert "<script>alert" in titles(tree.to_svg())["1"]


def test_long_names_are_short_in_the_picture_and_whole_in_the_title():
    picture = hostile().to_svg()
    (line,) = (t for t in texts(picture, "2") if "w" in t)
    assert "…" in line and len(line) < 40
    assert "w" * 90 in titles(picture)["2"]


def test_nodes_link_where_links_are_wanted():
    picture = svg(scene_of(univariate()), link="#node-")
    root = ElementTree.fromstring(picture)
    assert [a.get("href") for a in root.iter(f"{SVG}a")] == [
        *("#node-1", "#node-2", "#node-4", "#node-5", "#node-3", "#node-6", "#node-7"),
    ]


def test_a_class_has_one_colour_everywhere_and_no_two_classes_share_one():
    assert len({colour(k) for k in range(3 * len(PALETTE))}) == 3 * len(PALETTE)
    key = r'<rect[^>]*height="9"[^>]*fill="(#[0-9A-F]{6})"[^>]*/>\n<text[^>]*>(\w+):'
    for picture in (univariate().to_svg(), randomized().to_svg()):
        keys = re.findall(key, picture)
        assert len(keys) >= 6
        assert all(fill == colour(("no", "perhaps", "yes").index(name)) for fill, name in keys)


def test_text_is_fitted_into_its_width():
    assert fitted("short", 100, 13) == "short"
    for text in ("x" * 500, "東京" * 200, "a b " * 99, "W"):
        assert text_width(fitted(text, 80, 13), 13) <= 80
        assert all(text_width(line, 13) <= 80 for line in wrapped(text, 80, 13))
