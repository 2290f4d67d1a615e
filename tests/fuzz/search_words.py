"""Objective terms and side constraints: the text of a spec, and the same said of many trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from reference.enumeration import EMPTY, Keeps, Trees, Worth

from .tables import GROUPS, Table

TINY = 1e-9
RATES = """let rate {v in values(g), k in classes} =
  sum {i in points : g[i] = v} predicts[i,k] / card({i in points : g[i] = v});
let wrong_share {v in values(g)} =
  sum {i in points : g[i] = v} (1 - correct[i]) / card({i in points : g[i] = v});
let chance {v in values(g)} =
  sum {i in points : g[i] = v and y[i] = positive}
    predicts[i,positive] / card({i in points : g[i] = v and y[i] = positive});
"""


@dataclass(frozen=True)
class Term:
    """An objective's expression, to be minimized unless `maximized`. uses: it speaks of features;
    before: statements ahead of it."""

    text: str
    worth: Worth
    uses: bool = False
    maximized: bool = False
    before: str = ""


@dataclass(frozen=True)
class Row:
    """A side constraint. uses: it speaks of features; before: statements ahead of it."""

    text: str
    keeps: Keeps
    uses: bool = False
    before: str = ""


Terms = Callable[[np.random.Generator, Table], Term]
Rows = Callable[[np.random.Generator, Table], Row]


@dataclass(frozen=True)
class Words:
    """What objectives and side constraints of a formulation are drawn from."""

    bases: list[Terms]
    priced: list[Terms]
    rows: list[Rows]


OF_USES = frozenset(
    ["features_used", "distinct_features", "feature_price", "few_features", "short_splits",
     "left_out", "not_at_root", "coefficients", "largest_coefficients"]
)  # fmt: skip
"""Words that speak of features."""


def _class(rng: np.random.Generator, table: Table) -> int:
    return int(rng.integers(table.classes))


# ----------------------------------------------------------------------- terms


def misclassified(rng: np.random.Generator, table: Table) -> Term:
    return Term("misclassified", lambda t: (~t.right * table.weights).sum(axis=1))


def errors(rng: np.random.Generator, table: Table) -> Term:
    return Term("sum {i in points} (1 - correct[i])", lambda t: (~t.right).sum(axis=1))


def accuracy(rng: np.random.Generator, table: Table) -> Term:
    w = table.weights / table.weights.sum()
    return Term("accuracy", lambda t: (t.right * w).sum(axis=1), maximized=True)


def _recalls(t: Trees) -> np.ndarray:
    return np.array([t.recall(k) for k in range(t.table.classes)])


def balanced_error(rng: np.random.Generator, table: Table) -> Term:
    return Term("balanced_error", lambda t: 1 - _recalls(t).mean(axis=0))


def worst_class_error(rng: np.random.Generator, table: Table) -> Term:
    return Term("worst_class_error", lambda t: 1 - _recalls(t).min(axis=0))


def least_recall(rng: np.random.Generator, table: Table) -> Term:
    text = "min {k in classes} recall[k]"
    return Term(text, lambda t: _recalls(t).min(axis=0), maximized=True)


def costs(rng: np.random.Generator, table: Table) -> Term:
    """What class k costs as class m, different for each two."""
    text = "sum {k in classes, m in classes} (if k = m then 0 else ord(k) + 2 * ord(m)) * "
    pairs = [(k, m) for k in range(table.classes) for m in range(table.classes) if k != m]

    def worth(t: Trees) -> np.ndarray:
        return sum((k + 1 + 2 * (m + 1)) * t.confusion(k, m) for k, m in pairs)

    return Term(text + "confusion[k,m]", worth)


def class_weights(rng: np.random.Generator, table: Table) -> Term:
    before = (
        "param class_weight {k in classes} = card(points) / (card(classes) * class_count[k]);\n"
    )
    count = np.bincount(table.y)
    w = (len(table.y) / (table.classes * count))[table.y]
    text = "sum {i in points} class_weight[y[i]] * (1 - correct[i])"
    return Term(text, lambda t: (~t.right * w).sum(axis=1), before=before)


def worst_group(rng: np.random.Generator, table: Table) -> Term:
    text = "max {v in values(g)} wrong_share[v]"
    return Term(text, lambda t: np.maximum(t.error_rate(0), t.error_rate(1)), before=RATES)


BASES: list[Terms] = [
    misclassified,
    misclassified,
    errors,
    accuracy,
    balanced_error,
    worst_class_error,
    least_recall,
    costs,
    class_weights,
    worst_group,
]


def splits(rng: np.random.Generator, table: Table) -> Term:
    return Term("splits", lambda t: t.active.sum(axis=1))


def features_used(rng: np.random.Generator, table: Table) -> Term:
    return Term("features_used", lambda t: t.uses.sum(axis=(1, 2)), uses=True)


def distinct_features(rng: np.random.Generator, table: Table) -> Term:
    return Term("distinct_features", lambda t: t.uses.any(axis=1).sum(axis=1), uses=True)


def leaves_used(rng: np.random.Generator, table: Table) -> Term:
    return Term("leaves_used", lambda t: (t.sizes > 0).sum(axis=1))


def feature_price(rng: np.random.Generator, table: Table) -> Term:
    """The first feature costs, once for each split."""
    text = 'sum {t in branches, j in features_of("a1")} uses[t,j]'
    return Term(text, lambda t: t.uses[:, :, :1].sum(axis=(1, 2)), uses=True)


def largest_leaf(rng: np.random.Generator, table: Table) -> Term:
    return Term("0.3 * (max {l in leaves} points_in[l])", lambda t: 0.3 * t.sizes.max(axis=1))


def parity_price(rng: np.random.Generator, table: Table) -> Term:
    text = '4 * abs(rate["f","k0"] - rate["m","k0"])'
    return Term(text, lambda t: 4 * np.abs(t.rate(0, 0) - t.rate(1, 0)), before=RATES)


def class_counts(rng: np.random.Generator, table: Table) -> Term:
    """How far the number of points that are given class k is from 3."""
    k = _class(rng, table)
    text = f'abs(sum {{i in points}} predicts[i,"k{k}"] - 3)'
    return Term(text, lambda t: np.abs((t.given == k).sum(axis=1) - 3))


PRICED: list[Terms] = [
    splits,
    features_used,
    distinct_features,
    leaves_used,
    feature_price,
    largest_leaf,
    parity_price,
    class_counts,
]


# -------------------------------------------------------------------- constraints


def least_leaf(rng: np.random.Generator, table: Table) -> Row:
    return leaf_of_size(int(rng.integers(2, 4)))


def leaf_of_size(m: int) -> Row:
    text = f"least {{l in leaves}}: points_in[l] >= {m} * occupied[l];"
    return Row(text, lambda t: ((t.sizes == 0) | (t.sizes >= m)).all(axis=1))


def most_leaf(rng: np.random.Generator, table: Table) -> Row:
    m = int(rng.integers(len(table.y) // 2, len(table.y)))
    text = f"most {{l in leaves}}: points_in[l] <= {m};"
    return Row(text, lambda t: (t.sizes <= m).all(axis=1))


def few_leaves(rng: np.random.Generator, table: Table) -> Row:
    m = int(rng.integers(1, 4))
    return Row(f"few_leaves: leaves_used <= {m};", lambda t: (t.sizes > 0).sum(axis=1) <= m)


def many_leaves(rng: np.random.Generator, table: Table) -> Row:
    return Row("many_leaves: leaves_used >= 2;", lambda t: (t.sizes > 0).sum(axis=1) >= 2)


def few_splits(rng: np.random.Generator, table: Table) -> Row:
    m = int(rng.integers(0, 3))
    return Row(f"few_splits: splits <= {m};", lambda t: t.active.sum(axis=1) <= m)


def few_features(rng: np.random.Generator, table: Table) -> Row:
    text = "few_features: distinct_features <= 1;"
    return Row(text, lambda t: t.uses.any(axis=1).sum(axis=1) <= 1, uses=True)


def short_splits(rng: np.random.Generator, table: Table) -> Row:
    text = "short {t in branches}: sum {j in features} uses[t,j] <= 1;"
    return Row(text, lambda t: (t.uses.sum(axis=2) <= 1).all(axis=1), uses=True)


def left_out(rng: np.random.Generator, table: Table) -> Row:
    text = 'blind {t in branches, j in features_of("a1")}: uses[t,j] = 0;'
    return Row(text, lambda t: ~t.uses[:, :, :1].any(axis=(1, 2)), uses=True)


def not_at_root(rng: np.random.Generator, table: Table) -> Row:
    text = 'later {j in features_of("a1")}: uses[root,j] = 0;'
    return Row(text, lambda t: ~t.uses[:, 0, :1].any(axis=1), uses=True)


def recall(rng: np.random.Generator, table: Table) -> Row:
    k, share = _class(rng, table), float(rng.choice([0.5, 0.7, 1.0]))
    text = f'recognized: recall["k{k}"] >= {share};'
    return Row(text, lambda t: t.recall(k) >= share - TINY)


def every_recall(rng: np.random.Generator, table: Table) -> Row:
    text = "none_left_behind: min {k in classes} recall[k] >= 0.4;"
    return Row(text, lambda t: (_recalls(t) >= 0.4 - TINY).all(axis=0))


def precision(rng: np.random.Generator, table: Table) -> Row:
    k = _class(rng, table)
    text = f'reliable: confusion["k{k}","k{k}"] >= 0.75 * sum {{m in classes}} confusion[m,"k{k}"];'

    def keeps(t: Trees) -> np.ndarray:
        called = sum(t.confusion(m, k) for m in range(table.classes))
        return t.confusion(k, k) >= 0.75 * called - TINY

    return Row(text, keeps)


def right(rng: np.random.Generator, table: Table) -> Row:
    i = int(rng.integers(len(table.y)))
    return Row(f"right: correct[point({i + 1})] = 1;", lambda t: t.right[:, i])


def together(rng: np.random.Generator, table: Table) -> Row:
    i, k = (int(v) for v in rng.choice(len(table.y), 2, replace=False))
    text = f"together {{l in leaves}}: reach[point({i + 1}),l] = reach[point({k + 1}),l];"
    return Row(text, lambda t: t.ends[:, i] == t.ends[:, k])


def apart(rng: np.random.Generator, table: Table) -> Row:
    i, k = (int(v) for v in rng.choice(len(table.y), 2, replace=False))
    text = f"apart {{l in leaves}}: reach[point({i + 1}),l] + reach[point({k + 1}),l] <= 1;"
    return Row(text, lambda t: t.ends[:, i] != t.ends[:, k])


def parity(rng: np.random.Generator, table: Table) -> Row:
    limit = float(rng.choice([0.0, 0.25, 0.5]))
    text = (
        "parity {v in values(g), u in values(g) : v != u}: "
        f'rate[v,"k0"] - rate[u,"k0"] <= {limit};'
    )
    return Row(text, lambda t: np.abs(t.rate(0, 0) - t.rate(1, 0)) <= limit + TINY, before=RATES)


def wide_rates(rng: np.random.Generator, table: Table) -> Row:
    """A difference from below, which is not convex."""
    text = 'wide: abs(rate["f","k0"] - rate["m","k0"]) >= 0.1;'
    return Row(text, lambda t: np.abs(t.rate(0, 0) - t.rate(1, 0)) >= 0.1 - TINY, before=RATES)


def equal_chance(rng: np.random.Generator, table: Table) -> Row:
    """Equal opportunity between the groups, among points of class k1."""
    limit = float(rng.choice([0.25, 0.5]))
    text = f"fair {{v in values(g), u in values(g) : v != u}}: chance[v] - chance[u] <= {limit};"
    among = [(table.group == g) & (table.y == 1) for g in range(len(GROUPS))]

    def keeps(t: Trees) -> np.ndarray:
        one, other = ((t.given[:, here] == 1).mean(axis=1) for here in among)
        return np.abs(one - other) <= limit + TINY

    return Row(text, keeps, before=RATES)


def ordered(rng: np.random.Generator, table: Table) -> Row:
    """Monotone with univariate splits: no leaf of class k0 left of one of class k1."""
    text = (
        'ordered {l in leaves, m in leaves : ord(l) < ord(m)}: label[l,"k0"] + label[m,"k1"] <= 1;'
    )

    def keeps(t: Trees) -> np.ndarray:
        first = np.where((t.labels == 0).any(axis=1), (t.labels == 0).argmax(axis=1), 99)
        last = np.where(
            (t.labels == 1).any(axis=1),
            t.labels.shape[1] - 1 - (t.labels[:, ::-1] == 1).argmax(axis=1),
            EMPTY,
        )
        return last < first

    return Row(text, keeps)


def few_of_class(rng: np.random.Generator, table: Table) -> Row:
    k = _class(rng, table)
    text = f'rare: sum {{i in points}} predicts[i,"k{k}"] <= 4;'
    return Row(text, lambda t: (t.given == k).sum(axis=1) <= 4)


ROWS: list[Rows] = [
    least_leaf,
    most_leaf,
    few_leaves,
    many_leaves,
    few_splits,
    few_features,
    short_splits,
    left_out,
    not_at_root,
    recall,
    every_recall,
    precision,
    right,
    together,
    apart,
    parity,
    wide_rates,
    equal_chance,
    ordered,
    few_of_class,
]


CLASSES = Words(BASES, PRICED, ROWS)

OF_ROUTES = Words(
    [],
    [splits, features_used, distinct_features, leaves_used, feature_price, largest_leaf],
    [least_leaf, most_leaf, few_leaves, many_leaves, few_splits, few_features, short_splits,
     left_out, not_at_root, together, apart],
)  # fmt: skip
"""Of those, what speaks of splits and of the ways of points alone."""
