"""Leaves that answer numbers, choices and survival: what is in their boxes, and what it is of."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from kinds_of_trees import ENCODER, NAMES, univariate

from treemip.core.instance.categories import Levels
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import MinMax, OneHot
from treemip.core.instance.feature import Feature
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer, ValueAnswer
from treemip.core.tree.leaf_outcomes import STEPS, LeafOutcomes, Spread, Survival
from treemip.core.tree.tree import Tree

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str, node: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    (group,) = (g for g in root.iter(f"{SVG}g") if g.get("data-node") == node)
    return [text.text for text in group.iter(f"{SVG}text")]


def valued(outcomes: LeafOutcomes | None, **slopes: float) -> Tree:
    """The tree of the other pictures with the values 10, 20, 30 and 40."""
    base, by_input = np.zeros(7), np.zeros((7, len(NAMES)))
    base[3:] = 10, 20, 30, 40
    for name, slope in slopes.items():
        by_input[3, NAMES.index(name.replace("__", "="))] = slope
    counts = np.array([0, 0, 0, 5, 1, 3, 0])[:, None]
    answer = ValueAnswer(base, by_input, len(ENCODER.names))
    return replace(univariate(), answer=answer, counts=counts, outcomes=outcomes)


def spreads() -> LeafOutcomes:
    found = {3: Spread(5, 12.0, 2.5, (9.0, 11.0, 14.0)), 4: Spread(1, 20.0, 0.0, (20.0,) * 3)}
    return LeafOutcomes("number", "class", found)


def test_a_number_has_its_label_unit_mean_spread_and_points() -> None:
    picture = valued(spreads()).to_svg(unit="EUR")
    assert texts(picture, "4") == ["class", "10 EUR", "mean 12, sd 2.5", "5 points"]
    assert texts(picture, "7") == ["class", "40 EUR", "no point"]
    assert "middle half of the points" in picture and "Kaplan" not in picture
    (bar,) = re.findall(r'<rect x="([\d.]+)"[^>]*width="([\d.]+)" height="10"', picture)[:1]
    assert float(bar[1]) == pytest.approx(132 * 5 / (1.12 * 11), abs=0.2)  # of 9 to 20


def test_a_choice_has_the_outcome_of_each_that_was_received() -> None:
    tree = univariate()
    answer = ClassAnswer(tree.leaf_class, ("0", "1", "2"), "drug")
    leaf = {"0": Spread(3, 1.25, 0.5), "2": Spread(2, -0.5, 0.1)}
    outcomes = LeafOutcomes("choice", "outcome", {3: leaf})
    counts = tree.counts.sum(axis=1, keepdims=True)
    tree = replace(tree, answer=answer, counts=counts, outcomes=outcomes)
    lines = ["drug = 0: mean 1.25, n 3", "drug = 2: mean -0.5, n 2"]
    assert texts(tree.to_svg(), "4") == ["drug = 0", *lines, "42 points"]
    assert "for the points that received each" in tree.to_svg()
    odd = replace(outcomes, leaves={3: {"a\tb": leaf["0"]}})
    odd_answer = ClassAnswer(tree.leaf_class, ("a\tb", "c", "d"), "drug")
    named = replace(tree, answer=odd_answer, outcomes=odd)
    assert texts(named.to_svg(), "4")[1] == "a\\tb: mean 1.25, n 3"


def test_survival_has_a_curve_a_median_and_the_hazard_by_name() -> None:
    curve = tuple(np.linspace(1, 0.3, STEPS).tolist())
    found = {3: Survival(5, 2, 17.5, curve), 4: Survival(1, 1, None, (1.0,) * STEPS)}
    picture = valued(LeafOutcomes("time", "time", found, 48.0)).to_svg(unit="months")
    lines = ["hazard \N{MULTIPLICATION SIGN} 10", "0", "48 months", "median 17.5 months"]
    assert texts(picture, "4") == [*lines, "5 points, 2 events"]
    assert texts(picture, "5")[-2:] == ["median not reached", "1 point, 1 event"]
    places = re.findall(r'<polyline points="([^"]*)" fill="none" stroke="#0072B2"', picture)
    assert [len(each.split()) for each in places] == [1 + 2 * STEPS] * 2


def test_one_hot_levels_that_add_up_are_merged_into_the_constant() -> None:
    levels = Levels(("blue", "green", "red"), False)
    features = (
        Feature("length", None, None, MinMax(1.0, 6.0, 0.0, 1.0)),
        Feature("colour", levels, None, OneHot((0, 1, 2))),
    )
    encoder = Encoder(features, (), "class", levels)
    base, slopes = np.array([7.0]), np.array([[5.0, 2.0, 2.0, 3.0]])
    answer, one = ValueAnswer(base, slopes, 4), from_heap(np.array([1]))
    weights = np.zeros((1, 4))
    tree = Tree(one, weights, np.zeros(1), False, answer, encoder.input_names, encoder)
    # 7 + 5 (length - 1) / 5 + 2 (blue + green) + 3 red
    assert texts(tree.to_svg(), "1") == ["class", "length", "+ colour=red", "+ 8"]
    assert "length + colour=red + 8" in tree.to_html()
    below = tree_of_two(tree).to_svg(words={"against": "{x}: {}"})
    assert "{x}: colour=blue, colour=green" in below
    zero = replace(features[1], finish=OneHot((0, 1, 2), True))
    other = replace(tree, encoder=replace(encoder, features=(features[0], zero)))
    assert len(texts(other.to_svg(), "1")) == 6  # a colour that training had not counts 0


def tree_of_two(leaf: Tree) -> Tree:
    """A split of the first feature above twice that leaf, the second time with 1 more."""
    weights, own = np.zeros((3, 4)), leaf.value_answer
    weights[0, 0] = 1.0
    answer = ValueAnswer(own.base[[0, 0, 0]] + [0, 0, 1], own.slopes[[0, 0, 0]], 4)
    topology = from_heap(np.array([1, 2, 3]))
    return replace(leaf, topology=topology, weights=weights, threshold=np.ones(3), answer=answer)


def test_counts_of_other_points_have_no_outcomes() -> None:
    tree = valued(spreads())
    assert texts(tree.to_svg(np.full((7, 1), 2)), "4") == ["class", "10", "2 points"]
