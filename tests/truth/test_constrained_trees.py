"""The exact engine under side constraints against a plain enumeration of all trees of depth 2.

The enumeration shares nothing with treemip: every cut of the root, every pair of trees of depth at
most 1 below it, every labelling. A root is passed over only where the fewest errors of its sides,
constraints aside, already exceed the best tree so far.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from truth_cases import SPECS

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import best_tree, fits

HERE = Path(__file__).resolve().parent / "data"

TABLES = {
    "german-credit": (SPECS / "german-credit.csv", "class", "2", "telephone"),
    "monks-1": (SPECS / "monks-1.csv", "class", "1", ""),
    "monks-2": (HERE / "monks-2.csv", "class", "1", ""),
    "monks-3": (HERE / "monks-3.csv", "class", "1", ""),
    "sonar": (SPECS / "sonar.csv", "class", "M", ""),
}


@dataclass(frozen=True)
class Table:
    """x float64 (N, p), positive and group bool (N,)."""

    x: np.ndarray
    positive: np.ndarray
    group: np.ndarray


@dataclass(frozen=True)
class Options:
    """Trees of depth at most 1: errors (n,), positives called so by group and truth (n, 4),
    feature (n,), -1 without a split."""

    errors: np.ndarray
    called: np.ndarray
    feature: np.ndarray


Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Which trees keep a constraint: positives called (n, 4), features of the branches (n, 3)."""

Price = Callable[[np.ndarray], np.ndarray]


def table_of(name: str) -> Table:
    path, label, positive, group = TABLES[name]
    with path.open() as file:
        rows = list(csv.DictReader(file))
    columns = []
    for head in rows[0]:
        values = [row[head] for row in rows]
        if head in (label, group):
            continue
        try:
            columns.append(np.array(values, float))
        except ValueError:
            columns += [np.array([v == one for v in values], float) for one in sorted(set(values))]
    kinds = sorted({row[group] for row in rows}) if group else ["a"]
    first = np.array([row[group] == kinds[0] if group else True for row in rows])
    return Table(np.array(columns).T, np.array([r[label] == positive for r in rows]), first)


def options(table: Table, rows: np.ndarray, least: int) -> Options:
    """Every split of the points `rows`, with every labelling; and none."""
    x, positive, group = table.x[rows], table.positive[rows], table.group[rows]
    kind = np.zeros((len(rows), 4))
    kind[np.arange(len(rows)), 2 * group + positive] = 1
    total = kind.sum(axis=0)
    lefts, features = [np.zeros((1, 4)), total[None]], [[-1], [-1]]
    for j in range(x.shape[1]):
        order = np.argsort(x[:, j], kind="stable")
        ends = np.flatnonzero(np.diff(x[order, j]) > 0)
        lefts.append(np.cumsum(kind[order], axis=0)[ends])
        features.append([j] * len(ends))
    left, feature = np.concatenate(lefts), np.concatenate(features).astype(int)
    right = total - left
    sizes = left.sum(axis=1), right.sum(axis=1)
    kept = ((sizes[0] == 0) | (sizes[0] >= least)) & ((sizes[1] == 0) | (sizes[1] >= least))
    left, right, feature = left[kept], right[kept], feature[kept]
    errors, called = [], []
    for low in (0, 1):
        for high in (0, 1):
            wrong = left[:, 0::2] if low else left[:, 1::2]
            other = right[:, 0::2] if high else right[:, 1::2]
            errors.append(wrong.sum(axis=1) + other.sum(axis=1))
            called.append(low * left + high * right)
    return Options(np.concatenate(errors), np.concatenate(called), np.tile(feature, 4))


def best_of_all(table: Table, rule: Rule, price: Price, least: int = 1) -> float:
    """The least objective of all trees of depth 2 that keep the rule."""
    every = np.arange(len(table.x))
    one = options(table, every, least)
    none = np.full((len(one.feature), 2), -1)
    best = _least(one.errors, one.called, np.column_stack([one.feature, none]), rule, price)
    for j in range(table.x.shape[1]):
        for value in np.unique(table.x[:, j])[:-1]:
            left = table.x[:, j] <= value
            sides = [options(table, rows, least) for rows in (every[left], every[~left])]
            if all(len(side.errors) for side in sides):
                best = min(best, _pairs(j, *sides, rule, price, best))
    return best


