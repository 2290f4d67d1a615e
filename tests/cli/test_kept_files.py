"""Specs and saved trees of earlier versions: all in tests/kept is read and verified today."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest

KEPT = Path(__file__).parents[1] / "kept"
SPECS = sorted(
    p.relative_to(KEPT).as_posix() for p in KEPT.rglob("*.tree") if 'data "' in p.read_text()
)
TREES = sorted(p.relative_to(KEPT).as_posix() for p in KEPT.rglob("*.json"))


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A copy, so that nothing can be written into the corpus."""
    return shutil.copytree(KEPT, tmp_path_factory.mktemp("kept") / "copy")


def test_there_is_a_corpus_of_each_kind():
    assert len(TREES) >= 8 and {Path(p).with_suffix(".tree").as_posix() for p in TREES} <= {*SPECS}


@pytest.mark.parametrize("name", SPECS)
def test_a_kept_spec_has_no_errors(run, kept, name):
    said = run("check", kept / name)
    assert said.code == 0, said.err


@pytest.mark.parametrize("name", TREES)
def test_a_kept_tree_is_verified_and_predicts(run, kept, name):
    said = run("verify", kept / name)
    assert said.code == 0, said.out + said.err
    spec = (kept / name).with_suffix(".tree")
    table = spec.parent / re.search(r'data "(.*?)"', spec.read_text())[1]
    rows = sum(1 for _ in csv.reader(table.open())) - 1
    said = run("predict", kept / name, table)
    assert said.code == 0 and len(said.out.splitlines()) == rows + 1
