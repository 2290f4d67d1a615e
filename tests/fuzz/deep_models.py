"""Random specs of depth 3, where not every tree can be listed.

Where an objective is a sum over leaves, `least_cost` of tests/reference finds the best tree; with
prices or a limit of features, once for each set of features. Where objective and side constraints
depend on what points are given alone, `predictions` of tests has all of these.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from reference.enumeration import Trees, Worth, complete
from reference.leaf_sums import LeafCost, least_cost
from reference.predictions import axis_sides, predictions

from .models import FORMS, Model, goal_of, nearly, random_table, spec_text
from .search_words import (
    BASES,
    Row,
    Term,
    Terms,
    class_counts,
    distinct_features,
    equal_chance,
    every_recall,
    features_used,
    few_features,
    few_of_class,
    leaf_of_size,
    leaves_used,
    parity,
    parity_price,
    precision,
    recall,
    right,
    splits,
    wide_rates,
)
from .tables import Table
from .valued_forms import VALUED, Valued, best_constant

DEPTH = 3
SHAPE = complete(DEPTH)
BRANCHES = 2**DEPTH - 1
MOST = 10  # points where all predictions are listed

SUMS = [
    b
    for b in BASES
    if b.__name__
    in ("misclassified", "errors", "accuracy", "balanced_error", "costs", "class_weights")
]
"""Objectives that add up what each point loses by its label."""
GIVEN = [parity_price, class_counts]
GIVEN_ROWS = [recall, every_recall, precision, right, parity, wide_rates, equal_chance,
              few_of_class]  # fmt: skip
PRICED = [splits, features_used, distinct_features, distinct_features, leaves_used]
PRICES = [0.0625, 0.25, 0.6, 1.0, 2.0, 3.0]


def deep_model(rng: np.random.Generator, near: bool) -> Model:
    """near: with numbers that all but agree."""
    if rng.random() < 0.25:
        return _by_predictions(rng, near)
    names = [*list(FORMS)[:3], "oct", "ort", "prescriptive_ipw", "prescriptive_dr"]
    return _by_sums(rng, str(rng.choice(names)), near)


def _by_sums(rng: np.random.Generator, name: str, near: bool) -> Model:
    form = FORMS.get(name) or VALUED[name]
    table = (form.table or random_table)(rng, form, int(rng.choice([2, 2, 3])), 7)
    prices = rng.choice(PRICES, 2)
    if near:
        table = nearly(rng, table, form.binary)
    bases = SUMS if name in FORMS else form.words.bases
    first = bases[int(rng.integers(len(bases)))](rng, table)
    known = [word for word in PRICED if name != "binoct" or word is not leaves_used]
    priced = [known[k] for k in rng.permutation(len(known))[: int(rng.integers(3))]]
    priced = list(dict.fromkeys(priced))
    terms = [make(rng, table) for make in priced]
    size = int(rng.choice([1, 1, 2, 3])) if name != "binoct" else 1
    few = rng.random() < 0.2
    rows = (leaf_of_size(size),) if size > 1 else ()
    rows += (few_features(rng, table),) if few else ()
    goal, worth, sign = goal_of(first, terms, prices)
    x = form.encode(table)
    price = dict(zip([word.__name__ for word in priced], prices, strict=False))
    most = 1 if few else x.shape[1]
    leaf = _leaf_cost(table, first, sign)

    def reference() -> tuple[float, float]:
        best = _least(name, x, price, size, most, leaf)
        return best, best

    words = (first.text, *(w.__name__ for w in priced), *(row.text for row in rows))
    text = spec_text(name, form, table, SHAPE, {}, first.before + goal, rows)
    return Model(name, table, text, sign, reference, x, table.feature_of, worth, rows, words)


def _least(
    name: str, x: np.ndarray, price: dict[str, float], size: int, most: int, leaf: LeafCost
) -> float:
    """Over all sets of features to which a tree may be limited. BinOCT splits at each branch."""
    split = price.get("splits", 0.0) + price.get("features_used", 0.0)
    fixed = BRANCHES * split if name == "binoct" else 0.0
    own = price.get("distinct_features", 0.0)
    ranks = x if name == "binoct" else _ranks(x)
    varied = [j for j in range(x.shape[1]) if np.ptp(ranks[:, j]) > 0]
    sized = range(int(name == "binoct"), min(most, len(varied)) + 1)
    best = np.inf
    for some in (s for n in sized for s in combinations(varied, n)):
        price_here = 0.0 if name == "binoct" else split
        cost = least_cost(ranks[:, list(some)], DEPTH, price_here, size,
                          lambda here: leaf(here) + price.get("leaves_used", 0.0))  # fmt: skip
        best = min(best, cost + fixed + own * len(some))
    return best


def _ranks(x: np.ndarray) -> np.ndarray:
    """Values within 1e-5 of each other are one: OCT's splits have no gap between them."""
    order = np.sort(x, axis=0)
    steps = np.vstack([np.zeros(x.shape[1]), np.cumsum(np.diff(order, axis=0) > 1e-5, axis=0)])
    return np.column_stack(
        [steps[np.searchsorted(order[:, j], x[:, j], "right") - 1, j] for j in range(x.shape[1])]
    )


