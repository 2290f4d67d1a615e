"""Random trees over columns of every encoding, and rows that lie on the edges of their splits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import treemip
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer, ValueAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.routing import weighted_sum
from treemip.core.tree.splits import IN_SET, SET_THRESHOLD
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import Limit, Sum, raw_tree, splits

WITH_SIDES = "scale minmax(0.1, 0.8)"
"""The scaling of an encoding where trees decide on which side missing values go."""

SCALINGS = ("scale none", "scale minmax", "scale minmax(0.1, 0.7)", "scale standard", WITH_SIDES)
CLASSES = {"text": ("it's", 'b "c"', "été"), "numbers": ("1", "2", "3.5")}
SETTINGS = (
    "encode onehot(unseen = zero) colour; encode onehot month, flag;"
    'encode ordinal size("low", "mid", "high"); encode keep(unseen = zero) purpose;'
    'encode keep "the town"; bin thresholds(0.7, 1.5, 2.3) level; missing impute(mean) age;'
    'missing impute(mode) colour, purpose; missing refuse marks "?", "-999";'
)
SIDES = SETTINGS.partition("missing")[0] + (
    'missing side marks "?", "-999"; missing indicator(mean) "income (k€)";'
)
EDGES = (-np.inf, np.inf)
NEW_GAPS = {"height": np.nan, "constant": np.nan, "the town": ""}
"""Missing values of new rows alone, for which trees have no side."""

GAPS = {"income (k€)": np.nan, "level": np.nan, "size": "", "month": np.nan, "flag": "?"}


def table(rows: int = 60, classes: str = "text", seed: int = 0) -> dict[str, np.ndarray]:
    """Training rows; `age` and `colour` have missing values."""
    rng = np.random.default_rng(seed)

    def some(*values: object) -> np.ndarray:
        drawn = [*values, *(values[k] for k in rng.integers(len(values), size=rows))][:rows]
        return np.array(drawn, object)

    age = np.round(rng.normal(40, 12, rows), 1)
    age[rng.random(rows) < 0.1] = np.nan
    return {
        "age": age,
        "income (k€)": np.round(rng.lognormal(3, 1, rows), 2),
        "level": np.round(rng.random(rows) * 3, 1),
        "height": np.round(rng.normal(170, 9, rows)),
        "constant": np.full(rows, 2.5),
        "colour": some("red", "blue", "?", 'it\'s \\ "q" ?', "grün"),
        "size": some("low", "mid", "high"),
        "month": some("1", "2", "03", "12"),
        "flag": some("no", "yes"),
        "purpose": some("car", "house", "tv", "?"),
        "the town": some("A", "B"),
        "class": some(*CLASSES[classes]),
    }


def with_gaps(columns: dict[str, np.ndarray], seed: int = 0) -> dict[str, np.ndarray]:
    """The rows with missing values in further columns, of every kind of encoding."""
    return _with(GAPS, columns, seed)


def _with(
    gaps: dict[str, object], columns: dict[str, np.ndarray], seed: int
) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = dict(columns)
    for name, gap in gaps.items():
        columns[name] = columns[name].copy()
        columns[name][rng.random(len(columns[name])) < 0.15] = gap
    return columns


@cache
def encoder(scaling: str, classes: str = "text") -> Encoder:
    sides = scaling == WITH_SIDES
    text = (
        f'data "t" {{ label class; {SIDES if sides else SETTINGS} {scaling}; }} '
        "topology complete(depth = 1); split oblique by soct;"
    )
    rows = table(classes=classes)
    data = treemip.loads(text, data=with_gaps(rows) if sides else rows).data
    assert data is not None
    return data.encoder


def random_tree(kind: str, scaling: str, seed: int, classes: str = "text") -> Tree:
    """kind: "univariate", "sets" of categories too, "oblique", "mixed" of these, "randomized"."""
    rng, fitted = np.random.default_rng(seed), encoder(scaling, classes)
    topology = from_heap(np.array([1, 2, 3, 4, 5, 6, 7, 12, 13]))
    x = fitted.inputs({k: v for k, v in table(classes=classes).items() if k != "class"})
    p, nodes = x.shape[1], topology.size
    weights, threshold = np.zeros((nodes, p)), np.zeros(nodes)
    for t in topology.branches.tolist():
        many = kind in ("oblique", "randomized") or (kind == "mixed" and rng.random() < 0.4)
        if kind in ("mixed", "sets") and rng.random() < 0.3:
            first, categories = len(fitted.names), len(fitted.kept[0].categories)
            weights[t, first + rng.choice(categories, 2, replace=False)] = IN_SET
            threshold[t] = SET_THRESHOLD
            continue
        used = rng.choice(p, rng.integers(2, 6) if many else 1, replace=False)
        weights[t, used] = rng.choice([1.0, -1.0, 0.3, -2.7, 1 / 3], len(used))
        values = weighted_sum(x, weights[t])
        value = rng.choice(values)  # on a point, or between two
        threshold[t] = value if rng.random() < 0.7 else (value + values[0]) / 2
    names = fitted.classes.names
    strict = bool(rng.random() < 0.5) and kind != "randomized"
    leaf_class = np.where(topology.is_leaf, rng.integers(len(names), size=nodes), -1)
    if kind != "randomized":
        inputs = fitted.input_names
        answer = ClassAnswer(leaf_class, names)
        return Tree(topology, weights, threshold, strict, answer, inputs, fitted, "a tree")
    chances = rng.dirichlet(np.ones(len(names)), nodes) * topology.is_leaf[:, None]
    return RandomizedTree(
        topology=topology,
        weights=weights,
        threshold=threshold,
        strict=False,
        answer=DistributionAnswer.over(chances, topology.is_leaf, names),
        features=fitted.input_names,
        encoder=fitted,
    )


def answering(tree: Tree, how: str, seed: int) -> Tree:
    """The tree with leaves that answer "constants", "linear" values or "shares" of its classes, or
    that have "points" of each class, or "weights" of points."""
    if how in ("points", "weights"):
        return counted(tree, seed, how == "weights")
    rng, is_leaf = np.random.default_rng(seed), tree.topology.is_leaf[:, None]
    if how == "shares":
        shares = rng.dirichlet(np.ones(len(tree.classes)), tree.topology.size) * is_leaf
        answer = DistributionAnswer.over(shares, tree.topology.is_leaf, tree.classes)
        return replace(tree, answer=answer)
    inputs = len(tree.features)
    slopes = np.zeros((tree.topology.size, inputs))
    if how == "linear":
        slopes = rng.choice([0.0, 0.0, 1 / 3, -2.7], slopes.shape) * is_leaf
    base = rng.choice([0.1, -7.0, 12.5], tree.topology.size) * is_leaf[:, 0]
    assert tree.encoder is not None
    return replace(tree, answer=ValueAnswer(base, slopes, len(tree.encoder.names)))


def counted(tree: Tree, seed: int, weighted: bool = False) -> Tree:
    """The tree of classes with points of each class in its leaves, none in the first leaf."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (tree.topology.size, len(tree.classes)))
    counts[~tree.topology.is_leaf] = 0
    counts[tree.topology.leaves[0]] = 0
    weights = counts * (rng.random(counts.shape) + 0.5) if weighted else counts.astype(float)
    return replace(tree, counts=counts, leaf_weights=weights)


