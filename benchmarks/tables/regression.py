"""Regression trees beside scikit-learn's of the same depth: training and test loss."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from answers import Request

TITLE = "Regression trees (ORT) beside DecisionTreeRegressor"
COLUMNS = ["table", "rows", "features", "loss", "depth", "train", "cart train", "test", "cart test"]
COLUMNS += ["proven", "seconds"]
LIMIT = 10.0  # seconds of a solve
TEST = 0.25  # share of the rows
SHIPPED = Path(__file__).resolve().parents[2] / "specs" / "data"
CRITERION = {"squared": "squared_error", "absolute": "absolute_error"}


@dataclass(frozen=True)
class Case:
    """file: of the request's data or the repository's, or one of scikit-learn's own tables. target:
    the column of numbers that is predicted; `without`: columns that are not features."""

    file: str
    target: str
    without: tuple[str, ...] = ()


CASES = [
    Case("sklearn diabetes", "target"),
    Case("sklearn linnerud", "target"),
    Case("wine", "alcohol", ("class",)),
    Case("iris", "petal_width", ("class",)),
    Case("breast-cancer-diagnostic", "mean_fractal_dimension", ("class",)),
]


def rows(request: Request) -> Iterator[dict[str, object]]:
    """A row for each table, loss and depth."""
    for case in CASES:
        read = _read(case, request.data)
        if read is None:
            continue
        for loss in CRITERION:
            for depth in (2,) if request.quick else (2, 3):
                yield _row(case.file, *read, loss, depth)


def _read(case: Case, folder: Path) -> tuple[np.ndarray, np.ndarray] | None:
    """The features float64 (N, p) and the target (N,); None where there is no such file."""
    if case.file.startswith("sklearn "):
        from sklearn import datasets

        data = getattr(datasets, "load_" + case.file.removeprefix("sklearn "))()
        return data.data, data.target if data.target.ndim == 1 else data.target[:, 0]
    files = [f / f"{case.file}.csv" for f in (folder, SHIPPED) if (f / f"{case.file}.csv").exists()]
    if not files:
        return None
    with files[0].open(newline="") as source:
        names, *table = csv.reader(source)
    at = names.index(case.target)
    kept = [j for j, name in enumerate(names) if j != at and name not in case.without]
    numbers = np.array([[row[j] for j in (*kept, at)] for row in table], float)
    return numbers[:, :-1], numbers[:, -1]


def _row(name: str, x: np.ndarray, y: np.ndarray, loss: str, depth: int) -> dict[str, object]:
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeRegressor

    import treemip

    parts = train_test_split(x, y, test_size=TEST, random_state=0)
    x_train, x_test, y_train, y_test = parts
    columns: dict[str, Any] = {f"f{j}": x_train[:, j] for j in range(x.shape[1])}
    text = 'data "t" { label y number; scale minmax; }\n'
    text += f"topology complete(depth = {depth});\n"
    text += f"split univariate by ort(squared = {int(loss == 'squared')});\n"
    program = treemip.loads(text, {**columns, "y": y_train})
    result = program.compile().solve(time_limit=LIMIT)
    assert result.tree is not None
    cart = DecisionTreeRegressor(max_depth=depth, criterion=CRITERION[loss], random_state=0)
    cart.fit(x_train, y_train)
    own = [_predicted(result.tree, x_train), _predicted(result.tree, x_test)]
    its = [cart.predict(x_train), cart.predict(x_test)]
    return {
        "table": name,
        "rows": len(y_train),
        "features": x.shape[1],
        "loss": loss,
        "depth": depth,
        "train": f"{_loss(loss, y_train, own[0]):.6g}",
        "cart train": f"{_loss(loss, y_train, its[0]):.6g}",
        "test": f"{_loss(loss, y_test, own[1]):.6g}",
        "cart test": f"{_loss(loss, y_test, its[1]):.6g}",
        "proven": "yes" if result.status == "optimal" else "no",
        "seconds": f"{result.answer.seconds:.1f}",
    }


def _predicted(tree: Any, x: np.ndarray) -> np.ndarray:
    return np.asarray(tree.predict({f"f{j}": x[:, j] for j in range(x.shape[1])}), float)


def _loss(loss: str, y: np.ndarray, predicted: np.ndarray) -> float:
    """The mean squared or absolute difference."""
    off = predicted - y
    return float((off**2).mean() if loss == "squared" else np.abs(off).mean())
