"""Rows that are separated while a model is solved, beside the same model with all rows stated.

S-OCT as in Boutilier, Michini and Zhou (2023): their variants and treemip's others, on their
instances, soct_NAME_numeric.csv in the folder given with --data. FlowOCT's Benders decomposition of
Aghaei, Gómez and Vayanos (2021) on tables of categories in 0/1 columns, and on
soct_NAME_flow5.csv. The published figures are Boutilier et al.'s own runs (Gurobi, 600 s), of
FlowOCT too. Every run is a fresh process.

odtlearn is these authors' package, here with CBC on the same 0/1 columns; its limit is wall clock.
Where it claims another optimum than treemip proves, its row says so.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from whole import finished, solved

if TYPE_CHECKING:
    from answers import Request

TITLE = "Rows stated and rows separated: S-OCT and FlowOCT"
COLUMNS = (
    "model",
    "data",
    "depth",
    "how",
    "right",
    "bound",
    "gap",
    "proven by",
    "seconds",
    "CPU seconds",
    "rows separated",
    "separating: s",
    "verdict",
    "limit",
    "published: right",
    "published: seconds",
)

HERE = Path(__file__).resolve().parents[1]
DEPTHS = (2, 3)
SOCT_LIMIT, FLOW_LIMIT, QUICK_LIMIT = 30, 60, 10


@dataclass(frozen=True)
class Way:
    """What a spec's strategy says, where the solver starts, and the authors' name of the variant,
    if they have it."""

    strategy: str
    start: str = "none"
    published: str = ""


LAZY = "separate go_left, go_right by shattering"
SOCT_WAYS = {
    "baseline": Way("solver mip;", published="baseline"),
    "initial cuts, 1 a node": Way("solver mip; cuts shattering(per_node = 1);", published="init-1"),
    "initial cuts, 5 a node": Way("solver mip; cuts shattering(per_node = 5);", published="init-5"),
    "lazy, 1 a last branch": Way(
        f"solver mip; {LAZY}(at = last_branches, per_node = 1);", published="benders-last-1"
    ),
    "lazy, 10 a last branch": Way(
        f"solver mip; {LAZY}(at = last_branches, per_node = 10);", published="benders-last-10"
    ),
    "lazy, all branches": Way(f"solver mip; {LAZY};"),
    "user cuts": Way("solver mip; separate shattering;"),
    "baseline from the SVM tree": Way("solver mip;", start="svm_tree"),
    "default": Way("", start="search"),
}

FLOWS = "separate conserve, conserve_leaf, left_cap, right_cap, sink_cap by point_flow"
FLOW_WAYS = {
    "all rows": Way("solver mip;", published="FlowOCT"),
    "Benders, at integral solutions": Way(
        f"solver mip; {FLOWS}(solutions = integral);", published="FlowOCT-Benders"
    ),
    "Benders, at all solutions": Way(f"solver mip; {FLOWS};"),
    "default": Way("", start="search"),
}
ODTLEARN = {"rows": "odtlearn, all rows", "benders": "odtlearn, Benders"}


@dataclass(frozen=True)
class _Table:
    """A table for FlowOCT: what makes its features 0 or 1, and the authors' name of it."""

    file: Path
    words: str = ""
    published: str = ""


def rows(request: Request) -> Iterator[dict[str, object]]:
    """A row for each instance and way; with --quick those of iris and wine at depth 2."""
    depths = DEPTHS[:1] if request.quick else DEPTHS
    yield from _of_soct(request, depths)
    yield from _of_flow_oct(request, depths)


def _of_soct(request: Request, depths: tuple[int, ...]) -> Iterator[dict[str, object]]:
    limit = QUICK_LIMIT if request.quick else SOCT_LIMIT
    for line in _lines("soct_published.csv"):
        name, depth = line["dataset"], int(line["depth"])
        if depth not in depths or (request.quick and name not in ("iris", "wine")):
            continue
        table = request.data / f"soct_{name}_numeric.csv"
        for how, way in SOCT_WAYS.items():
            run = _solved(table, "oblique by soct", depth, limit, way, scaled=True)
            seconds = line.get(way.published) if way.published else None
            published = {"published: right": line["right"], "published: seconds": seconds}
            yield {"model": "S-OCT", "data": name, "depth": depth, "how": how, **run, **published}


def _of_flow_oct(request: Request, depths: tuple[int, ...]) -> Iterator[dict[str, object]]:
    limit = QUICK_LIMIT if request.quick else FLOW_LIMIT
    lines = _lines("flow_oct_published.csv")
    published = {(line["dataset"], int(line["depth"])): line for line in lines}
    for name, table in _tables(request.data).items():
        if request.quick and name not in ("iris", "wine"):
            continue
        for depth in depths:
            row: dict[str, object] = {"model": "FlowOCT", "data": name, "depth": depth}
            line, optimum = published.get((table.published, depth), {}), None
            for how, way in FLOW_WAYS.items():
                run = _solved(
                    table.file, "univariate by flow_oct", depth, limit, way, True, table.words
                )
                run["published: right"] = line.get("FlowOCT:right")
                run["published: seconds"] = line.get(f"{way.published}:seconds")
                optimum = run["right"] if run.get("proven by") else optimum
                yield {**row, "how": how, **run}
            for method, how in ODTLEARN.items():
                run = _by_odtlearn(table, method, depth, limit, _peers(request), optimum)
                yield {**row, "how": how, **run}


