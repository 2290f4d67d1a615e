"""An objective that is a quotient of two sums over points, leaves and splits, read off its folds.

Functions of sums are applied one after another. As long as they divide and multiply, each row is a
fraction of two affine functions of what the rows are without any of them; where products leave
more than that, the objective is no ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.folds import PRODUCT, Fold
from treemip.answers.search.sums import Sums
from treemip.core.model.tape import Smooth
from treemip.core.model.tolerances import ROUNDING


@dataclass(frozen=True)
class Fraction:
    """top over bottom, float64 (R + 1,) each: rates of the rows, and a constant."""

    top: np.ndarray
    bottom: np.ndarray

    def times(self, factor: float) -> Fraction:
        return Fraction(self.top * factor, self.bottom)


@dataclass(frozen=True)
class Ratio:
    """The objective, to be minimized, as a fraction of the sums.

    Each of `divisors`, the bottom apart, is not 0 for any tree with which the objective has a
    value; (n, R + 1). kept bool (R,): the rows that something else than the ratio needs; `folds`
    are theirs.
    """

    sums: Sums
    fraction: Fraction
    divisors: np.ndarray
    kept: np.ndarray
    folds: tuple[Fold, ...]

    def turned(self) -> Ratio:
        """The same with the signs of numerator and denominator changed."""
        one = self.fraction
        return replace(self, fraction=Fraction(-one.top, -one.bottom))

    def at(self, weights: np.ndarray, whole: bool = False) -> Sums:
        """The spec with the objective, to be minimized, that weights float64 (R + 1,) say, which
        is a sum, and without the rows of the ratio alone. whole: whether each point and split adds
        a whole number to it, but for rounding."""
        sums, kept = self.sums, self.kept.copy()
        kept[0] = True
        number = np.cumsum(kept) - 1
        own = np.isin(sums.local_rows, np.flatnonzero(kept))

        def with_objective(rows: np.ndarray, more: float = 0.0) -> np.ndarray:
            of, objective = rows[..., kept], rows @ weights[:-1] + more
            of[..., 0] = np.rint(objective) if whole else objective
            return of

        constant = with_objective(sums.constant, float(weights[-1]))
        return replace(
            sums,
            shared=with_objective(sums.shared),
            local=np.ascontiguousarray(sums.local[..., own]),
            local_rows=number[sums.local_rows[own]],
            label=with_objective(sums.label),
            constant=constant,
            low=sums.low[kept],
            high=sums.high[kept],
            scale=sums.scale[kept],
            folds=tuple(fold.over(kept) for fold in self.folds),
            sign=1.0,
            structure=with_objective(sums.structure),
            constraints=tuple(n for n, one in zip(sums.constraints, kept, strict=True) if one),
        )


def ratio_of(sums: Sums) -> Ratio | None:
    """The objective as a ratio; None where it is anything else, a sum included."""
    kept, folds = _beside(sums)
    own = [fold for fold in sums.folds if not any(fold is other for other in folds)]
    if not own or not all(_divides(fold) or fold.function == PRODUCT for fold in own):
        return None
    rows = _rows(sums)
    divisors: list[np.ndarray] = []
    for fold in own:
        for group, to in enumerate(fold.to):
            at = fold.rows[fold.offsets[group] : fold.offsets[group + 1]]
            result = _applied(fold, [rows[int(r)] for r in at])
            if _divides(fold):
                if result is None:
                    return None
                divisors.append(result.bottom)
            for row in np.flatnonzero(to):
                rows[row] = _sum(rows[row], result, float(to[row]))
    one = rows[0]
    used = [] if one is None else [one.top[:-1] != 0, one.bottom[:-1] != 0]
    if one is None or np.isin(sums.local_rows, np.flatnonzero(np.any(used, axis=0))).any():
        return None
    others = [d for d in divisors if not _parallel(d, one.bottom)]
    return Ratio(
        sums, one.times(sums.sign), np.array(others).reshape(-1, sums.rows + 1), kept, folds
    )


def of_structure(sums: Sums) -> np.ndarray:
    """What splits and leaves add to the rows, float64 (columns, R); a structure has columns for
    results of functions, too."""
    own = [np.arange(f.start, f.start + f.length) for f in sums.families.values()]
    at: np.ndarray = np.concatenate([np.zeros(0, int), *own])
    return sums.structure[at]


def _divides(fold: Fold) -> bool:
    return fold.function is Smooth.POWER and fold.exponent == -1


def _beside(sums: Sums) -> tuple[np.ndarray, tuple[Fold, ...]]:
    """The rows that constraints are about, arguments of their functions included, bool (R,), and
    these functions."""
    kept = np.isfinite(sums.low) | np.isfinite(sums.high)
    folds: list[Fold] = []
    for fold in reversed(sums.folds):
        if fold.to[:, kept].any():
            kept[fold.rows] = True
            folds.insert(0, fold)
    return kept, tuple(folds)


def _rows(sums: Sums) -> list[Fraction | None]:
    """Each row without functions: its own rate, or that of the first row which adds the same."""
    parts = [sums.shared, sums.local, sums.label, of_structure(sums)]
    local = np.full(sums.rows, -1)
    local[sums.local_rows] = np.arange(len(sums.local_rows))
    seen: dict[tuple[bytes, ...], int] = {}
    rows: list[Fraction | None] = []
    one = np.eye(sums.rows + 1)
    for r, constant in enumerate(sums.constant):
        at = [r, local[r], r, r]
        columns = [p[..., k] if k >= 0 else p[..., :0] for p, k in zip(parts, at, strict=True)]
        same = seen.setdefault(tuple(c.tobytes() for c in columns), r)
        top = one[-1] * constant
        if any(column.any() for column in columns):
            top = one[same] + one[-1] * (constant - sums.constant[same])
        rows.append(Fraction(top, one[-1]))
    return rows


def _applied(fold: Fold, arguments: list[Fraction | None]) -> Fraction | None:
    known = [a for a in arguments if a is not None]
    if len(known) < len(arguments):
        return None
    if _divides(fold):
        return Fraction(known[0].bottom, known[0].top) if known[0].top.any() else None
    tops, bottoms = [a.top for a in known], [a.bottom for a in known]
    factor = 1.0
    for number, top in enumerate(tops):
        for other, bottom in enumerate(bottoms):
            if _parallel(top, bottom):
                factor *= _share(top, bottom)
                tops[number] = bottoms[other] = _constant(top)
                break
    factor *= float(np.prod([t[-1] for t in tops if not t[:-1].any()]))
    factor /= float(np.prod([b[-1] for b in bottoms if not b[:-1].any()]))
    left, below = _not_constant(tops), _not_constant(bottoms)
    if len(left) > 1 or len(below) > 1:
        return None
    unit = _constant(tops[0])
    return Fraction((left or [unit])[0] * factor, (below or [unit])[0])


def _sum(row: Fraction | None, result: Fraction | None, rate: float) -> Fraction | None:
    """row + rate * result; None where that is no fraction of affine functions."""
    if row is None or result is None:
        return None
    result = result.times(rate)
    if _parallel(row.bottom, result.bottom):
        return Fraction(row.top + result.top * _share(row.bottom, result.bottom), row.bottom)
    for one, other in ((row, result), (result, row)):
        if not one.top[:-1].any() and not one.bottom[:-1].any():
            constant = one.top[-1] / one.bottom[-1]
            return Fraction(other.top + constant * other.bottom, other.bottom)
    return None


def _constant(like: np.ndarray) -> np.ndarray:
    return np.append(np.zeros(len(like) - 1), 1.0)


def _not_constant(vectors: Iterable[np.ndarray]) -> list[np.ndarray]:
    return [v for v in vectors if v[:-1].any()]


def _parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether one is a multiple of the other, and neither is 0."""
    if not one.any() or not other.any():
        return False
    size = ROUNDING * np.abs(one).max()
    return bool((np.abs(one - other * _share(one, other)) <= size).all())


def _share(one: np.ndarray, other: np.ndarray) -> float:
    """By what `other` is multiplied to be `one`."""
    at = int(np.abs(other).argmax())
    return float(one[at] / other[at])
