"""Entries by column, against numpy's own sort."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

from treemip.core.files.mps import columns as transpose
from treemip.core.files.mps.columns import NOTHING, Columns


def filled(count: int, pieces: list[tuple[np.ndarray, ...]], run: int = 1 << 18) -> Columns:
    columns = Columns(count)
    columns._run_size = run  # below its own least, or so few entries would make one run
    for rows, cols, values in pieces:
        columns.add(rows.astype(np.int32), cols.astype(np.int32), values)
    columns.finish()
    return columns


def read(columns: Columns, first: int, stop: int) -> list[tuple[int, int, float]]:
    found = []
    for cols, rows, codes in columns.pairs(first, stop):
        for column, pair_rows, pair_codes in zip(cols, rows, codes, strict=True):
            assert pair_rows[0] != NOTHING
            for row, code in zip(pair_rows.tolist(), pair_codes.tolist(), strict=True):
                assert (row == NOTHING) == (code == NOTHING)
                if row != NOTHING:
                    found.append((int(column), row, float(columns.distinct.values[code])))
    return found


@pytest.mark.parametrize(("count", "chunk"), one_in(3, [200_000, 70_000, 3, 500], [1 << 20, 64]))
def test_entries_come_by_column(count: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below and above the 65536 columns that one 16-bit sort tells apart."""
    monkeypatch.setattr(transpose, "_READ_AT_ONCE", chunk)
    rng = np.random.default_rng(count)
    pieces = [
        (np.full(40, row), rng.choice(count, 40, count < 40), rng.integers(1, 9, 40) / 4)
        for row in range(1, 60)
    ]
    columns = filled(count, pieces, chunk)
    expected = sorted(
        [(c, r, v) for piece in pieces for r, c, v in zip(*piece, strict=True)],
        key=lambda entry: entry[:2],
    )
    full = {entry[0] for entry in expected}
    wanted = expected + [(c, 0, 0.0) for c in range(count) if c not in full]
    wanted.sort(key=lambda entry: entry[:2])
    assert read(columns, 0, count) == wanted
    low, high = sorted(rng.choice(count, 2, replace=False).tolist())
    assert read(columns, low, high) == [entry for entry in wanted if low <= entry[0] < high]
    assert columns.added == 40 * 59


@pytest.mark.parametrize("wide", [False, True])
def test_whole_rows(wide: bool) -> None:
    rng = np.random.default_rng(1)
    columns = Columns(6)
    values = np.repeat(rng.integers(0, 3, (20, 2)) / 4, 5, axis=0)
    at = np.tile([[0, 4], [1, 4], [2, 4], [3, 4], [0, 5]], (20, 1)).astype(np.int32)
    rows = np.repeat(np.arange(1, 101, dtype=np.int32), 2)
    columns.add(rows, at.ravel(), values.ravel(), 2 if wide else 0)
    columns.finish()
    entries = zip(at.ravel().tolist(), rows.tolist(), values.ravel().tolist(), strict=True)
    assert read(columns, 0, 6) == sorted(entries, key=lambda entry: entry[:2])


def test_no_entries_at_all() -> None:
    columns = filled(3, [])
    assert read(columns, 0, 3) == [(0, 0, 0.0), (1, 0, 0.0), (2, 0, 0.0)]
    assert read(filled(0, []), 0, 0) == []


def test_more_than_65536_different_values() -> None:
    values = np.arange(1.0, 70_002.0)
    columns = filled(1, [(np.arange(1, 70_002), np.zeros(70_001, int), values)])
    assert read(columns, 0, 1) == [(0, k, float(k)) for k in range(1, 70_002)]
