"""Trees in other languages, run on rows: what each of these programs answers."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converted_trees import as_rows

from treemip.core.instance.feature import Feature
from treemip.core.tree.tree import Tree
from treemip.writers.convert.c_source import c_source, c_string
from treemip.writers.convert.javascript_source import javascript_source
from treemip.writers.convert.python_source import python_source
from treemip.writers.convert.raw_splits import RawTree, raw_tree
from treemip.writers.convert.rust_source import RustExpressions, rust_source, rust_string
from treemip.writers.convert.source_text import is_text
from treemip.writers.convert.sql_query import sql_name

TEXTS = ("colour", "size", "flag", "purpose", "the town")
KINDS = {"duckdb": ("VARCHAR", "DOUBLE"), "sqlite": ("TEXT", "REAL")}
Rows = dict[str, np.ndarray]


# --------------------------------------------------------------------- Python


def python_answers(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
    predict = module_of(tree)["predict"]

    def answer(row: dict[str, object]) -> object:
        try:
            return predict(row)
        except ValueError:
            return None

    return [answer(row) for row in as_rows(rows)]


def module_of(tree: Tree) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(python_source(raw_tree(tree)), names)
    return names


# ----------------------------------------------------------------- JavaScript


NODE_MAIN = """import {{ writeFileSync }} from "node:fs";
import * as tree from "./tree.mjs";
const answers = [{rows}].map((row) => {{
  try {{
    return [tree.predict(row), tree.probabilities?.(row) ?? null];
  }} catch (error) {{
    if (error instanceof RangeError) return [null, null];
    throw error;
  }}
}});
writeFileSync("answers.json", JSON.stringify(answers));
"""


def javascript_answers(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
    return [answer for answer, _ in javascript_pairs(tree, rows, folder)]


def javascript_pairs(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
    """The answer and the probabilities of each row; None for both where it is refused."""
    raw = raw_tree(tree)
    (folder / "tree.mjs").write_text(javascript_source(raw), encoding="utf-8")
    table = ({f.column: plain(f, row[f.column]) for f in raw.features} for row in as_rows(rows))
    main = NODE_MAIN.format(rows=",\n".join(map(json.dumps, table)))
    (folder / "main.mjs").write_text(main)
    subprocess.run([needed("node"), "main.mjs"], cwd=folder, check=True, timeout=60)
    answers: list[Any] = json.loads((folder / "answers.json").read_text())
    return answers


# ------------------------------------------------------------------------ SQL


def sql_answers(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
    return [row["prediction"] for row in selected(tree, rows)]


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


def sql_shares(tree: Tree, rows: Rows, dialect: str | None = None) -> np.ndarray:
    found = selected(tree, rows, dialect)
    return np.array([[row[f"P({name})"] for name in tree.classes] for row in found], float)


def in_dialect(dialect: str) -> Callable[[Tree, Rows, Path], list[Any]]:
    def answers(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
        pytest.importorskip("sqlglot", reason="sqlglot is not installed")
        found = (row["prediction"] for row in selected(tree, rows, dialect))
        return [value if isinstance(value, str) else float(value) for value in found]  # type: ignore[arg-type]

    return answers


DIALECTS = {name: in_dialect(name) for name in KINDS}
"""By dialect: what the tree's query answers there."""


def cell(name: str, value: object) -> object:
    if name in TEXTS:
        return value
    number = float(value)  # type: ignore[arg-type]
    return None if np.isnan(number) else number


# ----------------------------------------------------------------------- ONNX


def model_answers(tree: Tree, rows: Rows, folder: Path) -> list[Any]:
    prediction, *_, refused = onnx_answers(tree, rows)
    return [None if no else value for no, value in zip(refused, prediction.tolist(), strict=True)]


def onnx_answers(tree: Tree, rows: Rows) -> list[np.ndarray]:
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
SHARES_MAIN = """#include <stdio.h>
#include "tree.h"
struct tree_row rows[] = {%s};
int main(void) {
    double p[TREE_CLASSES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (tree_probabilities(rows + i, p) != tree_predict(rows + i)) return 1;
        for (int k = 0; k < TREE_CLASSES; k++) printf("%%.17g\\n", p[k]);
    }
    return 0;
}
"""
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def c_answers(tree: Tree, rows: Rows, folder: Path, *flags: str) -> list[Any]:
    command = _c_program(tree, rows, folder, MAIN, *flags)
    return _compiled(tree, command, folder, refusal=-1.0)


def c_shares(tree: Tree, rows: Rows, folder: Path) -> np.ndarray:
    return _shares_printed(tree, _c_program(tree, rows, folder, SHARES_MAIN), folder)


def _shares_printed(tree: Tree, command: list[str], folder: Path) -> np.ndarray:
    """The probabilities that a program prints, float64 (M, K)."""
    return np.array(_printed(command, folder)).reshape(-1, len(tree.classes))


