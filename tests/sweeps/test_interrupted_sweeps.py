"""Ctrl-C in a program that sweeps: what is done stays, and the rest can be done later."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from small_sweep import small_spec

import treemip
from treemip.api import starting
from treemip.core.files.undo import SIGNALS

pytest.importorskip("highspy", reason="a solver is needed")


def press(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def kept(folder: Path) -> int:
    return len(list((folder / "rows").glob("*.json")))


def test_between_two_runs(tmp_path: Path) -> None:
    spec, folder = small_spec(tmp_path), tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        treemip.sweep(spec, {"s": [1, 2, 3]}, folder=folder, on_row=press)
    assert kept(folder) == 1
    again = treemip.sweep(spec, {"s": [1, 2, 3]}, folder=folder)
    assert (again.kept, len(again.rows)) == (1, 3)
    assert {row["verdict"] for row in again.rows} == {"verified"}


def test_within_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, folder = small_spec(tmp_path), tmp_path / "runs"
    real, runs = starting.chosen, []

    def chosen(*arguments: Any) -> Any:
        runs.append(arguments)
        if len(runs) == 2:
            press()
        return real(*arguments)

    monkeypatch.setattr(starting, "chosen", chosen)
    with pytest.raises(KeyboardInterrupt):
        treemip.cross_validate(spec, 3, folder=folder)
    assert kept(folder) == 1


def test_beside_workers(tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    spec, folder = small_spec(tmp_path), tmp_path / "runs"
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(KeyboardInterrupt):
        treemip.sweep(spec, {"s": range(1, 100)}, folder=folder, jobs=2, on_row=press)
    assert 1 <= kept(folder) < 99
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_comparison(tmp_path: Path) -> None:
    small_spec(tmp_path)
    how: dict[str, Any] = {"depth": 1, "folds": 2, "time_limit": 20, "folder": tmp_path / "runs"}
    arguments = ["binoct"], [tmp_path / "small.csv"]
    with pytest.raises(KeyboardInterrupt):
        treemip.compare(*arguments, **how, on_row=press)
    assert kept(tmp_path / "runs") == 1
    assert treemip.compare(*arguments, **how).runs.kept == 1


def test_in_a_thread(tmp_path: Path) -> None:
    """Handlers stay as they are there, and the runs are the same."""
    spec, seen = small_spec(tmp_path), []
    before = [signal.getsignal(number) for number in SIGNALS]

    def work() -> None:
        def look(*_: object) -> None:
            assert [signal.getsignal(number) for number in SIGNALS] == before

        seen.append(treemip.sweep(spec, {"s": [1, 2]}, on_row=look))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [row["verdict"] for row in seen[0].rows] == ["verified", "verified"]
