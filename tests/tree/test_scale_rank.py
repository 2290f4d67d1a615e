"""`scale rank`, from the data block to a tree in other languages."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from converted_trees import as_rows, random_tree, rows_for
from run_programs import c_answers, module_of, onnx_answers, selected
from spoken_rules import as_rules_speak, holding

import treemip
from treemip.answers.starts.foreign_splits import Missing, SpecInputs, inputs_of
from treemip.core.source.diagnostic import TreemipError
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.rules import rules

SCALING = "scale rank"
OUTLIERS = "income,class\n" + "".join(
    f"{value},{'high' if value > 30 else 'low'}\n" for value in (10, 20, 30, 40, 50, 1e6)
)


def program(settings: str) -> treemip.Program:
    rows = [line.split(",") for line in OUTLIERS.split()[1:]]
    columns = {"income": [float(a) for a, _ in rows], "class": [b for _, b in rows]}
    text = (
        f'data "t" {{ label class; {settings}; }} topology complete(depth = 1); '
        "split oblique by soct(eps = 0.1); minimize misclassified;"
    )
    return treemip.loads(text, data={k: np.array(v, object) for k, v in columns.items()})


def test_an_outlier_leaves_room_for_a_distance() -> None:
    """Under minmax all but one point lie within 0.00004, where no split has the distance 0.1."""
    result = program(SCALING).compile().solve(time_limit=60)
    assert (result.objective, result.verified) == (0, True)
    assert result.tree.features == ("income (rank)",)
    assert result.tree.drawn().splitlines()[1].startswith("├─ income ≤ 35: ")
    assert program("scale minmax").compile().solve(time_limit=60).objective == 2


@pytest.mark.parametrize("seed", range(3))
def test_other_languages_route_as_the_tree_does(seed: int, tmp_path: Path) -> None:
    tree = random_tree("univariate", SCALING, seed)
    rows = rows_for(tree, 300, seed)
    expected = tree.predict(rows).tolist()
    predict = module_of(tree)["predict"]
    assert [predict(row) for row in as_rows(rows)] == expected
    assert [row["prediction"] for row in selected(tree, rows)] == expected
    text = rules(raw_tree(tree))
    assert [holding(text, row) for row in as_rules_speak(tree, rows)] == [[k] for k in expected]
    assert onnx_answers(tree, rows)[0].tolist() == expected
    if shutil.which("gcc"):
        assert c_answers(tree, rows, tmp_path) == expected


@pytest.mark.parametrize("target", ["python", "sql", "rules", "c", "rust"])
def test_a_sum_over_ranks_is_refused(target: str) -> None:
    tree = random_tree("oblique", SCALING, 0)
    assert "(rank)" in tree.drawn() and "by rank among" in tree.drawn()
    with pytest.raises(TreemipError, match="a sum has a column of  scale rank;"):
        tree.to_text(target)
    with pytest.raises(TreemipError, match="a sum has a column of  scale rank;"):
        tree.to_onnx()


def test_a_threshold_of_another_tree_goes_through_the_raw_unit() -> None:
    scaled, ranked = (
        program(settings).compile().instance.table for settings in ("scale minmax", SCALING)
    )
    encoders = [program(s).data.encoder for s in ("scale minmax", SCALING)]
    split = SpecInputs(encoders[1]).split(inputs_of(encoders[0]), np.ones(1), 2.5e-5)
    assert ((scaled.x @ [1.0] <= 2.5e-5) == (ranked.x @ split.weights <= split.threshold)).all()
    with pytest.raises(Missing):
        SpecInputs(encoders[1])._affine(inputs_of(encoders[0])[0])
