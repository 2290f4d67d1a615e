"""Trees that are nearly as good as the best, for a person to choose from.

Different trees are often equally good; which one is worth having is decided by what no objective
says (Rudin 2022 calls them the Rashomon set). The exact engine lists all of them where it takes the
spec; else they are what a search met. Each is a complete solution of the model as stated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treemip.answers.engines.engine import Case
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete
from treemip.answers.search.margin_trees.margin_search import MarginSearch
from treemip.answers.search.randomized_trees.randomized_search import RandomizedSearch
from treemip.answers.search.start import as_columns
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.starts.exact import listed
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL
from treemip.core.model.values import objective_value
from treemip.core.tree.readout import by_name, read_randomized
from treemip.core.tree.tree import Tree

TRIED = 20  # trees of a search that are completed for each one that is asked for, at most
HELD = 1000  # trees that the engine lists, at least, so as to say how many there are
ENGINE_SHARE = 0.5  # of the time, for the engine to list them; the rest completes them


@dataclass(frozen=True)
class NearOptimal:
    """values: solutions of the stated model, float64 (columns,) each, best first. met: how many
    different trees were within the tolerance; counted: whether there are no others; by: "engine"
    where the exact engine listed them, else "search"."""

    values: tuple[np.ndarray, ...]
    met: int
    counted: bool
    by: str

    @property
    def complete(self) -> bool:
        """Whether `values` are all trees within the tolerance."""
        return self.counted and len(self.values) == self.met


def allowed(best: float, within: float, sense: str) -> float:
    """The worst objective that is still within a share `within` of the best."""
    slack = within * abs(best) + EQUAL * max(1.0, abs(best))
    return best - slack if sense == "maximize" else best + slack


class Splits(Protocol):
    """What parts points in a tree, as `Tree` and `Candidate` have it."""

    @property
    def topology(self) -> Forest: ...

    @property
    def weights(self) -> np.ndarray: ...

    @property
    def leaf_class(self) -> np.ndarray: ...

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Signature:
    """What makes two trees the same: parts, the points of each leaf; features, those of the
    branches, whatever the order of the branches. A branch that parts no points, or has a single
    class below it, does not count."""

    parts: bytes
    features: bytes

    @classmethod
    def of(cls, tree: Splits, x: np.ndarray) -> Signature:
        """x float64 (M, p): the points."""
        leaf, used = np.zeros(len(x), np.int64), list[bytes]()
        _part(tree, 0, x, np.arange(len(x)), leaf, used)
        return cls._made(leaf, used)

    @classmethod
    def of_randomized(cls, tree: Tree, x: np.ndarray) -> Signature:
        """Of the leaf that each point most probably ends in."""
        used = np.packbits(tree.weights[tree.topology.branches] != 0, axis=1)
        return cls._made(tree.route(x), [row.tobytes() for row in used])

    @classmethod
    def _made(cls, leaf: np.ndarray, used: list[bytes]) -> Signature:
        """Leaves are numbered as points meet them."""
        _, first, number = np.unique(leaf, return_index=True, return_inverse=True)
        in_order = np.argsort(np.argsort(first))[number.ravel()]
        return cls(in_order.tobytes(), b"|".join(sorted(used)))


SEVERAL = -1  # classes


def _part(
    tree: Splits, node: int, x: np.ndarray, rows: np.ndarray, leaf: np.ndarray, used: list[bytes]
) -> int:
    """Writes the leaf of each of `rows` below a node, and the features of its branches; the class
    of all leaves that points reach, or SEVERAL."""
    topology = tree.topology
    if topology.is_leaf[node]:
        leaf[rows] = node
        return int(tree.leaf_class[node])
    left = tree.goes_left(node, x[rows])
    children = int(topology.left[node]), int(topology.right[node])
    if left.all() or not left.any():
        return _part(tree, children[0 if left.any() else 1], x, rows, leaf, used)
    classes = [
        _part(tree, child, x, side, leaf, used)
        for child, side in zip(children, (rows[left], rows[~left]), strict=True)
    ]
    if classes[0] == classes[1] != SEVERAL:
        leaf[rows] = node
        return classes[0]
    used.append(np.packbits(tree.weights[node] != 0).tobytes())
    return SEVERAL


class Met:
    """The different trees that a search met, with their objectives to be minimized."""

    def __init__(self, x: np.ndarray, worst: float) -> None:
        self.x, self.worst = x, worst
        self.trees: dict[Signature, tuple[float, Candidate]] = {}

    def __call__(self, tree: Candidate, objective: float) -> None:
        if objective > self.worst:
            return
        name = Signature.of(tree, self.x)
        if name not in self.trees or objective < self.trees[name][0]:
            self.trees[name] = objective, tree.copy()

    def ranked(self) -> list[tuple[Signature, Candidate]]:
        """Best first, except that trees with features that no earlier one uses come ahead."""
        every = sorted(self.trees.items(), key=lambda entry: entry[1][0])
        seen: set[bytes] = set()
        first: list[tuple[Signature, Candidate]] = []
        rest: list[tuple[Signature, Candidate]] = []
        for name, (_, tree) in every:
            (rest if name.features in seen else first).append((name, tree))
            seen.add(name.features)
        return [*first, *rest]


def near_optimal(
    instance: Instance,
    stated: Model,
    best: np.ndarray,
    tree: Splits,
    most: int,
    within: float,
    seconds: float,
) -> NearOptimal:
    """At most `most` trees within a share `within` of the best solution's objective, it included.

    best: float64 (columns of the stated model,), and its tree. seconds: of wall clock. Raises
    NoSums where the search does not support the spec.
    """
    until = time.perf_counter() + seconds
    sense = stated.objective.sense
    sign = stated.objective.sign
    worst = allowed(objective_value(stated, best), within, sense)
    listing = listed(Case(instance, stated), worst, max(most, HELD), ENGINE_SHARE * seconds)
    if listing is None or not listing.finished:
        met = Met(np.unique(instance.table.inputs, axis=0), sign * worst)
        kind = MarginSearch if instance.spec.split == "margin" else TreeSearch
        search = kind(instance, stated, until - time.perf_counter(), seed=0)
        search.met = met
    else:
        search, met = None, Met(np.unique(instance.table.inputs, axis=0), sign * worst)
    for tree_of_list, value in () if listing is None else listing.pairs():
        met(tree_of_list, value)
    if search is not None:
        search.run()
    solutions = Solutions(stated, best, Signature.of(tree, met.x), most)
    all_tried = solutions.add(instance, met, until if search is None else None)
    worst = allowed(solutions.best, within, sense)
    counted = search is None and listing is not None and not listing.dropped and all_tried
    if sign * worst > met.worst:  # a better tree than the one given lets worse ones in
        counted = False
    values, number = solutions.up_to(worst)
    if search is not None:
        number = max(number, len(met.trees.keys() | solutions.worth.keys()))
    return NearOptimal(values, number, counted, "engine" if search is None else "search")


class Solutions:
    """Trees completed to solutions of the stated model. worth: objectives of all by signature;
    values: the solutions of the first `most`, with their objectives."""

    def __init__(self, stated: Model, best: np.ndarray, name: Signature, most: int) -> None:
        self.stated, self.most = stated, most
        self.sign = stated.objective.sign
        objective = objective_value(stated, best)
        self.worth = {name: objective}
        self.values = [(objective, best)]

    @property
    def best(self) -> float:
        return self.sign * min(self.sign * worth for worth in self.worth.values())

    def add(self, instance: Instance, met: Met, until: float | None) -> bool:
        """Completes the trees that were met, those that no solution has left out; whether all were
        tried, and none has variables that only a solver would know.

        until: time.perf_counter() to go on to, so as to count them; None ends with `most`.
        """
        all_known = True
        for tried, (name, tree) in enumerate(met.ranked()):
            full = len(self.values) == self.most
            if tried >= TRIED * self.most or full if until is None else _late(until):
                return False
            if name in self.worth:
                continue
            as_given = instance.spec.split == "margin"  # the margins depend on the place
            completion = complete(instance, self.stated, tree, as_given)
            if completion.violations or completion.unknown:
                all_known &= not completion.unknown
                continue
            x = as_columns(self.stated, completion.values)
            objective = objective_value(self.stated, x)
            if self.sign * objective <= met.worst:
                self.worth[name] = objective
                if not full:
                    self.values.append((objective, x))
        return all_known

    def up_to(self, worst: float) -> tuple[tuple[np.ndarray, ...], int]:
        """The solutions no worse than that, best first, and how many different trees there are."""
        limit = self.sign * worst
        within = [pair for pair in self.values if self.sign * pair[0] <= limit]
        within.sort(key=lambda pair: self.sign * pair[0])
        number = sum(self.sign * worth <= limit for worth in self.worth.values())
        return tuple(x for _, x in within), number


def _late(until: float) -> bool:
    return time.perf_counter() > until


# ------------------------------------------------------------------------------ randomized trees


def near_randomized(
    instance: Instance,
    stated: Model,
    model: Model,
    best: np.ndarray,
    most: int,
    within: float,
    seconds: float,
) -> NearOptimal:
    """As `near_optimal`, of randomized trees: the local solutions that the search's starts end in.

    model: the stated one reformulated for its solver; best and the values returned are float64
    (columns of the model,). seconds: of wall clock. Raises NoSums as `RandomizedSearch` does.
    """
    search = RandomizedSearch(instance, stated, model, seconds, seed=0)
    search.run()
    sign = model.objective.sign
    every = [(sign * objective_value(model, best), best)]
    every += [(one.worth, one.values) for one in search.tried]
    every.sort(key=lambda pair: pair[0])
    worst = sign * allowed(sign * every[0][0], within, model.objective.sense)
    trees: dict[Signature, np.ndarray] = {}
    for worth, values in every:
        if worth <= worst:
            tree = read_randomized(instance, by_name(stated, values[: stated.column_count]))
            trees.setdefault(Signature.of_randomized(tree, instance.table.inputs), values)
    return NearOptimal(tuple(trees.values())[:most], len(trees), False, "search")
