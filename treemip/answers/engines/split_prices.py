"""Functions of what one branch's split is, as what each of its splits adds: whatever the function,
a branch of a univariate tree has one split of a few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from treemip.answers.search.folds import Fold

MOST_BRANCHES = 7  # a complete tree of depth 3


def as_prices(
    folds: Sequence[Fold], split: np.ndarray, constant: np.ndarray, elsewhere: np.ndarray
) -> tuple[tuple[Fold, ...], np.ndarray, np.ndarray]:
    """The folds that remain, with what splits add and the constants in place of the others.

    split float64 (branches, splits, R): what each split adds to the rows, no split nothing;
    constant (R,); elsewhere bool (R,): the rows to which anything else adds, such as points.
    """
    split, constant, elsewhere = split.copy(), constant.copy(), elsewhere.copy()
    rest: list[Fold] = []
    for fold in folds:
        told = split[:, :, fold.rows].any(axis=1)
        starts = fold.offsets[:-1]
        several = told.sum(axis=0) > 1
        tells = np.logical_or.reduceat(told, starts, axis=1)
        mixed = np.logical_or.reduceat(elsewhere[fold.rows] | several, starts)
        with np.errstate(all="ignore"):
            none, each = fold.values(constant), fold.values(constant + split)
        taken = ~mixed & (tells.sum(axis=0) < 2) & np.isfinite(none)
        taken &= np.isfinite(each).all(axis=(0, 1))
        if taken.any():
            split = split + ((each - none) * tells[:, None])[..., taken] @ fold.to[taken]
            constant = constant + none[taken] @ fold.to[taken]
        if not taken.all():
            rest.append(_only(fold, ~taken))
            elsewhere |= rest[-1].to.any(axis=0)
    return tuple(rest), split, constant


def as_feature_prices(
    folds: Sequence[Fold],
    split: np.ndarray,
    anywhere: np.ndarray,
    constant: np.ndarray,
    elsewhere: np.ndarray,
) -> tuple[tuple[Fold, ...], np.ndarray, np.ndarray]:
    """Functions of whether any branch splits on one feature: the folds that remain, with what a
    feature adds that is used and the constants in place of the others. Those of MOST_BRANCHES: each
    set of branches is tried.

    split float64 (branches, p, R) and anywhere (p, R): what splits on features add, and features
    that are used; constant and elsewhere as above.
    """
    anywhere, constant, elsewhere = anywhere.copy(), constant.copy(), elsewhere.copy()
    if len(split) > MOST_BRANCHES:
        return tuple(folds), anywhere, constant
    sets = np.array(list(product((0.0, 1.0), repeat=len(split))))
    some = sets.any(axis=1, keepdims=True)
    rest: list[Fold] = []
    for fold in folds:
        told = split[:, :, fold.rows].any(axis=0) | (anywhere[:, fold.rows] != 0)
        starts = fold.offsets[:-1]
        tells = np.logical_or.reduceat(told, starts, axis=1)
        alone = (tells.sum(axis=0) == 1) & ~np.logical_or.reduceat(elsewhere[fold.rows], starts)
        taken = np.zeros(len(alone), bool)
        for j in np.unique(tells.argmax(axis=0)[alone]).tolist():
            mine = np.flatnonzero(alone & tells[j])
            one = _only(fold, np.isin(np.arange(len(alone)), mine))
            rows = constant + sets @ split[:, j] + some * anywhere[j]
            with np.errstate(all="ignore"):
                values = one.values(rows)
            same = np.isfinite(values).all(axis=0) & (values[1:] == values[1]).all(axis=0)
            taken[mine[same]] = True
            anywhere[j] += (values[1] - values[0])[same] @ one.to[same]
            constant += values[0][same] @ one.to[same]
        if not taken.all():
            rest.append(_only(fold, ~taken))
            elsewhere |= rest[-1].to.any(axis=0)
    return tuple(rest), anywhere, constant


def mentioned(*parts: np.ndarray) -> np.ndarray:
    """The rows to which any of these adds, float64 (..., R), bool (R,)."""
    each = [part.reshape(-1, part.shape[-1]).any(axis=0) for part in parts]
    told: np.ndarray = np.logical_or.reduce(each)
    return told


def _only(fold: Fold, kept: np.ndarray) -> Fold:
    """The fold with some of its results, kept bool (results,)."""
    sizes = np.diff(fold.offsets)
    rows = fold.rows[np.repeat(kept, sizes)]
    offsets = np.concatenate([[0], np.cumsum(sizes[kept])])
    return replace(fold, rows=rows, offsets=offsets, to=fold.to[kept])
