"""A saved tree with another answer of a leaf is found out when it is verified again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.valued_forms import VALUED
from reference.regression_trees import tiny
from reference.robust_trees import random_points
from test_fairness import GROUPS, random_columns
from trials import METHODS, random_trial, text_of

import treemip
from treemip.api.reverify import Reverified, reverify
from treemip.api.store import checksum

MIDDLE = {"h": list("abccbabc"), "c": list("xyxxyxxy")}
X, Y = tiny(2, 7, 2)
ROBUST, KINDS, _ = random_points(2)
NUMBERS = {"a": X[:, 0], "b": X[:, 1], "c": Y}
GRID = np.linspace(0, 1, 8)


def valued(name: str) -> dict[str, Any]:
    """A table of the formulation with two leaves worth having."""
    table = VALUED[name].table
    assert table is not None
    return dict(table(np.random.default_rng(4), VALUED[name], 2, 6).columns)


def spec(by: str, data: str = "label c number; scale minmax;", kind: str = "univariate") -> str:
    return f'data "t.csv" {{ {data} }} topology complete(depth = 1); split {kind} by {by};'


CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "categorical_odt": (spec("categorical_odt", "label c; encode keep h;"), MIDDLE, "highs"),
    "fairness": (
        spec("oct", 'label c positive "yes"; group sex, region; scale minmax;')
        + f"{GROUPS} minimize misclassified + 10 * demographic_disparity;",
        random_columns(1),
        "highs",
    ),
    "roct": (
        spec("roct(eps = 0.2)", "label c; scale minmax;"),
        {"a": ROBUST[:, 0], "b": ROBUST[:, 1], "c": [f"k{k}" for k in KINDS]},
        "highs",
    ),
    "ort": (spec("ort(min_leaf = 3)"), NUMBERS, "highs"),
    "ort_linear": (spec("ort_linear(min_leaf = 3)"), NUMBERS, "highs"),
    "sorrt": (
        spec("sorrt(gamma = 8, lambda_local = 0.01)", kind="randomized") + "strategy { starts 1; }",
        {"a": GRID, "c": 2.0 * (GRID > 0.5)},
        "auto",
    ),
    "share_trees": (
        spec("share_trees(alpha = 0)", "label c; scale minmax;"),
        {"a": [0, 0, 1, 1, 0.5], "c": list("ppqqp")},
        "scip",
    ),
    "ost_grid": (
        spec("ost_grid(steps = 4)", "label none; number time, event; scale minmax;"),
        valued("ost_grid"),
        "highs",
    ),
    **{
        f"prescriptive_{method}": (text_of(method, 1), random_trial(0), "highs")
        for method in METHODS
    },
}


def changed(folder: Path, name: str, saved_too: bool) -> tuple[int, Reverified]:
    """The last leaf of the saved tree, and what is found where it has another answer. saved_too:
    the treatment that the saved solution has is another one, too."""
    text, columns, solver = CASES[name]
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    for file in ("t.csv", "trial.csv"):
        (folder / file).write_text("\n".join([",".join(columns), *rows]) + "\n")
    path = folder / "tree.json"
    treemip.loads(text, base=folder).compile().solve(solver, time_limit=300).save(path)
    assert reverify(path).verdict == "verified"
    document = json.loads(path.read_text())
    leaf = document["tree"]["nodes"][-1]
    change(leaf, document["tree"]["classes"] if "class" in leaf else [])
    if saved_too:
        given = np.array(document["values"]["given"]).reshape(3, 2)
        given[leaf["node"] - 1] = given[leaf["node"] - 1, ::-1]
        document["values"]["given"] = given.ravel().tolist()
    document["checksum"] = checksum(document)
    path.write_text(json.dumps(document))
    return leaf["node"], reverify(path)


def change(leaf: dict[str, Any], classes: list[str]) -> None:
    if "class" in leaf:
        leaf["class"] = next(k for k in classes if k != leaf["class"])
    elif "distribution" in leaf:
        leaf["distribution"] = {"p": 0.45, "q": 0.55}
    else:
        leaf["value"] += 0.25


@pytest.mark.parametrize(
    ("name", "saved_too"),
    [*((name, False) for name in CASES), *((f"prescriptive_{m}", True) for m in METHODS)],
)
def test_it_is_found(name: str, saved_too: bool, tmp_path: Path) -> None:
    """It does not follow from the saved values, or the objective is another one."""
    if name == "sorrt":
        pytest.importorskip("casadi")
    leaf, found = changed(tmp_path, name, saved_too)
    assert found.verdict == "not verified"
    of_classes = name in ("categorical_odt", "fairness", "roct") or saved_too
    expected = f"node {leaf} of the tree does not follow from the saved values"
    expected = "the tree's objective is" if of_classes else expected
    assert any(problem.startswith(expected) for problem in found.problems), found.problems