def rows_for(tree: Tree, count: int, seed: int) -> dict[str, np.ndarray]:
    """The training rows, on some of which lie thresholds, and `count` others: at limits of splits
    and next to them, with values that training did not have, and missing ones where they are
    filled in."""
    rng, rows = np.random.default_rng(seed), table(count, seed=seed + 1)
    training = table(classes="text")
    del rows["class"]
    for split in splits(raw_tree(tree).root):
        limits = [split.number] if isinstance(split, Limit) else []
        if isinstance(split, Sum):
            edges = [(t.feature.column, t.edge) for t in split.terms if t.edge is not None]
        else:
            edges = [(split.feature.column, limit) for limit in limits]
        for column, edge in edges:
            near = np.array([edge, *(np.nextafter(edge, end) for end in EDGES)])
            at = rng.random(count) < 0.4
            rows[column][at] = rng.choice(near, int(at.sum()))
    for column in ("colour", "purpose"):
        rows[column][rng.random(count) < 0.1] = "something else"
        rows[column][rng.random(count) < 0.05] = ""
    rows["age"][rng.random(count) < 0.05] = -999.0
    rows["month"][rng.random(count) < 0.3] = " 3.0 "
    both = {name: np.concatenate([training[name], rows[name]]) for name in rows}
    if tree.encoder not in (encoder(WITH_SIDES), encoder(WITH_SIDES, "numbers")):
        return both
    return with_gaps(_with(NEW_GAPS, both, seed + 1), seed)


def as_rows(columns: dict[str, np.ndarray]) -> list[dict[str, object]]:
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def tree_asking(kind: str, *columns: str) -> Tree:
    """A tree of a kind whose splits need these columns, among others."""
    trees = (random_tree(kind, "scale none", seed) for seed in range(200))
    return next(t for t in trees if {*columns} <= {f.column for f in raw_tree(t).features})


def split_of(weights: dict[str, float], threshold: float, scaling: str = "scale none") -> Tree:
    """One split of columns; class 0 on the left, 1 on the right."""
    tree = random_tree("univariate", scaling, 0)
    own = np.zeros_like(tree.weights)
    own[0, [tree.features.index(name) for name in weights]] = list(weights.values())
    limits = np.where(np.arange(tree.topology.size) == 0, threshold, 0.0)
    left = np.isin(tree.topology.heap, [4, 5])
    leaves = np.where(tree.topology.is_leaf, np.where(left, 0, 1), -1)
    answer = ClassAnswer(leaves, tree.classes)
    return replace(tree, weights=own, threshold=limits, strict=False, answer=answer)


def with_columns(tree: Tree, names: dict[str, str], label: str = "class") -> Tree:
    """The tree over columns of other names."""
    assert tree.encoder is not None
    features = tuple(
        replace(f, column=names.get(f.column, f.column)) for f in tree.encoder.features
    )
    return replace(tree, encoder=replace(tree.encoder, features=features, label=label))