def _c_program(tree: Tree, rows: Rows, folder: Path, main: str, *flags: str) -> list[str]:
    """The program's files, and what compiles them."""
    raw = raw_tree(tree)
    (folder / "tree.h").write_text(c_source(raw), encoding="utf-8")
    table = ",\n".join(_literal(raw, row) for row in as_rows(rows))
    (folder / "main.c").write_text(main % table)
    return [needed("gcc"), *FLAGS, *flags, "main.c", "-o", "main", "-lm"]


def _compiled(tree: Tree, command: list[str], folder: Path, refusal: float) -> list[Any]:
    """What a program prints for its rows, as the tree itself would say it. refusal: of a class."""
    found = _printed(command, folder)
    if tree.answer.kind == "value":
        return [None if math.isnan(value) else value for value in found]
    names = tree.class_values.tolist()
    return [None if math.isnan(value) or value == refusal else names[int(value)] for value in found]


def _printed(command: list[str], folder: Path) -> list[float]:
    """The numbers that a compiled program prints."""
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    run = subprocess.run([folder / "main"], check=True, timeout=60, capture_output=True, text=True)
    return [*map(float, run.stdout.split())]


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


RUST_SHARES = """mod tree;
fn main() {
    let rows = [%s];
    for row in rows.iter() {
        for share in tree::probabilities(row).unwrap() {
            println!("{:?}", share);
        }
    }
}
"""


def rust_answers(tree: Tree, rows: Rows, folder: Path, *flags: str) -> list[Any]:
    command = _rust_program(tree, rows, folder, RUST_MAIN, *flags)
    return _compiled(tree, command, folder, refusal=math.nan)


def rust_shares(tree: Tree, rows: Rows, folder: Path) -> np.ndarray:
    return _shares_printed(tree, _rust_program(tree, rows, folder, RUST_SHARES), folder)


def _rust_program(tree: Tree, rows: Rows, folder: Path, main: str, *flags: str) -> list[str]:
    """With warnings as errors; not optimized, which takes most of the time, unless flags say so."""
    raw = raw_tree(tree)
    (folder / "tree.rs").write_text(rust_source(raw), encoding="utf-8")
    names = RustExpressions(raw)
    fields = (", ".join(_rust_fields(names, row)) for row in as_rows(rows))
    table = ",\n".join(f"tree::Row {{ {each} }}" for each in fields)
    (folder / "main.rs").write_text(main % table)
    return [
        needed("rustc"),
        *flags,
        "-D",
        "warnings",
        "-A",
        "dead_code",
        "main.rs",
        "-o",
        "main",
    ]


def _rust_fields(names: RustExpressions, row: dict[str, object]) -> Iterator[str]:
    special = {"nan": "f64::NAN", "inf": "f64::INFINITY", "-inf": "f64::NEG_INFINITY"}
    for feature in names.tree.features:
        value = plain(feature, row[feature.column])
        text = rust_string(value) if isinstance(value, str) else repr(value)
        yield f"{names.value(feature)}: {special.get(text, text)}"


# ------------------------------------------------------------------------ all


def needed(program: str) -> str:
    """The program's path; without it the test is skipped."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"there is no {program}")
    return path


def plain(feature: Feature, value: object) -> str | float:
    """A cell as programs take it: a text without blanks around it, or a double."""
    return str(value).strip() if is_text(feature) else float(value)  # type: ignore[arg-type]


def _literal(raw: RawTree, row: dict[str, object]) -> str:
    cells = [plain(feature, row[feature.column]) for feature in raw.features]
    special = {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}
    texts = (c_string(c) if isinstance(c, str) else special.get(repr(c), repr(c)) for c in cells)
    return f"{{{', '.join(texts) or 0}}}"


PROGRAMS: dict[str, Callable[[Tree, Rows, Path], list[Any]]] = {
    "python": python_answers,
    "javascript": javascript_answers,
    "sql": sql_answers,
    "onnx": model_answers,
    "c": c_answers,
    "rust": rust_answers,
}
"""By language: what a tree's program answers the rows, as `Tree.predict` would; None where it
refuses one."""

PROBABILITIES: dict[str, Callable[[Tree, Rows, Path], Any]] = {
    "python": lambda tree, rows, _: list(map(module_of(tree)["probabilities"], as_rows(rows))),
    "javascript": lambda tree, rows, at: [shares for _, shares in javascript_pairs(tree, rows, at)],
    "onnx": lambda tree, rows, _: onnx_answers(tree, rows)[1],
    "c": c_shares,
    "rust": rust_shares,
    "sql": lambda tree, rows, _: sql_shares(tree, rows),
    "duckdb": lambda tree, rows, _: sql_shares(tree, rows, "duckdb"),
}
"""By language: the probability of each class, for the rows of such a tree."""
