"""Trees by other packages, for `contest.py`: each run is a process of its own.

python trees.py "STreeD" TASK.json          # answers beside the task
python trees.py table rossi rossi.csv       # a table of lifelines

A function takes features (N, p), the table's other columns by name, and the task. It gives a
function from features to answers, the value that the package claims, and whether it claims the
optimum: None where it claims nothing. Its seconds are those "in the call", without imports.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

MANY_ROWS = 100_000  # from which on tuning many prices takes half an hour
MOST_CELLS = 200_000_000  # rows times thresholds that are made into columns
Columns = dict[str, np.ndarray]
Task = dict[str, Any]
Answer = tuple[Callable[[np.ndarray], Any], float | None, bool | None]


def main() -> int:
    who, file, *rest = sys.argv[1:]
    if who == "table":
        return _table(file, *rest)
    task: Task = json.loads(Path(file).read_text())
    module, fit = PEERS[who]
    try:
        import_module(module)
        train = _read(task["train"], task)
    except ImportError as error:
        sys.exit(f"not installed: {error.name}")
    began = time.perf_counter()
    predict, claimed, proven = fit(*train, task)
    told = {"call": time.perf_counter() - began, "claimed": claimed, "proven": proven}
    for part in ("train", "test"):
        if task[part] is not None and who != READING:
            x = train[0] if part == "train" else _read(task[part], task)[0]
            np.save(f"{task['answer']}-{part}.npy", np.asarray(predict(x), float).ravel())
    Path(task["answer"] + ".json").write_text(json.dumps(told))
    return 0


def _read(file: str, task: Task) -> tuple[np.ndarray, Columns]:
    import polars

    table = polars.read_csv(file)
    others = {task["label"], *task["keep"].values()} & set(table.columns)
    return table.drop(others).to_numpy(), {name: table[name].to_numpy() for name in others}


def _table(name: str, target: str) -> int:
    try:
        import lifelines.datasets
    except ImportError as error:
        sys.exit(f"not installed: {error.name}")
    getattr(lifelines.datasets, f"load_{name}")().dropna().to_csv(target, index=False)
    return 0


# ------------------------------------------------------------------------ fewest errors


def _contree_rs(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    from pytrees import ConTreeClassifier

    model = ConTreeClassifier(max_depth=task["depth"], max_time=task["limit"])
    model.fit(x, columns[task["label"]])
    return model.predict, float(model.train_error_), model.status_ == "optimal"


def _contree(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    """It does not say whether its time ended; nearly all of it is taken for that."""
    from pycontree import ConTree

    began = time.perf_counter()
    model = ConTree(max_depth=task["depth"], time_limit=task["limit"])
    model.fit(x, columns[task["label"]])
    return model.predict, None, time.perf_counter() - began < 0.95 * task["limit"]


def _thresholds(x: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """From features to columns of 0 and 1: whether a value is above the middle between two
    neighbours. Columns of 0 and 1 stay."""
    cuts = [(v[:-1] + v[1:]) / 2 for v in map(np.unique, x.T)]
    if len(x) * sum(map(len, cuts)) > MOST_CELLS:
        sys.exit(f"{sum(map(len, cuts))} thresholds of {len(x)} rows are too many columns")
    return lambda x: np.concatenate(
        [(c[:, None] > v).astype(np.int32) for c, v in zip(x.T, cuts, strict=True)], axis=1
    )


def _streed(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    """All objectives of STreeD, by the measure that is asked for."""
    import pystreed

    bits, y = _thresholds(x), columns.get(task["label"])
    common = {"max_depth": task["depth"], "time_limit": task["limit"]}
    if "fair" in task:
        model = pystreed.STreeDGroupFairnessClassifier(
            task["fair"], discrimination_limit=task["within"], **common
        )
    elif task["measure"] == "loss":
        model = pystreed.STreeDRegressor("regression", **common)
    elif task["measure"] == "survival":
        model = pystreed.STreeDSurvivalAnalysis(**common)
        # It takes its events, of numpy's bool, as places in a list, which numpy 2 refuses.
        hazard = model._compute_baseline_cumulative_hazard_function
        model._compute_baseline_cumulative_hazard_function = lambda e, t: hazard(e.astype(int), t)
        kind = [("event", bool), ("time", float)]
        y = np.array(list(zip(columns["event"], columns["time"], strict=True)), kind)
    elif task["measure"] == "policy":
        model = pystreed.STreeDPrescriptivePolicyGenerator(teacher_method=task["teacher"], **common)
        names = ("treatment", "outcome", "propensity", "predicted_0", "predicted_1")
        y = np.column_stack([columns[name] for name in names])
    else:
        kind = "f1-score" if task["measure"] == "F1" else "accuracy"
        model = pystreed.STreeDClassifier(kind, **common)
    model.fit(bits(x), y)
    return lambda x: model.predict(bits(x)), None, bool(model.fit_result.is_optimal())


def _osrt(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    """Its price of a leaf cannot be nothing; this one is below what a leaf gains."""
    import pandas
    from osrt.model.osrt import OSRT

    model = OSRT({
        "regularization": 1e-9, "depth_budget": task["depth"] + 1, "time_limit": task["limit"],
        "metric": "L2" if task["squared"] else "L1", "weights": [],
    })  # fmt: skip
    frame = lambda x: pandas.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])  # noqa: E731
    model.fit(frame(x), pandas.DataFrame(columns[task["label"]]))
    return lambda x: model.predict(frame(x)), None, not model.timeout


# ------------------------------------------------------------------------ heuristics


def _cart(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    model = DecisionTreeClassifier(max_depth=task["depth"], random_state=0)
    if task["measure"] == "loss":
        criterion = "squared_error" if task["squared"] else "absolute_error"
        model = DecisionTreeRegressor(max_depth=task["depth"], criterion=criterion, random_state=0)
    model.fit(x, columns[task["label"]])
    return model.predict, None, None


def _cart_tuned(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    """Depth and price of a leaf by five folds; the prices are quantiles of those at which the whole
    tree changes. Of many rows the depth alone."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    depths, y, prices = (1, 2, 3, 4), columns[task["label"]], np.zeros(1)
    if len(x) < MANY_ROWS:
        whole = DecisionTreeClassifier(max_depth=max(depths), random_state=0)
        path = np.unique(whole.cost_complexity_pruning_path(x, y).ccp_alphas.clip(0))
        prices = np.quantile(path, np.linspace(0, 1, min(12, len(path))))
    grid = {"max_depth": depths, "ccp_alpha": np.unique(prices)}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=folds).fit(x, y)
    return model.predict, None, None


