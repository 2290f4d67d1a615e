"""The S-OCT instances with a published proof, each solved in a fresh process as a user would."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from answers import Request
from whole import solved

TITLE = "S-OCT: the published instances"
COLUMNS = (
    "instance",
    "depth",
    "points",
    "published: right",
    "published: seconds",
    "seed",
    "right",
    "verdict",
    "proven by",
    "answered by",
    "seconds",
    "limit",
)
LIMIT = 40
SMALL = {"iris", "wine", "balance_scale"}
PUBLISHED = Path(__file__).parents[1] / "data" / "soct_published.csv"
"""From the authors' mip_comparison.csv (Gurobi, 600 s): points classified right, whether proven,
and each variant's seconds where it proved its own."""


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """A row for each instance and seed; instances are soct_NAME_numeric.csv in the data folder."""
    with PUBLISHED.open() as file:
        published = [row for row in csv.DictReader(file) if row["proven"] == "1"]
    for row in published:
        name, depth = row["dataset"], int(row["depth"])
        if request.quick and (name not in SMALL or depth > 3):
            continue
        table = request.data / f"soct_{name}_numeric.csv"
        variants = ("baseline", "benders-last-1", "benders-last-10", "init-1", "init-5")
        seconds = {v: float(row[v]) for v in variants if row[v]}
        for seed in range(1, request.seeds + 1):
            answer = solved(table, "oblique by soct", depth, LIMIT, seed, scaled=True)
            yield {
                "instance": name,
                "depth": depth,
                "points": int(row["points"]),
                "published: right": int(row["right"]),
                "published: seconds": seconds,
                "seed": seed,
                "right": answer.get("objective"),
                **answer,
            }
