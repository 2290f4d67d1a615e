"""Whole drawings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from drawn_trees import NAMES, stump, tree

from treemip.tree.draw import class_counts, draw


def test_whole_drawing_has_counts_and_scalings():
    drawn = tree(
        {1: ({"length": 0.5, "width": -1.0}, 0.25), 3: ({"length": 1.0}, 0.5)},
        {2: 0, 6: 1, 7: 0},
    )
    x = np.zeros((4, len(NAMES)))
    x[:, 0] = [0.0, 0.6, 0.6, 1.0]
    x[1, 1] = 1.0
    counts = class_counts(drawn, x, np.array([0, 1, 0, 0]))
    assert draw(drawn, counts) == (
        "0.5 length - width <= 0.25?\n"
        "├─ yes: no  (2 points: 1 no, 1 yes)\n"
        "└─ no:  length <= 3.5?\n"
        "   ├─ yes: yes  (no point)\n"
        "   └─ no:  no  (2 points: 2 no)\n"
        "\n"
        "scaled in splits of several features:\n"
        "  length: 1 .. 6 becomes 0 .. 1\n"
        "  width: mean 2 becomes 0, standard deviation 0.5 becomes 1"
    )
    assert str(drawn) == draw(drawn)


def test_a_name_of_several_lines_stays_on_its_line():
    split = stump({"length": 1.0}, 0.5)
    drawn = draw(replace(split, classes=("no\nno", "yes")))
    assert drawn.splitlines()[1:] == ["├─ yes: no\\nno", "└─ no:  yes"]


def test_leaves_of_one_class_are_drawn_as_one():
    drawn = tree(
        {1: ({"width": 1.0}, 0.0), 2: ({"length": 1.0, "width": 1.0}, 0.5), 5: ({}, 0.0)},
        {3: 1, 4: 0, 10: 0, 11: 1},
    )
    assert draw(drawn) == "width <= 2?\n├─ yes: no  (2 leaves)\n└─ no:  yes"
    x = np.zeros((3, len(NAMES)))
    x[:, 0], x[:, 1] = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    counts = class_counts(drawn, x, np.array([0, 1, 1]))
    assert draw(drawn, counts) == (
        "width <= 2?\n├─ yes: no  (2 points: 1 no, 1 yes; 2 leaves)\n└─ no:  yes  (1 point: 1 yes)"
    )
    one = tree({1: ({"width": 1.0}, 0.0)}, {2: 1, 3: 1})
    assert draw(one) == "yes  (2 leaves)"


def test_a_tree_without_an_encoder_is_drawn_in_its_own_numbers():
    bare = replace(stump({"length": 2.0}, 1.0), encoder=None)
    assert draw(bare) == "length <= 0.5?\n├─ yes: no\n└─ no:  yes"
