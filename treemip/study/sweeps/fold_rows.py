"""Folds by a column of the table: the rows of a group together, or the past before the future."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from treemip.api.program import Program
from treemip.core.instance.columns import Column, Unreadable
from treemip.core.instance.data_frames import columns_of
from treemip.core.instance.encoded_table import Table
from treemip.core.instance.raw_table import RawTable, read_table, table_of_arrays
from treemip.core.resolve.settings.data_spec import LEFT_OUT, TESTED, TRAINING
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.study.sweeps.conflicts import RowFolds

DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([ T]\d{2}:\d{2}.*)?)?")
"""Texts whose alphabetical order is that of time."""


def row_folds(
    program: Program, folds: int, seed: int | None, groups: str | None, time: str | None
) -> RowFolds:
    """The parts of the table's rows for each fold, by its number.

    groups: the column whose values are each in one fold. time: the column by whose order each fold
    is learned from what comes before it. Raises E902 for both together, for a column that the
    table does not have and for one with too few values or values in no order.
    """
    if groups is not None and time is not None:
        message = "folds are either by --groups or by --time"
        raise refused(message, "leave out one of them")
    name = groups if groups is not None else time
    assert name is not None
    raw = raw_table(program)
    if name not in raw.names:
        hint = did_you_mean(name, list(raw.names)) or f"the columns are {listed(raw.names, 40)}"
        raise refused(f"the table has no column '{name}'", hint)
    whole = _whole(program)
    rows = whole.row_numbers - 1
    column = raw[name].take(rows)
    if groups is not None:
        fold = group_folds(_levels(column, name), _strata(whole), folds, seed or 0, name)
        tested = {str(k): fold == k for k in range(1, folds + 1)}
        return {k: _parts(raw.count, rows, ~here, here) for k, here in tested.items()}
    block = time_blocks(_moments(column, name), folds + 1, name)
    return {str(k): _parts(raw.count, rows, block < k, block == k) for k in range(1, folds + 1)}


def group_folds(
    group: np.ndarray, strata: np.ndarray, folds: int, seed: int, name: str
) -> np.ndarray:
    """int64 (N,): each row's fold 1 … folds, all rows of a group in one.

    group, strata int64 (N,). The largest groups come first, those of a size in random order, each
    to the fold whose counts of the strata it leaves most even. Raises E902 for fewer groups than
    folds.
    """
    count = np.zeros((group.max(initial=-1) + 1, strata.max(initial=0) + 1))
    np.add.at(count, (group, strata), 1.0)
    if len(count) < folds:
        message = (
            f"the column '{name}' has {len(count)} values, and each is in one of {folds} folds"
        )
        raise refused(message, f"use at most --folds {max(2, len(count))}")
    share = count / count.sum(axis=0)
    keys = np.random.PCG64(seed).random_raw(len(count))
    filled, fold_of = np.zeros((folds, count.shape[1])), np.empty(len(count), np.int64)
    for one in np.lexsort((keys, -count.sum(axis=1))).tolist():
        after = filled[None] + np.eye(folds)[:, :, None] * share[one]
        uneven = after.std(axis=1).mean(axis=1)
        best = np.flatnonzero(uneven <= uneven.min() + 1e-12)
        fold = int(best[filled[best].sum(axis=1).argmin()])
        filled[fold] += share[one]
        fold_of[one] = fold + 1
    return np.asarray(fold_of[group])


def time_blocks(moment: np.ndarray, blocks: int, name: str) -> np.ndarray:
    """int64 (N,): each row's block 0, 1, …, of about as many rows each; rows of one moment are in
    one block. moment (N,), in the order of time. Raises E902 for fewer moments than blocks."""
    _, at, counts = np.unique(moment, return_inverse=True, return_counts=True)
    if len(counts) < blocks:
        message = f"the column '{name}' has {len(counts)} moments for {blocks} blocks of time"
        raise refused(message, "use fewer folds: --folds")
    before = np.cumsum(counts) - counts
    block = np.minimum((before + counts / 2) * blocks / len(moment), blocks - 1).astype(np.int64)
    for k in range(1, len(block)):  # none is left out
        block[k] = min(block[k], block[k - 1] + 1)
    for k in range(len(block) - 1, -1, -1):
        block[k] = max(block[k], blocks - (len(block) - k))
    return np.asarray(block[at.ravel()])


def _parts(count: int, rows: np.ndarray, train: np.ndarray, test: np.ndarray) -> bytes:
    parts = np.full(count, LEFT_OUT, np.uint8)
    parts[rows[train]], parts[rows[test]] = TRAINING, TESTED
    return parts.tobytes()


def parts_of(count: int, train: np.ndarray, test: np.ndarray) -> bytes:
    """The parts of `count` rows, from the positions of those of both parts, int64."""
    return _parts(count, np.arange(count), train, test)


def raw_table(program: Program) -> RawTable:
    """The table as it came. Raises E301, and E902 for a spec without data."""
    spec = program.spec.data
    if spec is None:
        raise refused("the spec has no data to split into folds", "add a data block")
    if isinstance(program.table, RawTable):
        return program.table
    if program.table is not None:
        return table_of_arrays(columns_of(program.table, label=spec.label.text), spec.marks)
    try:
        return read_table(program.base / spec.path, spec.separator, spec.marks)
    except Unreadable as fault:
        message = f"'{spec.path}': {fault.message}"
        raise TreemipError(Diagnostic.outside("E301", message, fault.remedy)) from None


def _whole(program: Program) -> Table:
    """All rows that the spec takes, in one part."""
    spec = program.spec
    assert spec.data is not None
    whole = Program(
        program.source, program.overrides, program.base, program.table, program.data_file,
        program.modules,
    )  # fmt: skip
    whole.spec = replace(spec, data=replace(spec.data, train=None))
    data = whole.data
    assert data is not None
    return data.whole


def _strata(table: Table) -> np.ndarray:
    return table.y if table.label_kind == "class" else np.zeros(len(table.y), np.int64)


def _levels(column: Column, name: str) -> np.ndarray:
    """int64 (N,): the number of each cell's value. Raises E902 for missing ones."""
    _demand_known(column, name)
    return np.unique(column.texts.codes, return_inverse=True)[1].ravel()


def _moments(column: Column, name: str) -> np.ndarray:
    """Numbers in the order of time, (N,). Raises E902 for what has no such order."""
    _demand_known(column, name)
    numbers = column.numbers
    if np.isfinite(numbers).all():
        return numbers
    texts = column.texts
    odd = np.array([not DATE.fullmatch(level) for level in texts.levels])[texts.codes]
    if odd.any():
        text = texts.levels[texts.codes[odd.argmax()]]
        message = f"the column '{name}' has '{text}', which is no number and no date"
        raise refused(message, "write dates as 2024-03-31, so that their order is that of time")
    return texts.codes  # levels are sorted


def _demand_known(column: Column, name: str) -> None:
    missing = int(column.missing.sum())
    if missing:
        message = f"the column '{name}' has {missing} missing values, so these rows have no fold"
        raise refused(message, "fill them in, or leave these rows out of the table")
