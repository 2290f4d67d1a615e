"""`treemip solve --trees --within`: what is written and shown of a set of good trees."""

from __future__ import annotations

import csv
import json

import pytest

from treemip.core.source.diagnostic import Diagnostic, TreemipError

pytest.importorskip("highspy", reason="a solver is needed")

SPEC = """data "small.csv" { label class; scale minmax; }
topology complete(depth = 2);
split oblique by octh;
minimize misclassified;
"""
ROWS = [
    ((7 * k) % 11, (5 * k) % 13, "yes" if (7 * k) % 11 + (k % 4) > 6 else "no") for k in range(40)
]


@pytest.fixture
def noisy(tmp_path):
    """A spec without a tree that makes no error."""
    text = "a,b,class\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
    (tmp_path / "small.csv").write_text(text)
    path = tmp_path / "spec.tree"
    path.write_text(SPEC)
    return path


def test_the_best_the_others_and_their_table_are_written(run, noisy, tmp_path):
    said = run(
        "solve", noisy, "--time-limit", 3, "--trees", 4, "--within", 2, "-o", tmp_path / "a.json"
    )
    assert said.code == 0
    with (tmp_path / "a-trees.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert 1 < len(rows) <= 4
    names = ["a.json", *(f"a-{i}.json" for i in range(2, len(rows) + 1))]
    for row, name in zip(rows, names, strict=True):
        saved = json.loads((tmp_path / name).read_text())
        assert saved["verdict"] == "verified"
        assert saved["scores"]["training"]["errors"] == int(row["training errors"])
    assert "trees that were found within 200 % of the best objective; there may be more" in said.out
    heads = [line.split("  ")[0] for line in said.out.splitlines()]
    assert heads[-len(rows) :] == [row["tree"] for row in rows]


def test_files_of_an_earlier_run_with_more_trees_are_named_and_stay(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,class\n0,x\n1,x\n2,y\n3,y\n")
    path, output = tmp_path / "t.tree", tmp_path / "a.json"
    path.write_text('data "t.csv" { label class; } topology complete(depth = 1);')
    path.write_text(path.read_text() + " split univariate by binoct;")
    for name in ("a-3.json", "a-12.json", "a-03.json", "a-x.json", "b-3.json"):
        (tmp_path / name).write_text("old")
    said = run("solve", path, "--trees", 5, "--within", 0, "-o", output)
    assert said.code == 0
    older = f"'{tmp_path / 'a-3.json'}', '{tmp_path / 'a-12.json'}'"
    assert said.err == f"{older} are not of this run\n"
    assert (tmp_path / "a-3.json").read_text() == "old"


def test_json_has_the_table(run, noisy):
    said = run("solve", noisy, "--time-limit", 2, "--trees", 2, "--within", 1, "--json")
    numbers = json.loads(said.out)
    found = numbers["near_optimal"]
    assert (found["within"], found["complete"]) == (1.0, False)
    assert found["trees"][0]["training errors"] == str(numbers["scores"]["training"]["errors"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--trees", 0), "the number of trees must be at least 1, not 0"),
        (("--within", -1), "the share by which trees may be worse must be 0 or more, not -1"),
    ],
)
def test_numbers_out_of_range_are_refused_before_the_work(run, noisy, options, message):
    said = run("solve", noisy, *options)
    assert said.code == 2
    assert said.err.startswith(f"error[E902]: {message}")


def test_no_file_of_the_set_may_be_read_or_be_in_the_way(run, noisy, tmp_path):
    noisy.rename(tmp_path / "a-2.json")
    said = run("solve", tmp_path / "a-2.json", "--trees", 2, "-o", tmp_path / "a.json")
    assert said.code == 2
    assert "cannot be written: the command reads it" in said.err
    assert (tmp_path / "a-2.json").read_text() == SPEC


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
def test_the_best_tree_is_saved_where_the_list_fails(
    run, noisy, tmp_path, monkeypatch, error, told
):
    def fails(*_):
        raise error

    monkeypatch.setattr("treemip.methods.near_optimal.near_optimal", fails)
    said = run("solve", noisy, "--time-limit", 2, "--trees", 3, "-o", tmp_path / "a.json")
    assert said.code == 0
    message = "the best tree is listed alone, since the search for others failed"
    assert f"warning[W604]: {message}: {told}\n" in said.err
    saved = json.loads((tmp_path / "a.json").read_text())
    assert saved["verdict"] == "verified"
    with (tmp_path / "a-trees.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert int(row["training errors"]) == saved["scores"]["training"]["errors"]
    assert "no other tree was found within 2 % of the best objective; there may be some" in said.out


def test_trees_that_cannot_be_searched_are_refused_before_the_solve(run, noisy):
    noisy.write_text(
        'data "small.csv" { label class; } topology complete(depth = 1);\n'
        "var b binary; minimize b;\n"
    )
    said = run("solve", noisy, "--trees", 3)
    assert said.code == 2
    assert said.err.startswith(
        "error[E902]: trees near the best one cannot be listed: the spec has no 'split'\n"
    )


def test_no_set_of_trees_without_a_tree(run, spec, tmp_path):
    spec.write_text(
        spec.read_text() + ' subject to none_right: recall["no"] <= 0.5;'
        ' all_right: recall["no"] >= 0.6;'
    )
    said = run("solve", spec, "--trees", 3, "-o", tmp_path / "t.json", "--solver", "highs")
    assert said.code == 3
    assert "trees" not in said.out
    assert [path.name for path in tmp_path.glob("*trees*")] == []
