"""Test accuracy of trees whose depth and complexity are chosen, beside CART, STreeD and ConTree.

python benchmarks/accuracy.py --data DIR --json accuracy.jsonl --page accuracy.md
python benchmarks/accuracy.py --data DIR --json accuracy.jsonl --tables 10 --limit 5 --who treemip

DIR has CSV files; the label is the last column, or the one called class. Tables go from the
smallest to the largest, each with five outer folds; every contender chooses on inner folds of the
outer training part alone, with the same seed. Each outcome is a line of the JSON file as soon as it
is there, and is not asked for again. The page has mean accuracies, average ranks, Friedman's test
with Nemenyi's critical difference and Wilcoxon's signed ranks beside tuned CART, over the tables
that all contenders have finished.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

FOLDS, INNER, SEED = 5, 5, 0
MOST_CELLS, LEAST_ROWS = 300_000, 60
SMALL = 5_000  # cells of a table for which STreeD tunes depth 4 in half a minute
CRITICAL = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949}
"""Nemenyi's q at 0.05, by the number of contenders (Demsar 2006)."""

HEAD = """# Test accuracy

Made by `python benchmarks/accuracy.py --page ...`; do not edit.

Tables from the smallest on, texts as columns of 0 and 1, five outer folds, {limit} seconds a fit
by the clock. By five inner folds CART chooses depth (1 to 4) and price, treemip depth and price,
ConTree the depth, and STreeD the number of nodes to depth 3, on small tables 4, with five
thresholds a column.

"""

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
Outcome = dict[str, Any]
DEPTHS = (1, 2, 3, 4)
CART, TUNED, BEST = "CART, tuned", "treemip, tuned (1se)", "treemip, tuned (best)"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of CSV files")
    parser.add_argument("--json", type=Path, required=True, help="the outcomes; taken up again")
    parser.add_argument("--page", type=Path, help="a page of Markdown to write")
    parser.add_argument("--tables", type=int, default=30, help="how many, the smallest first")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of each fit")
    parser.add_argument("--only", default="", help="tables with this in their names")
    parser.add_argument("--who", default="", help="contenders with this in their names")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    known = _known(given.json)
    done = {(one["table"], one["fold"], one["who"]) for one in known}
    for name, x, y in tables(given.data, given.only)[: given.tables]:
        for fold, (train, test) in enumerate(outer(x, y), start=1):
            for who, fit in contenders(given.who).items():
                if (name, fold, who) in done:
                    continue
                for one in _outcomes(fit, who, (x[train], y[train], x[test]), given.limit):
                    right = float((one.pop("predicted").astype(str) == y[test]).mean())
                    line = {"table": name, "rows": len(x), "fold": fold, "accuracy": right, **one}
                    known.append(line | {"limit": given.limit})
                    with given.json.open("a") as file:
                        file.write(json.dumps(known[-1]) + "\n")
        print(f"{name}: {len(x)} rows, {x.shape[1]} features", file=sys.stderr, flush=True)
    text = page(known)
    if given.page:
        given.page.write_text(HEAD.format(limit=f"{given.limit:g}") + text)
    print(text)
    return 0


def _known(file: Path) -> list[Outcome]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _outcomes(
    fit: Callable[..., Iterator[Outcome]], who: str, arrays: Arrays, limit: float
) -> Iterator[Outcome]:
    began = _spent()
    for one in fit(*arrays, limit):
        yield {"who": who, "seconds": round(_spent() - began, 2), **one}


def _spent() -> float:
    """CPU seconds, those of finished child processes too."""
    return sum(os.times()[:4])


# ----------------------------------------------------------------------------- tables and folds


