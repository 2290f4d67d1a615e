"""MRCT trained whole and node by node: S-NB-DEC and C-NB-DEC of Amaldi et al. (2023), section 6.

The prices and proximal coefficients of car and thyroid-ann are the paper's (section 6.4). Costs are
those of the best of the starts; CPU seconds are those of the solve, from the same random points.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from answers import Request

import treemip
from treemip.api.compiled import Compiled

HERE = Path(__file__).resolve().parents[1]

TITLE = "MRCT with l0_global, ten random starts: whole, S-NB-DEC and C-NB-DEC"
COLUMNS = (
    "data",
    "depth",
    "points",
    "seed",
    "training",
    "cost",
    "above whole, %",
    "errors",
    "CPU seconds",
    "macro-iterations",
    "stationarity",
    "status",
    "limit",
)

ONEHOT = "encode onehot buying, maint, doors, persons, lug_boot, safety;"
TABLES = {
    "iris": ("", 0.25, 1e-6),
    "car": (ONEHOT, 0.25, 1.25e-4),
    "thyroid-ann": ("", 0.5, 1.25e-6),
}
PLACES = {"iris": HERE.parent / "specs" / "data", "car": HERE / "data"}
DEPTHS = (2, 3)
STARTS, LIMIT = 10, 600


def schemes(proximal: float) -> dict[str, str]:
    """Strategies by name: the defaults, all starts to their end, and the paper's limits."""
    price = f"proximal = {proximal}"
    return {
        "whole": "",
        "S-NB-DEC": f"decompose single({price});",
        "S-NB-DEC, all starts": f"decompose single({price}, keep = all);",
        "S-NB-DEC, as the paper": f"decompose single({price}, keep = all, inner_iterations = 40);",
        "C-NB-DEC": f"decompose convergent({price});",
    }


def rows(request: Request) -> Iterator[dict[str, object]]:
    """A row for each table, depth, seed and way to train, in this process one after the other."""
    for name, depth, seed in product(TABLES, DEPTHS, range(request.seeds)):
        more, price, proximal = TABLES[name]
        file = PLACES.get(name, request.data) / f"{name}.csv"
        if not file.exists() or (request.quick and (name, depth) != ("iris", 2)):
            continue
        whole = None
        for scheme, strategy in schemes(proximal).items():
            row = _solved(_compiled(file, more, depth, price, seed, strategy))
            whole = row["cost"] if scheme == "whole" else whole
            above = None
            if isinstance(row["cost"], float) and isinstance(whole, float):
                above = 100 * (row["cost"] / whole - 1)
            yield {
                "data": name,
                "depth": depth,
                "seed": seed,
                "training": scheme,
                "above whole, %": above,
                "limit": LIMIT,
                **row,
            }


def _compiled(
    file: Path, more: str, depth: int, price: float, seed: int, strategy: str
) -> Compiled:
    return treemip.loads(
        f'data "{file.resolve()}" {{ label class; {more} scale minmax; }}\n'
        f"topology complete(depth = {depth});\n"
        "split randomized by mrct;\n"
        f"minimize expected_cost + {price} * l0_global;\n"
        f"strategy {{ start none; solver ipopt; starts {STARTS}; seed {seed};"
        f" time_limit {LIMIT}; {strategy} }}\n"
    ).compile()


def _solved(compiled: Compiled) -> dict[str, object]:
    before = _cpu()
    result = compiled.solve()
    spent = _cpu() - before
    went = result.answer.decomposition
    return {
        "points": result.points,
        "cost": result.objective,
        "errors": result.train_errors,
        "CPU seconds": spent,
        "macro-iterations": None if went is None else len(went.objectives),
        "stationarity": None if went is None else went.stationarity,
        "status": result.status,
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
