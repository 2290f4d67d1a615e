"""A model as files of rows take it: bodies of indicators are rows too, the last ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from treemip.emit.profiles import Reads
from treemip.emit.requirements import (
    require_finite,
    require_indicators,
    require_no_sets,
    require_no_tape,
    require_products,
    require_reformed,
)
from treemip.model.blocks import Rows
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.source.suggest import listed

CutsAs = Literal["rows", "lazy", "user"]
"""Cuts as ordinary rows, as rows a solver may look at late, as rows it may leave out."""

SECTION = {"lazy": "lazy constraints", "user": "user cuts"}


@dataclass(frozen=True)
class Flat:
    """`model` has no implications; its rows from `guarded` on hold where a binary has a value.

    guards int32 and values float64, both (guarded rows,): that column and value. `aside` bool
    (rows,): rows for the section of cuts.
    """

    model: Model
    guarded: int
    guards: np.ndarray
    values: np.ndarray
    aside: np.ndarray


def flatten(model: Model, reads: Reads, target: str, cuts: CutsAs, report: Report) -> Flat:
    """The model's rows and guards, after finding everything that `target` cannot read.

    Adds to `report`: E601 for parts of the model that the profile lacks, E402 for numbers that
    are not finite or bounds of 1e20 and more, E403 for bounds that exclude each other. Raises E902
    for `cuts` of no known way.
    """
    demand_known("cuts", cuts, get_args(CutsAs))
    if reads.indicators:
        require_indicators(model, target, report)
        require_reformed(model.with_(implications=()), target, report)
    else:
        require_reformed(model, target, report)
    if not reads.sos:
        require_no_sets(model, target, report)
    require_no_tape(model, target, report)
    require_products(model, target, report, objective=reads.objective, rows=reads.rows)
    if cuts != "rows" and not getattr(reads, cuts):
        message = f"{target} has no section of {SECTION[cuts]}"
        remedy = "leave --cuts-as out: cuts are ordinary rows then"
        report.add(Diagnostic.outside("E601", message, remedy))
    bodies = tuple(block.body for block in model.implications)
    flat = model.with_(rows=(*model.rows, *bodies), implications=())
    require_finite(flat, report)
    return Flat(
        flat,
        model.row_count,
        _joined([block.guard.indices for block in model.implications], np.int32),
        _joined([block.value for block in model.implications], np.float64),
        _joined([_aside(block, cuts) for block in flat.rows], bool),
    )


def demand_known(what: str, said: object, known: tuple[str, ...]) -> None:
    """E902 where an argument's value is none of those that it may have."""
    if said not in known:
        message = f"'{what}' is {said!r}, which means nothing"
        raise TreemipError(Diagnostic.outside("E902", message, f"one of {listed(known)}"))


def _aside(block: Rows, cuts: CutsAs) -> np.ndarray:
    """Rows for the section of cuts; of those without entries some readers make nothing at all."""
    if cuts == "rows" or not block.cut or block.quadratic.count:
        return np.zeros(block.length, bool)
    return np.diff(block.matrix.indptr) > 0


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
