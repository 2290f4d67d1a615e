"""Trees that are nearly as good as the best, from which a person chooses.

Different trees are often equally good; which one is worth having is decided by what no objective
says (Rudin 2022 calls them the Rashomon set). The exact engine lists all of them where it takes the
spec; else they are what a search met. Each is a complete solution of the model as stated.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.instance.trees import Forest
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.model.tolerances import EQUAL
from treemip.search.candidate import Candidate
from treemip.search.complete import complete
from treemip.search.start import as_columns
from treemip.search.tree_search import TreeSearch

TRIED = 20  # trees completed for each one that is asked for, at most


@dataclass(frozen=True)
class NearOptimal:
    """values: solutions of the stated model, float64 (columns,) each, best first. complete: whether
    no tree within the tolerance is missing. met: how many different trees were within it."""

    values: tuple[np.ndarray, ...]
    complete: bool
    met: int


def allowed(best: float, within: float, sense: str) -> float:
    """The worst objective that is still within a share `within` of the best."""
    slack = within * abs(best) + EQUAL * max(1.0, abs(best))
    return best - slack if sense == "maximize" else best + slack


class Splits(Protocol):
    """A tree as far as it parts points: `Tree` and `Candidate` are such."""

    @property
    def topology(self) -> Forest: ...

    @property
    def weights(self) -> np.ndarray: ...

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Signature:
    """What makes two trees the same: parts, the points of each leaf; features, those of the
    branches that part points, whatever the order of the branches."""

    parts: bytes
    features: bytes

    @classmethod
    def of(cls, tree: Splits, x: np.ndarray) -> Signature:
        """x float64 (M, p): the points."""
        rows, used = {0: np.arange(len(x))}, []
        leaf = np.zeros(len(x), np.int64)
        for node in tree.topology.branches.tolist():
            here = rows.get(node, np.zeros(0, np.int64))
            left = tree.goes_left(node, x[here])
            for child, side in ((tree.topology.left, left), (tree.topology.right, ~left)):
                rows[int(child[node])] = here[side]
                leaf[here[side]] = child[node]
            if left.any() and not left.all():
                used.append(np.packbits(tree.weights[node] != 0).tobytes())
        _, first, number = np.unique(leaf, return_index=True, return_inverse=True)
        in_order = np.argsort(np.argsort(first))[number.ravel()]
        return cls(in_order.tobytes(), b"|".join(sorted(used)))


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
        """Best first, but those that use other features than all before them come ahead."""
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
    NoSums where the spec is none that a search understands.
    """
    sense = stated.objective.sense
    sign = -1.0 if sense == "maximize" else 1.0
    worst = sign * allowed(objective_value(stated, best), within, sense)
    search = TreeSearch(instance, stated, seconds, seed=0)
    met = search.met = Met(search.search.x, worst)
    search.run()
    values, names = [best], {Signature.of(tree, met.x)}
    for name, other in met.ranked()[: TRIED * most]:
        if len(values) == most:
            break
        completion = complete(instance, stated, other)
        if name in names or completion.violations or completion.unknown:
            continue
        x = as_columns(stated, completion.values)
        if sign * objective_value(stated, x) <= worst:
            names.add(name)
            values.append(x)
    ordered = sorted(values, key=lambda x: sign * objective_value(stated, x))
    return NearOptimal(tuple(ordered), False, len(met.trees.keys() | names))
