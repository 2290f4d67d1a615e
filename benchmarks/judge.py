"""The files that contenders read, and what their trees are worth, counted here and nowhere else.

python benchmarks/judge.py prepare TASK.json     # makes train.csv and test.csv beside the task
python benchmarks/judge.py judge TASK.json       # a value for each answer of the task

`contest.py` writes the tasks. Both print a line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars

import treemip

CHUNK = 1_000_000  # rows that are made at once
OTHER = 1 << 40  # seed of rows to try trees on
Columns = dict[str, np.ndarray]


def main() -> int:
    what, file = sys.argv[1:]
    task = json.loads(Path(file).read_text())
    told = _prepare(task, Path(file).parent) if what == "prepare" else _judge(task)
    print(json.dumps(told))
    return 0


def _prepare(task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths of the rows to train and to try trees on: numbers only, where the task has `encode`."""
    train, test = folder / "train.csv", folder / "test.csv"
    if task["source"].startswith("made "):
        count = int(task["source"].removeprefix("made "))
        _make(count, train)
        if task["test"]:
            _make(round(task["test"] * count), test, seed=OTHER)
    elif task["encode"] is None:
        train = Path(task["source"]).resolve()
    else:
        table = _encoded(task)
        order = np.random.default_rng(1).permutation(len(table))
        left_out = round(task["test"] * len(table))
        if left_out:
            table[np.sort(order[:left_out])].write_csv(test)
            table = table[np.sort(order[left_out:])]
        table.write_csv(train)
    return {"train": str(train), "test": str(test) if task["test"] else None}


def _encoded(task: dict[str, Any]) -> polars.DataFrame:
    """Features as treemip encodes them, f0 to fp, then columns kept and the label, as numbers."""
    raw = polars.read_csv(task["source"], infer_schema_length=None, null_values="")
    kept, label = task["keep"], task["label"]
    features = raw.drop({*kept, label} & set(raw.columns))
    program = treemip.loads(
        f'data "t" {{ label count number; {task["encode"]} }}'
        " topology complete(depth = 1); split univariate by ort;",
        {"count": np.arange(len(raw))}
        | {name: features[name].to_numpy() for name in features.columns},
    )
    x = program.data.train.inputs
    columns = {f"f{j}": x[:, j] for j in range(x.shape[1])}
    columns |= {new: _numbers(raw[old]) for old, new in kept.items()}
    if label in raw.columns and label not in kept:
        classes = _numbers(raw[label])
        columns[label] = classes == 1 if task.get("positive") else classes
    if "fair" in task:  # the first feature is the group, as STreeD has it
        columns = {"f": columns["group"], **columns}
    return polars.DataFrame(
        {name: _whole(np.asarray(values, float)) for name, values in columns.items()}
    )


def _numbers(column: polars.Series) -> np.ndarray:
    """Numbers as they are, words by their order."""
    values = column.to_numpy()
    if column.dtype.is_numeric():
        return values
    return np.unique(values.astype(str), return_inverse=True)[1]


def _whole(values: np.ndarray) -> np.ndarray:
    whole = values.astype(np.int64)
    return whole if np.array_equal(whole, values) else values


def _make(count: int, target: Path, seed: int = 0) -> None:
    """A table of 20 columns of numbers with 4 digits, and two classes by four of them and noise."""
    with target.open("wb") as file:
        for first in range(0, count, CHUNK):
            size = min(CHUNK, count - first)
            rng = np.random.default_rng(seed + first)
            x = np.round(rng.normal(size=(size, 20)), 4)
            score = (x[:, 0] > 0.3).astype(int) + (x[:, 1] * x[:, 2] > 0.1) + (x[:, 3] > -0.5)
            good = score + 0.8 * rng.normal(size=size) > 1.6
            part = polars.DataFrame({f"f{j}": x[:, j] for j in range(20)} | {"class": good * 1})
            part.write_csv(file, include_header=first == 0)


# ------------------------------------------------------------------------ worth


