"""Sweeps that are killed or interrupted, as processes: what was done stays, and is done once."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from small_sweep import small_spec

COMMAND = (sys.executable, "-m", "treemip", "sweep", "small.tree", "-o", "runs")


def begun(folder: Path, values: str, jobs: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--vary", f"s={values}", "--jobs", str(jobs), *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows(folder: Path) -> dict[str, int]:
    """When each row that is there was written."""
    return {
        path.name: path.stat().st_mtime_ns for path in (folder / "runs" / "rows").glob("*.json")
    }


def ended_after(folder: Path, done: int, process: subprocess.Popen[str], number: int) -> str:
    """End the process by a signal when that many rows are there; what it says on stderr."""
    until = time.monotonic() + 300
    while len(rows(folder)) < done and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()[1]
    process.send_signal(number)
    return process.communicate(timeout=60)[1]


def killed_and_finished(folder: Path, runs: int, kills: list[int], jobs: int, *more: str) -> None:
    """Kill the sweep whenever so many rows are there, then let it finish."""
    small_spec(folder)
    written: dict[str, int] = {}
    for done in kills:
        process = begun(folder, f"1..{runs}", jobs, *more)
        ended_after(folder, done, process, signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        there = rows(folder)
        assert done <= len(there) < runs
        assert written.items() <= there.items()
        written = there
    process = begun(folder, f"1..{runs}", jobs, *more)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert f"{runs} runs in runs/table.csv, {len(written)} of them done before" in out
    assert written.items() <= rows(folder).items()
    with (folder / "runs" / "table.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["s"] for row in table] == [str(k) for k in range(1, runs + 1)]
    assert len({row["key"] for row in table}) == runs == len(rows(folder))
    assert all(row["verdict"] == "verified" for row in table)


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_sweep_continues(tmp_path):
    killed_and_finished(tmp_path, 30, [3], jobs=1)


@pytest.mark.truth
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_hundred_runs_killed_three_times(tmp_path, jobs):
    if jobs > 1:
        pytest.importorskip("joblib", reason="joblib does parallel runs")
    killed_and_finished(tmp_path, 100, [20, 45, 80], jobs)


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.truth)])
def test_ctrl_c_says_how_to_continue(tmp_path, jobs):
    if jobs > 1:
        pytest.importorskip("joblib", reason="joblib does parallel runs")
    small_spec(tmp_path)
    process = begun(tmp_path, "1..1000", jobs)
    said = ended_after(tmp_path, 2, process, signal.SIGINT)
    assert process.returncode == 130
    assert said.rstrip() == (
        "interrupted; finished runs are kept in runs: run the same command again to continue"
    )
    there = rows(tmp_path)
    assert 2 <= len(there) < 1000
    time.sleep(0.5)
    assert rows(tmp_path) == there


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_workers_that_have_just_begun_end_with_the_sweep(tmp_path):
    """Killed before the first run, they would wait for one for minutes."""
    pytest.importorskip("joblib", reason="joblib does parallel runs")
    small_spec(tmp_path)
    process = begun(tmp_path, "1..8", 2)
    until = time.monotonic() + 120
    while not (workers := _workers(tmp_path)) and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    process.communicate(timeout=60)
    assert workers
    until = time.monotonic() + 60
    while _workers(tmp_path) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _workers(tmp_path)


def _workers(folder: Path) -> list[str]:
    """Processes of loky in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                os.readlink(entry / "cwd") == str(folder)
                and b"popen_loky" in (entry / "cmdline").read_bytes()
            ):
                found.append(entry.name)
    return found
