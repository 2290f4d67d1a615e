"""Campaign `exports`: random trees in other languages and saved, against their own predictions.

Rows are those of the training part, rows on thresholds and next to them, and rows with missing
values and with categories that training did not have. Python, SQL (in SQLite and DuckDB), ONNX and
C give what the tree gives, to the last bit; one rule holds for each row; a tree that is saved and
loaded, and a pickled one, are the same tree.
"""

from __future__ import annotations

import json
import pickle
import shutil
import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from converted_trees import SCALINGS, answering, random_tree, rows_for
from run_programs import PROBABILITIES, PROGRAMS, selected
from spoken_rules import as_rules_speak, holding

from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.rules import rules

from .cases import WRONG_VERDICT, Campaign, Case, Fault

ROWS = 60
NEAR = 1e-13  # of probabilities that a database adds up in another order
KINDS = ["univariate", "sets", "oblique", "mixed", "randomized"]
HOW = ["classes", "classes", "constants", "linear", "shares"]

Rows = dict[str, np.ndarray]


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    kind, scaling = dice.choice(KINDS), dice.choice(SCALINGS)
    how = dice.choice(HOW if kind != "randomized" else HOW[:2])
    names = dice.choice(["text", "text", "numbers"]) if how == "classes" else "text"
    seed = dice.randrange(1 << 30)
    tree = random_tree(kind, scaling, seed, names)
    if how != "classes":
        tree = answering(tree, how, seed)
    elif kind != "randomized":
        tree = answering(tree, "weights" if seed % 2 else "points", seed)
    target = dice.choice([t for t in TARGETS if _can(t, kind, how, names)])
    files["how.txt"] = f"{kind} {scaling} {how} {names} {seed} as {target}\n"
    files["tree.txt"] = str(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of missing values where training had none
        rows = rows_for(tree, ROWS, seed)
        TARGETS[target](tree, rows, folder)
    return {target: 1}


def _can(target: str, kind: str, how: str, names: str) -> bool:
    """Whether a target has such trees, and what it needs is installed."""
    if target == "rules":
        return kind in ("univariate", "sets") and how == "classes" and names == "text"
    programs = {"c": "gcc", "javascript": "node"}
    if target in programs:
        return shutil.which(programs[target]) is not None
    needs = {"onnx": "onnxruntime", "DuckDB": "duckdb", "SQLite's own": "sqlglot"}
    return target not in needs or find_spec(needs[target]) is not None


def _same(what: str, found: object, expected: object) -> None:
    one, other = list(np.asarray(found).tolist()), list(np.asarray(expected).tolist())
    rows = [(i, a, b) for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    if rows or len(one) != len(other):
        raise Fault(WRONG_VERDICT, f"{what}: row, found, the tree's own: {rows[:5]}", what)


def _program(language: str) -> Callable[[Tree, Rows, Path], None]:
    def check(tree: Tree, rows: Rows, folder: Path) -> None:
        _same(language, PROGRAMS[language](tree, rows, folder), tree.predict(rows))
        if language in PROBABILITIES and tree.answer.kind == "distribution":
            found = PROBABILITIES[language](tree, rows, folder)
            _same(f"{language}: probabilities", found, tree.predict_proba(rows))

    return check


def _sql(dialect: str | None) -> Callable[[Tree, Rows, Path], None]:
    def check(tree: Tree, rows: Rows, folder: Path) -> None:
        found, expected = selected(tree, rows, dialect), tree.predict(rows)
        name = f"SQL ({dialect or 'any'})"
        classes = np.array([row["prediction"] for row in found], expected.dtype)
        sure = np.ones(len(classes), bool)
        if isinstance(tree, RandomizedTree):
            chances = np.array([[row[f"P({k})"] for k in tree.classes] for row in found], float)
            off = np.abs(chances - tree.predict_proba(rows)).max()
            if off > NEAR:
                raise Fault(WRONG_VERDICT, f"off by {off}", f"{name}: probabilities")
            sure = np.diff(np.sort(chances, axis=1))[:, -1] > NEAR
        _same(name, classes[sure], expected[sure])

    return check


def _rules(tree: Tree, rows: Rows, folder: Path) -> None:
    text = rules(raw_tree(tree))
    found = [" and ".join(holding(text, row)) for row in as_rules_speak(tree, rows)]
    _same("rules", found, [str(k) for k in tree.predict(rows)])


def _again(what: str, tree: Tree, again: Tree, rows: Rows) -> None:
    _same(what, again.predict(rows), tree.predict(rows))
    if tree.answer.kind != "value":
        _same(f"{what}: probabilities", again.predict_proba(rows), tree.predict_proba(rows))


def _saved(tree: Tree, rows: Rows, folder: Path) -> None:
    text = json.dumps(tree.to_json())
    again = Tree.from_json(json.loads(text))
    _again("saved and loaded", tree, again, rows)
    if json.dumps(again.to_json()) != text:
        raise Fault(WRONG_VERDICT, text, "saved again otherwise")


def _pickled(tree: Tree, rows: Rows, folder: Path) -> None:
    _again("pickled", tree, pickle.loads(pickle.dumps(tree)), rows)


TARGETS: dict[str, Callable[[Tree, Rows, Path], None]] = {
    **{language: _program(language) for language in ("python", "javascript", "onnx", "c")},
    "SQL": _sql(None),
    "SQLite's own": _sql("sqlite"),
    "DuckDB": _sql("duckdb"),
    "rules": _rules,
    "tree.json": _saved,
    "a pickle": _pickled,
}

CAMPAIGN = Campaign("exports", "exports", 1000, run, cpu=30.0, wall=120.0)
