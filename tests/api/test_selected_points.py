"""A whole solve over selected points: the tree, its file, verification again, model files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import treemip
from treemip.api.reverify import reverify
from treemip.api.store import checksum
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError

DATA = Path(__file__).parents[2] / "specs" / "data"
SPEC = """data "{name}.csv" {{ label class; scale minmax; }}
topology complete(depth = 1);
split {split};
{more}
strategy {{ select {select}; start cart; time_limit 30; }}
"""


def written(folder: Path, select: str, name="iris", split="univariate by binoct", more="") -> Path:
    shutil.copy(DATA / f"{name}.csv", folder)
    path = folder / f"{name}.tree"
    path.write_text(SPEC.format(name=name, select=select, split=split, more=more))
    return path


@pytest.fixture(scope="module")
def solved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("solved")
    path = written(folder, "hull", more="minimize misclassified;")
    assert main(["solve", str(path), "-o", str(folder / "tree.json")]) == 0
    return folder / "tree.json"


@pytest.mark.parametrize(
    ("name", "select"),
    [("iris", "hull beta1 0.3 beta2 0.1"), ("wine", "hull"), ("wine", "hyperplane beta2 0.2")],
)
def test_solve_shows_both_counts_of_errors_and_the_share(tmp_path, capsys, name, select):
    path = written(tmp_path, select, name, more="minimize misclassified;")
    assert main(["solve", str(path), "-o", str(tmp_path / "t.json")]) == 0
    shown = capsys.readouterr()
    saved = json.loads((tmp_path / "t.json").read_text())
    selection = saved["selection"]
    rows = dict(line.split("  ", 1) for line in shown.out.splitlines()[:9] if "  " in line)
    assert rows["training errors"].strip() == (
        f"{saved['scores']['training']['errors']} of {selection['selected']} selected points"
    )
    assert (
        rows["errors of all"]
        .strip()
        .startswith(f"{selection['score_of_all']['errors']} of {selection['of']} points; CART ")
    )
    assert rows["selected"].strip().startswith(f"{100 * selection['share']:.3g} %")
    assert "W605" in shown.err
    assert saved["points"] == len(selection["rows"]) == selection["selected"] <= selection["of"]
    assert selection["score_of_all"]["points"] == selection["of"]
    assert main(["verify", str(tmp_path / "t.json")]) == 0
    assert (
        f"{selection['score_of_all']['errors']} of {selection['of']} points"
        in capsys.readouterr().out
    )


def test_a_saved_tree_is_verified_on_the_points_that_were_selected(solved):
    found, saved = reverify(solved), json.loads(solved.read_text())
    assert found.verdict == "verified"
    assert found.points == saved["selection"]["selected"]
    assert found.whole.errors == saved["selection"]["score_of_all"]["errors"]
    assert found.warnings == ()


def changed(solved: Path, change) -> Path:
    saved = json.loads(solved.read_text())
    change(saved)
    saved["checksum"] = checksum(saved)
    path = solved.with_name("changed.json")
    path.write_text(json.dumps(saved))
    return path


def test_errors_on_all_points_are_counted_again(solved):
    path = changed(solved, lambda s: s["selection"]["score_of_all"].update(errors=0))
    (problem,) = reverify(path).problems
    assert re.fullmatch(r"selection.score_of_all.errors is \d+; its file says 0", problem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("selection"), "its selection of points is not what its spec asks for"),
        (
            lambda s: s["selection"].update(rows=[1, 1]),
            "its selection of points is damaged: its rows are not rows of the training part",
        ),
        (
            lambda s: s["selection"].update(rows=[0, 1]),
            "its selection of points is damaged: its rows are not rows of the training part",
        ),
        (
            lambda s: s["selection"]["rows"].pop(),
            "its selection of points is damaged: its counts are not those of its rows",
        ),
        (
            lambda s: s["selection"].update(how="balanced"),
            "its selection of points is damaged: it is not the one that its spec asks for",
        ),
        (lambda s: s["selection"].pop("added_weight"), "its selection of points is damaged"),
    ],
)
def test_a_damaged_selection_is_refused(solved, change, message):
    path = changed(solved, change)
    with pytest.raises(TreemipError) as caught:
        reverify(path)
    assert caught.value.diagnostics[0].message == f"'{path}' cannot be verified: {message}"


def test_a_model_file_has_the_selected_points_with_a_warning(tmp_path, capsys):
    path = written(tmp_path, "hull")
    assert main(["compile", str(path), "-o", str(tmp_path / "m.mps")]) == 0
    assert "W605" in capsys.readouterr().err
    compiled = treemip.load(path).compile()
    assert compiled.instance.data.selected.kept == len(compiled.instance.table.y)
    assert compiled.seconds["select"] > 0


def test_without_select_nothing_is_said(tmp_path, capsys):
    path = written(tmp_path, "hull")
    path.write_text(path.read_text().replace("select hull;", ""))
    assert main(["solve", str(path), "-o", str(tmp_path / "t.json")]) == 0
    shown = capsys.readouterr()
    assert "selected" not in shown.out
    assert "selection" not in json.loads((tmp_path / "t.json").read_text())


def test_a_formulation_of_ones_own_is_stated_over_the_selected_points(tmp_path):
    shutil.copytree(DATA.parent, tmp_path / "specs", ignore=shutil.ignore_patterns("library"))
    path = tmp_path / "specs" / "own_formulation.tree"
    path.write_text(path.read_text() + "\nstrategy { select hull; }\n")
    compiled = treemip.load(path).compile()
    selected = compiled.instance.data.selected
    assert len(compiled.instance.table.y) == selected.kept <= selected.points
    assert repr(selected) == (
        f"<Selected: {selected.kept} of {selected.points} points, by 'hull eps 0'>"
    )
