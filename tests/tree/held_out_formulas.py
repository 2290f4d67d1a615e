"""What the shipped specs' objectives are on rows that a tree was not learned from: numpy on the
rows, the tree's own answers, and the coefficients it was read from. Nothing of the evaluator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treemip.api.result import Result
from treemip.core.instance.encoded_table import Table
from treemip.core.tree.tree import Tree


@dataclass
class Rows:
    """A tree on some rows; `training` are those it was learned from."""

    result: Result
    table: Table

    @property
    def tree(self) -> Tree:
        assert self.result.tree is not None
        return self.result.tree

    @property
    def training(self) -> Rows:
        return Rows(self.result, self.result.compiled.instance.table)

    @property
    def x(self) -> np.ndarray:
        return self.table.x

    @property
    def y(self) -> np.ndarray:
        return self.table.y

    @property
    def weight(self) -> np.ndarray:
        return self.table.weight

    @cached_property
    def leaf(self) -> np.ndarray:
        return self.tree.route(self.table.inputs)

    @cached_property
    def given(self) -> np.ndarray:
        return self.tree.predict_numbers(self.table.inputs)

    @cached_property
    def predicted(self) -> np.ndarray:
        return self.tree.values(self.table.inputs)

    @property
    def wrong(self) -> np.ndarray:
        return self.given != self.y

    @property
    def counts(self) -> np.ndarray:
        return np.bincount(self.y, minlength=len(self.table.classes))

    def group(self, name: str) -> np.ndarray:
        codes, names = self.table.groups[name]
        return np.array(names)[codes]

    def value(self, name: str, *shape: int) -> np.ndarray:
        """A variable that the tree was read from, as the solution has it."""
        return self.result.values[name].reshape(*shape)

    # ------------------------------------------------------------------ splits

    @property
    def branches(self) -> np.ndarray:
        return self.tree.topology.branches

    @cached_property
    def coef(self) -> np.ndarray:
        """float64 (branches, features)."""
        return self.value("coef", len(self.branches), -1)

    @cached_property
    def splits(self) -> int:
        return int((self.coef != 0).any(axis=1).sum())

    def along(self) -> list[tuple[int, int, bool, np.ndarray]]:
        """(place among the branches, node, whether left, which rows) of each side of each branch,
        for the rows that pass it."""
        topology, found = self.tree.topology, []
        for place, node in enumerate(self.branches.tolist()):
            for child, left in ((topology.left[node], True), (topology.right[node], False)):
                below = [
                    n for n in topology.leaves if n == child or child in ancestors(topology, n)
                ]
                found.append((place, node, left, np.isin(self.leaf, below)))
        return found


def ancestors(topology: Any, node: int) -> list[int]:
    found = []
    while topology.parent[node] >= 0:
        node = int(topology.parent[node])
        found.append(node)
    return found


Terms = list[float]
Measures = dict[str, float]
Formula = Callable[[Rows], Terms | tuple[Terms, Measures]]


# ---------------------------------------------------------------------------- classes


def errors(r: Rows) -> Terms:
    return [r.wrong.sum()]


def right(r: Rows) -> Terms:
    return [(~r.wrong).sum()]


def oct_cost(r: Rows) -> Terms:
    """Bertsimas and Dunn (2017), (24): the errors in units of the best constant's hits."""
    return [r.wrong.sum() / r.counts.max(), 0.0]


def fair(r: Rows) -> tuple[Terms, Measures]:
    women, good = r.group("personal_status") == "A92", r.given == r.table.classes.index("1")
    measures = {"good_women": good[women].mean(), "good_men": good[~women].mean()}
    return [r.wrong.sum(), 0.5 * r.splits], measures


def shares(r: Rows) -> Terms:
    own = r.tree.distribution[r.leaf, r.y]
    with np.errstate(divide="ignore"):
        return [-(r.weight * np.log(own)).sum(), r.splits]


