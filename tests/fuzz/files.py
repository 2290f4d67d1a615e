"""Campaign `files`: solution files, tree.json and tables, damaged at random.

Each is refused in words, or gives a tree that is not verified, or one that does what is said of it:
what is verified is counted again here, from the raw rows and the numbers that the file holds.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import treemip
from treemip.api import store
from treemip.api.compiled import Compiled
from treemip.api.reverify import reverify
from treemip.api.store import load_tree
from treemip.core.files.solution_formats import read_solution
from treemip.core.instance.table import load_rows
from treemip.core.source.diagnostic import TreemipError

from . import ROOT
from .cases import WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .damage import damaged, damaged_json
from .promises import require_sound

FOLDER = ROOT / "tests" / "solutions" / "tiny"
ANSWERS = ROOT / "tests" / "solutions" / "sample"
OPTIMUM = 11.25
"""Of FOLDER's spec: 2.5 + points classified correctly - 0.25 for each branch that splits."""

NO_OBJECTIVE = ("xpress.slx", "xpress.asc")  # so these may be changed to worse trees unseen
PRICE, CONSTANT = 0.25, 2.5
Saved = dict[str, str | bytes]


@cache
def compiled() -> Compiled:
    return treemip.load(FOLDER / "tiny.tree").compile()


@cache
def solutions() -> list[Path]:
    kinds = (".sol", ".txt", ".json", ".slx", ".asc", ".int")
    return sorted(p for p in FOLDER.iterdir() if p.suffix in kinds)


@cache
def answers() -> list[Path]:
    there = (p for p in ANSWERS.iterdir() if p.suffix not in (".mps", ".col"))
    return sorted(p for p in there if p.is_file())


def run(case: Case, folder: Path, files: Saved) -> Mapping[str, int]:
    dice = case.dice()
    kind = dice.choices(list(KINDS), [9, 4, 6, 3, 3])[0]
    try:
        return {f"{kind} {KINDS[kind](dice, folder, files)}": 1}
    except TreemipError as error:
        require_sound(error)
        return {f"{kind} refused": 1}


def _write(folder: Path, files: Saved, name: str, data: bytes) -> Path:
    files[name] = data
    (folder / name).write_bytes(data)
    return folder / name


# ------------------------------------------------------------------------- solutions


def solution(dice: Any, folder: Path, files: Saved) -> str:
    """A solver's file of the tiny spec."""
    source = dice.choice(solutions())
    path = _write(folder, files, source.name, damaged(source.read_bytes(), dice))
    files["spec.tree"] = (FOLDER / "tiny.tree").read_text()
    result = compiled().decode(path)
    if result.tree is None:
        return "without a tree"
    if not result.verified:
        return "not verified"
    own = own_objective(result.tree.to_json(), rows(FOLDER / "tiny.csv"))
    require_equal(own, result.objective, "the tree's objective", strict=False)
    if source.name not in NO_OBJECTIVE and result.status == "optimal" and own < OPTIMUM - 2e-3:
        raise Fault(WRONG_OPTIMUM, f"optimal {own}, which is {OPTIMUM}", f"{source.name}: optimal")
    return "verified"


def answer(dice: Any, folder: Path, files: Saved) -> str:
    """Any solver's file, by itself."""
    source = dice.choice(answers())
    path = _write(folder, files, source.name, damaged(source.read_bytes(), dice))
    read_solution(path)
    return "read"


# ------------------------------------------------------------------------- tree.json


@cache
def saved_tree() -> bytes:
    """tree.json of the tiny spec, its folder the one it is read in; the same bytes each time."""
    said = compiled().decode(FOLDER / "highs.sol").to_json()
    said["spec"] |= {"base": ".", "name": "tiny.tree"}
    said["seconds"] = {}
    if "checksum" in said:
        said["checksum"] = store.checksum(said)
    return json.dumps(said, indent=1).encode()


def tree_file(dice: Any, folder: Path, files: Saved) -> str:
    change = damaged_json if dice.random() < 0.7 else damaged
    path = _write(folder, files, "tree.json", change(saved_tree(), dice))
    data = _write(folder, files, "tiny.csv", (FOLDER / "tiny.csv").read_bytes())
    tree, failed = None, None
    try:
        tree = load_tree(path)
    except TreemipError as error:
        failed = error
    found = reverify(path, data)
    if failed is not None:
        raise Fault(WRONG_VERDICT, f"verified a tree that cannot be loaded: {failed}", "not a tree")
    assert tree is not None
    said = json.loads(path.read_bytes())
    given = rows(data)
    own = [predicted(said["tree"], row) for row in given]
    if own != tree.predict({name: [r[name] for r in given] for name in given[0]}).tolist():
        raise Fault(WRONG_VERDICT, "predict gives other classes than the file's numbers", "predict")
    if not found.verified:
        return "not verified"
    errors = sum(k != row["kind"] for k, row in zip(own, given, strict=True))
    require_equal(errors, said["scores"]["training"].get("errors"), "errors")
    if said["spec"]["text"] == (FOLDER / "tiny.tree").read_text():
        own_value = own_objective(said["tree"], given)
        require_equal(own_value, said.get("objective"), "the objective", strict=False)
    return "verified"


