"""A univariate tree as scikit-learn's DecisionTreeClassifier or DecisionTreeRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.model.tolerances import NO_SAMPLES
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.extras import pip_install
from treemip.core.source.suggest import listed
from treemip.writers.convert.raw_splits import (
    Branch,
    Leaf,
    Limit,
    Missing,
    RawTree,
    Split,
    Sum,
    features_of,
)

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from treemip.core.tree.tree import Tree


DIGITS = 12
"""A number written with up to as many characters is taken for a value of the data, or one that a
user chose; one with more for the middle between two."""


def to_sklearn(tree: RawTree, rows: Any = None) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """A fitted classifier whose inputs are the raw numeric columns of the tree's encoder; a
    regressor where the tree predicts values.

    scikit-learn compares numbers in single precision: a number that is nearer than that to a
    threshold, a relative 6e-8, may go to its other side. rows: raw rows on which both must agree.
    A missing value goes to its side, or the way of its fill-in; one that the tree refuses is
    routed. Nodes have the samples of `rows`, else the training points and their weight, else one
    for each leaf; a branch has the mean of its leaves' values by them. Leaves have the tree's
    probabilities of classes and nodes the Gini impurity of these; where they are not known, 1 for
    what the leaf answers.

    Raises E602 without scikit-learn, E902 for other than univariate splits of numeric columns and
    constant values, E703 for rows on which the two differ.
    """
    own = tree.tree
    if rows is None:
        return _estimator(tree, *_points(own))[0]
    x = own.encode(rows)
    ends = np.bincount(own.route(x), minlength=own.topology.size)
    estimator, answers = _estimator(tree, ends, ends)
    _require_agreement(tree, estimator, answers, rows, own.answers(x))
    return estimator


def _points(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """How many training points end in each node of a tree, int64 (nodes,), and their weight,
    float64 (nodes,); 1 for each leaf where that is not known."""
    leaves = tree.topology.is_leaf.astype(np.int64)
    ends = leaves if tree.counts is None else tree.counts.sum(axis=1)
    return ends, ends if tree.leaf_weights is None else tree.leaf_weights.sum(axis=1)


def _passing(tree: Tree, ends: np.ndarray) -> np.ndarray:
    """What passes each node (nodes,), from what ends there."""
    passing = ends.copy()
    for node in range(len(passing) - 1, 0, -1):  # nodes come after their parents
        passing[tree.topology.parent[node]] += passing[node]
    return passing


def _estimator(
    tree: RawTree, samples: np.ndarray, weight: np.ndarray
) -> tuple[DecisionTreeClassifier | DecisionTreeRegressor, np.ndarray]:
    """The estimator, and what each of its leaves answers, the number of a class or a value
    (nodes,). samples, weight: of the points that end in each node of the tree (nodes,)."""
    try:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
        from sklearn.tree._tree import Tree as Nodes
    except ImportError:
        message = "scikit-learn is not installed"
        raise TreemipError(Diagnostic.outside("E602", message, pip_install("sklearn"))) from None
    columns = [f.column for f in tree.tree.fitted_encoder().features if f.levels is None]
    lines: list[dict[str, Any]] = []
    depth = _append(tree, tree.root, 0, columns, lines)
    samples, weight = _passing(tree.tree, samples), _passing(tree.tree, weight)
    for line in lines:
        node = line.pop("node")
        line["n_node_samples"], line["weighted_n_node_samples"] = samples[node], weight[node]
    answers = np.array([line.pop("answer", 0) for line in lines])
    state = _state(lines, depth)
    classes = tree.tree.class_values
    if tree.predicts_values:
        made: DecisionTreeClassifier | DecisionTreeRegressor = DecisionTreeRegressor(
            max_depth=depth or None
        )
        outputs = 1
    else:
        leaves = state["nodes"]["left_child"] < 0
        likeliest = state["values"][:, 0].argmax(axis=1)
        if (likeliest == answers)[leaves].all():
            made = DecisionTreeClassifier(max_depth=depth or None)
        else:
            from treemip.writers.convert.scikit_answers import AnsweringTree

            made = AnsweringTree(max_depth=depth or None)
            made.leaf_answers_ = answers
        state["nodes"]["impurity"] = 1 - (state["values"][:, 0] ** 2).sum(axis=1)
        made.classes_ = classes if classes.dtype != object else classes.astype(str)
        made.n_classes_ = outputs = len(classes)
    made.n_outputs_ = 1
    made.n_features_in_ = made.max_features_ = len(columns)
    made.feature_names_in_ = np.array(columns, object)
    made.tree_ = Nodes(len(columns), np.array([outputs], np.intp), 1)
    made.tree_.__setstate__(state)
    return made, answers


def _state(lines: list[dict[str, Any]], depth: int) -> dict[str, Any]:
    """What scikit-learn saves of a tree's nodes."""
    from sklearn.tree._tree import NODE_DTYPE

    outputs = max(len(line["values"]) for line in lines if "values" in line)
    nodes, values = np.zeros(len(lines), NODE_DTYPE), np.zeros((len(lines), 1, outputs))
    weight = nodes["weighted_n_node_samples"]
    for k, line in reversed([*enumerate(lines)]):  # children before their parents
        below = [line["left_child"], line["right_child"]]
        own = line.pop("weighted_n_node_samples")
        if "values" in line:
            weight[k], values[k, 0] = max(own, NO_SAMPLES), line.pop("values")
        else:
            weight[k], values[k] = weight[below].sum(), np.average(values[below], 0, weight[below])
        for name, value in line.items():
            nodes[k][name] = value
    return {"max_depth": depth, "node_count": len(lines), "nodes": nodes, "values": values}


