"""How the columns that a tree takes are distributed in new rows, against its training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.core.instance.columns import Column, read_numbers
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.feature import Feature
from treemip.study.life.psi import psi, reading
from treemip.study.life.rows import Rows, strange_cells

BINS = 10
"""Of a numeric column, by training deciles."""

NAMED = 5
"""New values that are named."""


@dataclass(frozen=True)
class FeatureDrift:
    """A raw column. psi: over training deciles or categories, with missing and new values as bins;
    None without training rows. missing, missing_before: shares. unseen: rows with a category that
    training did not have, or a text in place of a number; unseen_values: some of them. outside:
    rows with numbers beyond those of training; None of categories, and without training rows."""

    column: str
    psi: float | None
    missing: float
    missing_before: float | None
    unseen: int
    unseen_values: tuple[str, ...]
    outside: int | None

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "psi": self.psi,
            "reading": reading(self.psi),
            "missing": self.missing,
            "missing_before": self.missing_before,
            "unseen": self.unseen,
            "unseen_values": list(self.unseen_values),
            "outside": self.outside,
        }


def feature_drifts(encoder: Encoder, rows: Rows, training: Rows | None) -> tuple[FeatureDrift, ...]:
    """Those of all columns that the tree takes, in the encoder's order."""
    every = (*encoder.features, *encoder.kept)
    return tuple(_drift(feature, rows, training) for feature in every)


def _drift(feature: Feature, rows: Rows, training: Rows | None) -> FeatureDrift:
    now = rows.raw[feature.column]
    before = None if training is None else training.raw[feature.column]
    strange = strange_cells(feature, now)
    values = tuple(dict.fromkeys(now.text(k) for k in np.flatnonzero(strange)[:1000].tolist()))
    shift, outside = None, None
    if before is not None:
        counts = [_binned(feature, column, before) for column in (before, now)]
        shift = psi(*counts)
        if feature.levels is None and not before.missing.all():
            known, numbers = read_numbers(before), read_numbers(now)
            ends = np.nanmin(known), np.nanmax(known)
            outside = int(((numbers < ends[0]) | (numbers > ends[1])).sum())
    return FeatureDrift(
        feature.column,
        shift,
        float(now.missing.mean()),
        None if before is None else float(before.missing.mean()),
        int(strange.sum()),
        values[:NAMED],
        outside,
    )


def _binned(feature: Feature, column: Column, training: Column) -> np.ndarray:
    """How many cells are in each bin, those that are missing and those that are new among them."""
    missing, strange = column.missing, strange_cells(feature, column)
    there = ~missing & ~strange
    if feature.levels is None:
        known = read_numbers(training)
        known = known[~np.isnan(known)]
        inner = np.unique(np.quantile(known, np.arange(1, BINS) / BINS)) if len(known) else known
        bins, count = np.searchsorted(inner, read_numbers(column)[there], "right"), len(inner) + 1
    else:
        bins, count = feature.levels.codes(column)[there], len(feature.levels.names)
    counted = np.bincount(bins, minlength=count)
    return np.array([*counted, missing.sum(), strange.sum()])