def _judge(task: dict[str, Any]) -> dict[str, Any]:
    """An objective is that which treemip has verified: no peer has such trees."""
    told: dict[str, dict[str, Any]] = {}
    for part in ("train", "test"):
        if task[part] is None or task["measure"] == "objective":
            continue
        columns = polars.read_csv(task[part])
        table = {column.name: column.to_numpy() for column in columns}
        for who, answer in task["answers"].items():
            predicted = _predicted(Path(answer), part, table)
            if predicted is not None:
                key = "value" if part == "train" else "value on test"
                told.setdefault(who, {})[key] = MEASURES[task["measure"]](table, predicted, task)
                broken = part == "train" and _broken(table, predicted, task)
                told[who] |= {"broken": broken} if broken else {}
    return told


def _predicted(answer: Path, part: str, table: Columns) -> np.ndarray | None:
    """What a peer's tree answers on these rows, or treemip's; None where there is none."""
    peer, own = answer.with_name(f"{answer.name}-{part}.npy"), answer.with_suffix(".json")
    if peer.is_file():
        return np.load(peer)
    if not own.is_file() or json.loads(own.read_text()).get("tree") is None:
        return None
    return np.asarray(treemip.load_tree(own).predict(table)).astype(float)


def _errors(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> int:
    return int((predicted != table[task["label"]]).sum())


def _f1(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> float:
    is_, said = table[task["label"]] == 1, predicted == 1
    return 2 * float((is_ & said).sum()) / float(is_.sum() + said.sum())


def _loss(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> float:
    """In units of the best constant's, as the library's ORT has it."""
    y = table[task["label"]]
    middle = y.mean() if task["squared"] else np.sort(y)[-(-len(y) // 2) - 1]
    power = 2 if task["squared"] else 1
    return float((abs(predicted - y) ** power).sum() / (abs(middle - y) ** power).sum())


def _policy(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> float:
    """Mean of the estimated outcomes under the treatments that a tree prescribes."""
    given = predicted == table["treatment"]
    base = np.where(predicted == 1, table["predicted_1"], table["predicted_0"])
    base = base if task["teacher"] != "IPW" else 0.0
    more = np.where(given, (table["outcome"] - base) / table["propensity"], 0.0)
    return float((base + (more if task["teacher"] != "DM" else 0.0)).mean())


def _survival(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> float:
    """Half the deviance, as the library's OST has it; points that are answered the same share the
    best hazard that a leaf of them can have."""
    time, event = table["time"], table["event"]
    _, at = np.unique(time, return_inverse=True)
    gone, events = np.bincount(at), np.bincount(at, event)
    hazard = np.cumsum(events / (len(time) - np.cumsum(gone) + gone))[at]
    groups = np.unique(predicted, return_inverse=True)[1]
    some = np.bincount(groups, event)
    theta = (some / np.maximum(np.bincount(groups, hazard), 1e-300))[groups]
    parts = np.where(event == 1, np.log(np.where(event == 1, hazard * theta, 1)), 0)
    return float((hazard * theta - event - parts).sum())


MEASURES = {
    "errors": _errors,
    "F1": _f1,
    "loss": _loss,
    "policy": _policy,
    "survival": _survival,
}


def _broken(table: Columns, predicted: np.ndarray, task: dict[str, Any]) -> str:
    """What fairness a tree breaks, of that which the task asks for: the largest difference between
    two groups' shares of answers 1, among all points or among those of class 1."""
    if "fair" not in task:
        return ""
    of = np.ones(len(predicted), bool)
    of = table[task["label"]] == 1 if task["fair"] == "equality-of-opportunity" else of
    group = table["group"]
    shares = [float((predicted[of & (group == g)] == 1).mean()) for g in np.unique(group[of])]
    gap = max(shares) - min(shares)
    return f"{task['fair']} by {gap:.4g}" if gap > task["within"] + 1e-9 else ""


if __name__ == "__main__":
    sys.exit(main())
