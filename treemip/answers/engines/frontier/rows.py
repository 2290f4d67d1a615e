"""A spec over univariate trees as rows to which points, labels and splits add, one tree at a time.

What sums do not determine is an interval. A row takes its most favourable end, so the value of a
tree is never greater than in the stated model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treemip.answers.engines.frontier.options import Options, demand_whole_weights, options_of
from treemip.answers.engines.lowered import BIAS, COEF
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.split_prices import as_prices, mentioned
from treemip.answers.search.curves.curve import Curve
from treemip.answers.search.folds import Fold, arguments_of
from treemip.answers.search.structure import UNKNOWN, Structure
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.model.model import Model
from treemip.core.model.tolerances import KNOWN_ROW

MOST_NUMBERS = 1 << 25  # in the table of what points add: 0.25 GB
MOST_BITS = 62  # features that have a price of their own once used
FAR = 1e15
"""In place of infinity, so that sums stay numbers."""


@dataclass(frozen=True)
class Rows:
    """W rows, the first the objective, to be minimized.

    points float64 (kinds, M, K, W): what points add with a label, by the kind of the leaf; kind
    int64 (L,). label (L, K, W): what a leaf's label adds; occupied (L, K, W): with points besides.
    by_option (branches, O, W): what splits add. anywhere (bits, W): what a feature adds that is
    used; uses int64 (O,): the bits of each option. constant, low, high, scale (W,).
    curve: where leaves have any value, at three of which the points are; values: float64 low
    and high (L,) of them, beside the curve's bounds.
    constraints (W,): the name of the constraint that each row is of, "" for none.
    exact: whether a tree's rows say all of its objective, so that no completion is better.
    """

    topology: Forest
    options: Options
    points: np.ndarray
    kind: np.ndarray
    label: np.ndarray
    occupied: np.ndarray
    by_option: np.ndarray
    anywhere: np.ndarray
    uses: np.ndarray
    constant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    folds: tuple[Fold, ...]
    curve: Curve | None
    values: tuple[np.ndarray, np.ndarray] | None
    constraints: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.constant)

    @cached_property
    def branch_number(self) -> np.ndarray:
        return _numbered(self.topology.branches, self.topology.size)

    @cached_property
    def leaf_number(self) -> np.ndarray:
        return _numbered(self.topology.leaves, self.topology.size)

    @cached_property
    def free_labels(self) -> bool:
        """Whether labels count in the objective alone, so that each leaf has its best one."""
        beside = (self.points, self.label, self.occupied)
        alike = all((part == part[..., :1, :])[..., 1:].all() for part in beside)
        return alike and not any(fold.rows.min(initial=1) == 0 for fold in self.folds)

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """Of each leaf, within its limits; none where leaves have labels."""
        if self.curve is None:
            return ()
        if self.values is None:
            return (self.curve,) * len(self.label)
        low, high = (ends.tolist() for ends in self.values)
        return tuple(map(self.curve.within, low, high))

    @cached_property
    def likeness(self) -> np.ndarray:
        """Options that no row tells apart have one number, int64 (O,)."""
        if self.options.alone:
            return np.arange(self.options.count)
        said = self.by_option.transpose(1, 0, 2).reshape(self.options.count, -1)
        said = np.column_stack([said, self.uses, self.options.feature])
        return np.unique(said, axis=0, return_inverse=True)[1].ravel()

    @cached_property
    def way(self) -> np.ndarray:
        """1 for rows of which less is never worse, -1 of which more is not, 0 for others, int64."""
        up, down = np.isfinite(self.high), np.isfinite(self.low)
        way = up.astype(int) - down
        way[0] = 1
        way[arguments_of(self.folds, self.width)] = 0
        return way

    @cached_property
    def linear_objective(self) -> bool:
        return not any(fold.to[:, 0].any() or (fold.rows == 0).any() for fold in self.folds)

    def worth(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The objective and whether all rows hold, for rows float64 (..., W)."""
        rows, defined = self.with_results(rows)
        return rows[..., 0], defined & ~self.broken(rows).any(axis=-1)

    def broken(self, rows: np.ndarray) -> np.ndarray:
        """Which rows (..., W) do not hold, the results of functions included."""
        size = KNOWN_ROW * self.scale
        off: np.ndarray = (rows < self.low - size) | (rows > self.high + size)
        return off

    def with_results(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows with what functions add, (..., W), and whether all are defined, bool (...,)."""
        good = np.ones(rows.shape[:-1], bool)
        with np.errstate(all="ignore"):
            for fold in self.folds:
                results = fold.values(rows)
                finite = np.isfinite(results)
                good &= finite.all(axis=-1)
                rows = rows + np.where(finite, results, 0.0) @ fold.to
        return rows, good

    def objective_alone(self) -> Rows | None:
        """Without constraints and what else they need; None where functions are in it."""
        if not self.linear_objective or self.width == 1:
            return None
        first = np.arange(self.width) == 0
        far = np.full(1, np.inf)
        alone = replace(self.only(first, ()), low=-far, high=far)
        uses = self.uses if self.anywhere[:, 0].any() else np.zeros_like(self.uses)
        return replace(alone, uses=uses)

    def only(self, kept: np.ndarray, folds: tuple[Fold, ...]) -> Rows:
        """Some of the rows, kept bool (W,), with folds over them."""
        return replace(
            self,
            points=np.ascontiguousarray(self.points[..., kept]),
            label=self.label[..., kept],
            occupied=self.occupied[..., kept],
            by_option=self.by_option[..., kept],
            anywhere=self.anywhere[..., kept],
            constant=self.constant[kept],
            low=self.low[kept],
            high=self.high[kept],
            scale=self.scale[kept],
            folds=folds,
            constraints=tuple(np.array(self.constraints)[kept].tolist()),
        )


def _numbered(nodes: np.ndarray, size: int) -> np.ndarray:
    number = np.full(size, UNKNOWN)
    number[nodes] = np.arange(len(nodes))
    return number


def rows_of(instance: Instance, stated: Model, spec: Summed) -> Rows:
    """The rows of a spec. Raises Refusal where trees cannot be listed by them."""
    topology, sums = instance.nodes, spec.sums
    if "products" in sums.opaque:
        raise Refusal("it multiplies decisions, or variables that do not follow from the tree")
    if COEF in sums.families or BIAS in sums.families:
        demand_whole_weights(instance, stated)
    options = options_of(instance, stated, spec.x)
    splits = SplitRows.of(stated, sums, topology, options)
    plan = _plan(sums, splits)
    base, sign = plan.base, np.where(plan.base == 0, sums.sign, 1.0)
    kind, kinds = _kinds(sums)
    if len(kinds) * sums.points * sums.classes * len(base) > MOST_NUMBERS:
        raise Refusal("what points add to its rows does not fit into memory")
    points = _points(sums, kinds, len(splits.low), base)
    points *= sign
    label = np.zeros((*sums.label.shape[:2], len(splits.low)))
    label[:, :, : sums.rows] = sums.label
    label = label[:, :, base] * sign
    occupied = np.repeat(splits.occupied[:, None, base], sums.classes, axis=1)
    if sums.answers.where_used:
        label, occupied = np.zeros_like(label), occupied + label
    at, used = splits.sides, splits.anywhere[:, base]
    priced = np.asarray(used.any(axis=1))
    if priced.sum() > MOST_BITS:
        raise Refusal(f"features have a price once used, and there are more than {MOST_BITS}")
    names = (*sums.constraints, *sums.limiting)
    by_option = np.stack([at[w][:, :, r] for w, r in zip(plan.side, base, strict=True)], axis=2)
    constant = splits.constant[base] * sign + plan.constant
    told = mentioned(points, label, occupied, used)
    folds, by_option, constant = as_prices(_folds(sums, plan), by_option, constant, told)
    rows = Rows(
        topology=topology,
        options=options,
        points=points,
        kind=kind,
        label=label,
        occupied=occupied,
        by_option=by_option,
        anywhere=used[priced],
        uses=splits.bits(priced),
        constant=constant,
        low=plan.low,
        high=plan.high,
        scale=splits.scale[base],
        folds=folds,
        curve=sums.curve,
        values=spec.values,
        constraints=tuple(names[r] for r in base),
    )
    rows = _needed(rows)
    if rows.curve is not None and not rows.free_labels:
        raise Refusal("its rows tie together leaves that answer any number")
    return rows


def _points(sums: Sums, kinds: list[int], rows: int, base: np.ndarray) -> np.ndarray:
    """What points add at each kind of leaf under each label, float64 (kinds, M, K, base). rows:
    those of the sums and of limits."""
    padded = np.zeros((sums.points, sums.classes, rows))
    points = np.empty((len(kinds), sums.points, sums.classes, len(base)))
    for number, leaf in enumerate(kinds):
        padded[:, :, : sums.rows] = sums.shared
        padded[:, :, sums.local_rows] += sums.local[:, leaf]
        points[number] = padded[:, :, base]
    return points


def _needed(rows: Rows) -> Rows:
    """Without rows of which nothing is asked, such as arguments of functions that became prices."""
    kept = np.isfinite(rows.low) | np.isfinite(rows.high) | arguments_of(rows.folds, rows.width)
    kept[0] = True
    return rows.only(kept, tuple(fold.over(kept) for fold in rows.folds))


@dataclass(frozen=True)
class SplitRows:
    """What splits and leaves with points add to all rows, of the sums and then of limits; the
    objective is to be minimized.

    sides: two tables float64 (branches, O, rows), with thresholds where they add least and where
    they add most, and `moves` bool (rows,): the rows where these differ. anywhere (features and
    kept columns, rows). unknown: two arrays (rows,), what else adds at least and at most.
    """

    sides: tuple[np.ndarray, np.ndarray]
    moves: np.ndarray
    occupied: np.ndarray
    anywhere: np.ndarray
    tests: np.ndarray
    unknown: tuple[np.ndarray, np.ndarray]
    constant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, stated: Model, sums: Sums, topology: Forest, options: Options) -> SplitRows:
        structure = Structure(sums, topology, options.inputs, options.form)
        columns, low, high = sums.on_structure()
        columns[:, 0] *= sums.sign
        none = np.zeros(len(low) - sums.rows)
        splits = np.stack(
            [_of_splits(columns, structure, options, int(t)) for t in topology.branches]
        )
        sides = (splits, splits)
        bias = columns[structure.bias[topology.branches]]
        moves = np.asarray(bias.any(axis=0))
        if moves.any():
            ends = [
                bias[:, None, :] * np.clip(end, -FAR, FAR)[None, :, None]
                for end in (options.low, options.high)
            ]
            sides = splits + np.minimum(*ends), splits + np.maximum(*ends)
        return cls(
            sides=sides,
            moves=moves,
            occupied=columns[structure.occupied],
            anywhere=columns[np.concatenate([structure.anywhere, structure.tested_anywhere])],
            tests=np.column_stack(
                [
                    options.feature[:, None] == np.arange(options.inputs.width),
                    options.inputs.tested(options.sets),
                ]
            ),
            unknown=_unknown(stated, sums, columns),
            constant=np.concatenate([sums.constant, none]),
            low=low,
            high=high,
            scale=np.concatenate([sums.scale, none + 1.0]),
        )

    def bits(self, priced: np.ndarray) -> np.ndarray:
        """The features and kept columns with a price that each option uses, as bits int64 (O,)."""
        tests = self.tests[:, priced]
        bits: np.ndarray = tests @ (1 << np.arange(tests.shape[1], dtype=np.int64))
        return bits.astype(np.int64)


def _of_splits(
    columns: np.ndarray, structure: Structure, options: Options, node: int
) -> np.ndarray:
    """What each option of a branch adds to each row, thresholds aside, float64 (O, rows)."""
    used, by_set = options.weights != 0, np.asarray(options.sets.any(axis=1))
    added = np.zeros((options.count, columns.shape[1]))
    for table, there in (
        (structure.uses, used.astype(float)),
        (structure.coef, np.where(by_set[:, None], 0.0, options.weights)),
        (structure.active[:, None], used.any(axis=1, keepdims=True).astype(float)),
    ):
        added += there @ columns[table[node]]
    if options.form is not None:
        tested = options.inputs.tested(options.sets).astype(float)
        chosen = options.form.chosen(options.inputs, options.sets).astype(float)
        for table in structure.tests:
            added += tested @ columns[table[node]]
        for table in structure.sets:
            added += chosen @ columns[table[node]]
    return added


def _unknown(stated: Model, sums: Sums, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What columns add to each row that only a solution knows, at least and at most."""
    low, high = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    blocks = {block.name: block for block in stated.variables}
    for name in sums.opaque:
        if name not in sums.families:
            continue
        family, block = sums.families[name], blocks.get(name)
        own = columns[family.columns]
        ends = np.tile([[-np.inf], [np.inf]], family.length)
        if block is not None and block.length == family.length:
            ends = np.stack([block.lower, block.upper])
        with np.errstate(invalid="ignore"):
            worth = np.where(own == 0, 0.0, own * ends[:, :, None])
        low += worth.min(axis=0).sum(axis=0)
        high += worth.max(axis=0).sum(axis=0)
    return low, high


@dataclass(frozen=True)
class _Plan:
    """The rows that are kept: base int64 (W,) of all rows, side (W,) where thresholds are, the
    bounds that remain, what is added to the constants; number int64 (rows,): of each row."""

    base: np.ndarray
    side: np.ndarray
    low: np.ndarray
    high: np.ndarray
    constant: np.ndarray
    number: np.ndarray


def _plan(sums: Sums, splits: SplitRows) -> _Plan:
    """Which rows are kept, each where what is not known is most favourable to it."""
    least, most = splits.unknown
    width = len(splits.low)
    folded = arguments_of(sums.folds, width)
    if bool((folded & (splits.moves | (least != 0) | (most != 0))).any()):
        raise Refusal("it has functions of variables that are no sums over points")
    if not np.isfinite(least[0]):
        raise Refusal("a variable that does not follow from the tree has no bound in its objective")
    low, high = splits.low - most, splits.high - least
    low[0], high[0] = -np.inf, np.inf
    kept = [(0, 0, -np.inf, np.inf)]
    for r in range(1, width):
        if splits.moves[r]:
            kept += [(r, 0, -np.inf, high[r])] if np.isfinite(high[r]) else []
            kept += [(r, 1, low[r], np.inf)] if np.isfinite(low[r]) else []
        elif folded[r] or np.isfinite(low[r]) or np.isfinite(high[r]):
            kept.append((r, 0, low[r], high[r]))
    base, place, lower, upper = (np.array(part) for part in zip(*kept, strict=True))
    number = np.full(width, UNKNOWN)
    number[base[::-1]] = np.arange(len(base))[::-1]
    constant = np.zeros(len(base))
    constant[0] = least[0]
    return _Plan(base, place, lower, upper, constant, number)


def _folds(sums: Sums, plan: _Plan) -> tuple[Fold, ...]:
    """The folds over the rows that are kept; a row that is kept twice gets results twice."""
    folds = []
    for fold in sums.folds:
        to = np.concatenate([fold.to, np.zeros((len(fold.to), 1))], axis=1)
        at = np.where(plan.base < sums.rows, plan.base, -1)
        worth = to[:, at]
        worth[:, 0] *= sums.sign
        folds.append(
            Fold(fold.function, plan.number[fold.rows], fold.offsets, worth, fold.exponent)
        )
    return tuple(folds)


def _kinds(sums: Sums) -> tuple[np.ndarray, list[int]]:
    """Leaves in which points add the same have one kind, int64 (L,); and one leaf of each."""
    leaves, kinds = sums.label.shape[0], list[int]()
    kind = np.zeros(leaves, np.int64)
    for leaf in range(leaves):
        alike = (k for k, one in enumerate(kinds) if _alike(sums, leaf, one))
        kind[leaf] = next(alike, len(kinds))
        if kind[leaf] == len(kinds):
            kinds.append(leaf)
    return kind, kinds


def _alike(sums: Sums, leaf: int, other: int) -> bool:
    return bool((sums.local[:, leaf] == sums.local[:, other]).all())
