"""What every peer's BinOCT shares: thresholds, their binary search tree, and its ranges of points.

Verwer, Zhang (2019), Algorithm 1, with the recursion corrected so that every threshold has
exactly one code. The thresholds of a feature are the midpoints between consecutive distinct
values. A code node over thresholds lo..hi splits them at mid = lo + (hi - lo) // 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from table import read


@dataclass(frozen=True)
class Binoct:
    """What the rows are made of: `above` and `below` by feature, all else by code node.

    upper, lower: CSR 0/1 (code nodes, points), the points the node's bit bars from going left
    and right. left_path, right_path: CSR 0/1 (code nodes, bits), the node's own bit and those
    of the ancestors it lies left (right) of. above, below: CSR 0/1 (features, points), the
    points beyond the largest and the least threshold.
    """

    y: np.ndarray
    class_count: int
    branches: int
    leaves: int
    bits: int
    feature: np.ndarray
    upper: sp.csr_array
    lower: sp.csr_array
    left_path: sp.csr_array
    right_path: sp.csr_array
    above: sp.csr_array
    below: sp.csr_array

    @property
    def points(self) -> int:
        return len(self.y)

    @property
    def features(self) -> int:
        return self.above.shape[0]

    @property
    def class_sizes(self) -> np.ndarray:
        return np.bincount(self.y, minlength=self.class_count)

    def leaves_under(self, node: int) -> slice:
        """Leaf positions under `node`, a position in heap order with the root at 0."""
        first, last = node, node
        while last < self.branches:
            first, last = 2 * first + 1, 2 * last + 2
        return slice(first - self.branches, last - self.branches + 1)


def sizes(members: sp.csr_array) -> np.ndarray:
    """Number of points in each row, float64."""
    return np.diff(members.indptr).astype(float)


def _code(lo: int, hi: int, left: list[int], right: list[int], out: list) -> None:
    """Append (lo, mid, hi, left bits, right bits) of the code over thresholds lo..hi to `out`."""
    depth = len(left) + len(right)
    if hi <= lo:
        return
    mid = lo + (hi - lo) // 2
    out.append((lo, mid, hi, [*left, depth], [*right, depth]))
    _code(lo, mid, [*left, depth], right, out)
    _code(mid + 1, hi, left, [*right, depth], out)


def _members(slices: list[np.ndarray], width: int) -> sp.csr_array:
    lengths = [len(piece) for piece in slices]
    columns = np.concatenate(slices) if slices else np.zeros(0, np.int64)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return sp.csr_array((np.ones(len(columns)), columns, indptr), (len(slices), width))


def binoct(path: str | Path, depth: int) -> Binoct:
    """The data of BinOCT of that depth over the CSV at `path`."""
    table = read(path)
    feature, upper, lower, left, right, above, below = [], [], [], [], [], [], []
    for f in range(table.features):
        order = np.argsort(table.x[:, f], kind="stable")
        ordered = table.x[order, f]
        # starts[k]: the first point, in order, above threshold k
        starts = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
        if not len(starts):
            raise ValueError(f"feature {f + 1} has a single value, so no threshold")
        nodes: list = []
        _code(0, len(starts) - 1, [], [], nodes)
        for lo, mid, hi, left_bits, right_bits in nodes:
            feature.append(f)
            upper.append(order[starts[mid] : starts[hi]])
            lower.append(order[starts[lo] : starts[mid + 1]])
            left.append(np.array(left_bits))
            right.append(np.array(right_bits))
        above.append(order[starts[-1] :])
        below.append(order[: starts[0]])
    bits = 1 + max((int(path_bits.max()) for path_bits in left + right), default=-1)
    return Binoct(
        y=table.y,
        class_count=table.class_count,
        branches=2**depth - 1,
        leaves=2**depth,
        bits=bits,
        feature=np.array(feature, dtype=np.int64),
        upper=_members(upper, table.points),
        lower=_members(lower, table.points),
        left_path=_members(left, bits),
        right_path=_members(right, bits),
        above=_members(above, table.points),
        below=_members(below, table.points),
    )