def brier(r: Rows) -> Terms:
    off = r.tree.distribution[r.leaf] - np.eye(len(r.table.classes))[r.y]
    return [(r.weight[:, None] * off**2).sum(), 0.0]


def flow_cost(r: Rows) -> Terms:
    return [(1 - 0.9) * (~r.wrong).sum(), -0.9 * r.splits]


def svm1(r: Rows) -> Terms:
    """Zhu et al. (2020), (1a) with (1g)-(1j), where a point has a slack at the branches it passes
    unless they test a category."""
    eps, tests, slack = 0.01, np.zeros(len(r.branches)), 0.0
    if r.table.categorical:
        tests = r.value("tested", len(r.branches), -1).sum(axis=1)
    bias = r.value("bias", -1)
    for place, _, left, rows in r.along():
        from_plane = r.x[rows] @ r.coef[place] - bias[place]
        side = -from_plane if left else from_plane
        slack += (1 - tests[place]) * np.maximum(0, eps - np.maximum(0, side)).sum()
    norm = np.abs(r.coef).sum() + tests.sum()
    return [r.wrong.sum(), 1000 * slack, 0.1 * norm]


def robust(r: Rows) -> Terms:
    """Vos and Verwer (2022): a point is an error if some move within the radius leads it to a leaf
    of another class."""
    radius, bias, topology = 0.05, r.value("bias", -1), r.tree.topology
    place = {int(node): k for k, node in enumerate(r.branches)}
    attacked = np.zeros(len(r.y), bool)
    for leaf in topology.leaves.tolist():
        can, below = np.ones(len(r.y), bool), leaf
        for node in ancestors(topology, leaf):
            k = place[node]
            at, reach = r.x @ r.coef[k], radius * r.coef[k].sum()
            left = topology.left[node] == below
            can &= (at - reach <= bias[k]) if left else (at + reach > bias[k])
            below = node
        attacked |= can & (r.tree.leaf_class[leaf] != r.y)
    return [attacked.sum()]


def margins(r: Rows, prices: list[float]) -> tuple[float, float]:
    """D'Onofrio et al. (2023), the SVM of each branch: half the squared norms, and the priced hinge
    losses of the points that pass it."""
    offset = r.value("offset", -1)
    data = r.result.compiled.instance.data
    assert data is not None
    sign = np.where(r.y == (1 if data.positive is None else data.positive), 1, -1)
    hinge = 0.0
    for place, _, _, rows in r.along():
        signed = sign[rows] * (r.x[rows] @ r.coef[place] + offset[place])
        hinge += prices[place] * np.maximum(0, 1 - signed).sum()
    return 0.5 * (r.coef**2).sum(), hinge


def sfs(r: Rows) -> Terms:
    beyond = np.maximum(0, (r.coef != 0).sum(axis=1) - 1).sum()
    return [sum(margins(r, [1, 10, 10])), 0.5 * beyond]


def mm_svm(r: Rows) -> Terms:
    """Blanco, Japon and Puerto (2022): the widest coefficients, hinge losses, splits."""
    _, hinge = margins(r, [1] * len(r.branches))
    return [0.5 * (r.coef**2).sum(axis=1).max(), hinge, r.splits]


def ways(r: Rows) -> np.ndarray:
    """Amaldi et al. (2023), (1): the probability of each leaf, float64 (rows, leaves)."""
    topology, bias = r.tree.topology, r.value("bias", -1)
    place = {int(node): k for k, node in enumerate(r.branches)}
    left = 1 / (1 + np.exp(-512 * (r.x @ r.coef.T / r.x.shape[1] - bias)))
    chance = np.ones((len(r.x), len(topology.leaves)))
    for column, leaf in enumerate(topology.leaves.tolist()):
        below = leaf
        for node in ancestors(topology, leaf):
            own = left[:, place[node]]
            chance[:, column] *= own if topology.left[node] == below else 1 - own
            below = node
    return chance


