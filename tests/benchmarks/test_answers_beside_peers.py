"""The tables beside peers: their smallest rows, claims held against trees, runs kept."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from suite import one_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def answers(script) -> ModuleType:
    return script("answers")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A few of the tables, of the large one its first rows and columns."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(ROOT / "specs" / "data" / "iris.csv", folder)
    shutil.copy(ROOT / "tests" / "truth" / "data" / "margot_cleveland_train.csv", folder)
    lines = (ROOT / "benchmarks" / "data" / "spambase.csv").read_text().splitlines()
    cells = [line.split(",") for line in [*lines[:60], *lines[-60:]]]
    rows = [",".join([*row[50:57], row[-1]]) for row in cells]
    (folder / "spambase.csv").write_text("\n".join(rows) + "\n")
    return folder


SMALLEST = {
    "objectives": ("survival, pumps, depth 2", pytest.approx(10.0007, abs=1e-4)),
    "univariate": ("iris, depth 2", 6),
    "oblique": ("spambase", None),
    "margin": ("MARGOT, Heart Disease C.", None),
    "scale": ("10,000 rows, binned", None),
}


@pytest.mark.parametrize("table", one_in(len(SMALLEST), SMALLEST))
def test_the_smallest_row_of_each_table_has_checked_trees(
    answers: ModuleType, data: Path, table: str
) -> None:
    case, value = SMALLEST[table]
    nothing = Path(shutil.which("false") or "false")
    request = answers.Request(True, 1, data, nothing, case=case, limit=2)
    module = importlib.import_module(f"tables.{table}")
    (row,) = module.rows(request)
    assert row.get("WRONG") is None
    assert set(row) - {"runs"} <= set(module.COLUMNS)
    own = row["runs"]["treemip"]
    assert own["value"] == pytest.approx(own["claimed"])
    assert value is None or (own["value"] == value and own["proven"])
    peers = [run for who, run in row["runs"].items() if who in ("STreeD", "CART", "ydf")]
    assert all(run["said"] == "no answer" for run in peers)


@pytest.mark.parametrize(
    ("own", "peer", "asked", "beside", "wrong"),
    [
        ((6, 6, True), (6, None, True), {}, {}, ""),
        ((6, 6, True), (7, None, None), {}, {}, ""),
        ((6, 6, False), (5, None, True), {}, {}, ""),
        ((6, 6, True), (5, None, None), {}, {}, "treemip claims the optimum 6, peer has 5"),
        ((0.5, 0.5, True), (0.6, None, None), {"maximize": True}, {}, "treemip claims the optimum"),
        ((6, 6, True), (7, None, True), {}, {}, "peer claims the optimum 7, treemip has 6"),
        ((6, 6, True), (7, None, None), {}, {"known optimum": "5"}, "treemip claims the optimum 6"),
        ((6, 6, True), (7, None, None), {}, {"known optimum": "6"}, ""),
        ((6, 5, False), (7, None, None), {}, {}, "treemip claims 5, its tree has 6"),
    ],
)
def test_a_claim_is_held_against_all_trees_of_the_row(
    answers: ModuleType, own: tuple, peer: tuple, asked: dict, beside: dict, wrong: str
) -> None:
    contest = importlib.import_module("contest")
    names = ("value", "claimed", "proven")
    runs = {
        who: dict(zip(names, run, strict=True))
        for who, run in {"treemip": own, "peer": peer}.items()
    }
    case = SimpleNamespace(own={"treemip": contest.Own("")}, asked=asked, beside=beside)
    said = [*contest._wrong(case, runs)]
    assert len(said) == bool(wrong)
    assert not wrong or said[0].removeprefix("**").startswith(wrong)
    assert all(("**" in text) == text.startswith("**treemip") for text in said)


def test_rows_are_kept_shown_and_not_run_again(
    answers: ModuleType, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    command = ["answers.py", "univariate", "--data", str(data), "--case", "iris, depth 2",
               "--json", str(log), "--page", str(page)]  # fmt: skip
    monkeypatch.setattr(sys, "argv", command)
    assert answers.main() == 0
    (row,) = map(json.loads, log.read_text().splitlines())
    assert row["treemip"].startswith("6\\*") and row["treemip"] in page.read_text()
    monkeypatch.setattr("contest.measured", lambda *_: pytest.fail("it ran again"))
    assert answers.main() == 0
    log.write_text(json.dumps(row | {"WRONG": "**treemip claims**"}) + "\n")
    assert answers.main() == 1
    assert "| **treemip claims** |" in page.read_text()