def tables(folder: Path, only: str) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features (N, p) with texts as 0/1 columns, and labels; the smallest first. Parts of
    other tables there (-test, -train, -full) are left out, and tables of few rows or many cells."""
    found = []
    for file in sorted(folder.glob("*.csv")):
        if only not in file.stem or file.stem.endswith(("-test", "-train", "-full", "-uci")):
            continue
        x, y = read(file)
        if len(x) >= LEAST_ROWS and x.size <= MOST_CELLS:
            found.append((file.stem, x, y))
    return sorted(found, key=lambda one: one[1].size)


def read(file: Path) -> tuple[np.ndarray, np.ndarray]:
    import csv

    with file.open(newline="") as lines:
        head, *rows = csv.reader(lines)
    label = head.index("class") if "class" in head else len(head) - 1
    columns = []
    for j in range(len(head)):
        cells = np.array([row[j] for row in rows])
        if j == label:
            continue
        try:
            columns.append(cells.astype(float)[:, None])
        except ValueError:
            columns.append((cells[:, None] == np.unique(cells)[None]).astype(float))
    return np.concatenate(columns, axis=1), np.array([row[label] for row in rows])


def outer(x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(x, y))


# ----------------------------------------------------------------------------- contenders


def _cart(x: np.ndarray, y: np.ndarray, new: np.ndarray, limit: float) -> Iterator[Outcome]:
    """Depth and price of a leaf by a grid, the prices from the path of the whole training part."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    path = DecisionTreeClassifier(max_depth=max(DEPTHS), random_state=SEED)
    prices = np.unique(path.cost_complexity_pruning_path(x, y).ccp_alphas.clip(0))
    if len(prices) > 12:
        prices = np.quantile(prices, np.linspace(0, 1, 12))
    grid = {"max_depth": DEPTHS, "ccp_alpha": prices}
    inner = StratifiedKFold(INNER, shuffle=True, random_state=SEED)
    model = GridSearchCV(DecisionTreeClassifier(random_state=SEED), grid, cv=inner).fit(x, y)
    yield {"predicted": model.predict(new), "chosen": str(model.best_params_)}


def _treemip(x: np.ndarray, y: np.ndarray, new: np.ndarray, limit: float) -> Iterator[Outcome]:
    """The tuned tree by both rules, from the same folds."""
    import treemip
    from treemip.study.sweeps.choice import candidates_of, chosen_of
    from treemip.study.sweeps.drawn_rows import Drawn
    from treemip.study.sweeps.tuning import finished, tuning_plan

    columns = {f"f{j}": x[:, j] for j in range(x.shape[1])}
    spec = (
        'data "memory" { label class; scale minmax; } topology complete(depth = 2);'
        "split univariate by oct;"
    )
    program = treemip.loads(spec, data={**columns, "class": y})
    began = time.perf_counter()
    plan = tuning_plan(Drawn(program), (), {}, (INNER, SEED), limit)
    from treemip.study.sweeps.sweep import carry_out

    runs, before = carry_out(plan), None
    for who, rule in ((TUNED, "1se"), (BEST, "best")):
        chosen = chosen_of(candidates_of(runs), rule).values
        if before is None or before[0] != chosen:
            result = finished(plan, runs, rule, limit, began).result
            before = chosen, np.asarray(result.tree.predict(columns_of(new)))
        unproven = sum(row["proven_by"] is None for row in runs.rows)
        told = {"chosen": str(chosen), "unproven": unproven, "runs": len(runs.rows)}
        yield {"who": who, "predicted": before[1], **told}


def _untuned(x: np.ndarray, y: np.ndarray, new: np.ndarray, limit: float) -> Iterator[Outcome]:
    from treemip.sklearn import OptimalTreeClassifier

    model = OptimalTreeClassifier(depth=3, time_limit=limit).fit(x, y)
    yield {"predicted": model.predict(new)}


def _streed(x: np.ndarray, y: np.ndarray, new: np.ndarray, limit: float) -> Iterator[Outcome]:
    """STreeD's own tuning of the size of the tree, its own binary columns: of the greatest depth
    that it tunes in time, 4 for small tables alone. It ends its process where its time is over."""
    for depth in (4, 3, 2) if x.size <= SMALL else (3, 2):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
            try:
                predicted = apart.submit(_streed_of, x, y, new, depth, limit).result()
            except BrokenProcessPool:
                continue
        yield {"predicted": predicted, "chosen": f"depth {depth} at most"}
        return


def _streed_of(
    x: np.ndarray, y: np.ndarray, new: np.ndarray, depth: int, limit: float
) -> np.ndarray:
    from pystreed import STreeDClassifier

    classes, numbers = np.unique(y, return_inverse=True)
    model = STreeDClassifier(
        "accuracy", max_depth=depth, hyper_tune=True, time_limit=limit, n_thresholds=5
    )
    model.fit(x, numbers)
    return classes[np.asarray(model.predict(new), int)]


