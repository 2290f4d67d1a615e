"""init: what it writes, and what it leaves alone."""

from __future__ import annotations

import shlex

import pytest
from small_cli import CSV


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.csv"
    path.write_text(CSV)
    return path


def test_the_line_that_it_names_solves_the_spec(run, table):
    said = run("init", "small.csv")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "small.tree: label 'class' (2 classes, guessed by its name), formulation oct\n"
        "next: treemip solve small.tree -o small.json\n"
    )
    command = shlex.split(said.err.splitlines()[-1].removeprefix("next: treemip "))
    assert run("check", "--data", "small.tree").code == 0
    assert run("fmt", "--check", "small.tree").code == 0
    assert run(*command).code == 0
    assert run("verify", "small.json").code == 0


def test_the_options_are_kept(run, table):
    line = "init small.csv --label a --formulation binoct --depth 1 -o other.tree"
    assert run(*line.split()).code == 0
    text = (table.parent / "other.tree").read_text()
    assert (
        "label a;" in " ".join(text.split())
        and "by binoct;" in text
        and "complete(depth = 1);" in text
    )
    assert "guessed" not in text


def test_data_are_found_from_another_folder(run, table):
    (table.parent / "specs").mkdir()
    assert run("init", "small.csv", "-o", "specs/a.tree").code == 0
    assert 'data "../small.csv"' in (table.parent / "specs" / "a.tree").read_text()
    assert run("check", "--data", "specs/a.tree").code == 0


def test_a_spec_that_is_there_stays_without_force(run, table):
    (table.parent / "small.tree").write_text("mine")
    said = run("init", "small.csv")
    assert said.code == 2 and said.err == (
        "error[E603]: 'small.tree' cannot be written: it exists\n"
        "  = help: choose another name with -o, or overwrite it with --force\n"
    )
    assert (table.parent / "small.tree").read_text() == "mine"
    assert run("init", "small.csv", "--force").code == 0
    assert (table.parent / "small.tree").read_text().startswith("# A first spec")


def test_no_force_makes_it_overwrite_the_table(run, table):
    said = run("init", "small.csv", "-o", "small.csv", "--force")
    assert (said.code, table.read_text()) == (2, CSV)
    assert "'small.csv' cannot be written: the command reads it" in said.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("init nowhere.csv", "E301]: 'nowhere.csv': there is no such file"),
        ("init small.csv --separator ab", "E902]: 'ab' is not a separator"),
        ("init small.csv --depth 11", "E902]: the depth is 11"),
        ("init small.csv --label classs", "E902]: there is no column 'classs'"),
        ("init small.csv --formulation cart", "E902]: there is no formulation 'cart'"),
        ("init small.csv --label", "E902]: option '--label' requires an argument"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(run, table, line, message):
    said = run(*line.split())
    assert said.code == 2 and message in said.err
    assert sorted(path.name for path in table.parent.iterdir()) == ["small.csv"]


@pytest.mark.parametrize(
    "line", ["solve {}", "check {}", "fmt {}", "stats {}", "compile {} --stop-after parse"]
)
def test_a_table_in_place_of_a_spec_leads_to_init(run, table, line):
    said = run(*line.format("small.csv").split())
    assert said.code == 2 and said.err == (
        "error[E902]: 'small.csv' is a table, not a spec\n"
        "  = help: write a spec for it first: treemip init small.csv\n"
    )
    assert table.read_text() == CSV