def _leaf_cost(table: Table, first: Term, sign: float) -> LeafCost:
    """Of a leaf the least that its answer may cost; what a point costs by its label is what trees
    are worth that differ in that point alone."""
    if isinstance(table, Valued) and first.text.endswith("_error"):
        return lambda here: best_constant(table, here, first.text == "squared_error")
    points, classes = len(table.y), table.classes
    labels = np.tile(np.arange(classes), (points * classes, 1))
    ends = np.zeros((points * classes, points), np.int64)
    cost = np.zeros((points, classes))
    for i in range(points):
        rows = slice(i * classes, (i + 1) * classes)
        ends[rows, i] = np.arange(classes)
    none = np.zeros((points * classes, 1, 1), bool)
    cost = sign * first.worth(Trees(table, ends, labels, none, none[:, :, 0])).reshape(
        points, classes
    )
    base = cost[0, 0]  # all points have label 0
    each = cost - base
    return lambda here: float(each[here].sum(axis=0).min() + base * here.sum() / points)


def _by_predictions(rng: np.random.Generator, near: bool) -> Model:
    name = str(rng.choice(list(FORMS)[:3]))
    form = FORMS[name]
    drawn = random_table(rng, form, int(rng.choice([2, 2, 3])), 7)
    while len(drawn.y) > MOST or (drawn.classes > 2 and len(drawn.y) > MOST - 2):
        drawn = random_table(rng, form, 2, 7)
    table = nearly(rng, drawn, form.binary) if near else drawn
    base: Terms = BASES[int(rng.integers(len(BASES)))]
    first = base(rng, table)
    priced = [GIVEN[int(rng.integers(2))]] if rng.random() < 0.4 else []
    chosen = rng.permutation(len(GIVEN_ROWS))[: int(rng.choice([0, 1, 1, 2]))]
    asked = [GIVEN_ROWS[int(k)] for k in chosen]
    terms, rows = [p(rng, table) for p in priced], tuple(r(rng, table) for r in asked)
    goal, worth, sign = goal_of(first, terms, rng.choice(PRICES, 2))
    x = form.encode(table)

    def reference() -> tuple[float, float]:
        ranks = x if name == "binoct" else _ranks(x)
        best = _best_given(table, ranks, worth, rows)
        return best, best

    before = "".join(dict.fromkeys(p.before for p in (*terms, *rows, first)))
    text = spec_text(name, form, table, SHAPE, {}, before + goal, rows)
    words = tuple(w.__name__ for w in (base, *priced, *asked))
    return Model(name, table, text, sign, reference, x, table.feature_of, worth, rows, words)


def _best_given(table: Table, x: np.ndarray, worth: Worth, rows: tuple[Row, ...]) -> float:
    """The least worth of all that trees can give to the points."""
    given = np.array(sorted(predictions(x, table.classes, DEPTH, axis_sides)))
    labels = np.tile(np.arange(table.classes), (len(given), 1))
    none = np.zeros((len(given), 1, 1), bool)
    trees = Trees(table, given, labels, none, none[:, :, 0])
    kept = np.all([row.keeps(trees) for row in rows], axis=0) if rows else np.ones(len(given), bool)
    return float(worth(trees)[kept].min(initial=np.inf))