def _contree(x: np.ndarray, y: np.ndarray, new: np.ndarray, limit: float) -> Iterator[Outcome]:
    """The depth by the same folds; seconds are parted as those of treemip are."""
    from pycontree import ConTree
    from sklearn.model_selection import StratifiedKFold

    numbers = np.unique(y, return_inverse=True)[1]
    began, right = time.perf_counter(), dict.fromkeys(DEPTHS, 0.0)

    def learned(rows: np.ndarray, depth: int, seconds: float) -> ConTree:
        model = ConTree(max_depth=depth, time_limit=max(0.5, seconds))
        return model.fit(x[rows], numbers[rows]) or model

    inner = StratifiedKFold(INNER, shuffle=True, random_state=SEED)
    for train, test in inner.split(x, y):
        end = time.perf_counter() + 0.75 * limit / INNER
        for depth in DEPTHS:
            model = learned(train, depth, (end - time.perf_counter()) / (1 if depth == 4 else 2))
            right[depth] += (np.asarray(model.predict(x[test])) == numbers[test]).mean()
    best = max(DEPTHS, key=lambda depth: right[depth])
    model = learned(np.arange(len(x)), best, limit - (time.perf_counter() - began))
    yield {"predicted": np.unique(y)[np.asarray(model.predict(new), int)], "chosen": str(best)}


def columns_of(x: np.ndarray) -> dict[str, np.ndarray]:
    return {f"f{j}": x[:, j] for j in range(x.shape[1])}


CONTENDERS: dict[str, tuple[str, Callable[..., Iterator[Outcome]]]] = {
    CART: ("sklearn", _cart),
    TUNED: ("treemip", _treemip),
    "treemip, depth 3": ("treemip", _untuned),
    "STreeD, tuned": ("pystreed", _streed),
    "ConTree, tuned": ("pycontree", _contree),
}
"""By name: the package and the fit."""


def contenders(part: str) -> dict[str, Callable[..., Iterator[Outcome]]]:
    """Those of which the package is installed and whose name has this part."""
    return {
        who: fit for who, (package, fit) in CONTENDERS.items() if find_spec(package) and part in who
    }


# ----------------------------------------------------------------------------- the page


def page(known: list[Outcome]) -> str:
    """Means over the folds by table, and the tests, over tables that all have finished."""
    from scipy import stats

    whos = list(dict.fromkeys(one["who"] for one in known))
    folds: dict[tuple[str, str], list[float]] = {}
    for one in known:
        folds.setdefault((one["table"], one["who"]), []).append(one["accuracy"])
    names = [
        name
        for name in dict.fromkeys(one["table"] for one in known)
        if all(len(folds.get((name, who), ())) == FOLDS for who in whos)
    ]
    if not names:
        return "No table is finished yet.\n"
    means = np.array([[np.mean(folds[name, who]) for who in whos] for name in names])
    ranks = np.array([stats.rankdata(-row.round(12)) for row in means])
    lines = ["| table | " + " | ".join(whos) + " |", "|---" * (len(whos) + 1) + "|"]
    for name, row in zip(names, means, strict=True):
        lines.append(f"| {name} | " + " | ".join(f"{value:.4f}" for value in row) + " |")
    for what, row in (("mean", means.mean(axis=0)), ("average rank", ranks.mean(axis=0))):
        lines.append(f"| **{what}** | " + " | ".join(f"{value:.4f}" for value in row) + " |")
    text = "\n".join(lines) + f"\n\n{len(names)} tables, {FOLDS} folds each.\n"
    return text + _tests(means, ranks, whos)


def _tests(means: np.ndarray, ranks: np.ndarray, whos: list[str]) -> str:
    from scipy import stats

    count, k = means.shape
    if count < 3 or k < 3:
        return ""
    test = stats.friedmanchisquare(*means.T)
    difference = CRITICAL.get(k, np.nan) * np.sqrt(k * (k + 1) / (6 * count))
    text = f"\nFriedman: chi2 = {test.statistic:.2f}, p = {test.pvalue:.3g}. "
    text += f"Nemenyi: ranks differ at 0.05 by {difference:.2f} or more.\n"
    if CART not in whos:
        return text
    cart = whos.index(CART)
    for at, who in enumerate(whos):
        apart = means[:, at] - means[:, cart]
        if at != cart and apart.any():
            p = stats.wilcoxon(apart).pvalue
            better, worse = int((apart > 1e-12).sum()), int((apart < -1e-12).sum())
            text += f"\n* {who} beside {CART}: better on {better}, worse on {worse}, "
            text += f"{100 * apart.mean():+.2f} points on the mean; Wilcoxon p = {p:.3g}"
    return text + "\n"


if __name__ == "__main__":
    sys.exit(main())
