"""predict in batches: the same lines as for the whole file."""

from __future__ import annotations

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
