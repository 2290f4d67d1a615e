"""What goes left at each option, for some of the points: the thresholds of a feature are swept in
order, other ways to part points are counted one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.frontier.options import Options

FEWEST = 8  # thresholds of a feature that are worth a sweep


@dataclass(frozen=True)
class _Sweep:
    """Nested options `at` int64 (o,) of one feature: the first `reach` (o,) of the points in
    `order` (M,) go left."""

    at: np.ndarray
    reach: np.ndarray
    order: np.ndarray


class Sweeps:
    """Of one spec's options."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.sweeps: list[_Sweep] = []
        alone = np.ones(options.count, bool)
        turn = np.sign(options.weights).sum(axis=1)
        for j, way in sorted(set(zip(options.feature.tolist(), turn.tolist(), strict=True))):
            at = np.flatnonzero((options.feature == j) & (turn == way))
            if j < 0 or len(at) < FEWEST:
                continue
            left = options.left[at]
            order = np.argsort(-left.sum(axis=0), kind="stable")
            self.sweeps.append(_Sweep(at, left.sum(axis=1), order))
            alone[at] = False
        self.alone = np.flatnonzero(alone)

    @property
    def passes(self) -> int:
        """How often the points are gone through for the sums of all options."""
        return len(self.sweeps) + len(self.alone)

    def counts(self, points: np.ndarray) -> np.ndarray:
        """How many of the points bool (M,) go left, int64 (O,)."""
        counts = np.empty(self.options.count, np.int64)
        counts[self.alone] = self.options.left[self.alone][:, points].sum(axis=1)
        for sweep in self.sweeps:
            counts[sweep.at] = _before(points[sweep.order])[sweep.reach]
        return counts

    def alike(self, points: np.ndarray) -> np.ndarray:
        """Options with the same number, int64 (O,), part the points bool (M,) alike."""
        number = np.empty(self.options.count, np.int64)
        left = np.packbits(self.options.left[self.alone][:, points], axis=1)
        known: dict[bytes, int] = {}
        number[self.alone] = [known.setdefault(one.tobytes(), len(known)) for one in left]
        first = len(self.alone)
        for sweep in self.sweeps:
            number[sweep.at] = first + _before(points[sweep.order])[sweep.reach]
            first += len(points) + 1
        return number

    def sums(self, points: np.ndarray, stats: np.ndarray) -> np.ndarray:
        """The sums of stats float64 (M, S) over the points bool (M,) that go left, (O, S)."""
        sums = np.empty((self.options.count, stats.shape[1]))
        goes = self.options.left[self.alone][:, points]
        sums[self.alone] = goes.astype(float) @ stats[points]
        for sweep in self.sweeps:
            inside = points[sweep.order]
            total = np.zeros((int(inside.sum()) + 1, stats.shape[1]))
            np.cumsum(stats[sweep.order[inside]], axis=0, out=total[1:])
            sums[sweep.at] = total[_before(inside)[sweep.reach]]
        return sums


def _before(inside: np.ndarray) -> np.ndarray:
    """How many of the first n are inside, for n from 0 on, int64."""
    return np.concatenate([[0], np.cumsum(inside)])
