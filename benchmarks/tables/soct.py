"""The S-OCT instances with a published proof, each solved in a fresh process as a user would."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from answers import Request
from whole import solved

TITLE = "S-OCT: the published instances"
COLUMNS = (
    "instance",
    "depth",
    "published: right",
    "worst right",
    "best right",
    "runs",
    "median seconds",
    "worst seconds",
    "proven by",
    "limit",
    "published: seconds",
)
LIMIT = 40
SMALL = {"iris", "wine", "balance_scale"}
PUBLISHED = Path(__file__).parents[1] / "data" / "soct_published.csv"
"""From the authors' mip_comparison.csv (Gurobi, 600 s): points classified right, whether proven,
and each variant's seconds where it proved its own."""


VARIANTS = ("baseline", "benders-last-1", "benders-last-10", "init-1", "init-5")
BY = {"the objective's own bound, found by tree search": "search", "an exact engine": "engine"}


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """A row for each instance, over the seeds; instances are soct_NAME_numeric.csv in the data
    folder. "each" has the single runs."""
    with PUBLISHED.open() as file:
        published = [row for row in csv.DictReader(file) if row["proven"] == "1"]
    for row in published:
        name, depth = row["dataset"], int(row["depth"])
        if request.quick and (name not in SMALL or depth > 3):
            continue
        table = request.data / f"soct_{name}_numeric.csv"
        seeds = range(1, request.seeds + 1)
        runs = [solved(table, "oblique by soct", depth, LIMIT, s, scaled=True) for s in seeds]
        seconds = {v: float(row[v]) for v in VARIANTS if row[v]}
        yield {
            "instance": name,
            "depth": depth,
            "published: right": int(row["right"]),
            **_of(runs),
            "limit": f"{LIMIT} s",
            "published: seconds": f"{min(seconds.values()):g} to {max(seconds.values()):g}",
            "each": runs,
        }


def _of(runs: list[dict[str, object]]) -> dict[str, object]:
    """What runs with different seeds have in common: the fewest and most points classified right,
    seconds, and how many are proven by whom."""
    answered = [run for run in runs if "objective" in run]
    if not answered:
        return {"runs": f"0 of {len(runs)}", "proven by": runs[0]["verdict"]}
    right = [round(float(str(run["objective"]))) for run in answered]
    seconds = [float(str(run["seconds"])) for run in answered]
    by = Counter(
        BY.get(str(run["proven by"]), str(run["proven by"])) or "no one" for run in answered
    )
    return {
        "worst right": min(right),
        "best right": max(right),
        "runs": len(answered),
        "median seconds": median(seconds),
        "worst seconds": max(seconds),
        "proven by": dict(by),
    }
