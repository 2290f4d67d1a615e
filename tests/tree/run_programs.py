"""Trees in other languages, run on rows: Python, SQL, ONNX, C, Rust."""

from __future__ import annotations

import math
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treemip.core.tree.tree import Tree
from treemip.writers.convert.c_source import c_source, c_string, is_text
from treemip.writers.convert.python_source import python_source
from treemip.writers.convert.raw_splits import RawTree, raw_tree
from treemip.writers.convert.rust_source import RustExpressions, rust_source, rust_string
from treemip.writers.convert.sql_query import sql_name

TEXTS = ("colour", "size", "flag", "purpose", "the town")
KINDS = {"duckdb": ("VARCHAR", "DOUBLE"), "sqlite": ("TEXT", "REAL")}
Rows = dict[str, np.ndarray]


# --------------------------------------------------------------------- Python


def module_of(tree: Tree) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(python_source(raw_tree(tree)), names)
    return names


# ------------------------------------------------------------------------ SQL


def selected(tree: Tree, rows: Rows, dialect: str | None = None) -> list[dict[str, object]]:
    """What the query gives; without a dialect it is any database's, and runs in SQLite."""
    if dialect == "duckdb":
        reason = "DuckDB is not installed"
        connection = pytest.importorskip("duckdb", reason=reason).connect()
    else:
        connection = sqlite3.connect(":memory:")
    text, number = KINDS[dialect or "sqlite"]
    columns = ", ".join(f"{sql_name(n)} {text if n in TEXTS else number}" for n in rows)
    connection.execute(f"CREATE TABLE data ({columns})")
    cells = [
        [cell(name, value) for name, value in zip(rows, row, strict=True)]
        for row in zip(*rows.values(), strict=True)
    ]
    marks = ", ".join("?" * len(rows))
    connection.executemany(f"INSERT INTO data VALUES ({marks})", cells)
    done = connection.execute(tree.to_text("sql", dialect=dialect))
    names = [column[0] for column in done.description]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


def cell(name: str, value: object) -> object:
    if name in TEXTS:
        return value
    number = float(value)  # type: ignore[arg-type]
    return None if np.isnan(number) else number


# ----------------------------------------------------------------------- ONNX


def onnx_answers(tree: Tree, rows: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Prediction, probabilities where leaves predict classes, and refused."""
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
    session = runtime.InferenceSession(
        tree.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    feed = {}
    for each in session.get_inputs():
        is_text = each.type == "tensor(string)"
        values = np.asarray(rows[each.name], object)
        cells = [str(value).strip() for value in values] if is_text else values.astype(float)
        feed[each.name] = np.array(cells, object if is_text else float)[:, None]
    outputs: list[np.ndarray] = session.run(None, feed)
    return outputs


# -------------------------------------------------------------------------- C


MAIN = """#include <stdio.h>
#include "tree.h"
struct tree_row rows[] = {%s};
int main(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%%.17g\\n", (double)tree_predict(rows + i));
    return 0;
}
"""
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def c_answers(tree: Tree, rows: list[dict[str, object]], folder: Path, *flags: str) -> list[float]:
    raw = raw_tree(tree)
    (folder / "tree.h").write_text(c_source(raw), encoding="utf-8")
    table = ",\n".join(_literal(raw, row) for row in rows)
    (folder / "main.c").write_text(MAIN % table)
    command = ["gcc", *FLAGS, *flags, "main.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    run = subprocess.run([folder / "main"], check=True, timeout=60, capture_output=True, text=True)
    return [float(line) for line in run.stdout.split()]


# ----------------------------------------------------------------------- Rust


RUST_MAIN = """mod tree;
fn main() {
    let rows = [%s];
    for row in rows.iter() {
        match tree::predict(row) {
            Some(answer) => println!("{:?}", answer as f64),
            None => println!("NaN"),
        }
    }
}
"""


def rust_answers(tree: Tree, rows: list[dict[str, object]], folder: Path) -> list[float]:
    """What the module answers, NaN where it refuses a row; optimized, with warnings as errors."""
    raw = raw_tree(tree)
    (folder / "tree.rs").write_text(rust_source(raw), encoding="utf-8")
    names = RustExpressions(raw)
    table = ",\n".join(f"tree::Row {{ {', '.join(_rust_fields(names, row))} }}" for row in rows)
    (folder / "main.rs").write_text(RUST_MAIN % table)
    command = ["rustc", "-O", "-D", "warnings", "-A", "dead_code", "main.rs", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    run = subprocess.run([folder / "main"], check=True, timeout=60, capture_output=True, text=True)
    return [float(line) for line in run.stdout.split()]


def _rust_fields(names: RustExpressions, row: dict[str, object]) -> Iterator[str]:
    for feature in names.tree.features:
        value = row[feature.column]
        if is_text(feature):
            text = rust_string(str(value).strip())
        else:
            number = float(value)  # type: ignore[arg-type]
            special = {"nan": "f64::NAN", "inf": "f64::INFINITY", "-inf": "f64::NEG_INFINITY"}
            text = special.get(repr(number), repr(number))
        yield f"{names.value(feature)}: {text}"


# --------------------------------------------------------------------- literals


def _literal(raw: RawTree, row: dict[str, object]) -> str:
    fields = []
    for feature in raw.features:
        value = row[feature.column]
        if is_text(feature):
            fields.append(c_string(str(value).strip()))
        else:
            number = float(value)  # type: ignore[arg-type]
            fields.append("NAN" if math.isnan(number) else repr(number))
    return f"{{{', '.join(fields) or 0}}}"