def mrct(r: Rows) -> Terms:
    label = r.value("label", len(r.tree.topology.leaves), -1)
    cost = 0.5 * (1 - np.eye(len(r.table.classes)))
    size = np.abs(r.coef)
    local = (1 - np.exp(-5 * size)).sum()
    everywhere = (1 - np.exp(-5 * size.max(axis=0))).sum()
    return [(ways(r) * (cost[r.y] @ label.T)).sum(), 0.5 * local, 0.25 * everywhere]


def class_weights(r: Rows) -> Terms:
    return [(len(r.y) / (2 * r.counts[r.y]) * r.wrong).sum()]


def paid(r: Rows) -> Terms:
    price = np.where(r.y == r.table.classes.index("bad"), 5, 1)
    return [(price * r.wrong).sum()]


def parity_price(r: Rows) -> tuple[Terms, Measures]:
    good, sex = r.given == r.table.classes.index("good"), r.group("sex")
    rates = [good[sex == g].mean() for g in np.unique(sex)]
    return [r.wrong.sum(), 10 * np.ptp(rates)], {"difference": float(np.ptp(rates))}


def weighted(r: Rows) -> Terms:
    return [(r.weight * r.wrong).sum()]


def worst_group(r: Rows) -> Terms:
    sex = r.group("sex")
    return [max(r.wrong[sex == g].mean() for g in np.unique(sex))]


def ordinal(r: Rows) -> Terms:
    return [np.abs(r.given - r.y).sum(), 0.5 * r.splits]


def two_labels(r: Rows) -> Terms:
    """The second label of a leaf is what most of its training points have."""
    training = r.training
    codes, names = training.table.groups["housing"]
    most = {
        leaf: names[np.bincount(codes[training.leaf == leaf], minlength=len(names)).argmax()]
        for leaf in r.tree.topology.leaves.tolist()
    }
    other = np.array([most[leaf] for leaf in r.leaf.tolist()])
    return [r.wrong.sum(), (other != r.group("housing")).sum()]


# ---------------------------------------------------------------------------- values


def absolute(r: Rows, weight: np.ndarray) -> float:
    """In units of what the rows' own lower median loses."""
    median = np.sort(r.y)[int(np.ceil(len(r.y) / 2)) - 1]
    return (weight * np.abs(r.predicted - r.y)).sum() / (weight * np.abs(r.y - median)).sum()


def ort(r: Rows) -> Terms:
    return [absolute(r, r.weight), 0.05 * r.splits]


def squared(r: Rows) -> Terms:
    mean = np.average(r.y, weights=r.weight)
    loss, constant = (r.weight * (r.predicted - r.y) ** 2, r.weight * (r.y - mean) ** 2)
    return [loss.sum() / constant.sum(), 0.01 * r.splits]


def ort_linear(r: Rows) -> Terms:
    """Sizes of coefficients are in units of the range of the training labels."""
    slopes = r.tree.value_answer.slopes[r.tree.topology.leaves]
    lasso = 0.5 * np.abs(slopes).sum() / np.ptp(r.training.y)
    return [absolute(r, r.weight), 0.02 * r.splits, 0.02 * (slopes != 0).sum(), lasso]


def ort_linear_shipped(r: Rows) -> Terms:
    return [*ort_linear(r)[:3], 0.0]


def sorrt(r: Rows) -> Terms:
    """Blanquero et al. (2022), (3), with constants in the leaves."""
    predicted = ways(r) @ r.value("leaf_value", -1)
    size = np.abs(r.coef)
    error = np.average((predicted - r.y) ** 2, weights=r.weight)
    return [error, 20 * size.sum(), 50 * size.max(axis=0).sum()]


def clusters(r: Rows) -> Terms:
    centre = r.value("centre", len(r.tree.topology.leaves), -1)
    place = {int(leaf): k for k, leaf in enumerate(r.tree.topology.leaves)}
    return [np.abs(r.x - centre[[place[leaf] for leaf in r.leaf.tolist()]]).sum()]


