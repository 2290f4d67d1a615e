"""Random small specs of every formulation, each held against all of its trees."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from answers import Request

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from fuzz.cases import Case, Fault
from fuzz.judge import Ending
from fuzz.search_summary import COLUMNS as SUMMARY
from fuzz.search_summary import rows as summary
from fuzz.searches import SEARCH, ended, model_of

TITLE = "Random small cases against enumeration, by the search alone"
COLUMNS = (*SUMMARY, "seconds a case", "limit")
CASES, QUICK = 504, 60


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """One row a formulation; `seeds` times as many cases, in this process one after the other."""
    number = QUICK if request.quick else CASES
    for seed in range(1, request.seeds + 1):
        endings: list[Ending] = []
        faults: list[tuple[str, str]] = []
        spent: dict[str, list[float]] = {}
        for k in range(number):
            case, began = Case("searches", seed, k), time.perf_counter()
            name = model_of(case).formulation
            try:
                endings.append(ended(case))
            except Fault as fault:
                faults.append((name, f"{case}: {fault.text}"))
                print(f"{case}: {fault.text}", file=sys.stderr)
            spent.setdefault(name, []).append(time.perf_counter() - began)
        for row in summary(endings, faults):
            took = spent[str(row["formulation"])]
            yield {**row, "seconds a case": sum(took) / len(took), "limit": f"{SEARCH:g} s"}
