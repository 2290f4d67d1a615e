"""A spec over univariate trees as arrays: bins of features, costs of points, prices of splits.

Features are split at the formulation's own thresholds: a bin holds the values between two
neighbouring ones. Everything that a split adds to the objective is a table over branches and
features, whatever concept of the vocabulary it comes from, and limits on splits are rows like all
others. Nested binary columns are one ordered feature (`chains`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treemip.answers.engines.by_depth import differ, only_of_branches, price_of_depth
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.engines.split_prices import as_feature_prices, as_prices, mentioned
from treemip.answers.search.folds import Fold, arguments_of
from treemip.answers.search.sums import Structure, Sums
from treemip.core.compiled.library import kernel
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.model.arrays import unique
from treemip.core.model.tolerances import KNOWN_ROW, SAME_BITS
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap

DEEPEST, COMPILED = 3, 5  # levels by numpy, and by the compiled kernel
MOST_BRANCHES = 15  # all sets of which are priced


@dataclass(frozen=True)
class Bins:
    """Bins numbered through all features: B in all. flat int32 (p, M): the bin of each point.

    start int64 (p,): a feature's first bin. feature int64 (B,): of each bin. threshold float64
    (B,): the upper end of each bin; a split at a bin sends it and the bins below it left, and there
    is none at a feature's last bin. column int64 (B,): the table's column that has the threshold; a
    feature may be a chain of columns.
    """

    flat: np.ndarray
    start: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    last: np.ndarray
    column: np.ndarray

    @property
    def count(self) -> int:
        return len(self.feature)

    @cached_property
    def order(self) -> np.ndarray:
        """The points by increasing bin of each feature, int32 (p, M)."""
        order = np.empty_like(self.flat)
        for row, flat, start in zip(order, self.flat, self.start, strict=True):
            rank = flat - start  # few bins are sorted by their digits
            few = rank.max(initial=0) < 1 << 16
            row[:] = np.argsort(rank.astype(np.uint16) if few else rank, kind="stable")
        return order

    def histogram(self, stats: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sums of stats float64 (s, M) over the points `rows` in each bin, float64 (s, B)."""
        features = len(self.flat)
        at = self.flat[:, rows].ravel()
        each = [np.bincount(at, np.tile(stat[rows], features), self.count) for stat in stats]
        return np.array(each).reshape(len(stats), self.count)

    def cumulative(self, histogram: np.ndarray) -> np.ndarray:
        """What goes left when each bin is the last to do so, float64 (s, B)."""
        ends = np.cumsum(histogram, axis=1)
        before = ends[:, self.start] - histogram[:, self.start]
        ends -= before[:, self.feature]
        return ends


def bins_of(columns: np.ndarray, thresholds: list[np.ndarray], features: list[np.ndarray]) -> Bins:
    """Bins of points (M,) by columns (p, M) with increasing thresholds, one array each. features:
    the columns of each, several where they are nested, by growing sets of points that go left."""
    lengths = np.array([sum(len(thresholds[j]) for j in own) + 1 for own in features])
    start = np.cumsum(lengths) - lengths
    flat = np.empty((len(start), columns.shape[1]), np.int32)
    for g, own in enumerate(features):
        np.add(_ranks(thresholds, columns, own), start[g], out=flat[g], casting="unsafe")
    last = np.zeros(int(lengths.sum()), bool)
    last[start + lengths - 1] = True
    cuts = [(j, t) for own in features for j in own for t in thresholds[j]]
    threshold, column = np.full(len(last), np.inf), np.repeat([c[-1] for c in features], lengths)
    column[~last], threshold[~last] = [j for j, _ in cuts], [t for _, t in cuts]
    return Bins(
        flat=flat,
        start=start,
        feature=np.repeat(np.arange(len(start)), lengths),
        threshold=threshold,
        last=last,
        column=column,
    )


def _ranks(thresholds: list[np.ndarray], columns: np.ndarray, some: np.ndarray) -> np.ndarray:
    """How many of the thresholds of some of the columns each point is above, int32 (M,)."""
    rank = np.zeros(columns.shape[1], np.int32)
    for j in some.tolist():
        one, own = thresholds[j], columns[j]
        rank += _above(own, one[0]) if len(one) == 1 else np.searchsorted(one, own, side="left")
    return rank