def tail(r: Rows) -> Terms:
    """Five times the fifth largest error, and what the larger ones are above it."""
    off = np.abs(r.predicted - r.y)
    fifth = np.sort(off)[-5]
    return [5 * fifth, np.maximum(0, off - fifth).sum()]


# ---------------------------------------------------------------------------- survival


def hazards(r: Rows, time: np.ndarray) -> np.ndarray:
    """The Nelson-Aalen estimate of the training part, at these times."""
    past, event, weight = r.table.numbers["months"], r.table.numbers["failed"], r.weight
    risk = np.array([weight[past >= now].sum() for now in past])
    return np.array([(weight * event / risk)[past <= now].sum() for now in time])


def deviance(r: Rows) -> tuple[np.ndarray, np.ndarray]:
    """LeBlanc and Crowley (1992): half the deviance of each point, and its logarithms."""
    event = r.table.numbers["failed"]
    own = r.predicted * hazards(r.training, r.table.numbers["months"])
    with np.errstate(divide="ignore"):
        logs = np.where(event == 1, np.log(np.where(event == 1, own, 1.0)), 0.0)
    return r.weight * (own - event), r.weight * logs


def concordance(r: Rows) -> float:
    """Harrell's C of the rows' own pairs."""
    time, event, theta = r.table.numbers["months"], r.table.numbers["failed"], r.predicted
    pairs = (event[:, None] == 1) & (time[:, None] < time)
    won = (theta[:, None] > theta) + 0.5 * (theta[:, None] == theta)
    return float(won[pairs].sum() / pairs.sum())


def pumps(r: Rows) -> tuple[Terms, Measures]:
    plain, logs = deviance(r)
    return [(plain - logs).sum(), 0.5 * r.splits], {"harrell_c": concordance(r)}


def ost(r: Rows) -> Terms:
    plain, logs = deviance(r)
    return [plain.sum(), -logs.sum(), 0.5 * r.splits]


# ---------------------------------------------------------------------------- treatments


def doubly_robust(r: Rows) -> np.ndarray:
    """Jo et al. (2021): the estimated outcome of each treatment, float64 (rows, treatments)."""
    n, had = r.table.numbers, r.group("treatment")
    found = np.empty((len(r.x), len(r.tree.classes)))
    for k, name in enumerate(r.tree.classes):
        model = n["predicted_1"] if name == "treated" else n["predicted_0"]
        found[:, k] = model + (had == name) * (n["outcome"] - model) / n["propensity"]
    return found


def policy(r: Rows, estimate: np.ndarray) -> float:
    return float(np.average(estimate[np.arange(len(r.x)), r.given], weights=r.weight))


def trial(r: Rows) -> tuple[Terms, Measures]:
    n, had = r.table.numbers, r.group("treatment")
    given = np.array(r.tree.classes)[r.given]
    worth = np.where(given == "treated", n["true_1"], n["true_0"]).mean()
    measures = {
        "true_value": worth,
        "regret": np.maximum(n["true_0"], n["true_1"]).mean() - worth,
        "ipw_value": (n["outcome"] / n["propensity"] * (given == had)).mean(),
    }
    return [policy(r, doubly_robust(r))], measures


def trial_fair(r: Rows) -> tuple[Terms, Measures]:
    treated, region = np.array(r.tree.classes)[r.given] == "treated", r.group("region")
    apart = treated[region == "city"].mean() - treated[region == "country"].mean()
    return [policy(r, doubly_robust(r))], {"disparity": apart}


def direct(r: Rows) -> Terms:
    n = r.table.numbers
    columns = [n["predicted_1"] if k == "treated" else n["predicted_0"] for k in r.tree.classes]
    return [policy(r, np.stack(columns, axis=1))]


