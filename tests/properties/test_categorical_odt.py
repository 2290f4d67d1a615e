"""Trees that ask for sets of categories (Günlük et al.): as good as the best of all there are."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError

Columns = dict[str, np.ndarray]
SHAPES = {"(. .)": (0, 0), "((. .) .)": ((0, 0), 0), "((. .) (. .))": ((0, 0), (0, 0))}


def random_columns(seed: int, classes: int = 2) -> Columns:
    """A column of 0 and 1, one of four categories and one of two; rows come twice."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 11))
    columns = {
        "n": np.append(rng.integers(0, 2, size - 2), [0, 1]),
        "h": np.array(["p", "q", "r", "s"])[rng.integers(0, 4, size)],
        "k": np.array(["p", "s"])[rng.integers(0, 2, size)],
    }
    if seed % 3 == 0:
        columns = {name: np.append(a[:-2], a[:2]) for name, a in columns.items()}
        columns["n"][:2] = columns["n"][-2:] = [0, 1]
    labels = np.append(rng.integers(0, classes, size - classes), np.arange(classes))
    return {**columns, "c": np.array(["no", "yes", "other"])[labels]}


def sides(columns: Columns, most: int = 0) -> list[np.ndarray]:
    """Which rows go left: by the number, and by every set of the categories that a column has."""
    found = [columns["n"] == 0]
    for name in ("h", "k"):
        values = np.unique(columns[name])
        for count in range(1, len(values)):
            if not most or min(count, len(values) - count) <= most:
                found += [np.isin(columns[name], s) for s in combinations(values, count)]
    return found


def most_worth(y: np.ndarray, worth: dict[str, float], splits: list[np.ndarray], shape) -> float:
    """The most that correct points are worth in a tree of the shape, a pair of subtrees or 0."""
    best = max((worth[k] * (y == k).sum() for k in np.unique(y)), default=0.0)
    if shape == 0 or not len(y):
        return float(best)
    for left in splits:
        parts = [(y[s], [other[s] for other in splits]) for s in (left, ~left)]
        below = [most_worth(a, worth, b, s) for (a, b), s in zip(parts, shape, strict=True)]
        best = max(best, sum(below))
    one, other = (most_worth(y, worth, splits, s) for s in shape)
    return float(max(best, one, other))


def compiled(columns: Columns, shape: str, parameters: str = "", rest: str = "") -> Compiled:
    text = (
        'data "t.csv" { label c; encode keep h, k; }\n'
        f'topology shape "{shape}";\nsplit univariate by categorical_odt({parameters});\n{rest}'
    )
    return treemip.loads(text.replace("odt()", "odt"), data=columns).compile()


def proven(made: Compiled, solver: str = "highs", start: str = "none") -> Result:
    result = made.solve(solver, start=start, threads=1)
    assert result.status == "optimal"
    assert result.verdict == "verified", result.report
    return result


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("seed", one_in(9, range(54)))
def test_the_optimum_is_that_of_full_enumeration(seed: int, solver: str) -> None:
    """Labels fixed by the topology and free, two and three classes, with worths and set sizes."""
    classes = 3 if seed % 4 == 3 else 2
    columns = random_columns(seed, classes)
    shape = list(SHAPES)[seed % 3]
    most = 1 if seed % 5 == 4 else 0
    worth = {"no": 1.0, "yes": 2.5 if seed % 2 else 1.0, "other": 1.0}
    rest = "param C {k in classes} = if ord(k) = card(classes) then %g else 1;"
    expected = most_worth(columns["c"], worth, sides(columns, most), SHAPES[shape])
    fixed = int(classes == 2 and seed % 7 != 0)
    made = compiled(
        columns, shape, f"fixed_labels = {fixed}, max_card = {most}", rest % worth["yes"]
    )
    assert proven(made, solver).objective == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("start", ["cart", "search"])
@pytest.mark.parametrize("seed", [4, 7, 13])
def test_trees_of_other_ways_are_starts(start: str, seed: int) -> None:
    columns = random_columns(seed)
    result = proven(compiled(columns, "((. .) (. .))"), "highs", start)
    assert result.answer.start_accepted
    worth = dict.fromkeys(("no", "yes"), 1.0)
    shape = SHAPES["((. .) (. .))"]
    expected = most_worth(columns["c"], worth, sides(columns), shape)
    assert result.objective == pytest.approx(expected, abs=1e-6)


MIDDLE = {
    "h": ["a", "b", "c", "c", "b", "a", "b", "c"],
    "c": ["x", "y", "x", "x", "y", "x", "x", "y"],
}
"""Asked for b, a tree of depth 1 gets two of eight wrong."""


@pytest.mark.parametrize(
    ("rest", "errors", "splits"),
    [
        ("", 2, 1),
        ("minimize misclassified + 0.9 * splits;", 2, 1),
        ("minimize misclassified + 1.1 * splits;", 3, 0),
        ("minimize misclassified + 1.1 * distinct_features;", 3, 0),
        ("maximize misclassified;", 6, 1),
        ("subject to size {l in leaves}: points_in[l] >= 3;", 2, 1),
        ('subject to one: tested_anywhere["h"] = 0;', 3, 0),
        ('minimize misclassified; subject to two: tested[root,"h"] = 1;', 2, 1),
    ],
)
def test_with_objectives_and_constraints_of_ones_own(rest: str, errors: int, splits: int) -> None:
    text = (
        'data "t.csv" { label c; encode keep h; } topology complete(depth = 1);'
        f"split univariate by categorical_odt; {rest}"
    )
    result = proven(treemip.loads(text, data=MIDDLE).compile())
    assert result.train_errors == errors
    assert result.values["tested"].sum() == splits


def test_a_changed_class_of_a_leaf_is_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [",".join(row) for row in zip(*MIDDLE.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["h,c", *rows]) + "\n")
    (tmp_path / "t.tree").write_text(
        'data "t.csv" { label c; encode keep h; } topology complete(depth = 1);'
        "split univariate by categorical_odt;"
    )
    saved = tmp_path / "t.json"
    proven(treemip.load(tmp_path / "t.tree").compile()).save(saved)
    assert main(["verify", str(saved)]) == 0
    file = json.loads(saved.read_text())
    leaf = file["tree"]["nodes"][-1]
    leaf["class"] = {"x": "y", "y": "x"}[leaf["class"]]
    saved.write_text(json.dumps(file))
    capsys.readouterr()
    assert main(["verify", str(saved)]) == 1
    said = capsys.readouterr().out
    assert "the tree's objective is" in said
    assert "scores.training.errors is " in said


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"n": [0.0, 2.0], "c": ["x", "y"]},
            "the features of x must be 0 or 1 here: add `bin quantile(5);` or `bin thresholds;` "
            "for numbers, `encode keep NAME;` for categories (it fails for point 2, feature 'n')",
        ),
        (
            {"n": [0.0, 1.0, 1.0], "c": ["x", "y", "z"]},
            "the topology fixes labels of two classes only: leave out `fixed_labels`",
        ),
    ],
)
def test_what_it_needs_is_said_with_a_remedy(columns: dict, message: str) -> None:
    text = (
        'data "t" { label c; } topology complete(depth = 1);'
        "split univariate by categorical_odt(fixed_labels = 1);"
    )
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=columns).compile()
    assert caught.value.diagnostics[0].message == message
