"""Formulations and modules in files of a user's own, from the spec to a verified tree."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.api.reverify import reverify
from treemip.api.store import checksum
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError
from treemip.study.sweeps.sweep import sweep

pytest.importorskip("highspy", reason="a solver is needed")

ROOT = Path(__file__).parents[2]
ROWS = [
    (k % 7, (3 * k) % 5, "low" if k % 7 < 3 else "mid" if k % 7 < 5 else "top") for k in range(14)
]
CSV = "a,b,grade\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)

FAR = """formulation far splits univariate "Mine: grades in their order";
use univariate_routing;
var label {l in leaves, k in classes} binary;
var miss {i in points} >= 0
  means sum {l in leaves, k in classes} abs(ord(k) - ord(y[i])) * routed[i,l] * given_label[l,k];
minimize distance: sum {i in points} miss[i];
subject to
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  missed {i in points, l in leaves}:
    reach[i,l] = 1
    ==> miss[i] >= sum {k in classes} abs(ord(k) - ord(y[i])) * label[l,k] by big_m(card(classes));
"""
SPEC = """data "t.csv" { label grade; scale minmax; }
topology complete(depth = d);
split univariate by far;
use limits;
param d = 1;
"""
LIMITS = "param largest = 9;\nsubject to\n  full {l in leaves}: points_in[l] <= largest;\n"


@pytest.fixture
def folder(tmp_path) -> Path:
    texts = {"t.csv": CSV, "far.tree": FAR, "limits.tree": LIMITS, "a.tree": SPEC}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def best_distance(most: int) -> int:
    """The least sum of distances between grades over all trees with one split."""
    grades = np.array([("low", "mid", "top").index(row[2]) for row in ROWS])
    values = np.inf
    for feature, (left, right) in product((0, 1), product(range(3), repeat=2)):
        x = np.array([row[feature] for row in ROWS])
        for threshold in np.unique(x):
            side = x < threshold
            if max(side.sum(), (~side).sum()) <= most:
                values = min(values, np.abs(grades - np.where(side, left, right)).sum())
    return int(values)


@pytest.mark.parametrize("most", [9, 8])
def test_a_formulation_beside_the_spec_is_solved_and_verified(folder, most):
    result = treemip.load(folder / "a.tree", largest=most).compile().solve("highs", start="none")
    assert (result.status, result.verdict) == ("optimal", "verified")
    assert result.objective == pytest.approx(best_distance(most))


def test_a_regression_formulation_is_its_leaf_rows(tmp_path):
    """A constant for each leaf, least absolute errors; the outcome is a feature not to split on."""
    x, out = [1, 2, 3, 4, 5, 6], [0.1, 0.2, 0.15, 0.9, 1.0, 0.8]
    lines = [f"{a},{b},{'even' if a % 2 == 0 else 'odd'}" for a, b in zip(x, out, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,out,class", *lines]))
    (
        tmp_path / "ort.tree"
    ).write_text("""formulation ort splits univariate "Bertsimas, Dunn (2017)";
use univariate_routing;
var value {l in leaves} >= 0, <= 1;
var off   {i in points} >= 0;
minimize absolute: sum {i in points} off[i];
subject to
  above {i in points, l in leaves}:
    reach[i,l] = 1 ==> off[i] >= x[i,"out"] - value[l] by big_m(1);
  below {i in points, l in leaves}:
    reach[i,l] = 1 ==> off[i] >= value[l] - x[i,"out"] by big_m(1);
  no_outcome {t in branches}: coef[t,"out"] = 0;
