"""`treemip compare`: what it prints, writes, keeps and refuses."""

from __future__ import annotations

import json
import re

import pytest
from small_cli import CSV

THREE = "a,b,class\n" + "".join(f"{k % 9},{k % 4},{'xyz'[k % 9 // 3]}\n" for k in range(36))
COMPARE = ("compare", "margot,binoct", "--data", "two.csv,three.csv")
SMALL = (*COMPARE, "--depth", "1", "--folds", "2", "--time-limit", "4")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(CSV)
    (tmp_path / "three.csv").write_text(THREE)
    return tmp_path


def timeless(text: str) -> str:
    """The text without seconds, which stand before the solver."""
    return re.sub(r" +\d+\.\d( +\w+)$", r"\1", text, flags=re.M)


def test_a_study_prints_and_writes_its_table_and_goes_on(run, folder):
    said = run(*SMALL, "-o", "study")
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
    assert lines[7:] == ["6 runs in study"]
    written = {path.name for path in (folder / "study").iterdir()} - {"profiles.png"}
    tables = {"comparison.csv", "comparison.md", "comparison.tex", "profiles.csv", "table.csv"}
    assert written == {"rows", "specs", *tables}
    again = run(*SMALL, "-o", "study")
    assert again.out == said.out.replace("in study\n", "in study, 6 of them done before\n")


def test_the_specs_of_a_study_are_solved_as_they_stand(run, folder):
    assert run(*SMALL, "-o", "study").code == 0
    specs = sorted((folder / "study" / "specs").iterdir())
    assert [path.name for path in specs] == [
        "three-binoct.tree",
        "two-binoct.tree",
        "two-margot.tree",
    ]
    assert 'data "../../two.csv"' in specs[1].read_text()
    solved = json.loads(run("solve", specs[1], "--json").out)
    rows = (folder / "study" / "table.csv").read_text().splitlines()
    names = rows[0].split(",")
    first = next(dict(zip(names, r.split(","), strict=True)) for r in rows if "two.csv,binoct" in r)
    assert float(first["objective"]) == solved["objective"]


def test_json(run, folder):
    said = run("compare", "binoct", "--data", "two.csv", "--folds", "2", "--depth", "1", "--json")
    study = json.loads(said.out)
    assert [(case["formulation"], case["runs"]) for case in study["cases"]] == [("binoct", 2)]
    assert [row["fold"] for row in study["runs"]] == ["1", "2"]
    assert study["profiles"] == {"binoct": {"ratio": [1.0], "share": [1.0]}}


def test_a_comma_in_the_name_of_a_table(run, folder):
    (folder / "two.csv").rename(folder / "a,b.csv")
    said = run("compare", "binoct", "--data", "a,b.csv", "--folds", "2", "--depth", "1")
    assert (said.code, said.out.splitlines()[1].split()[0]) == (0, "a,b")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((",", "--data", "two.csv"), "no formulation is named"),
        (("binoct", "--data", ","), "no table is named"),
        (("binoct",), "missing option '--data'"),
        (("binoct", "--data", "/dev/null"), "'/dev/null' cannot be read again by each run"),
        (("binoct", "--data", "two.csv", "--depth", "1,1"), "'depth' has the value 1 twice"),
        (("binoct", "--data", "two.csv", "--jobs", "0"), "the number of jobs is 0"),
        (("binoct", "--data", "two.csv", "-o", "two.csv"), "the folder 'two.csv' cannot be"),
    ],
)
def test_what_is_refused_before_any_run(run, folder, words, message):
    said = run("compare", *words)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert sorted(path.name for path in folder.iterdir()) == ["three.csv", "two.csv"]
