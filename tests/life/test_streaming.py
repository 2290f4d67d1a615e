"""predict in batches: the same lines as for the whole file."""

from __future__ import annotations

import sys

import pytest

from treemip.core.instance import row_batches


@pytest.mark.parametrize("more", [[], ["--leaf"], ["--proba", "--leaf"]])
@pytest.mark.parametrize("tree", ["old.json", "new.json"])
def test_small_batches_give_the_same_lines(run, folder, monkeypatch, tree, more):
    whole = run("predict", tree, "loans.csv", *more).out
    monkeypatch.setattr(row_batches, "BYTES", 200)
    assert run("predict", tree, "loans.csv", *more).out == whole
    assert run("predict", tree, "loans.csv", "-o", "out.csv", *more).code == 0
    assert (folder / "out.csv").read_text() == whole
    assert whole.count("\n") == 81


def test_a_row_that_is_refused_later_is_named_and_leaves_no_file(run, folder, monkeypatch):
    monkeypatch.setattr(row_batches, "BYTES", 200)
    text = (folder / "loans.csv").read_text()
    (folder / "boat.csv").write_text(text + "900,30,boat,1,f,d0,good\n")
    said = run("predict", "old.json", "boat.csv", "-o", "out.csv")
    assert (said.code, "row 81 of boat.csv has 'boat'" in said.err) == (2, True)
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("more", [[], ["--proba", "--leaf"]])
def test_parquet_has_the_same_rows_with_types(run, folder, monkeypatch, more):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr(row_batches, "BYTES", 200)
    for name in ("out.csv", "out.parquet"):
        said = run("predict", "old.json", "loans.csv", "-o", name, *more)
        assert (said.code, said.err) == (0, "")
    found = polars.read_parquet("out.parquet")
    assert found.equals(polars.read_csv("out.csv"))
    kinds = ["String", "Int64", "Float64", "Float64"]
    assert [str(kind) for kind in found.dtypes] == kinds[: len(found.columns)]
    assert not list(folder.glob(".treemip*"))


def test_a_row_that_is_refused_later_leaves_no_parquet(run, folder, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.setattr(row_batches, "BYTES", 200)
    (folder / "out.parquet").write_text("older")
    (folder / "boat.csv").write_text(
        (folder / "loans.csv").read_text() + "900,30,boat,1,f,d0,good\n"
    )
    assert run("predict", "old.json", "boat.csv", "-o", "out.parquet").code == 2
    assert (folder / "out.parquet").read_text() == "older" and not list(folder.glob(".treemip*"))


def test_tabs_where_the_name_says_so(run, folder):
    assert run("predict", "old.json", "loans.csv", "--leaf", "-o", "out.tsv").code == 0
    assert (folder / "out.tsv").read_text().startswith("class\tleaf\n")


@pytest.mark.parametrize("name", ["o.json", "o.XLSX", "o.feather", "o.json.gz", "o.parquet.gz"])
def test_other_formats_are_refused(run, folder, name):
    said = run("predict", "old.json", "loans.csv", "-o", name)
    assert said.code == 2 and "predictions are CSV or Parquet" in said.err
    assert "name it 'o.csv' or 'o.parquet'" in said.err and not (folder / name).exists()


def test_parquet_without_polars_is_refused(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    said = run("predict", "old.json", "loans.csv", "-o", "out.parquet")
    assert said.code == 2 and "E602" in said.err and "name the output .csv" in said.err
    assert not (folder / "out.parquet").exists()
