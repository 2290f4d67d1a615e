"""Trees that a user gives, as splits over the spec's inputs: treemip's own, and scikit-learn's."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from treemip.answers.search.candidate import Candidate, Label, Split, embedded, is_left, pruned
from treemip.answers.starts.foreign_splits import Input, Missing, SpecInputs, inputs_of
from treemip.core.instance.columns import Unreadable, column_of
from treemip.core.instance.encoded_table import WITHOUT_CLASSES
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.resolve.sorts import CLASS
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.routing import weighted_sum
from treemip.core.tree.tree import Tree


def splits_of_tree(instance: Instance, tree: Tree, who: str) -> Split | Label:
    """A tree of treemip's over the spec's inputs. Of values it has the constants alone, since a
    solver finds better coefficients.

    who: whose it is, for messages. Raises E302 for a feature and E305 for a class that the spec
    does not have.
    """
    assert instance.data is not None
    encoder = instance.data.encoder
    inputs = SpecInputs(encoder)
    columns = _columns(tree, encoder, who)
    labels = _labels_of_leaves(instance, tree, who)
    x = instance.table.inputs

    def below(node: int, rows: np.ndarray) -> Split | Label:
        node = tree.applied(node)
        if tree.topology.is_leaf[node]:
            return labels[node]
        weights, threshold = tree.weights[node], float(tree.threshold[node])
        try:
            split = inputs.split(columns, weights, threshold)
        except Missing:
            _no_feature(tree.features, weights, inputs, columns, encoder, who)
        split = _as_routed(split, x[rows], tree.strict)
        left = is_left(x[rows], split.weights, split.threshold)
        sides = tree.topology.left[node], tree.topology.right[node]
        one, other = below(int(sides[0]), rows[left]), below(int(sides[1]), rows[~left])
        return Split(split.weights, split.threshold, one, other)

    return below(0, np.arange(len(x)))


def _labels_of_leaves(instance: Instance, tree: Tree, who: str) -> list[Label]:
    """The label of each leaf, 0 at branches, by node. Raises E305 for answers that are none of the
    spec's."""
    predict = instance.spec.predict
    if isinstance(tree.answer, ValueAnswer):
        labels: list[Label] = tree.answer.base.tolist()
        return labels
    own = tree.leaf_class[tree.topology.leaves]
    if predict is None or predict.over is None or predict.over == CLASS:
        assert instance.data is not None
        numbers = _numbers(tree.classes, instance.data.encoder, who, own)
        return numbers[tree.leaf_class].tolist()
    names = instance.names(predict.over)
    unknown = [tree.classes[k] for k in np.unique(own) if tree.classes[k] not in names]
    if unknown:
        message = f"{who} answers {listed(unknown)}, which this spec's leaves cannot"
        remedy = f"they answer {predict.words}: {listed(names)}"
        fail("E305", message, remedy=remedy)
    return [0 if k < 0 else names.index(tree.classes[k]) for k in tree.leaf_class]


def _as_routed(split: Split, x: np.ndarray, strict: bool) -> Split:
    """The split with a threshold that sends points on the hyperplane where the tree sends them."""
    own = weighted_sum(x, split.weights)
    left = own < split.threshold if strict else own <= split.threshold
    for threshold in (split.threshold, float(np.nextafter(split.threshold, -np.inf))):
        if (is_left(x, split.weights, threshold) == left).all():
            break
    else:
        value = x @ split.weights
        threshold = float(value[left].max() + value[~left].min()) / 2
    return Split(split.weights, threshold, split.left, split.right)


def _columns(tree: Tree, encoder: Encoder, who: str) -> list[Input]:
    if tree.encoder is not None:
        return inputs_of(tree.encoder)
    names = list(encoder.input_names)
    absent = [name for name in tree.features if name not in names]
    if absent:
        _unknown_features(absent, encoder, who)
    return [Input(None, names.index(name)) for name in tree.features]


def _no_feature(
    features: tuple[str, ...],
    weights: np.ndarray,
    inputs: SpecInputs,
    columns: list[Input],
    encoder: Encoder,
    who: str,
) -> NoReturn:
    """Raises E302 for the features of a split that the spec does not have."""
    absent = []
    for k in np.flatnonzero(weights):
        try:
            inputs.split(columns, np.eye(len(columns))[k], 0.0)
        except Missing:
            absent.append(features[k])
    _unknown_features(absent, encoder, who)


