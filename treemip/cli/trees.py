"""verify, predict, show: what can be done with a saved tree."""

from __future__ import annotations

import csv
import io
from math import isnan
from pathlib import Path
from typing import Annotated

import typer

from treemip.cli.console import (
    DONE,
    complain,
    refuse,
    say_json,
    table,
    write_text,
)
from treemip.cli.options import AsJson, Output, Separator, TreeFile, separator_mark
from treemip.cli.outputs import demand_writable


def verify(
    tree: TreeFile,
    data: Annotated[
        Path | None, typer.Option(help="The data file, where it is not where the tree says.")
    ] = None,
    json: AsJson = False,
) -> int:
    """Check a saved tree again.

    The spec and its data are read as the tree's file records them, every point is routed, the
    errors counted, the objective and the side constraints recomputed from the tree. A proof of
    optimality is repeated as the file records it, and not made again.
    """
    from treemip.api.reverify import reverify
    from treemip.cli.results import CODES, number, verdict

    found = reverify(tree, data)
    complain(found.warnings)
    if json:
        say_json(found.to_json())
    else:
        rows: list[tuple[str, ...]] = [("errors", f"{found.errors} of {found.points} points")]
        if found.objective is not None:
            rows.append(("objective", number(found.objective)))
        rows += [("term", f"{_known(t.value)} = {t.text}") for t in found.terms]
        proof = (
            f"{found.optimality.text(found.verdict)}, as its file records"
            if found.optimality
            else ("its file does not say how good it is")
        )
        print(table([*rows, *verdict(found.verdict, proof, found.reservations, found.problems)]))
    return CODES[found.verdict]


def _known(value: float) -> str:
    return "unknown" if isnan(value) else f"{value:.10g}"


def predict(
    tree: TreeFile,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="New rows: a CSV or Parquet file with a header.")
    ],
    output: Output = None,
    leaf: Annotated[
        bool, typer.Option("--leaf", help="Add the number of the leaf: root 1, children 2t, 2t+1.")
    ] = False,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    separator: Separator = None,
) -> int:
    """Predict the class of each row.

    The result is a CSV file with one row for each row of the data, in its order. With `--leaf`,
    the leaf of a randomized tree is the one that a row reaches most probably.
    """
    from treemip.api.store import load_tree
    from treemip.instance.table import load_rows

    demand_writable([output], [tree, data])
    mark = separator_mark(separator, data)
    found = load_tree(tree)
    if found.encoder is None:
        raise refuse(f"'{tree}' does not say how rows are encoded", "solve again with -o")
    x = found.encoder.inputs(*load_rows(data, found.encoder, mark))
    columns: dict[str, list[object]] = {
        "class": [found.classes[k] for k in found.predict_numbers(x).tolist()]
    }
    if leaf:
        columns["leaf"] = found.leaf_numbers(x).tolist()
    if proba:
        chances = found.class_chances(x).T.tolist()
        columns |= {f"P({name})": own for name, own in zip(found.classes, chances, strict=True)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    if output is None:
        print(text.getvalue(), end="")
    else:
        write_text(output, text.getvalue())
    return DONE


def show(tree: TreeFile) -> int:
    """Draw a saved tree."""
    from treemip.api.store import load_tree

    print(load_tree(tree))
    return DONE