def _append(
    tree: RawTree, node: Branch | Leaf, top: int, columns: list[str], lines: list[dict[str, Any]]
) -> int:
    """Append the node and those below it, and return how many levels these have.

    top: the node of the tree that all who come here pass; `node` may be one below it.
    """
    line: dict[str, Any] = {"left_child": -1, "right_child": -1, "feature": -2, "threshold": -2.0}
    line["node"] = top
    lines.append(line)
    if isinstance(node, Leaf):
        line["values"] = _leaf_values(tree, node.node)
        single = tree.predicts_values
        line["answer"] = line["values"][0] if single else tree.tree.leaf_class[node.node]
        return 0
    split, topology = node.split, tree.tree.topology
    tops = {id(node.left): topology.left[node.node], id(node.right): topology.right[node.node]}
    if not isinstance(split, Limit | Missing) or split.feature.levels is not None:
        raise _refusal(split)
    line["feature"] = columns.index(split.feature.column)
    if isinstance(split, Missing):  # as scikit-learn's own trees write it
        below, above = (node.right, node.left) if split.left else (node.left, node.right)
        line["threshold"], line["missing_go_to_left"] = np.inf, False
    else:
        upwards = "<" in split.operator
        below, above = (node.left, node.right) if upwards else (node.right, node.left)
        fill = split.feature.fill
        line["threshold"] = single_threshold(split)
        line["missing_go_to_left"] = fill is not None and fill <= line["threshold"]
        if split.missing is not None:
            line["missing_go_to_left"] = split.missing == upwards
    depths = []
    for side, child in (("left_child", below), ("right_child", above)):
        line[side] = len(lines)
        depths.append(_append(tree, child, tops[id(child)], columns, lines))
    return 1 + max(depths)


def _leaf_values(tree: RawTree, leaf: int) -> np.ndarray:
    """What scikit-learn has of a leaf: the share of each class, or the value, float64 (n,)."""
    if not tree.predicts_values:
        shares = tree.tree.distribution if tree.shares is None else tree.shares
        return np.asarray(shares[leaf])
    if tree.value_of(leaf).terms:
        message = "scikit-learn's trees have constant values, and this one's depend on features"
        remedy = "write the tree as Python: treemip convert tree.json -o tree.py"
        raise refused(message, remedy)
    return np.array([tree.base_of(leaf)])


def _refusal(split: Split) -> TreemipError:
    if not isinstance(split, Sum):
        message = f"scikit-learn's trees cannot test the categories of '{split.feature.column}'"
    else:
        columns = dict.fromkeys(feature.column for feature in features_of(split))
        message = f"scikit-learn's trees cannot split by {listed(columns)} together"
    remedy = "write the tree as Python: treemip convert tree.json -o tree.py"
    return refused(message, remedy)


def single_threshold(split: Limit) -> float:
    """A single-precision number t: doubles rounded to single precision are <= t as the limit says.

    Where the last double below the limit and the first above it round to one number, that number
    goes the way of the limit's own number if this is short, and else the way it goes as a double.
    """
    lower = split.operator in ("<=", ">")
    other = np.nextafter(split.number, np.inf if lower else -np.inf)
    last, first = (split.number, other) if lower else (other, split.number)
    with np.errstate(over="ignore"):
        rounded = np.float32(last)
        if rounded < np.float32(first):
            return float(rounded)
    goes_below = lower if len(repr(split.number)) <= DIGITS else float(rounded) <= last
    return float(rounded if goes_below else np.nextafter(rounded, np.float32(-np.inf)))


def _require_agreement(
    tree: RawTree,
    estimator: DecisionTreeClassifier | DecisionTreeRegressor,
    answers: np.ndarray,
    rows: Any,
    expected: np.ndarray,
) -> None:
    """answers: of the estimator's nodes; expected: what the tree answers the rows, as
    `Tree.answers` gives it."""
    with np.errstate(over="ignore"):
        single = np.asarray(numbers_of(tree, rows), np.float32)
    wrong = np.flatnonzero(answers[estimator.tree_.apply(single)] != expected)
    if len(wrong):
        message = (
            f"in single precision row {wrong[0] + 1} is on the other side of a threshold"
            f" ({len(wrong)} such row{'s' * (len(wrong) > 1)})"
        )
        remedy = "write the tree as Python: treemip convert tree.json -o tree.py"
        raise TreemipError(Diagnostic.outside("E703", message, remedy))


def numbers_of(tree: RawTree, rows: Any) -> np.ndarray:
    """The estimator's inputs, float64 (M, columns), for raw rows; NaN where one is missing."""
    from treemip.core.instance.columns import column_of, read_numbers
    from treemip.core.instance.data_frames import columns_of

    encoder = tree.tree.fitted_encoder()
    raw = columns_of(rows, None, encoder.label)
    names = [f.column for f in encoder.features if f.levels is None]
    columns = [column_of(name, raw[name], encoder.marks) for name in names]
    return np.column_stack([read_numbers(column) for column in columns])