def _peers(request: Request) -> Path:
    """The Python with odtlearn, if any: that which is given, benchmarks/.venv, or this one."""
    own = HERE / ".venv" / "bin" / "python"
    return request.python or (own if own.exists() else Path(sys.executable))


def _by_odtlearn(
    table: _Table, method: str, depth: int, limit: int, python: Path, optimum: object
) -> dict[str, object]:
    """One run of odtlearn. optimum: points right, where it is proven."""
    asked = [str(python), "-c", "import odtlearn"]
    if subprocess.run(asked, check=False, capture_output=True).returncode:
        return {"verdict": "not installed"}
    if not table.file.is_file():
        return {"verdict": f"no {table.file.name} (--data)", "limit": f"{limit} s"}
    with tempfile.TemporaryDirectory() as folder:
        columns, log = Path(folder) / "columns.csv", Path(folder) / "log"
        write_columns(table, columns)
        script = HERE / "peers" / "train_odtlearn.py"
        command = [python, script, method, str(depth), str(limit), columns]
        cost = finished([str(part) for part in command], log)
        line = (log.read_text().strip().splitlines() or ["no answer"])[-1]
    cost["limit"] = f"{limit} s"
    try:
        answer = json.loads(line)
    except json.JSONDecodeError:
        return {"verdict": line, **cost}
    return {**verdict_of(answer, optimum), **cost}


def verdict_of(answer: dict[str, object], optimum: object) -> dict[str, object]:
    """What a run of odtlearn proves: `right` is counted by its predictions, not as it claims.

    optimum: points right, None where it is not proven.
    """
    right, claimed = answer["right"], answer["right_claimed"]
    row: dict[str, object] = {"right": right, "bound": answer["bound"], "proven by": ""}
    if right is None:
        return row | {"verdict": "no tree"}
    if not answer["optimal"]:
        return row | {"verdict": "time limit"}
    assert isinstance(claimed, float)
    if optimum is not None and abs(claimed - float(str(optimum))) > 0.5:
        return row | {"verdict": f"claims {claimed:g}, the optimum is {float(str(optimum)):g}"}
    if abs(claimed - float(str(right))) > 0.5:
        return row | {"verdict": f"claims {claimed:g}, its tree has {right}"}
    return row | {"verdict": "optimal", "proven by": "CBC"}


def write_columns(table: _Table, target: Path) -> None:
    """The table's 0/1 columns as treemip encodes them, the number of the class last."""
    import numpy as np

    import treemip

    text = (
        f'data "{table.file}" {{ label class; {table.words} }}\n'
        "topology complete(depth = 1);\nsplit univariate by flow_oct;\n"
    )
    part = treemip.loads(text).data.train
    names = ",".join(f"f{k}" for k in range(part.x.shape[1]))
    rows = np.column_stack([part.x, part.y]).astype(int)
    np.savetxt(target, rows, fmt="%d", delimiter=",", header=f"{names},class", comments="")


def _tables(data: Path) -> dict[str, _Table]:
    specs = HERE.parent / "specs" / "data"
    monks = "head_shape, body_shape, is_smiling, holding, jacket_color, has_tie"
    balance = "left_weight, left_distance, right_weight, right_distance"
    car = "buying, maint, doors, persons, lug_boot, safety"
    return {
        "monks-1": _Table(specs / "monks-1.csv", f"encode onehot {monks};"),
        "balance-scale": _Table(
            specs / "balance-scale.csv", f"encode onehot {balance};", "balance_scale"
        ),
        "car": _Table(HERE / "data" / "car.csv", f"encode onehot {car};"),
        "tic-tac-toe": _Table(data / "tic-tac-toe.csv", "encode onehot;"),
        "iris": _Table(data / "soct_iris_flow5.csv", published="iris"),
        "wine": _Table(data / "soct_wine_flow5.csv", published="wine"),
    }


def _solved(
    table: Path, split: str, depth: int, limit: int, way: Way, scaled: bool, words: str = ""
) -> dict[str, object]:
    strategy = f"strategy {{ {way.strategy} }}" if way.strategy else ""
    run = solved(table, split, depth, limit, 1, strategy, scaled, words=words, start=way.start)
    separated = run.pop("separated", None)
    if isinstance(separated, dict):
        run |= {"rows separated": separated["rows"], "separating: s": separated["seconds"]}
    return run | {"right": run.get("objective")}


def _lines(name: str) -> list[dict[str, str]]:
    with (HERE / "data" / name).open() as file:
        return list(csv.DictReader(file))