def _above(column: np.ndarray, threshold: float) -> np.ndarray:
    """Where a column is above a threshold, bool (M,)."""
    if column.dtype == np.uint8 and 0 < threshold < 1:
        return column != 0  # without doubles
    return np.asarray(column > threshold)


def _by_column(x: np.ndarray) -> np.ndarray:
    """x (M, p) as columns (p, M), bytes next to each other: in rows, a column takes as long as
    all of them."""
    return np.ascontiguousarray(x.T) if x.dtype == np.uint8 else x.T


@dataclass(frozen=True)
class Conditions:
    """What each leaf must keep: low <= sums of stats + jump where it has points <= high.

    stats float64 (q, M); low, high, jump (q,).
    """

    stats: np.ndarray
    low: np.ndarray
    high: np.ndarray
    jump: np.ndarray

    @property
    def tolerance(self) -> np.ndarray:
        """By how much each may be missed, float64 (q,)."""
        low = np.where(np.isfinite(self.low), np.abs(self.low), 0.0)
        return KNOWN_ROW * np.maximum(1.0, np.maximum(low, np.abs(self.jump)))

    def hold(self, sums: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Whether leaves keep them, bool (...,); sums (q, ...) and numbers of points (...,)."""
        holds, sizes = np.ones(count.shape, bool), self.tolerance
        for one, low, high, jump, size in zip(
            sums, self.low, self.high, self.jump, sizes, strict=True
        ):
            value = one + jump * (count > 0.5)
            holds &= (value >= low - size) & (value <= high + size)
        return holds


@dataclass(frozen=True)
class Problem:
    """unsplit: the side that a branch without a split sends its points to, None where each must
    split. points (M, K, R): what a point adds to the rows with a label; by_split (branches, p, R),
    by_leaf (R,) for a leaf that has points, anywhere (p, R); constant, low, high, scale (R,). Row 0
    is the objective, to be minimized; rows from `sums.rows` on are limits on splits.
    allowed bool (branches, p). reports: who is told how the search for its best tree goes.
    threads: the most that it may take.
    by_depth float64 (depth + 1,): what a tree with so many splits in a row costs beside all that,
    at least; None where that is nothing.
    """

    topology: Forest
    x: np.ndarray
    sums: Sums
    bins: Bins
    unsplit: bool | None
    count: np.ndarray
    points: np.ndarray
    by_split: np.ndarray
    by_leaf: np.ndarray
    anywhere: np.ndarray
    constant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    folds: tuple[Fold, ...]
    allowed: np.ndarray
    conditions: Conditions
    reports: Reports = field(default_factory=Reports)
    threads: int = 1
    by_depth: np.ndarray | None = None

    def worth(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The objective, to be minimized, and the violation for rows float64 (..., R)."""
        for fold in self.folds:
            rows = rows + fold.values(rows) @ fold.to
        off = np.maximum(self.low - rows, 0.0) + np.maximum(rows - self.high, 0.0)
        return rows[..., 0], (off / self.scale).sum(axis=-1)

    @property
    def depth(self) -> int:
        return int(self.topology.depth.max())

    @cached_property
    def coupled(self) -> bool:
        """Whether the value is more than a sum over leaves and splits."""
        return len(self.constant) > 1 or bool(self.anywhere.any())


@dataclass(frozen=True)
class _Rows:
    """The tables of structure columns as rows: those of the sums, then limits."""

    split: np.ndarray
    anywhere: np.ndarray
    leaf: np.ndarray
    low: np.ndarray
    high: np.ndarray


def deepest() -> int:
    """Of the trees that the engine goes through here."""
    return COMPILED if kernel() is not None else DEEPEST


def has_shape(topology: Forest | None) -> bool:
    """Whether it is one complete tree of depth 1 to `deepest()`."""
    if topology is None or topology.families != 1:
        return False
    depth = int(topology.depth.max())
    return 1 <= depth <= deepest() and topology.size == 2 ** (depth + 1) - 1


def with_splits(problem: Problem, kept: np.ndarray) -> tuple[Problem, np.ndarray]:
    """The problem with some of its splits alone, kept bool (B,); and the number that each of its
    bins has in the problem, int64. Its trees are trees of the problem, its bounds are not."""
    bins = problem.bins
    kept = kept & ~bins.last
    features = [
        np.unique(bins.column[bins.feature == j], return_index=True) for j in range(len(bins.flat))
    ]
    columns = [column[np.argsort(first)] for column, first in features]
    thresholds = [bins.threshold[kept & (bins.column == j)] for j in range(problem.x.shape[1])]
    fewer = bins_of(_by_column(problem.x), thresholds, columns)
    return replace(problem, bins=fewer, reports=Reports()), np.flatnonzero(kept | bins.last)


def widths(problem: Problem) -> np.ndarray:
    """The distance between the nearest values on the two sides of each split, float64 (B,)."""
    bins, apart = problem.bins, np.full(problem.bins.count, np.inf)
    for j, column in enumerate(problem.x.T):
        own = (bins.column == j) & ~bins.last
        values = np.unique(column)
        right = np.searchsorted(values, bins.threshold[own], side="right")
        apart[own] = values[right] - values[right - 1]
    return apart


def at_quantiles(problem: Problem, most: int) -> np.ndarray:
    """At most that many splits of each feature, bool (B,): those nearest to where equal shares of
    the points go left."""
    bins, kept = problem.bins, ~problem.bins.last
    left = bins.cumulative(bins.histogram(problem.count[None], np.arange(len(problem.x))))[0]
    shares = problem.count.sum() * np.arange(1, most + 1) / (most + 1)
    for j, first in enumerate(bins.start.tolist()):
        own = np.flatnonzero((bins.feature == j) & ~bins.last)
        if len(own) > most:
            kept[own] = False
            at = np.searchsorted(left[own], shares).clip(max=len(own) - 1)
            kept[first + np.unique(at)] = True
    return kept


def problem_of(instance: Instance, sums: Sums, joined: bool = True) -> Problem:
    """sums: over the distinct points of the table. joined: whether nested columns may be one
    feature, where no row tells them apart.

    Raises Refusal where the spec is not of this form.
    """
    topology = instance.nodes
    table, (x, of_point) = instance.table, instance.table.distinct
    if table.categorical or table.inputs.shape[1] != table.x.shape[1]:
        raise Refusal("splits may separate categories")
    given, (sums, rows) = sums, _priced(sums, _structure_rows(sums, topology, x.shape[1]))
    if not all(fold.is_piecewise for fold in sums.folds):
        raise Refusal("it has products or nonlinear functions of sums")
    allowed, must, rest = _allowed(rows, sums.rows)
    conditions, taken = _conditions(sums, rows)
    keep, folded = _kept(sums, taken, rest)
    _demand_alike(sums, taken)
    limits = int(len(keep) - sums.rows)
    points = np.concatenate([sums.shared, np.zeros((*sums.shared.shape[:2], limits))], axis=2)
    if must.any() and not must.all():
        raise Refusal("some branches must have a split and others need not")
    tree_map = TreeMap.of(instance)
    unsplit = None if must.all() else tree_map.unsplit_left
    thresholds, by_depth = tree_map.listed_thresholds, None
    if unsplit is not None and differ(rows.split[:, :, keep]).any():
        rows, taken_by_depth, by_depth = _by_depth(sums, topology, rows)
        keep, folded = keep & ~taken_by_depth, folded & ~taken_by_depth
        if keep.sum() > 1 or rows.anywhere[:, keep].any():
            raise Refusal("its splits differ by branch in price or limits")
    if unsplit is not None:
        _demand_cheap(rows, keep, folded, sums.sign, allowed)
    elif thresholds is None:
        _demand_indifferent(rows, keep, allowed, conditions)
    split, leaf, constant = _structure(sums, rows, keep, folded, unsplit is None)
    sign = np.ones(int(keep.sum()))
    sign[0] = sums.sign
    by_column = _by_column(x)
    if thresholds is None:
        thresholds = [_midpoints(unique(column)) for column in by_column]
    features = [np.array([j]) for j in range(x.shape[1])]
    if joined and keep.sum() == 1 and not rows.anywhere[:, keep].any():
        features = chains(by_column, thresholds, np.concatenate([split[:, :, 0], allowed]))
    first = np.array([columns[0] for columns in features])
    return Problem(
        topology=topology,
        x=x,
        sums=given,
        bins=bins_of(by_column, thresholds, features),
        unsplit=unsplit,
        count=np.bincount(of_point, minlength=len(x)).astype(float),
        points=_in_same_bits(points[:, :, keep]) * sign,
        by_split=split[:, first][:, :, keep] * sign,
        by_leaf=leaf[keep] * sign,
        anywhere=rows.anywhere[first][:, keep] * sign,
        constant=constant[keep] * sign,
        low=rows.low[keep],
        high=rows.high[keep],
        scale=np.concatenate([sums.scale, np.ones(limits)])[keep],
        folds=() if by_depth is not None else _folds(sums, keep, sign),
        allowed=allowed[:, first],
        conditions=conditions,
        by_depth=by_depth,
    )


def _priced(sums: Sums, rows: _Rows) -> tuple[Sums, _Rows]:
    """Without functions of one branch's split or of the use of one feature, which are prices."""
    own = slice(sums.rows)
    others = mentioned(sums.shared, sums.label, rows.leaf[:, own])
    others[sums.local_rows] = True
    split, used, constant = rows.split.copy(), rows.anywhere.copy(), sums.constant
    folds, split[:, :, own], constant = as_prices(
        sums.folds, split[:, :, own], constant, others | mentioned(used[:, own])
    )
    folds, used[:, own], constant = as_feature_prices(
        folds, split[:, :, own], used[:, own], constant, others
    )
    sums = replace(sums, folds=folds, constant=constant)
    return sums, replace(rows, split=split, anywhere=used)


def _by_depth(
    sums: Sums, topology: Forest, rows: _Rows
) -> tuple[_Rows, np.ndarray, np.ndarray | None]:
    """The rows with prices in the objective that are the least of any branch, the rows, bool (R,),
    that functions of which branches split take, and what these functions and the rest of the prices
    cost at each depth, at least; all as it is where other rows or functions tell branches apart."""
    nothing = np.zeros(len(rows.low), bool)
    if len(topology.branches) > MOST_BRANCHES:
        return rows, nothing, None
    taken = only_of_branches(sums, rows.split, np.concatenate([rows.anywhere, rows.leaf]))
    if taken is None:
        return rows, nothing, None
    nothing[: sums.rows] = taken
    price = sums.sign * rows.split[:, :, 0]
    least = price.min(axis=0)
    of_branch = rows.split[:, 0, : sums.rows].copy()
    of_branch[:, 0] = sums.sign * (price - least).min(axis=1)
    split = rows.split.copy()
    split[:, :, 0] = sums.sign * least
    costs = price_of_depth(sums, of_branch, topology)
    return replace(rows, split=split), nothing, costs


def _kept(sums: Sums, taken: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows a problem has, bool (R,): the objective, arguments of folds, and constraints that
    are not `taken` as conditions of leaves; and which of them are arguments of folds."""
    bounded = np.isfinite(sums.low) | np.isfinite(sums.high)
    keep = np.concatenate([~taken & bounded, rest])
    keep[0] = True
    folded = arguments_of(sums.folds, len(keep))
    keep[: sums.rows] |= folded[: sums.rows]
    return keep, folded


def _structure(
    sums: Sums, rows: _Rows, keep: np.ndarray, folded: np.ndarray, must_split: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What splits (branches, p, R) and leaves that have points (R,) add, and the constants (R,)."""
    leaf = rows.leaf[0] if len(rows.leaf) else np.zeros(len(keep))
    if (rows.leaf != leaf)[:, keep].any():
        raise Refusal("its rows count some leaves and not others")
    constant = np.concatenate([sums.constant, np.zeros(len(keep) - sums.rows)])
    if not must_split:  # each split parts points, and so adds a leaf that has some
        return rows.split + leaf, np.zeros(len(keep)), constant + leaf
    if (leaf[keep] != 0).any() and not _costs(leaf, keep, folded, sums.sign, rows):
        raise Refusal("it rewards leaves that have points")
    return rows.split, leaf, constant


def _folds(sums: Sums, keep: np.ndarray, sign: np.ndarray) -> tuple[Fold, ...]:
    """The folds over the rows that are kept."""
    limits = ((0, 0), (0, len(keep) - sums.rows))
    folds = (replace(fold, to=np.pad(fold.to, limits)).over(keep) for fold in sums.folds)
    return tuple(replace(fold, to=fold.to * sign) for fold in folds)


def _structure_rows(sums: Sums, topology: Forest, features: int) -> _Rows:
    tables = Structure(sums, topology, Inputs.plain(features))
    columns, low, high = sums.on_structure()
    branches = topology.branches
    return _Rows(
        split=columns[tables.uses[branches]]
        + columns[tables.coef[branches]]
        + columns[tables.active[branches]][:, None],
        anywhere=columns[tables.anywhere],
        leaf=columns[tables.occupied],
        low=low,
        high=high,
    )


def _allowed(rows: _Rows, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By limits on one branch alone, which features each branch may use, bool (branches, p), and
    which branches must have a split, bool (branches,); and the limits that remain, bool (limits,).
    """
    branches, features = rows.split.shape[:2]
    allowed, must = np.ones((branches, features), bool), np.zeros(branches, bool)
    rest = np.ones(len(rows.low) - first, bool)
    for k in range(len(rest)):
        row = first + k
        at = np.flatnonzero(rows.split[:, :, row].any(axis=1))
        alone = not rows.anywhere[:, row].any() and not rows.leaf[:, row].any()
        without = rows.low[row] <= KNOWN_ROW and rows.high[row] >= -KNOWN_ROW
        if len(at) <= 1 and alone and (without or len(at)):
            value = rows.split[at, :, row]
            holds = (value >= rows.low[row] - KNOWN_ROW) & (value <= rows.high[row] + KNOWN_ROW)
            allowed[at] &= holds
            must[at] |= not without
            rest[k] = False
    return allowed, must, rest


def _conditions(sums: Sums, rows: _Rows) -> tuple[Conditions, np.ndarray]:
    """Rows that speak of one leaf each, the same of every leaf; and which rows they are."""
    taken = np.zeros(sums.rows, bool)
    leaves = sums.label.shape[0]
    mine: list[list[tuple[np.ndarray, float, float, float]]] = [[] for _ in range(leaves)]
    for q, row in enumerate(sums.local_rows):
        at = np.flatnonzero(sums.local[:, :, :, q].any(axis=(0, 2)))
        if row == 0:
            raise Refusal("its objective distinguishes leaves")
        labelled = (sums.local[:, :, :, q] != sums.local[:, :, :1, q]).any()
        jump = rows.leaf[:, row]
        if len(at) != 1 or labelled or jump[np.arange(leaves) != at[0]].any():
            raise Refusal("its rows distinguish leaves")
        if rows.split[:, :, row].any() or rows.anywhere[:, row].any():
            raise Refusal("a row about a leaf counts splits as well")
        if any(row in fold.rows for fold in sums.folds):
            raise Refusal("it takes the greatest or least of what leaves have")
        low, high = sums.low[row] - sums.constant[row], sums.high[row] - sums.constant[row]
        mine[at[0]].append((sums.local[:, at[0], 0, q], low, high, float(jump[at[0]])))
        taken[row] = True
    for one in mine[1:]:
        if len(one) != len(mine[0]) or not all(map(_same, one, mine[0])):
            raise Refusal("its rows distinguish leaves")
    every = mine[0]
    stats = np.array([s for s, *_ in every]).reshape(len(every), sums.points)
    numbers = np.array([n for _, *n in every], float).reshape(len(every), 3)
    return Conditions(stats, *numbers.T), taken


def _same(
    one: tuple[np.ndarray, float, float, float], other: tuple[np.ndarray, float, float, float]
) -> bool:
    return bool((one[0] == other[0]).all()) and one[1:] == other[1:]


def _demand_alike(sums: Sums, taken: np.ndarray) -> None:
    if sums.label.any():
        raise Refusal("it counts labels of leaves, whether points reach them or not")
    if sums.opaque:
        raise Refusal(
            f"'{sums.opaque[0]}' is neither counted by splits and points nor has it a `means`, or "
            "bounds by which the objective is bounded"
        )
    if "bias" in sums.families:
        raise Refusal("it depends on where thresholds are, and not in one way")
    if len(sums.local_rows) and not taken[sums.local_rows].all():
        raise Refusal("its rows distinguish leaves")


def _demand_cheap(
    rows: _Rows, keep: np.ndarray, folded: np.ndarray, sign: float, allowed: np.ndarray
) -> None:
    """Where a branch may be without a split, a split that parts nothing must never pay."""
    if (allowed != allowed[:1]).any() or (rows.split != rows.split[:1])[:, :, keep].any():
        raise Refusal("its splits differ by branch in price or limits")
    leaf = rows.leaf[0] if len(rows.leaf) else 0.0  # one more with each split that parts points
    for table in (rows.split[0] + leaf, rows.anywhere):
        if not _costs(table, keep, folded, sign, rows):
            raise Refusal("it rewards or demands splits, their features or their leaves")


def _demand_indifferent(
    rows: _Rows, keep: np.ndarray, allowed: np.ndarray, conditions: Conditions
) -> None:
    """Where each branch must split at any number, a threshold may be beyond all values, which the
    problem's are not: no such split must be better than one between values."""
    split, anywhere = rows.split[:, :, keep], rows.anywhere[:, keep]
    if (split != split[:1, :1]).any() or (anywhere != anywhere[:1]).any() or not allowed.all():
        raise Refusal("each branch must split, and splits differ in price or limits")
    if len(conditions.stats) or rows.leaf[:, keep].any():
        raise Refusal("each branch must split, and rows or prices are about leaves with points")


def _costs(
    added: np.ndarray, keep: np.ndarray, folded: np.ndarray, sign: float, rows: _Rows
) -> bool:
    """Whether adding any of these float64 (..., R) can only cost or break a limit."""
    up, down = np.isfinite(rows.high), np.isfinite(rows.low)
    way = np.where(folded | (up & down), np.nan, np.where(up, 1.0, -1.0))
    way[0] = sign
    matters = keep & (added.reshape(-1, added.shape[-1]) != 0).any(axis=0)
    return bool((way * added >= 0)[..., matters].all())


def _in_same_bits(points: np.ndarray) -> np.ndarray:
    """What points add, to SAME_BITS: a point of weight 4 then adds the same as one that is there
    four times, and among trees of the same worth both tables get the same one."""
    part, exponent = np.frexp(points)
    rounded: np.ndarray = np.ldexp(np.round(np.ldexp(part, SAME_BITS)), exponent - SAME_BITS)
    return rounded


def _midpoints(values: np.ndarray) -> np.ndarray:
    low, high = values[:-1], values[1:]
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)


def chains(
    columns: np.ndarray, thresholds: list[np.ndarray], price: np.ndarray
) -> list[np.ndarray]:
    """The columns of each feature, int64, a chain by growing sets of points that go left.

    columns (p, M); thresholds: increasing, of each column; price (..., p): what tells splits on
    columns apart beside the points. Only columns next to each other are joined, those with one
    threshold each.
    """
    columns_of: list[list[int]] = []
    left: np.ndarray | None = None  # of the last column of a chain
    grows = 0  # 1 where sets grow along the columns, -1 where they shrink, 0 where both will do
    for j, cuts in enumerate(thresholds):
        goes = ~_above(columns[j], cuts[0]) if len(cuts) == 1 else None
        way = 0
        same = j > 0 and np.array_equal(price[..., j], price[..., j - 1])
        if same and goes is not None and left is not None:
            up, down = not (left & ~goes).any(), not (goes & ~left).any()
            way = 1 if up and grows >= 0 else -1 if down and grows <= 0 else 0
            if way and not (up and down):
                grows = way
        if way:
            columns_of[-1].append(j)
        else:
            columns_of.append([j])
            grows = 0
        left = goes
    return [_by_size(columns, thresholds, np.array(some)) for some in columns_of]


def _by_size(columns: np.ndarray, thresholds: list[np.ndarray], some: np.ndarray) -> np.ndarray:
    if len(some) == 1:
        return some
    sizes = [np.count_nonzero(~_above(columns[j], thresholds[j][0])) for j in some]
    ordered: np.ndarray = some[np.argsort(sizes, kind="stable")]
    return ordered
