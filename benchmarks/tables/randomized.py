"""MRCT from the trees of a search beside MRCT from random starts, as Amaldi et al. train it."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from cases import HERE

TITLE = "MRCT, depth 2: ten starts with the search first, ten random starts"
COLUMNS = ("data", "points", "limit", "seed", "begins", "cost", "errors", "status", "by", "seconds")

HEAD = "topology complete(depth = 2); split randomized by mrct;"
ONEHOT = "encode onehot buying, maint, doors, persons, lug_boot, safety;"
TABLES = {
    "iris": (HERE.parent / "specs" / "data" / "iris.csv", "", 20),
    "car": (HERE / "data" / "car.csv", ONEHOT, 40),
    "thyroid-ann": (None, "", 60),
}
STARTS = {"search": ["--start", "search"], "random": []}


def rows(request) -> Iterator[dict[str, object]]:
    """A row for each table, seed and way to begin; both ways have the same time limit."""
    for name, (file, more, limit) in TABLES.items():
        own = file or request.data / f"{name}.csv"
        if not own.exists() or (request.quick and name != "iris"):
            continue
        points = len(own.read_text().splitlines()) - 1
        spec = f'data "{own.resolve()}" {{ label class; {more} scale minmax; }} {HEAD}\n'
        for seed in range(request.seeds):
            for begins, options in STARTS.items():
                asked = [
                    *options,
                    "--starts",
                    "10",
                    "--seed",
                    str(seed),
                    "--time-limit",
                    str(limit),
                ]
                row = {"data": name, "points": points, "limit": limit, "seed": seed}
                yield {**row, "begins": begins, **_solved(spec, asked)}


def _solved(spec: str, options: list[str]) -> dict[str, object]:
    """What one fresh process answers; seconds are those of the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "spec.tree"
        text.write_text(spec)
        command = [sys.executable, "-m", "treemip", "solve", str(text), *options]
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - began
    if done.returncode:
        return {"status": (done.stdout + done.stderr).strip().splitlines()[0], "seconds": seconds}
    lines = dict(re.findall(r"^(status|objective|training errors|tree)  +(.*)$", done.stdout, re.M))
    return {
        "cost": float(lines["objective"]),
        "errors": int(lines["training errors"].split()[0]),
        "status": lines["status"],
        "by": lines["tree"].rpartition(" by ")[2].partition(",")[0],
        "seconds": seconds,
    }
