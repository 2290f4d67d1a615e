"""`treemip solve --trees --within`: what is written and shown of a set of good trees."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from treemip.core.source.diagnostic import Diagnostic, TreemipError

pytest.importorskip("highspy", reason="a solver is needed")

ROWS = [
    ((7 * k) % 11, (5 * k) % 13, "yes" if (7 * k) % 11 + (k % 4) > 6 else "no") for k in range(40)
]
NOISY = """data "noisy.csv" { label class; scale minmax; }
topology complete(depth = 2);
split oblique by octh;
minimize misclassified;
"""


@pytest.fixture
def noisy(here):
    """A spec without a tree that makes no error."""
    text = "a,b,class\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
    Path("noisy.csv").write_text(text)
    Path("noisy.tree").write_text(NOISY)
    return "noisy.tree"


def listed() -> list[dict[str, str]]:
    with Path("a-trees.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_best_the_others_and_their_table_are_written(run, noisy):
    words = ("--time-limit", 10, "--trees", 4, "--within", 2, "-o", "a.json", "--json")
    said = run("solve", noisy, *words)
    assert said.code == 0
    rows = listed()
    assert 1 < len(rows) <= 4
    names = ["a.json", *(f"a-{i}.json" for i in range(2, len(rows) + 1))]
    for row, name in zip(rows, names, strict=True):
        saved = json.loads(Path(name).read_text())
        assert saved["verdict"] == "verified"
        assert saved["scores"]["training"]["errors"] == int(row["training errors"])
    found = json.loads(said.out)["near_optimal"]
    assert (found["within"], found["complete"]) == (2.0, False)
    assert found["trees"] == rows


def test_files_of_an_earlier_run_with_more_trees_are_named_and_stay(run, here):
    for name in ("a-3.json", "a-12.json", "a-03.json", "a-x.json", "b-3.json"):
        Path(name).write_text("old")
    said = run("solve", "binoct.tree", "--trees", 5, "--within", 0, "-o", "a.json")
    assert said.code == 0
    assert [row["tree"] for row in listed()] == ["1"]
    assert said.out.splitlines()[-1].startswith("1  ")
    assert said.err == "'a-3.json', 'a-12.json' are not of this run\n"
    assert Path("a-3.json").read_text() == "old"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (AssertionError("no such branch"), "AssertionError: no such branch"),
        (KeyboardInterrupt(), "interrupted"),
        (
            TreemipError(Diagnostic.outside("E601", "this is nonlinear", "leave it out")),
            "this is nonlinear",
        ),
    ],
)
def test_the_best_tree_is_saved_where_the_list_fails(run, here, monkeypatch, error, told):
    def fails(*_):
        raise error

    monkeypatch.setattr("treemip.methods.near_optimal.near_optimal", fails)
    said = run("solve", "binoct.tree", "--trees", 3, "-o", "a.json")
    assert said.code == 0
    message = "the best tree is listed alone, since the search for others failed"
    assert f"warning[W604]: {message}: {told}\n" in said.err
    saved = json.loads(Path("a.json").read_text())
    assert saved["verdict"] == "verified"
    (row,) = listed()
    assert int(row["training errors"]) == saved["scores"]["training"]["errors"]
    assert "no other tree was found within 2 % of the best objective; there may be some" in said.out


def test_no_file_of_the_set_may_be_read(run, here):
    Path("small.tree").rename("a-2.json")
    said = run("solve", "a-2.json", "--trees", 2, "-o", "a.json")
    assert said.code == 2
    assert "cannot be written: the command reads it" in said.err
