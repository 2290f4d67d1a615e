"""The table of cliffs: its specs are taken, and its page says why a cell is steep."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

import treemip
from treemip.core.source.diagnostic import TreemipError


@pytest.fixture
def cliffs(script) -> ModuleType:
    return script("cliffs")


def test_every_spec_is_taken_but_for_terms_of_other_trees(
    cliffs: ModuleType, tmp_path: Path
) -> None:
    """Of one formulation every spec, of the others a few."""
    size = 30
    refused = set()
    for formulation in cliffs.formulations():
        table = cliffs.made_table(size, formulation, tmp_path)
        step = 1 if formulation == "oct" else 25
        for word in (cliffs.plain(formulation), *cliffs.words(formulation)[::step]):
            text = cliffs.spec_of(size, formulation, word, table)
            try:
                treemip.loads(text)
            except TreemipError as error:
                refused.add((word, error.diagnostics[0].code))
    assert refused == {("total_slack", "E205")}


def test_the_page_says_why_a_cell_is_steep_or_not_proven(
    cliffs: ModuleType, tmp_path: Path
) -> None:
    plain, engine = cliffs.PLAIN, "an exact engine"
    cells = [
        cliffs.Cell(150, "oct", plain, 2.0, 2.0, "proven", engine, "", 30.0),
        cliffs.Cell(150, "oct", "splits", 3.0, 2.0, "proven", engine, "", 30.0),
        cliffs.Cell(150, "oct", "l1", 30.0, 2.0, "proven", "SCIP 10.0", "it counts leaves", 30.0),
        cliffs.Cell(150, "oct", "linf", 8.0, 2.0, "open", "", "it counts leaves", 30.0),
        cliffs.Cell(150, "oct", "recall", 3.0, 2.0, "no tree exists", "engine", "", 30.0),
    ]
    for cell in cells:
        name = f"{cell.size}-{cell.formulation}-{cell.word}.json"
        (tmp_path / name).write_text(json.dumps(asdict(cell)))
    page = cliffs.page(tmp_path, "").splitlines()
    assert "| plain, s | 2.0 \\* |" in page
    assert "| `splits` | 1.5 \\* |" in page
    assert "| `l1` | **15 +** (1) |" in page
    assert "| `linf` | **4.0 ?** (1) |" in page
    assert "| `recall` | 1.5 none |" in page
    assert page[-1] == "1. it counts leaves"


def test_runs_are_kept_and_not_run_again(
    cliffs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "cliffs.md"
    command = ["cliffs.py", "--size", "30", "--formulation", "oct", "--word", "splits", "--word",
               "total_slack", "--folder", str(tmp_path / "runs"), "--page", str(page)]  # fmt: skip
    monkeypatch.setattr(sys, "argv", command)
    assert cliffs.main() == 0
    assert "| `total_slack` | E205 |" in page.read_text()
    monkeypatch.setattr(cliffs, "measured", lambda _: pytest.fail("it ran again"))
    assert cliffs.main() == 0
