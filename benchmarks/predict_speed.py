"""Rows per CPU second and peak memory of `treemip predict` on a long table, beside scikit-learn.

    python benchmarks/predict_speed.py 2000000
    python benchmarks/predict_speed.py 100000000 rows.parquet treemip

Both read the same Parquet and CSV files of ten numeric columns, answer by a univariate tree of
depth 4 and write a CSV file of classes, each in a process of its own. scikit-learn has the whole
table in memory, by polars. The second line asks for one file and one of the two.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

COLUMNS = [f"c{j}" for j in range(10)]
FILES, WAYS = ("rows.parquet", "rows.csv"), ("scikit-learn", "treemip")
PIECE = 1_000_000  # rows that are made at once


def made(folder: Path, name: str, rows: int) -> None:
    """The file, and a tree of 2,000 rows by both: tree.json and tree.joblib."""
    import joblib
    from sklearn.tree import DecisionTreeClassifier

    import treemip

    rng = np.random.default_rng(0)
    write_rows(folder / name, rng, rows)
    small = rng.normal(size=(2000, len(COLUMNS))).round(4)
    y = np.where((small[:, 0] < 0) ^ (small[:, 1] * small[:, 2] < 0.3), "yes", "no")
    fitted = DecisionTreeClassifier(max_depth=4).fit(small, y)
    joblib.dump(fitted, folder / "tree.joblib")
    data = {name: small[:, j] for j, name in enumerate(COLUMNS)} | {"label": y}
    text = 'data "memory" { label label; scale minmax; bin quantile(4); }\n'
    text += "topology complete(depth = 4); split univariate by oct; minimize misclassified;\n"
    treemip.loads(text, data=data).compile().solve(time_limit=20).save(folder / "tree.json")


def write_rows(path: Path, rng: np.random.Generator, rows: int) -> None:
    """Piece by piece, a row group of Parquet each."""
    import pyarrow
    from pyarrow import csv, parquet

    schema = pyarrow.schema([(name, pyarrow.float64()) for name in COLUMNS])
    by = parquet.ParquetWriter if path.suffix == ".parquet" else csv.CSVWriter
    with by(path, schema) as writer:
        for first in range(0, rows, PIECE):
            x = rng.normal(size=(min(PIECE, rows - first), len(COLUMNS))).round(4)
            writer.write_table(pyarrow.table(list(x.T), schema=schema))


def by_scikit_learn(folder: Path, name: str) -> None:
    import joblib
    import polars

    path = folder / name
    frame = polars.read_parquet(path) if name.endswith("parquet") else polars.read_csv(path)
    answers = joblib.load(folder / "tree.joblib").predict(frame.to_numpy())
    polars.DataFrame({"class": answers.astype(str)}).write_csv(folder / "out.csv")


def by_treemip(folder: Path, name: str) -> None:
    from treemip.cli.main import main

    main(["predict", str(folder / "tree.json"), str(folder / name), "-o", str(folder / "out.csv")])


def measured(which: str, folder: Path, name: str) -> dict[str, float]:
    """CPU seconds and peak memory in MB of a process that answers all rows."""
    command = [sys.executable, __file__, which, str(folder), name]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def main(rows: int, files: Sequence[str], ways: Sequence[str]) -> None:
    print(f"{rows:,} rows, 10 columns, depth 4; whole processes")
    for name in files:
        with tempfile.TemporaryDirectory() as text:
            # In a process of its own: a child's peak is at least that of the parent at its start.
            command = [sys.executable, __file__, "make", text, name, str(rows)]
            subprocess.run(command, check=True)
            for which in ways:
                found = measured(which, Path(text), name)
                speed = rows / found["seconds"]
                print(
                    f"{name:13} {which:13} {found['seconds']:6.2f} CPU s "
                    f"{speed / 1e6:6.2f} million rows per CPU s {found['memory']:7.0f} MB"
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        made(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    elif sys.argv[1:2] and sys.argv[1] in WAYS:
        ways = dict(zip(WAYS, (by_scikit_learn, by_treemip), strict=True))
        ways[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(
            json.dumps({"seconds": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1e3})
        )
    else:
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000,
            sys.argv[2:3] or FILES,
            sys.argv[3:4] or WAYS,
        )
