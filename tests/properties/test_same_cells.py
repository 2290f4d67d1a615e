"""The same row gets the same answer, whatever reads it and whatever rows come with it."""

from __future__ import annotations

import math
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_readers import (
    NAMES,
    TABLES,
    TABLES_IN_MEMORY,
    Row,
    estimated,
    file_text,
    from_file,
    stored,
    tree_of,
    typed,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import raw_tree

REFUSED = "refused"


def answer(ask: Any, *arguments: Any) -> str:
    """The class of a single row, or that it is refused."""
    try:
        (found,) = ask(*arguments)
    except (TreemipError, ValueError):
        return REFUSED
    return str(found)


def drawn(table: tuple[list[Row], list[Row]], seed: int) -> tuple[Tree, list[Row]]:
    training, new = table
    tree = tree_of(training, seed)
    assume(tree is not None)
    assert tree is not None
    return tree, [*training, *new]


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(TABLES, st.integers(0, 99))
def test_every_reader_reads_a_row_alike(table: tuple[list[Row], list[Row]], seed: int) -> None:
    tree, rows = drawn(table, seed)
    expected = [answer(tree.predict, TABLES_IN_MEMORY["lists"]([row])) for row in rows]
    taken = [k for k, each in enumerate(expected) if each != REFUSED]
    kept, answers = [rows[k] for k in taken], [expected[k] for k in taken]
    with tempfile.TemporaryDirectory() as folder:
        for row, one in zip(rows, expected, strict=True):
            assert answer(from_file, tree, [row], Path(folder)) == one, ("file", row)
        if kept:
            assert from_file(tree, kept, Path(folder)) == answers
    for name, make in TABLES_IN_MEMORY.items():
        for row, one in zip(rows, expected, strict=True):
            assert answer(tree.predict, make([row])) == one, (name, row)
        if kept:
            assert tree.predict(make(kept)).tolist() == answers, name
    new = len(table[1])
    for row, one in zip(rows[-new:], expected[-new:], strict=True):
        for name, frame in typed(row):
            assert answer(tree.predict, frame) == one, (name, row)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(TABLES, st.integers(0, 99))
def test_estimators_read_a_row_alike(table: tuple[list[Row], list[Row]], seed: int) -> None:
    """But for infinite numbers, which scikit-learn refuses in whatever column they stand."""
    tree, rows = drawn(table, seed)
    rows = [row for row in rows if not {np.inf, -np.inf} & {v for v in row if isinstance(v, float)}]
    expected = [answer(tree.predict, TABLES_IN_MEMORY["lists"]([row])) for row in rows]
    taken = [k for k, each in enumerate(expected) if each != REFUSED]
    for name in ("rows", "matrix", "pandas"):
        make = TABLES_IN_MEMORY[name]
        for row, one in zip(rows, expected, strict=True):
            assert answer(estimated, tree, make([row])) == one, (name, row)
        if taken:
            found = estimated(tree, make([rows[k] for k in taken]))
            assert found == [expected[k] for k in taken], name


# ------------------------------------------------------------------------- converted programs


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(TABLES, st.integers(0, 99))
def test_python_reads_a_row_alike(table: tuple[list[Row], list[Row]], seed: int) -> None:
    tree, rows = drawn(table, seed)
    module: dict[str, Any] = {}
    exec(tree.to_text("python"), module)
    for row in rows:
        one = answer(tree.predict, TABLES_IN_MEMORY["lists"]([row]))
        cells = [file_text(value) for value in row]
        for values in (row, cells):
            found = answer(
                lambda each: [module["predict"](each)], dict(zip(NAMES, values, strict=True))
            )
            assert found == one or (one == REFUSED and len(raw_tree(tree).features) < 3), row


def reads_digits(connection: sqlite3.Connection, value: object) -> bool:
    """SQLite reads the digits of one double in some thousands as its neighbour."""
    if not isinstance(value, float) or not math.isfinite(value):
        return True
    (read,) = connection.execute(f"SELECT {value!r}").fetchone()
    return bool(read == value)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(TABLES, st.integers(0, 99))
def test_sql_reads_a_row_alike(table: tuple[list[Row], list[Row]], seed: int) -> None:
    """Texts as a file has them, numbers as numbers."""
    tree, rows = drawn(table, seed)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (x1, x2, x3)")
    query = tree.to_text("sql")
    for row in rows:
        values = stored(tree, row)
        if values is None or "\t" in "".join(map(file_text, row)):
            continue
        if not all(reads_digits(connection, value) for value in values):
            continue
        connection.execute("DELETE FROM data")
        connection.execute("INSERT INTO data VALUES (?, ?, ?)", values)  # NaN is NULL there
        (line,) = connection.execute(query)
        one = answer(tree.predict, TABLES_IN_MEMORY["lists"]([row]))
        assert one in (line[-1], REFUSED), row


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(TABLES, st.integers(0, 99))
def test_onnx_reads_a_row_alike(table: tuple[list[Row], list[Row]], seed: int) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    tree, rows = drawn(table, seed)
    session = runtime.InferenceSession(
        tree.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for row in rows:
        one = answer(tree.predict, TABLES_IN_MEMORY["lists"]([row]))
        values = stored(tree, row)
        if one == REFUSED or values is None:
            continue
        feed = {}
        for each in session.get_inputs():
            value = values[NAMES.index(each.name)]
            cell = value.strip(" \t") if isinstance(value, str) else value
            feed[each.name] = np.array([[cell]], object if isinstance(cell, str) else float)
        assert session.run(["prediction"], feed)[0].tolist() == [one], row