def _unknown_features(absent: list[str], encoder: Encoder, who: str) -> NoReturn:
    one = len(absent) == 1
    message = f"{who} splits by {listed(absent)}, which {'is' if one else 'are'} no feature"
    message += f"{'' if one else 's'} of the spec's data"
    names = encoder.input_names
    remedy = did_you_mean(absent[0], names) or f"the features are {listed(names)}"
    fail("E302", message, remedy=remedy)


def _numbers(labels: Any, encoder: Encoder, who: str, used: np.ndarray) -> np.ndarray:
    """The spec's class numbers of a tree's classes, int64; -1 for one that no leaf has.

    used: positions in `labels`. Raises E305 for a class of a leaf that the spec does not have.
    """
    values = np.asarray(labels)
    if encoder.label_kind != "class":
        message = f"{who} predicts classes, and {WITHOUT_CLASSES[encoder.label_kind]}"
        fail("E305", message, remedy="give values of the model instead")
    try:
        codes = encoder.classes.codes(column_of(encoder.label, values))
    except Unreadable:
        codes = np.full(len(values), -1)
    names = encoder.classes.names
    if (codes < 0).all() and not encoder.classes.numeric and values.dtype.kind in "iu":
        codes = np.where((values >= 0) & (values < len(names)), values, -1)
    unknown = [str(values[k]) for k in np.unique(used) if codes[k] < 0]
    if unknown:
        one = len(unknown) == 1
        which = "is not a class" if one else "are not classes"
        message = f"{who} predicts {listed(unknown)}, which {which}"
        remedy = f"the classes of '{encoder.label}' are {listed(names)}"
        fail("E305", f"{message} of the spec's data", remedy=remedy)
    return codes


# ------------------------------------------------------------------------ scikit-learn


def is_sklearn_tree(tree: object) -> bool:
    """Whether it is a tree of scikit-learn, for classes or numbers, without importing it."""
    return _is_sklearn(tree, "Classifier") or is_sklearn_regressor(tree)


def is_sklearn_regressor(tree: object) -> bool:
    """Whether it is a DecisionTreeRegressor or ExtraTreeRegressor."""
    return _is_sklearn(tree, "Regressor")


def _is_sklearn(tree: object, kind: str) -> bool:
    classes = {f"{c.__module__}.{c.__name__}" for c in type(tree).__mro__}
    return f"sklearn.tree._classes.DecisionTree{kind}" in classes


def splits_of_sklearn(instance: Instance, estimator: Any, who: str) -> Split | Label:
    """A fitted DecisionTreeClassifier or DecisionTreeRegressor over the spec's inputs.

    Its features may be raw columns or the spec's encoded and scaled inputs. Where names and number
    of features allow both, and these differ, it is the reading that sends as many of the spec's
    points to each leaf as were there in the fit. Raises E302 for features and E305 for classes
    that the spec does not have, E902 for a tree that was not fitted.
    """
    if not hasattr(estimator, "tree_"):
        message = f"{who} has not been fitted"
        fail("E902", message, remedy="call its fit(X, y) first")
    if estimator.n_outputs_ != 1:
        message = f"{who} has {estimator.n_outputs_} outputs"
        fail("E305", message, remedy="fit it on a single column")
    assert instance.data is not None
    encoder = instance.data.encoder
    tree = estimator.tree_
    leaves = np.flatnonzero(tree.children_left < 0)
    if is_sklearn_regressor(estimator):
        labels = tree.value[:, 0, 0]
    else:
        answers = tree.value[:, 0, :].argmax(axis=1)
        labels = _numbers(estimator.classes_, encoder, who, answers[leaves])[answers]
    inputs, x = SpecInputs(encoder), instance.table.inputs
    readings = []
    for columns in _readings(estimator, encoder, inputs, who):
        parts, count = _read(tree, columns, inputs, labels, x)
        share = count / max(len(x), 1) - tree.n_node_samples / tree.n_node_samples[0]
        readings.append((float(np.abs(share[leaves]).sum()), parts))
    return min(readings, key=lambda reading: reading[0])[1]


