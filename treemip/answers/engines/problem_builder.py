"""From the sums of a spec to the problem of its univariate trees, or why they are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.engines.bins import Bins, bins_of, chains, column_arrays
from treemip.answers.engines.by_depth import differ, only_of_branches, price_of_depth
from treemip.answers.engines.problem import Conditions, Problem
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.split_prices import as_feature_prices, as_prices, mentioned
from treemip.answers.search.folds import Fold, arguments_of
from treemip.answers.search.structure import Structure
from treemip.answers.search.sums import Sums
from treemip.core.instance.derived import midpoints
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.model.arrays import unique
from treemip.core.model.tolerances import KNOWN_ROW, SAME_BITS
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap

MOST_BRANCHES = 15  # all sets of which are priced


@dataclass(frozen=True)
class _Rows:
    """The tables of structure columns as rows: those of the sums, then limits."""

    split: np.ndarray
    anywhere: np.ndarray
    leaf: np.ndarray
    low: np.ndarray
    high: np.ndarray


def problem_of(instance: Instance, sums: Sums, joined: bool = True) -> Problem:
    """sums: over the distinct points of the table. joined: whether nested columns may be one
    feature, where no row tells them apart.

    Raises Refusal where the spec is not of this form.
    """
    topology = instance.nodes
    table, (x, of_point) = instance.table, instance.table.distinct
    if table.categorical or table.inputs.shape[1] != table.x.shape[1]:
        raise Refusal("it splits a column by sets of its categories")
    given, (sums, rows) = sums, _priced(sums, _structure_rows(sums, topology, x.shape[1]))
    if not all(fold.is_piecewise for fold in sums.folds):
        raise Refusal("it multiplies counts, or takes squares or other functions of them")
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
            raise Refusal("its branches differ in price or limits")
    if unsplit is not None:
        _demand_cheap(rows, keep, folded, sums.sign, allowed)
    elif thresholds is None:
        _demand_indifferent(rows, keep, allowed, conditions)
    split, leaf, constant = _structure(sums, rows, keep, folded, unsplit is None)
    sign = np.ones(int(keep.sum()))
    sign[0] = sums.sign
    may_join = joined and keep.sum() == 1 and not rows.anywhere[:, keep].any()
    alike = np.concatenate([split[:, :, 0], allowed]) if may_join else None
    bins, first = _bins(x, thresholds, alike)
    return Problem(
        topology=topology,
        x=x,
        sums=given,
        bins=bins,
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


def _bins(
    x: np.ndarray, thresholds: list[np.ndarray] | None, alike: np.ndarray | None
) -> tuple[Bins, np.ndarray]:
    """The bins, and the first column of each feature, int64. thresholds: of each column, in the
    middle between values where they are None. alike: what rows say of each column, (..., columns),
    so that nested columns of which they say the same are one feature; None for no such."""
    by_column = column_arrays(x)
    if thresholds is None:
        thresholds = []
        for column in by_column:
            _heed()
            thresholds.append(midpoints(unique(column)))
    features = [np.array([j]) for j in range(x.shape[1])]
    if alike is not None:
        features = chains(by_column, thresholds, alike)
    first = np.array([columns[0] for columns in features])
    return bins_of(by_column, thresholds, features, _heed), first


def _heed() -> None:
    """Raises Refusal after a signal: bins of a million points take seconds."""
    if asked_to_stop():
        raise Refusal("it was stopped before it began")


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
            raise Refusal("its objective treats leaves differently")
        labelled = (sums.local[:, :, :, q] != sums.local[:, :, :1, q]).any()
        jump = rows.leaf[:, row]
        if len(at) != 1 or labelled or jump[np.arange(leaves) != at[0]].any():
            raise Refusal("a row of it is about some leaves and not others")
        if rows.split[:, :, row].any() or rows.anywhere[:, row].any():
            raise Refusal("a row about a leaf counts splits as well")
        if any(row in fold.rows for fold in sums.folds):
            raise Refusal("it takes the greatest or least of what leaves have")
        low, high = sums.low[row] - sums.constant[row], sums.high[row] - sums.constant[row]
        mine[at[0]].append((sums.local[:, at[0], 0, q], low, high, float(jump[at[0]])))
        taken[row] = True
    for one in mine[1:]:
        if len(one) != len(mine[0]) or not all(map(_same, one, mine[0])):
            raise Refusal("a row of it is about some leaves and not others")
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
        raise Refusal("its objective counts classes of leaves without points")
    if sums.opaque:
        raise Refusal(
            f"'{sums.opaque[0]}' does not follow from the tree: say what it `means`, or give it "
            "bounds that bound the objective"
        )
    if "bias" in sums.families:
        raise Refusal("it depends on where thresholds are, and not in one way")
    if len(sums.local_rows) and not taken[sums.local_rows].all():
        raise Refusal("a row of it is about some leaves and not others")


def _demand_cheap(
    rows: _Rows, keep: np.ndarray, folded: np.ndarray, sign: float, allowed: np.ndarray
) -> None:
    """Where a branch may be without a split, a split that parts nothing must never pay."""
    if (allowed != allowed[:1]).any() or (rows.split != rows.split[:1])[:, :, keep].any():
        raise Refusal("its branches differ in price or limits")
    leaf = rows.leaf[0] if len(rows.leaf) else 0.0  # one more with each split that parts points
    for table in (rows.split[0] + leaf, rows.anywhere):
        if not _costs(table, keep, folded, sign, rows):
            raise Refusal("it rewards or requires splits, features or leaves")


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