predict class positive;
""")
    spec = 'data "t.csv" { label class positive "even"; scale minmax; }\n'
    spec += "topology complete(depth = 1);\nsplit univariate by ort;\n"
    result = treemip.loads(spec, base=tmp_path).compile().solve("highs", start="none")
    scaled = (np.array(out) - 0.1) / 0.9
    wanted = min(
        sum(np.abs(part - np.median(part)).sum() for part in (scaled[:k], scaled[k:]))
        for k in range(1, 6)
    )
    assert result.objective == pytest.approx(wanted)


def test_the_example_of_the_reference_is_the_one_beside_its_spec():
    own = ROOT / "specs" / "own"
    text = (own / "ordinal.tree").read_text(encoding="utf-8")
    assert f"```tree\n{text}```" in (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    result = treemip.load(own / "wine_ordinal.tree").compile().solve(time_limit=2)
    assert result.verdict == "verified"


# --------------------------------------------------------------------------- tree.json


def saved(folder: Path) -> Path:
    path = folder / "a.json"
    treemip.load(folder / "a.tree").compile().solve("highs", start="none").save(path)
    return path


def test_a_saved_tree_needs_no_module(folder):
    path = saved(folder)
    texts = json.loads(path.read_text())["spec"]["modules"]
    assert [(m["reference"], m["path"]) for m in texts] == [
        ("far", "far.tree"),
        ("limits", "limits.tree"),
    ]
    (folder / "far.tree").unlink()
    (folder / "limits.tree").unlink()
    found = reverify(path)
    assert (found.verdict, found.warnings) == ("verified", ())


def test_a_module_that_has_changed_since(folder, monkeypatch, capsys):
    saved(folder)
    (folder / "limits.tree").write_text(LIMITS.replace("9", "1"))
    monkeypatch.chdir(folder)
    assert main(["verify", "a.json"]) == 0
    assert capsys.readouterr().err == (
        "warning[W707]: the module 'limits.tree' is not the one that the tree was solved with\n"
        "  = help: the text in the tree's file is taken; solve again for that of the module\n"
    )


def test_a_module_text_that_was_changed_in_the_file(folder):
    path = saved(folder)
    document = json.loads(path.read_text())
    document["spec"]["modules"][1]["text"] = LIMITS.replace("9", "1")
    path.write_text(json.dumps({**document, "checksum": checksum(document)}))
    with pytest.raises(TreemipError, match="the text of a module is not the one that was saved"):
        reverify(path)


def test_a_file_from_before_modules_were_saved(folder):
    (folder / "a.tree").write_text(SPEC.replace("by far", "by oct").replace("use limits;", ""))
    path = saved(folder)
    document = json.loads(path.read_text())
    assert document["spec"].pop("modules") == []
    assert document["spec"].pop("library") == f"treemip {treemip.__version__}"
    path.write_text(json.dumps({**document, "checksum": checksum(document)}))
    assert reverify(path).verdict == "verified"


# ------------------------------------------------------------------ sweeps, cv, compare


def test_a_changed_module_is_another_sweep(folder, tmp_path):
    runs = tmp_path / "runs"
    first = sweep(folder / "a.tree", {"largest": [9, 10]}, folder=runs, solver="highs")
    again = sweep(folder / "a.tree", {"largest": [9, 10]}, folder=runs, solver="highs")
    assert (first.kept, again.kept) == (0, 2)
    (folder / "far.tree").write_text(FAR.replace("miss[i];", "2 * miss[i];"))
    changed = sweep(folder / "a.tree", {"largest": [9, 10]}, folder=runs, solver="highs")
    assert changed.kept == 0
    assert changed.rows[0]["objective"] == pytest.approx(2 * first.rows[0]["objective"])


def test_workers_have_the_texts(folder):
    pytest.importorskip("loky")
    found = sweep(folder / "a.tree", {"largest": [9, 10]}, jobs=2, solver="highs")
    assert [row["status"] for row in found.rows] == ["optimal", "optimal"]


def test_a_formulation_in_a_file_is_compared(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "own").mkdir()
    (folder / "far.tree").rename(folder / "own" / "far.tree")
    options = ["--data", "t.csv", "--label", "grade", "--folds", "2", "--depth", "1", "--json"]
    runs = ["--solver", "highs", "-o", "runs"]
    assert main(["compare", "oct,own/far.tree", *options, *runs]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    assert [row["formulation"] for row in rows] == [*["oct"] * 2, *["own/far.tree"] * 2]
    assert {row["verdict"] for row in rows} == {"verified"}
    spec = folder / "runs" / "specs" / "t-far.tree"
    assert 'split univariate by "../../own/far.tree";' in spec.read_text()
    assert main(["check", str(spec)]) == 0
    assert main(["compare", "far", "-I", "own", *options]) == 0


def test_every_command_on_specs_takes_folders(folder, monkeypatch, capsys):
    (folder / "shared").mkdir()
    for name in ("far.tree", "limits.tree"):
        (folder / name).rename(folder / "shared" / name)
    monkeypatch.chdir(folder)
    for command in (
        ["check", "a.tree"],
        ["stats", "a.tree"],
        ["explain", "a.tree"],
        ["compile", "a.tree", "-o", "a.mps"],
        ["compile", "a.tree", "--stop-after", "resolve"],
        ["export", "a.tree", "--to", "pyomo", "-o", "a.py"],
        ["diagnose", "a.tree"],
        ["solve", "a.tree", "--solver", "highs", "-o", "a.json"],
        ["sweep", "a.tree", "--vary", "d=1", "--solver", "highs", "-o", "runs"],
        ["cv", "a.tree", "--folds", "2", "--solver", "highs"],
        ["verify", "a.json"],
    ):
        assert main([*command, "-I", "shared"]) == 0, (command, capsys.readouterr().err)
    assert main(["check", "a.tree"]) == 2
    assert treemip.load("a.tree", include=["shared"]).spec.formulation == "far"


def test_a_module_cannot_be_written_over(folder, capsys):
    assert main(["compile", str(folder / "a.tree"), "-o", str(folder / "far.tree")]) == 2
    assert (folder / "far.tree").read_text() == FAR


# ------------------------------------------------------------------------- estimator


def test_the_estimator_takes_a_file(folder, monkeypatch):
    pytest.importorskip("sklearn")
    from treemip.sklearn import OptimalTreeClassifier

    monkeypatch.chdir(folder)
    x = np.array([row[:2] for row in ROWS], float)
    y = np.array([row[2] for row in ROWS])
    given = {"objective": "distance", "scale": "minmax", "depth": 1, "solver": "highs"}
    tree = OptimalTreeClassifier(formulation="far.tree", params={"min_leaf": 2}, **given)
    assert tree.fit(x, y).result_.objective == pytest.approx(best_distance(12))


def test_the_builder_takes_a_file(folder):
    builder = treemip.Builder(base=folder).data("t.csv", label="grade", scale="minmax")
    program = builder.topology(depth=1).split("univariate", by="far.tree", min_leaf=2).program()
    assert program.spec.formulation == "far"
