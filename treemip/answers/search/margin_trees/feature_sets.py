"""Which features a branch of a margin tree uses, where a spec counts them or limits their number.

Sets are compared by the branch's own support vector problem and the spec's price of the set, all
sets of a size at once.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from treemip.answers.search.margin_trees.margin_worth import MarginTree, MarginWorth
from treemip.core.model.tolerances import ROUNDING, SAME_WORTH

SIZES = (1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 100)
MOST_ADDED = 5  # features of a set that is built one by one
MOST_SETS = 128  # of one size that are all tried
BEST = 3
Choice = tuple[np.ndarray, np.ndarray]
"""A hyperplane (p + 1,) and the features that it may use, bool (p,)."""


class FeatureSets:
    def __init__(self, worth: MarginWorth, rng: np.random.Generator) -> None:
        self.worth, self.programs, self.rng = worth, worth.programs, rng
        self.everything = np.ones(worth.programs.features, bool)

    def chosen(
        self, tree: MarginTree, node: int, points: np.ndarray, factor: np.ndarray | None
    ) -> Choice:
        """The best hyperplane that is found for these points alone."""
        if not self.worth.by_feature:
            tried = [self.everything]
            if self.worth.structure.matters:
                tried.append(~self.everything)
            return self._best(tree, node, points, factor, tried)[0][1]
        full, _ = self.programs.free(node, points, self.everything[None], factor=factor)
        order = self._order(full[0], points)
        features = len(self.everything)
        sizes = sorted({min(size, features) for size in SIZES} | {features})
        tried = [np.isin(np.arange(features), order[:size]) for size in sizes]
        ranked = self._best(tree, node, points, factor, [*tried, ~self.everything])
        built = self._built(tree, node, points, factor)
        size = int(built[1][1].sum())
        if factor is None and comb(features, size) <= MOST_SETS:
            every = [np.isin(np.arange(features), s) for s in combinations(range(features), size)]
            built = min(built, self._best(tree, node, points, None, every)[0], key=_score)
        return min([ranked[0], built], key=lambda entry: entry[0])[1]

    def near(self, tree: MarginTree, node: int, points: np.ndarray) -> list[Choice]:
        """The best hyperplanes with the branch's features, and with sets that differ by one."""
        support = tree.supports[node]
        tried = [support]
        if self.worth.structure.matters:
            tried.append(~self.everything)
        if self.worth.by_feature:
            tried += self._neighbours(support)
        ranked = self._best(tree, node, points, None, tried)
        return [choice for _, choice in ranked[:BEST]]

    def _neighbours(self, support: np.ndarray) -> list[np.ndarray]:
        """One feature fewer, one more, or one for another; of the latter those of one feature."""
        inside, outside = np.flatnonzero(support), np.flatnonzero(~support)
        supports = []
        one = self.rng.choice(inside) if len(inside) else None
        for feature in inside:
            supports.append(support.copy())
            supports[-1][feature] = False
        for feature in outside:
            supports.append(support.copy())
            supports[-1][feature] = True
            if one is not None:
                supports.append(supports[-1].copy())
                supports[-1][one] = False
        return supports

    def _built(
        self, tree: MarginTree, node: int, points: np.ndarray, factor: np.ndarray | None
    ) -> tuple[float, Choice]:
        """A set built one by one, each feature in it exchanged for a better one where there is."""
        support = ~self.everything
        best = self._best(tree, node, points, factor, [support])[0]
        for _ in range(MOST_ADDED):
            before = best[0]
            best = min(best, self._exchanged(tree, node, points, factor, support, None), key=_score)
            if best[0] >= before:
                break
            support = best[1][1]
            for feature in np.flatnonzero(support).tolist() if support.sum() > 1 else []:
                if support[feature]:
                    other = self._exchanged(tree, node, points, factor, support, feature)
                    best = min(best, other, key=_score)
                    support = best[1][1]
        return best

    def _exchanged(
        self,
        tree: MarginTree,
        node: int,
        points: np.ndarray,
        factor: np.ndarray | None,
        support: np.ndarray,
        feature: int | None,
    ) -> tuple[float, Choice]:
        """The best set with one more feature, or with one in place of `feature`."""
        tried = []
        for other in np.flatnonzero(~support):
            tried.append(support.copy())
            tried[-1][other] = True
            if feature is not None:
                tried[-1][feature] = False
        if not tried:
            tried = [support]
        return self._best(tree, node, points, factor, tried)[0]

    def _best(
        self,
        tree: MarginTree,
        node: int,
        points: np.ndarray,
        factor: np.ndarray | None,
        tried: list[np.ndarray],
    ) -> list[tuple[float, Choice]]:
        """The sets by value and price, the best first."""
        supports = np.unique(np.array(tried), axis=0)
        none = np.zeros((1, supports.shape[1]), bool)
        prices, broken = self.worth.of_supports(tree, node, np.concatenate([supports, none]))
        keep = broken[:-1] <= broken.min() + SAME_WORTH  # those beyond a limit only where all are
        if not keep.any():
            return [(np.inf, (np.zeros(supports.shape[1] + 1), none[0]))]
        supports, prices = supports[keep], prices[:-1][keep]
        sizes = supports.sum(axis=1)
        ranked: list[tuple[float, Choice]] = []
        for size in np.unique(sizes):
            at = sizes == size
            planes, values = self.programs.free(node, points, supports[at], factor=factor)
            scores = values + prices[at]
            ranked += [
                (float(s), (plane, support))
                for s, plane, support in zip(scores, planes, supports[at], strict=True)
            ]
        ranked.sort(key=_score)
        return ranked

    def _order(self, plane: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Features by how far they move the points, the most first, int64 (p,)."""
        spread = self.programs.x[points].std(axis=0)
        return np.argsort(-np.abs(plane[:-1]) * (spread + ROUNDING), kind="stable")


def _score(entry: tuple[float, Choice]) -> float:
    return entry[0]
