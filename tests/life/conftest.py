"""Two trees of one table, solved once: by thresholds of scaled numbers, and by sets of values."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import Run, runner
from loan_rows import loans

from treemip.cli.main import main

OLD = """data "loans.csv" {
  label class; group sex; drop day, new; scale minmax; train 0.75 seed 3;
}
topology complete(depth = 2);
split univariate by oct;
let approved {g in values(sex)} =
  sum {i in points : sex[i] = g} predicts[i,"good"] / card({i in points : sex[i] = g});
minimize misclassified;
subject to
  parity: -0.3 <= approved["f"] - approved["m"] <= 0.3;
  floor: recall["bad"] >= 0.5;
"""
NEW = """data "loans.csv" {
  label class; drop day, sex, age; bin quantile(6); encode keep housing; train 0.75 seed 3;
}
topology complete(depth = 2);
split univariate by categorical_odt;
minimize misclassified;
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture(scope="session")
def solved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life")
    (folder / "loans.csv").write_text(loans(80, 1))
    for name, text in (("old", OLD), ("new", NEW)):
        (folder / f"{name}.tree").write_text(text)
        assert (
            main(["solve", str(folder / f"{name}.tree"), "-o", str(folder / f"{name}.json")]) == 0
        )
    return folder


@pytest.fixture
def folder(solved_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: old.json, new.json, and the loans that they were learned from."""
    shutil.copytree(solved_once, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