def inverse(r: Rows) -> Terms:
    n, had = r.table.numbers, r.group("treatment")
    worth = n["outcome"] / n["propensity"]
    return [policy(r, np.stack([worth * (had == k) for k in r.tree.classes], axis=1))]


SHIPPED: dict[str, Formula] = {
    "credit": errors,
    "credit_equal_chances": errors,
    "credit_fair": fair,
    "credit_mixed": svm1,
    "credit_shares": shares,
    "diabetes_ort": ort,
    "diabetes_ort_linear": ort_linear_shipped,
    "diabetes_sorrt": sorrt,
    "iris": right,
    "iris_binoct": errors,
    "iris_mrct": mrct,
    "iris_robust": robust,
    "monks_categorical": right,
    "monks_flow_oct": flow_cost,
    "own_formulation": right,
    "pumps_survival": pumps,
    "sonar_hfs_margot": lambda r: list(margins(r, [1, 10, 10])),
    "sonar_sfs_margot": sfs,
    "trial": trial,
    "trial_fair": trial_fair,
    "wine_svm1": svm1,
    "own/clusters": clusters,
    "own/credit_cut_trees": right,
    "own/oblivious": errors,
    "own/tail_error": tail,
    "own/two_labels": two_labels,
    "own/wine_ordinal": ordinal,
    "constraints/class_weights": class_weights,
    "constraints/cost_matrix": paid,
    "constraints/demographic_parity": oct_cost,
    "constraints/equal_opportunity": oct_cost,
    "constraints/features_per_split": oct_cost,
    "constraints/features_per_tree": right,
    "constraints/forbidden_in_split": right,
    "constraints/forbidden_in_tree": errors,
    "constraints/forbidden_on_path": right,
    "constraints/leaf_count": errors,
    "constraints/leaf_size": right,
    "constraints/left_out": oct_cost,
    "constraints/monotone": right,
    "constraints/monotone_branches": lambda r: list(margins(r, [1, 1, 1])),
    "constraints/parity_price": parity_price,
    "constraints/point_weights": weighted,
    "constraints/points_right": right,
    "constraints/points_together": right,
    "constraints/precision": errors,
    "constraints/recall": oct_cost,
    "constraints/required_in_split": oct_cost,
    "constraints/required_in_tree": right,
    "constraints/sign": right,
    "constraints/split_count": oct_cost,
    "constraints/worst_class": oct_cost,
    "constraints/worst_group": worst_group,
}
"""By the name of the spec in specs/."""

OTHERS: dict[str, tuple[str, str, str, Formula]] = {
    "ost": ("pumps_survival", "ost(alpha = 0.5, min_leaf = 3)", "", ost),
    "ost weighted": ("pumps_survival", "ost(alpha = 0.5, min_leaf = 3)", "weight load;", ost),
    "ort squared": ("diabetes_ort", "ort(alpha = 0.01, squared = 1)", "", squared),
    "ort squared weighted": (
        "diabetes_ort",
        "ort(alpha = 0.01, squared = 1)",
        "weight age;",
        squared,
    ),
    "ort weighted": ("diabetes_ort", "ort(alpha = 0.05)", "weight age;", ort),
    "ort_linear lasso": (
        "diabetes_ort_linear",
        "ort_linear(alpha = 0.02, lambda = 0.02, lasso = 0.5, min_leaf = 10)",
        "",
        ort_linear,
    ),
    "share_trees": ("credit_shares", "share_trees(min_leaf = 3)", "", brier),
    "share_trees weighted": ("credit_shares", "share_trees(min_leaf = 3)", "weight amount;", brier),
    "mm_svm_oct": ("constraints/monotone_branches", "mm_svm_oct", "", mm_svm),
    "prescriptive_dm": ("trial_fair", "prescriptive_dm", "", direct),
    "prescriptive_ipw": ("trial_fair", "prescriptive_ipw", "", inverse),
}
"""Formulations that no shipped spec has, and weights of points: the spec whose data they take, the
formulation's call, and a setting of the data block."""
