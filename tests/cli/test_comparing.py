"""`treemip compare`: what it prints, writes and keeps."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from small_cli import CSV

from treemip.cli.main import main

THREE = "a,b,class\n" + "".join(f"{k % 9},{k % 4},{'xyz'[k % 9 // 3]}\n" for k in range(36))
SMALL = (
    *("compare", "margot,binoct", "--data", "two.csv,three.csv"),
    *("--depth", "1", "--folds", "2", "--time-limit", "4", "-o", "study"),
)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study that was run."""
    folder = tmp_path_factory.mktemp("compared")
    (folder / "two.csv").write_text("".join(CSV.splitlines(keepends=True)[:13]))
    (folder / "three.csv").write_text(THREE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(list(SMALL)) == 0
    return folder


@pytest.fixture
def folder(done, tmp_path, monkeypatch):
    shutil.copytree(done, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_prints_and_writes_its_table_and_goes_on(run, folder):
    said = run(*SMALL)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert [line.split()[:4] for line in lines[:5]] == [
        ["data", "depth", "formulation", "proven"],
        ["two", "1", "margot", "2/2"],
        ["two", "1", "binoct", "2/2"],
        ["three", "1", "margot", "-"],
        ["three", "1", "binoct", "2/2"],
    ]
    assert lines[6].startswith("margot on three: not run: E307: margot does not take this table: ")
    assert lines[7:] == ["6 runs in study, 6 of them done before"]
    written = {path.name for path in Path("study").iterdir()} - {"profiles.png"}
    tables = {"comparison.csv", "comparison.md", "comparison.tex", "profiles.csv", "table.csv"}
    assert written == {"rows", "specs", *tables}


def test_the_specs_of_a_study_are_solved_as_they_stand(run, folder):
    specs = sorted(Path("study/specs").iterdir())
    names = ["three-binoct.tree", "two-binoct.tree", "two-margot.tree"]
    assert [path.name for path in specs] == names
    assert 'data "../../two.csv"' in specs[1].read_text()
    solved = json.loads(run("solve", specs[1], "--json").out)
    with Path("study/table.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    first = next(r for r in rows if (r["data"], r["formulation"]) == ("two.csv", "binoct"))
    assert float(first["objective"]) == solved["objective"]


def test_json_of_a_table_with_a_comma_in_its_name(run, folder):
    Path("two.csv").rename("a,b.csv")
    said = run("compare", "binoct", "--data", "a,b.csv", "--folds", "2", "--depth", "1", "--json")
    study = json.loads(said.out)
    cases = [(case["data"], case["formulation"], case["runs"]) for case in study["cases"]]
    assert cases == [("a,b.csv", "binoct", 2)]
    assert [row["fold"] for row in study["runs"]] == ["1", "2"]
    assert study["profiles"] == {"binoct": {"ratio": [1.0], "share": [1.0]}}
