"""What leaves answer, drawn, scored and compared, on trees made by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from converted_trees import answering, random_tree, rows_for
from drawn_trees import NAMES, tree

from treemip.core.tree.answers import Answer, ClassAnswer, DistributionAnswer, ValueAnswer
from treemip.core.tree.from_values import other_nodes
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import ChoiceScore, Score, ValueScore, score, score_of_json
from treemip.core.tree.tree import Tree

LEAVES = {4: 0, 5: 1, 6: 0, 7: 0}


def three_splits() -> Tree:
    """Leaves 6 and 7 may answer the same."""
    splits = {1: ({"length": 1.0}, 0.5), 2: ({"width": 1.0}, 0.5), 3: ({"width": 1.0}, 0.25)}
    return tree(splits, LEAVES)


def values(*leaves: float, slopes: dict[int, dict[str, float]] | None = None) -> Tree:
    base, table = np.zeros(7), np.zeros((7, len(NAMES)))
    base[3:] = leaves
    for node, named in (slopes or {}).items():
        for name, slope in named.items():
            table[node - 1, NAMES.index(name)] = slope
    return replace(three_splits(), answer=ValueAnswer(base, table, len(NAMES)))


def shares(*leaves: float) -> Tree:
    table = np.zeros((7, 2))
    table[3:] = [[share, 1 - share] for share in leaves]
    first = three_splits()
    answer = DistributionAnswer.over(table, first.topology.is_leaf, first.classes)
    return replace(first, answer=answer)


def choices(*leaves: int) -> Tree:
    answer = ClassAnswer(np.array([-1, -1, -1, *leaves]), ("one", "two"), of="drug")
    return replace(three_splits(), answer=answer)


def test_equal_values_are_one_leaf_and_unlike_ones_never() -> None:
    drawn = """\