def _read(
    tree: Any, columns: list[Input | None], inputs: SpecInputs, labels: np.ndarray, x: np.ndarray
) -> tuple[Split | Label, np.ndarray]:
    """The splits of a scikit-learn tree, and how many of the points x (M, p) pass each node.

    labels (nodes,): the spec's class number int64 or the value float64 of each node. Nodes come
    before their children.
    """
    count, parts = np.zeros(tree.node_count), dict[int, Split | Label]()
    splits, rows = {}, {0: np.arange(len(x))}
    for node in range(tree.node_count):
        here = rows.pop(node)
        count[node] = len(here)
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            parts[node] = labels[node].item()
            continue
        column = columns[tree.feature[node]]
        assert column is not None
        split = inputs.split([column], np.ones(1), float(tree.threshold[node]))
        goes = is_left(x[here], split.weights, split.threshold)
        splits[node], rows[left], rows[right] = split, here[goes], here[~goes]
    for node, split in reversed(splits.items()):
        sides = parts[int(tree.children_left[node])], parts[int(tree.children_right[node])]
        parts[node] = Split(split.weights, split.threshold, *sides)
    return parts[0], count


def _readings(
    estimator: Any, encoder: Encoder, inputs: SpecInputs, who: str
) -> list[list[Input | None]]:
    """What each feature of the estimator is: by name where it has names, else by number."""
    feature = estimator.tree_.feature
    used = np.unique(feature[feature >= 0])
    names = getattr(estimator, "feature_names_in_", None)
    count = int(estimator.n_features_in_)
    own = {name: Input(None, j) for j, name in enumerate(encoder.input_names)}
    if names is None:
        own_names: list[str] = list(encoder.input_names) if count == len(own) else []
        columns = [f.column for f in encoder.features]
        raw_names = columns if count == len(columns) else []
    else:
        own_names = raw_names = [str(name) for name in names]
        for column in [*encoder.features, *encoder.kept]:
            for level in column.levels.names if column.levels else ():
                name = f"{column.column}={level}"
                if name in own:  # as pandas' get_dummies names it
                    own.setdefault(f"{column.column}_{level}", own[name])
    readings: list[list[Input | None]] = [
        [own.get(name) for name in own_names],
        [inputs.raw_number(name) or own.get(name) for name in raw_names],
    ]
    whole = [r for r in readings if len(r) == count and all(r[j] is not None for j in used)]
    if whole:
        return whole
    if names is not None:
        absent = [own_names[j] for j in used if all(r[j] is None for r in readings)]
        _unknown_features(absent, encoder, who)
    message = f"{who} was fitted on {count} features without names, and the spec has {len(own)}"
    if count == len(raw_names):
        message = f"{who} was fitted on raw columns, and some of those it splits by are not numbers"
    remedy = f"fit it on a DataFrame with the columns {listed(list(own))}"
    fail("E302", message, remedy=remedy)


# ---------------------------------------------------------------------- in the topology


def is_oblique(tree: Candidate, instance: Instance) -> bool:
    """Whether a split has several features, and is none by a set of categories."""
    several = np.count_nonzero(tree.weights, axis=1) > 1
    return bool((several & ~Inputs.of(instance).is_by_set(tree.weights)).any())


def placed_in(
    topology: Forest, part: Split | Label, x: np.ndarray, univariate: bool
) -> Candidate | None:
    """The tree in the spec's topology, without the splits that part none of the points x (M, p)
    where it needs the room; None where it has too many levels.

    univariate: each split is turned to the form feature <= threshold.
    """
    part = _upright(part) if univariate else part
    labels = np.full(len(topology.leaves), _first(part))
    whole = embedded(part, topology, x.shape[1], labels=labels)
    if whole is not None:
        return whole
    return embedded(pruned(part, x), topology, x.shape[1], labels=labels)


def _first(part: Split | Label) -> Label:
    """The label of the first leaf."""
    while isinstance(part, Split):
        part = part.left
    return part


def _upright(part: Split | Label) -> Split | Label:
    """Splits by one feature with the weight 1, by exchanging the sides where it is negative."""
    if not isinstance(part, Split):
        return part
    left, right = _upright(part.left), _upright(part.right)
    used = np.flatnonzero(part.weights)
    if len(used) != 1:
        return Split(part.weights, part.threshold, left, right)
    weight = float(part.weights[used[0]])
    unit, threshold = np.zeros(len(part.weights)), part.threshold / weight
    unit[used] = 1.0
    if weight > 0:
        return Split(unit, threshold, left, right)
    return Split(unit, float(np.nextafter(threshold, -np.inf)), right, left)
