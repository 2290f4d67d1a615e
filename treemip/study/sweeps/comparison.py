"""The table of a study: for each table, depth and formulation what its folds give on the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

from treemip.study.sweeps.axes import DATA, table_names
from treemip.study.sweeps.measures import Measure, measure_of
from treemip.study.sweeps.run import Row
from treemip.study.sweeps.study import DEPTH, FORMULATION, REFUSED, Study
from treemip.study.sweeps.table import Sweep

CaseKey = tuple[str, str, str]
"""Data, depth and formulation."""


@dataclass(frozen=True)
class Case:
    """One formulation on one table at one depth.

    data: the path. runs: 0 where the formulation does not take the table. trees, proven: numbers
    of runs with a tree, and with a proof of optimality. gap (relative), scores of `measure`, r2 of
    the test parts and features are means over all runs, None where a run has none, since a mean
    over the others would flatter. deviation: of test_score, of the sample. seconds: mean wall clock
    of a run, 0 without one. solvers: those that gave the trees.
    message: why there are runs without a tree, by the first of them.
    """

    data: str
    depth: str
    formulation: str
    runs: int
    trees: int
    proven: int
    gap: float | None
    measure: Measure
    train_score: float | None
    test_score: float | None
    test_r2: float | None
    deviation: float | None
    features: float | None
    seconds: float
    solvers: tuple[str, ...]
    message: str | None

    @property
    def proven_share(self) -> float | None:
        """None without a run."""
        return self.proven / self.runs if self.runs else None


def cases_of(runs: Sweep, study: Study) -> list[Case]:
    """A case for each table, depth and formulation, in the order in which the study names them."""
    groups: dict[CaseKey, list[Row]] = {}
    for row in runs.rows:
        groups.setdefault((row[DATA], row[DEPTH], row[FORMULATION]), []).append(row)
    keys = product(table_names(study.data).values(), study.depths, study.formulations)
    return [_case(key, groups[key]) for key in keys]


def _case(key: CaseKey, rows: Sequence[Row]) -> Case:
    runs = [row for row in rows if row["status"] != REFUSED]
    trees = [row for row in runs if row["verdict"] is not None]
    without = next((row for row in rows if row["verdict"] is None), None)
    measure = measure_of(runs)
    tests = [row[f"test_{measure.column}"] for row in runs]
    return Case(
        *key,
        runs=len(runs),
        trees=len(trees),
        proven=sum(row["proven_by"] is not None for row in runs),
        gap=_mean([row["gap"] for row in runs]),
        measure=measure,
        train_score=_mean([row[f"train_{measure.column}"] for row in runs]),
        test_score=_mean(tests),
        test_r2=_mean([row["test_r2"] for row in runs]),
        deviation=_deviation(tests),
        features=_mean([row["features"] for row in runs]),
        seconds=_mean([row["seconds"] for row in runs]) or 0.0,
        solvers=tuple(dict.fromkeys(row["solver"] for row in trees)),
        message=None if without is None else without["message"] or str(without["status"]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _deviation(values: Sequence[float | None]) -> float | None:
    mean = _mean(values)
    if mean is None or len(values) < 2:
        return None
    squares = [(value - mean) ** 2 for value in values if value is not None]
    return sqrt(sum(squares) / (len(values) - 1))


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Names of tables without folder and suffix, where these tell them apart; else the paths."""
    distinct = list(dict.fromkeys(paths))
    stems = [Path(path).name.split(".", 1)[0] or path for path in distinct]
    unique = len(set(stems)) == len(stems)
    return dict(zip(distinct, stems if unique else distinct, strict=True))


def record(case: Case) -> dict[str, Any]:
    """A case with numbers as they are, for CSV and JSON."""
    return {
        "data": case.data,
        "depth": int(case.depth),
        "formulation": case.formulation,
        "runs": case.runs,
        "trees": case.trees,
        "proven": case.proven_share,
        "gap": case.gap,
        "measure": case.measure.title if case.runs else None,
        "train": case.train_score,
        "test": case.test_score,
        "test_r2": case.test_r2,
        "deviation": case.deviation,
        "features": case.features,
        "seconds": case.seconds if case.runs else None,
        "solver": ", ".join(case.solvers) or None,
        "message": case.message,
    }
