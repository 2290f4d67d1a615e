"""Campaign `sweeps`: sweeps that are interrupted, ended and killed, then run again to their end.

* After each signal, what is there are whole rows and a whole table, none of an interrupted run.
* Rows that were done stay, and are not done again.
* In the end the table is that of a sweep without signals, but for seconds.
"""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from small_sweep import SPEC

from .cases import LOST, OTHER, WRONG_VERDICT, Campaign, Case, Fault
from .commands import digests, documented, require_polite, require_unharmed, start

TABLES = 4
POINTS = 24
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL]
SPAN = 4.0  # seconds in which a signal comes
END = 90.0
OFTEN = 3  # signals, at most
TIMED = "seconds"

Row = dict[str, Any]


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    which, jobs = dice.randrange(TABLES), dice.choice([1, 1, 2])
    arguments = _arguments(jobs)
    work = folder / "work"
    work.mkdir()
    _inputs(work, which)
    before, done, told = digests(work), dict[str, bytes](), []
    counts = {"interrupted": 0, "sweeps": 1}
    for _ in range(dice.randint(1, OFTEN)):
        number, delay = dice.choice(SIGNALS), dice.uniform(0.0, SPAN)
        told.append(f"{number.name} after {delay:.3f} s")
        files["signals.txt"] = f"table {which}, {jobs} jobs\n" + "\n".join(told) + "\n"
        counts["interrupted"] += _interrupt(arguments, folder, number, delay)
        done = _require_kept(work, done, which)
        require_unharmed(before, work, {name for name in digests(work) if name not in before})
    ran = start(arguments, folder).end(END)
    files["printed.txt"] = ran.told()
    require_polite(ran, frozenset([0]))
    _require_kept(work, done, which)
    table = _table(work / "runs" / "table.csv")
    if table != _reference(which):
        text = f"resumed {table}\nwithout signals {_reference(which)}"
        raise Fault(WRONG_VERDICT, text, "another table")
    return counts


def _arguments(jobs: int) -> tuple[str, ...]:
    return ("sweep", "small.tree", "-o", "runs", "--vary", "s=1..5", "--vary", "d=1..2",
            "--jobs", str(jobs))  # fmt: skip


def _inputs(work: Path, which: int) -> None:
    """A table of which no small tree is right about all."""
    dice = random.Random(which)
    rows = [(dice.randrange(7), dice.randrange(5), dice.choice(["yes", "no"]))
            for _ in range(POINTS)]  # fmt: skip
    lines = ["a,b,class", *(",".join(map(str, row)) for row in rows)]
    (work / "small.csv").write_text("\n".join(lines) + "\n")
    (work / "small.tree").write_text(SPEC)


def _interrupt(
    arguments: tuple[str, ...], folder: Path, number: signal.Signals, delay: float
) -> bool:
    """Whether the signal came before the end."""
    running = start(arguments, folder)
    running.wait_until_up()
    time.sleep(delay)
    alive = running.child.pid in running.orphans()
    if alive:
        os.kill(running.child.pid, number)
    ran = running.end(END)
    killed = alive and number == signal.SIGKILL
    require_polite(ran, documented() | ({-signal.SIGKILL} if killed else set()))
    running.require_no_orphans()
    if not alive and ran.code != 0:
        raise Fault(OTHER, ran.told(), "a sweep fails without a signal")
    return alive


def _require_kept(work: Path, before: Mapping[str, bytes], which: int) -> dict[str, bytes]:
    """The rows that are done: whole, as they were, and those of runs that came to their end."""
    now = {path.name: path.read_bytes() for path in (work / "runs" / "rows").glob("*.json")}
    for name, content in before.items():
        if now.get(name) != content:
            raise Fault(LOST, f"the row '{name}' was done and is changed", "a row is done again")
    expected = {row["key"]: row for row in _reference(which)}
    for name, content in now.items():
        try:
            results = json.loads(content)["results"]
        except (ValueError, KeyError):
            raise Fault(LOST, f"the row '{name}' is not whole", "a row is not whole") from None
        of_run = expected[results["key"]]
        for column in ("status", "objective", "train_errors", "test_errors", "test_accuracy"):
            if str(results[column]) != of_run[column]:
                text = f"{column} {results[column]}, without signals {of_run[column]}"
                raise Fault(WRONG_VERDICT, text, "a row of an interrupted run")
    table = work / "runs" / "table.csv"
    for row in _table(table) if table.exists() else []:
        if row != expected.get(row["key"]):
            raise Fault(LOST, f"{row}", "the table has a row of its own")
    return now


def _table(path: Path) -> list[Row]:
    """The rows by column; times differ from run to run."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{n: v for n, v in row.items() if n != TIMED} for row in csv.DictReader(file)]


@cache
def _reference(which: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "work").mkdir()
        _inputs(folder / "work", which)
        ran = start(_arguments(1), folder).end(END)
        require_polite(ran, frozenset([0]))
        return _table(folder / "work" / "runs" / "table.csv")


CAMPAIGN = Campaign("sweeps", "sweeps", 40, run, cpu=120.0, wall=400.0)
