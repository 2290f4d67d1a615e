"""A spec's own lets without indices: on both parts, in tree.json, verified, shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answering_specs import CONSTANT_L1, DRUGS, PRICE, TREATMENTS, X
from json_schema import faults

import treemip
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.saved_scores import recorded_scores
from treemip.api.store import checksum
from treemip.cli.trees import shown
from treemip.core.tree.score import ChoiceScore, ValueScore
from treemip.core.tree.score_text import lines_of

LETS = """
let given_one = sum {i in points, l in leaves} routed_one[i,l];
let routed_one {i in points, l in leaves} = reach[i,l] * give[l,"one"];
let best  = max {i in points} effect[i];
let ratio = 1 / (given_one - given_one);
let whole = sum {i in points, l in leaves} unseen[i,l];
var unseen {i in points, l in leaves} >= 0, <= 1;
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measures")
    columns = {name: values * 2 for name, values in DRUGS.items()}
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (folder / "t").write_text("\n".join([",".join(columns), *rows]) + "\n")
    text = TREATMENTS.replace("use a, b;", "use a, b; train 0.5 seed 1;")
    (folder / "t.tree").write_text(text.replace("predict class", LETS + "\npredict class"))
    return folder


@pytest.fixture(scope="module")
def result(there: Path) -> Result:
    found = treemip.load(there / "t.tree").compile().solve("highs")
    found.save(there / "t.json")
    return found


def ones(result: Result, part: Any) -> int:
    assert result.tree is not None
    return int((np.array(result.tree.predict_numbers(part.inputs)) == 0).sum())


def test_numbers_on_both_parts(result: Result) -> None:
    """`routed_one` has indices, `ratio` is not finite, and nothing says what `unseen` is."""
    data = result.compiled.instance.data
    assert data is not None
    for score, part in ((result.train_score, data.train), (result.test_score, data.test)):
        assert isinstance(score, ChoiceScore) and part is not None
        best = float(part.numbers["effect"].max())
        assert score.measures == {"given_one": ones(result, part), "best": best}


def test_they_are_saved_and_verified_again(result: Result, there: Path) -> None:
    document = json.loads((there / "t.json").read_text())
    assert list(faults(document)) == []
    assert reverify(there / "t.json").verdict == "verified"
    saved = recorded_scores(there / "t.json")
    assert saved["training"].to_json() == result.train_score.to_json()  # type: ignore[union-attr]

    document["scores"]["test"]["measures"]["given_one"] += 1
    document["checksum"] = checksum(document)
    (there / "changed.json").write_text(json.dumps(document))
    problems = reverify(there / "changed.json").problems
    assert problems[0].startswith("scores.test.measures.given_one is ")


@pytest.mark.parametrize("damage", [[], 3, {"best": "high"}, {"best": None}])
def test_damaged_measures_are_refused(damage: object, result: Result, there: Path) -> None:
    document = json.loads((there / "t.json").read_text())
    document["scores"]["training"]["measures"] = damage
    document["checksum"] = checksum(document)
    (there / "damaged.json").write_text(json.dumps(document))
    with pytest.raises(treemip.TreemipError, match="its scores are missing or damaged"):
        recorded_scores(there / "damaged.json")


def test_they_are_shown(result: Result) -> None:
    score = result.test_score
    assert isinstance(score, ChoiceScore)
    best, one = score.measures["best"], score.measures["given_one"]
    assert lines_of("test", score)[-4:] == [
        ("test given_one", f"{one:g}"),
        ("test best", f"{best:g}"),
        ("test ratio", "left out: a division by zero"),
        ("test whole", "left out: 'unseen' has no meaning on the tree"),
    ]
    lines = shown(score).splitlines()
    assert f"best                 {best:g}" in lines
    assert "ratio                left out: a division by zero" in lines


def test_trees_of_values_have_them_too() -> None:
    text = CONSTANT_L1 + "let most = max {i in points} predicted[i];\n"
    result = treemip.loads(text, (X, PRICE)).compile().solve("highs")
    score = result.train_score
    assert isinstance(score, ValueScore) and result.tree is not None
    assert score.measures == {"most": pytest.approx(max(result.tree.predict(X)))}
