"""Side constraints: the text of a spec, and the same said of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .tables import GROUPS, Table
from .trees import Candidate, Kept, distinct_features, leaves_used, splits

TINY = 1e-9


@dataclass(frozen=True)
class Side:
    """`labelled`: it speaks of classes; `uses`: of features. `before`: statements ahead of it."""

    text: str
    keeps: Kept
    labelled: bool = False
    uses: bool = False
    before: str = ""


def least_leaf(rng: np.random.Generator, table: Table) -> Side:
    m = int(rng.integers(2, 4))

    def keeps(tree: Candidate, _: Table) -> bool:
        sizes = tree.sizes()
        return bool((sizes[sizes > 0] >= m).all())

    return Side(f"least {{l in leaves}}: points_in[l] >= {m} * occupied[l];", keeps)


def most_leaf(rng: np.random.Generator, table: Table) -> Side:
    m = int(rng.integers(len(table.y) // 2, len(table.y)))
    return Side(
        f"most {{l in leaves}}: points_in[l] <= {m};",
        lambda tree, _: bool((tree.sizes() <= m).all()),
    )


def few_leaves(rng: np.random.Generator, table: Table) -> Side:
    m = int(rng.integers(1, 4))
    return Side(f"few_leaves: leaves_used <= {m};", lambda tree, t: leaves_used(tree, t) <= m)


def few_splits(rng: np.random.Generator, table: Table) -> Side:
    m = int(rng.integers(0, 3))
    return Side(f"few_splits: splits <= {m};", lambda tree, t: splits(tree, t) <= m)


def few_features(rng: np.random.Generator, table: Table) -> Side:
    m = int(rng.integers(1, 3))
    return Side(
        f"few_features: distinct_features <= {m};",
        lambda tree, t: distinct_features(tree, t) <= m,
        uses=True,
    )


def short_splits(rng: np.random.Generator, table: Table) -> Side:
    return Side(
        "short {t in branches}: sum {j in features} uses[t,j] <= 1;",
        lambda tree, _: max(map(len, tree.uses)) <= 1,
        uses=True,
    )


def recall(rng: np.random.Generator, table: Table) -> Side:
    k, share = int(rng.integers(table.classes)), float(rng.choice([0.5, 0.7, 1.0]))

    def keeps(tree: Candidate, t: Table) -> bool:
        return bool((tree.predicted()[t.y == k] == k).mean() >= share - TINY)

    return Side(f'recognized: recall["k{k}"] >= {share};', keeps, labelled=True)


def precision(rng: np.random.Generator, table: Table) -> Side:
    k = int(rng.integers(table.classes))

    def keeps(tree: Candidate, t: Table) -> bool:
        called = tree.predicted() == k
        return bool((t.y[called] == k).sum() >= 0.75 * called.sum() - TINY)

    text = f'reliable: confusion["k{k}","k{k}"] >= 0.75 * sum {{m in classes}} confusion[m,"k{k}"];'
    return Side(text, keeps, labelled=True)


def right(rng: np.random.Generator, table: Table) -> Side:
    i = int(rng.integers(len(table.y)))
    return Side(
        f"right: correct[point({i + 1})] = 1;",
        lambda tree, t: bool(tree.predicted()[i] == t.y[i]),
        labelled=True,
    )


def together(rng: np.random.Generator, table: Table) -> Side:
    i, k = (int(v) for v in rng.choice(len(table.y), 2, replace=False))
    return Side(
        f"together {{l in leaves}}: reach[point({i + 1}),l] = reach[point({k + 1}),l];",
        lambda tree, _: bool(tree.ends[i] == tree.ends[k]),
    )


def apart(rng: np.random.Generator, table: Table) -> Side:
    i, k = (int(v) for v in rng.choice(len(table.y), 2, replace=False))
    return Side(
        f"apart {{l in leaves}}: reach[point({i + 1}),l] + reach[point({k + 1}),l] <= 1;",
        lambda tree, _: bool(tree.ends[i] != tree.ends[k]),
    )


def parity(rng: np.random.Generator, table: Table) -> Side:
    limit = float(rng.choice([0.0, 0.25, 0.5]))

    def keeps(tree: Candidate, t: Table) -> bool:
        rates = [(tree.predicted()[t.group == g] == 0).mean() for g in range(len(GROUPS))]
        return bool(abs(rates[0] - rates[1]) <= limit + TINY)

    before = """let rate {g in values(g)} =
  sum {i in points : g[i] = g} predicts[i,"k0"] / card({i in points : g[i] = g});
""".replace("{g in values(g)}", "{v in values(g)}").replace("g[i] = g", "g[i] = v")
    text = f"parity {{v in values(g), u in values(g) : v != u}}: rate[v] - rate[u] <= {limit};"
    return Side(text, keeps, labelled=True, before=before)


SIDES: list[Callable[[np.random.Generator, Table], Side]] = [
    least_leaf,
    most_leaf,
    few_leaves,
    few_splits,
    few_features,
    short_splits,
    recall,
    precision,
    right,
    together,
    apart,
    parity,
]