def _ydf(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    import ydf

    ydf.verbose(0)
    features = lambda x: {f"f{j}": x[:, j] for j in range(x.shape[1])}  # noqa: E731
    classes, y = np.unique(columns[task["label"]], return_inverse=True)
    learner = ydf.CartLearner(
        label="class", max_depth=task["depth"] + 1, validation_ratio=0.0, min_examples=1,
        split_axis="SPARSE_OBLIQUE", sparse_oblique_num_projections_exponent=2.0,
        sparse_oblique_normalization="MIN_MAX",
        maximum_training_duration_seconds=float(task["limit"]),
    )  # fmt: skip
    model = learner.train(features(x) | {"class": y})

    def predict(x: np.ndarray) -> np.ndarray:
        shares = model.predict(features(x))
        best = shares.argmax(axis=1) if shares.ndim == 2 else (shares > 0.5).astype(int)
        return classes[best]

    return predict, None, None


def _reading(x: np.ndarray, columns: Columns, task: Task) -> Answer:
    """No tree: the file is read, and this looks at each number once."""
    x.sum(axis=0)
    return lambda x: x, None, None


READING = "own reading, one pass"
PEERS: dict[str, tuple[str, Callable[[np.ndarray, Columns, Task], Answer]]] = {
    "ConTree (pytrees-rs)": ("pytrees", _contree_rs),
    "ConTree (pycontree)": ("pycontree", _contree),
    "STreeD": ("pystreed", _streed),
    "OSRT": ("osrt.model.osrt", _osrt),
    "CART": ("sklearn.tree", _cart),
    "CART, tuned": ("sklearn.tree", _cart_tuned),
    "ydf": ("ydf", _ydf),
    READING: ("numpy", _reading),
}


if __name__ == "__main__":
    sys.exit(main())
