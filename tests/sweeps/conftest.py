"""The small spec in the working folder, and the tables of studies beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_sweep import CSV, THREE, small_spec


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return small_spec(tmp_path)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of two.csv and three.csv, of two and three classes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(CSV)
    (tmp_path / "three.csv").write_text(THREE)
    return tmp_path