def _pairs(root: int, low: Options, high: Options, rule: Rule, price: Price, best: float) -> float:
    order = np.argsort(low.errors, kind="stable")
    near = np.flatnonzero(high.errors + low.errors.min() < best)
    for one in order:
        other = near[high.errors[near] + low.errors[one] < best]
        if not len(other):
            break
        features = np.column_stack(
            [np.full(len(other), root), np.full(len(other), low.feature[one]), high.feature[other]]
        )
        called = high.called[other] + low.called[one]
        best = min(
            best, _least(high.errors[other] + low.errors[one], called, features, rule, price)
        )
    return best


def _least(
    errors: np.ndarray, called: np.ndarray, features: np.ndarray, rule: Rule, price: Price
) -> float:
    value = np.where(rule(called, features), errors + price(features), np.inf)
    return float(value.min(initial=np.inf))


def distinct(features: np.ndarray) -> np.ndarray:
    ordered = np.sort(features, axis=1)
    new = np.column_stack([ordered[:, :1] >= 0, (np.diff(ordered) > 0) & (ordered[:, 1:] >= 0)])
    count: np.ndarray = new.sum(axis=1)
    return count


def engine(name: str, rest: str, depth: int = 2) -> float:
    path, label, positive, group = TABLES[name]
    grouped = f"group {group};" if group else ""
    text = (
        f'data "{path}" {{ label {label} positive "{positive}"; {grouped} scale minmax; }}'
        f"topology complete(depth = {depth}); split univariate by oct; {rest}"
    )
    instance = treemip.loads(text).instance
    spec = summed(instance)
    assert fits(instance, spec) is None
    result = best_tree(instance, spec, 120)
    assert result.proven
    return result.value


def free(called: np.ndarray, features: np.ndarray) -> np.ndarray:
    return np.ones(len(called), bool)


def nothing(features: np.ndarray) -> np.ndarray:
    return np.zeros(len(features))


@pytest.mark.truth
@pytest.mark.parametrize("floor", [0.5, 0.8])
@pytest.mark.parametrize("name", list(TABLES))
def test_recall_floors(name: str, floor: float) -> None:
    table = table_of(name)
    positives = table.positive.sum()

    def rule(called: np.ndarray, features: np.ndarray) -> np.ndarray:
        return called[:, 1::2].sum(axis=1) >= floor * positives - 1e-9

    rest = f"minimize misclassified; subject to floor: recall[positive] >= {floor};"
    assert engine(name, rest) == best_of_all(table, rule, nothing)


@pytest.mark.truth
@pytest.mark.parametrize("name", list(TABLES))
def test_leaf_sizes(name: str) -> None:
    rest = "minimize misclassified; subject to s {l in leaves}: points_in[l] >= 20 * occupied[l];"
    assert engine(name, rest) == best_of_all(table_of(name), free, nothing, 20)


@pytest.mark.truth
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("name", list(TABLES))
def test_budgets_of_features(name: str, most: int) -> None:
    rest = f"minimize misclassified; subject to few: distinct_features <= {most};"
    expected = best_of_all(table_of(name), lambda _, f: distinct(f) <= most, nothing)
    assert engine(name, rest) == expected


@pytest.mark.truth
@pytest.mark.parametrize("name", list(TABLES))
def test_prices_of_splits_and_features(name: str) -> None:
    rest = "minimize misclassified + 3 * splits + 2 * distinct_features;"
    expected = best_of_all(
        table_of(name), free, lambda f: 3.0 * (f >= 0).sum(axis=1) + 2.0 * distinct(f)
    )
    assert engine(name, rest) == expected


@pytest.mark.truth
@pytest.mark.parametrize("of_positives", [False, True])
def test_rates_of_groups(of_positives: bool) -> None:
    """Demographic parity, and equal opportunity."""
    table = table_of("german-credit")
    both = " and y[i] = positive" if of_positives else ""
    who = f"i in points : telephone[i] = g{both}"
    rest = (
        f"let rate {{g in values(telephone)}} = sum {{{who}}} predicts[i,positive]"
        f" / card({{{who}}});"
        "minimize misclassified; subject to parity {g in values(telephone), h in values(telephone) "
        ": g != h}: rate[g] - rate[h] <= 0.02;"
    )

    def rule(called: np.ndarray, features: np.ndarray) -> np.ndarray:
        rates = []
        for group in (False, True):
            mine = (table.group == group) & (table.positive | (not of_positives))
            kinds = [2 * group + 1] if of_positives else [2 * group, 2 * group + 1]
            rates.append(called[:, kinds].sum(axis=1) / mine.sum())
        return np.abs(rates[0] - rates[1]) <= 0.02 + 1e-9

    assert engine("german-credit", rest) == best_of_all(table, rule, nothing)