# ------------------------------------------------------------------------- tables


def training(dice: Any, folder: Path, files: Saved) -> str:
    """A damaged training table: what is taken of it, the csv module reads as well."""
    _write(folder, files, "tiny.csv", damaged((FOLDER / "tiny.csv").read_bytes(), dice))
    _write(folder, files, "tiny.tree", (FOLDER / "tiny.tree").read_bytes())
    made = treemip.load(folder / "tiny.tree").compile()
    table = made.instance.table
    given = well_formed(folder / "tiny.csv")
    if given is None:
        return "taken, not well-formed"
    require_equal(len(table.y), len(given), "rows")
    own = [row["kind"].strip() for row in given]
    if [table.classes[k] for k in table.y] != own:
        raise Fault(WRONG_VERDICT, f"classes {own} were read otherwise", "classes of a table")
    return "taken"


def new_rows(dice: Any, folder: Path, files: Saved) -> str:
    """Rows to predict, damaged: each gets the class that the tree's numbers give it."""
    path = _write(folder, files, "new.csv", damaged((FOLDER / "tiny.csv").read_bytes(), dice))
    said = json.loads(saved_tree())["tree"]
    tree = treemip.Tree.from_json(said)
    assert tree.encoder is not None
    x = tree.encoder.inputs(*load_rows(path, tree.encoder))
    found = tree.class_values[tree.predict_numbers(x)].tolist()
    given = well_formed(path)
    if given is None:
        return "predicted, not well-formed"
    own = [predicted(said, row) for row in given if row]
    if found != own:
        raise Fault(WRONG_VERDICT, f"predicted {found}, by hand {own}", "predict of a table")
    return "predicted"


KINDS: dict[str, Callable[[Any, Path, Saved], str]] = {
    "solution": solution,
    "answer": answer,
    "tree.json": tree_file,
    "training": training,
    "new rows": new_rows,
}


# ------------------------------------------------------------------------- by hand


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def well_formed(path: Path) -> list[dict[str, str]] | None:
    """Rows of a table with plain text and whole rows only; others are read by rules of our own."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if '"' in text or any(ord(c) < 32 and c not in "\n\r" for c in text) or ";" in text:
        return None
    lines = [line for line in csv.reader(io.StringIO(text)) if any(c.strip() for c in line)]
    names = [name.strip() for name in lines[0]] if lines else []
    if any(len(line) != len(names) for line in lines) or len(set(names)) < len(names):
        return None
    return [dict(zip(names, line, strict=True)) for line in lines[1:]]


def predicted(tree: Mapping[str, Any], row: Mapping[str, str]) -> str:
    """The class of a raw row, from the numbers of tree.json alone."""
    nodes = {node["node"]: node for node in tree["nodes"]}
    x = {}
    for feature in tree["encoder"]["features"]:
        finish = feature["finish"]
        width = finish["high"] - finish["low"]
        share = (float(row[feature["column"]]) - finish["low"]) / width if width else 0.0
        x[feature["column"]] = finish["lower"] + share * (finish["upper"] - finish["lower"])
    at = 1
    while "class" not in nodes[at]:
        value = sum(w * x[name] for name, w in nodes[at]["weights"].items())
        limit = nodes[at]["threshold"]
        left = value < limit if tree["left_when"] == "<" else value <= limit
        at = 2 * at if left else 2 * at + 1
    return str(nodes[at]["class"])


def own_objective(tree: Mapping[str, Any], given: list[dict[str, str]]) -> float:
    """Of the tiny spec: a stump splits where some point goes right."""
    correct = sum(predicted(tree, row) == row["kind"] for row in given)
    classes = [n["class"] for n in tree["nodes"] if "class" in n]
    ends = [dict(tree, nodes=[{**n, "class": n["node"]} if "class" in n else n
            for n in tree["nodes"]]) for _ in classes[:1]]  # fmt: skip
    right = any(predicted(ends[0], row) == "3" for row in given)
    return CONSTANT + correct - PRICE * right


def require_equal(own: float, said: Any, what: str, strict: bool = True) -> None:
    """Not `strict`: the answer claims no more than the tree has, within solvers' tolerances."""
    if not isinstance(said, int | float) or isinstance(said, bool):
        raise Fault(WRONG_VERDICT, f"{what}: {own} by hand, {said!r} verified", f"{what} differ")
    off = abs(own - said) if strict else said - own
    if not off <= 2e-3 * max(1.0, abs(own)):
        raise Fault(WRONG_VERDICT, f"{what}: {own} by hand, {said} verified", f"{what} differ")


CAMPAIGN = Campaign("files", "files", 2000, run, cpu=10.0, memory=1 << 30)