every point
├─ length ≤ 3.5
│  ├─ width ≤ 2.25: 1.5
│  └─ width > 2.25: 2
└─ length > 3.5: 3  (2 leaves)"""
    assert str(values(1.5, 2.0, 3.0, 3.0)) == drawn
    assert "leaves" not in str(values(1.5, 2.0, 3.0, 3.0 + 1e-15))
    assert "leaves" not in str(values(1.5, 2.0, 3.0, 3.0, slopes={7: {"width": 1e-12}}))


def test_leaves_of_one_class_and_unlike_shares_are_two() -> None:
    assert "no 0.75, yes 0.25  (2 leaves)" in str(shares(1.0, 0.0, 0.75, 0.75))
    assert "leaves" not in str(shares(1.0, 0.0, 0.75, 0.7))


def test_a_picture_has_every_addend_of_a_value_on_its_own_line() -> None:
    one = values(1.0, 2.0, 3.0, -4.25, slopes={4: {"length": 0.5, "width": -1.0}})
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", one.to_svg())
    assert str(one).splitlines()[2].split("≤ 2.25: ")[1] == "0.1 length - 2 width + 4.9"
    at = texts.index("-2 width")  # the steepest on the scaled columns comes first
    assert texts[at : at + 3] == ["-2 width", "+ 0.1 length", "+ 4.9"]
    assert {"2", "3", "-4.25"} <= set(texts)


def test_linear_values_are_drawn_in_raw_units() -> None:
    """2 + 2 (length - 1) / 5 - (width - 2) / 0.5, and a category counts as it is encoded."""
    slopes = {5: {"length": 2.0, "width": -1.0}, 6: {"colour=red": 0.5, "length": -5.0}}
    drawn = str(values(1.0, 2.0, 3.0, 4.0, slopes=slopes)).splitlines()
    assert drawn[3] == "│  └─ width > 2.25: 0.4 length - 2 width + 5.6"
    assert drawn[5] == "   ├─ width ≤ 2.125: -length + 0.5 colour=red + 4"


@pytest.mark.parametrize(
    ("answering_tree", "texts"),
    [
        (values(1.5, -2.25, 3.0, 4.125), ["1.5", "-2.25", "3", "4.125"]),
        (shares(1.0, 0.0, 0.75, 0.6), ["no: 75 %", "yes: 25 %", "no: 60 %"]),
        (choices(0, 1, 0, 1), ["one", "two"]),
    ],
)
def test_pictures_have_the_answers_and_the_points(answering_tree: Tree, texts: list[str]) -> None:
    counts = np.zeros((7, max(1, len(answering_tree.count_names))), np.int64)
    counts[3:, 0] = [40, 1, 0, 7]
    one = replace(answering_tree, counts=counts)
    for picture in (one.to_svg(), one.to_html()):
        for text in [*texts, "40 points", "1 point", "no point"]:
            assert f">{text}" in picture or f" {text}" in picture
    dot = one.to_dot()
    assert all(text.replace(" %", "").split(": ")[0] in dot for text in texts)
    assert "40 points" in dot and "40 points" in str(one)


def test_a_tree_of_values_has_no_classes() -> None:
    one = values(1.0, 2.0, 3.0, 4.0)
    x = np.zeros((2, len(NAMES)))
    assert one.values(x).tolist() == one.answers(x).tolist() == [1.0, 1.0]
    for asked in (lambda: one.leaf_class, lambda: one.predict_numbers(x), lambda: one.distribution):
        with pytest.raises(TypeError, match="predict values, not classes"):
            asked()
    with pytest.raises(TypeError, match="predict classes, not values"):
        three_splits().values(x)
    assert (one.classes, one.count_names) == ((), ())


def test_randomized_trees_predict_the_expected_value() -> None:
    for how in ("constants", "linear"):
        one = answering(random_tree("randomized", "scale minmax", 1), how, 1)
        assert isinstance(one, RandomizedTree)
        x = one.encode(rows_for(one, 40, 1))
        passed, answer = one.path(x), one.value_answer
        expected = [
            sum(
                p[leaf] * (answer.base[leaf] + (answer.slopes[leaf] * row).sum())
                for leaf in one.topology.leaves
            )
            for p, row in zip(passed, x, strict=True)
        ]
        assert np.allclose(one.values(x), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "changed", [values(1.0, 2.0, 3.0, 4.1), shares(1, 0, 0, 0), choices(0, 1, 0, 0)]
)
def test_other_answers_are_found_node_by_node(changed: Tree) -> None:
    kinds: dict[str, Answer] = {
        "value": values(1.0, 2.0, 3.0, 4.0).answer,
        "distribution": shares(1, 0, 0, 0.5).answer,
        "class": choices(0, 1, 0, 1).answer,
    }
    other = replace(changed, answer=kinds[changed.answer.kind])
    assert changed.topology.heap[other_nodes(changed, other)].tolist() == [7]
    assert other_nodes(changed, three_splits()).sum() >= 4  # another kind is another tree


def test_values_are_scored_beside_the_best_constant() -> None:
    one = values(1.0, 2.0, 3.0, 4.0)
    x = np.zeros((4, len(NAMES)))
    y = np.array([0.0, 1.0, 3.0, 4.0])
    found = score(one, x, y)
    assert isinstance(found, ValueScore)
    assert (found.mse, found.mae, found.mse_of_mean) == (3.5, 1.5, 2.5)
    assert found.r2 == pytest.approx(1 - 3.5 / 2.5)
    assert score_of_json(json.loads(json.dumps(found.to_json()))) == found
    without = score(one, x, np.zeros(4, np.int64))
    assert isinstance(without, ValueScore) and without.mse is None and without.r2 is None
    equal = score(one, x, np.ones(4))
    assert isinstance(equal, ValueScore) and (equal.mse, equal.r2) == (0.0, None)


def test_measures_beyond_the_doubles_are_none() -> None:
    found = score(values(1e200, 2.0, 3.0, 4.0), np.zeros((2, len(NAMES))), np.array([0.0, 1.0]))
    assert isinstance(found, ValueScore)
    assert (found.mse, found.mae, found.mse_of_mean, found.r2) == (None, 1e200, 0.25, None)
    json.dumps(found.to_json(), allow_nan=False)


def test_shares_have_log_loss_and_brier_score() -> None:
    x = np.zeros((2, len(NAMES)))
    found = score(shares(0.75, 0, 0, 0), x, np.array([0, 1]))
    assert isinstance(found, Score) and found.errors == 1
    assert found.log_loss == pytest.approx(-(np.log(0.75) + np.log(0.25)) / 2)
    assert found.brier == pytest.approx((2 * 0.25**2 + 2 * 0.75**2) / 2)
    again = score_of_json(json.loads(json.dumps(found.to_json())))
    assert isinstance(again, Score) and again.brier == found.brier
    certain = score(shares(1.0, 0, 0, 0), x, np.array([0, 1]))
    assert isinstance(certain, Score) and certain.log_loss == pytest.approx(52 * np.log(2) / 2)


def test_choices_are_counted() -> None:
    found = score(choices(1, 0, 0, 0), np.zeros((3, len(NAMES))), np.zeros(3, np.int64))
    assert isinstance(found, ChoiceScore)
    assert (found.points, found.chosen.tolist(), found.objective) == (3, [0, 3], None)
    again = score_of_json(json.loads(json.dumps(replace(found, objective=2.5).to_json())))
    assert isinstance(again, ChoiceScore) and again.objective == 2.5


def test_points_without_classes_are_counted_in_one_column() -> None:
    one = values(1.0, 2.0, 3.0, 4.0)
    counts = one.counts_of(np.zeros((3, len(NAMES))), np.array([0.5, 1.5, 2.5]))
    assert counts.tolist() == [[0], [0], [0], [3], [0], [0], [0]]
    saved = replace(one, counts=counts).to_json()
    assert [node["points"] for node in saved["nodes"][3:]] == [3, 0, 0, 0]


def test_the_usual_answer_is_left_out() -> None:
    saved = three_splits().to_json()
    assert "answer" not in saved
    assert isinstance(Tree.from_json(saved).answer, ClassAnswer)
    assert saved["nodes"][3]["class"] == "no"
