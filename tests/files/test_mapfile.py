"""The side-car alone says which block and indices every name in the file stands for."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import mps_reader
import pytest
from file_models import Builder, grid, index, objective, span
from test_mps_writer import MODELS

from treemip.core.files.mps.writer import write_mps
from treemip.core.model.blocks import Index, Kind
from treemip.core.model.model import Model


def tuples(labels: dict[str, Any], length: int) -> list[tuple[int, ...]]:
    """The index tuples of a block from its `labels`."""
    if "table" in labels:
        return list(zip(*labels["table"], strict=True)) or [()] * length
    axes = [
        [label for first, last in axis for label in range(first, last + 1)]
        for axis in labels["product"]
    ]
    return list(itertools.product(*axes))


def meanings(side: dict[str, Any], part: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Block and index tuple of each name, from the side-car and the names' own text."""
    found = {}
    for block in side[part]:
        for k in range(block["last"] - block["first"] + 1):
            count = len(block["index"])
            if "labels" in block:
                found_at = tuples(block["labels"], k + 1)[k]
            if side["names"] == "short":
                name = f"{block['emitted']}{block['first'] + k}"
            elif not block["indexed"]:
                name = f"{block['emitted']}({k + 1})"
            else:
                continue
            found[name] = (block["block"], found_at)
            assert len(found_at) == count
    return found


def parsed(name: str, side: dict[str, Any], part: str) -> tuple[str, tuple[int, ...]]:
    """Block and index tuple of a spec name that tells its indices."""
    base, _, rest = name.partition("(")
    (block,) = (b for b in side[part] if b["emitted"] == base)
    labels = [int(t.replace("m", "-")) for t in rest[:-1].split(",")] if rest else []
    return block["block"], tuple(labels[: -1 if block["counted"] else None])


def truth(blocks: tuple) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (b.name, tuple(int(c[k]) for c in b.index.columns)) for b in blocks for k in range(b.length)
    ]


def far() -> Model:
    """Labels too long for names; grids with gaps; a row left out."""
    b = Builder("far")
    high = [2**62, 2**62 + 1]
    b.var("a", index("i j k", high, high, high), where=span("a"))
    b.var("g", index("i j", [1, 1, 1, 3, 3, 3], [2, 3, 7, 2, 3, 7]), kind=Kind.INTEGER)
    b.var("h", Index(length=3))
    b.row("r", [{0: 1.0}, {1: 1.0}, {2: 1.0}], [0, -float("inf"), 0], at=grid("i", 3))
    return b.model(objective(sense="maximize", constant=2))


@pytest.mark.parametrize("style", ["spec", "short"])
@pytest.mark.parametrize("name", [*MODELS, "far"])
def test_every_name_is_explained(name: str, style: str, tmp_path: Path) -> None:
    model = (MODELS | {"far": far})[name]()
    write_mps(model, tmp_path / "m.mps", names=style, map_path=tmp_path / "m.json")  # type: ignore[arg-type]
    content = mps_reader.read((tmp_path / "m.mps").read_text())
    side = json.loads((tmp_path / "m.json").read_text())
    columns = [c for c in content.columns if c != side["objective"]["constant_column"]]
    explained = meanings(side, "columns")
    assert [explained.get(c) or parsed(c, side, "columns") for c in columns] == truth(
        model.variables
    )
    explained = meanings(side, "rows")
    kept = truth(model.rows)
    if name == "far":
        del kept[1]
    elif name == "bounds":
        kept.remove(("free", ()))
    assert [explained.get(r) or parsed(r, side, "rows") for r in content.rows] == kept


def test_what_else_it_says(tmp_path: Path) -> None:
    write_mps(far(), tmp_path / "m.mps", map_path=tmp_path / "m.json")
    side = json.loads((tmp_path / "m.json").read_text())
    assert side["objective"] == {
        "name": "obj",
        "emitted": "obj",
        "sense": "maximize",
        "negated": True,
        "constant": 2,
        "constant_column": "objective_constant",
        "span": None,
    }
    a, g, h = side["columns"]
    assert (a["span"], a["indexed"], a["counted"]) == ("tiny.tree:1:2", False, True)
    assert (g["kind"], g["first"], g["last"], g["index"]) == ("integer", 3, 8, ["i", "j"])
    assert (h["counted"], h["indexed"]) == (True, True)
    assert len((tmp_path / "m.json").read_text().splitlines()) == 5, "one line for each block"


def test_grids_are_kept_as_stretches(tmp_path: Path) -> None:
    write_mps(far(), tmp_path / "m.mps", names="short", map_path=tmp_path / "m.json")
    side = json.loads((tmp_path / "m.json").read_text())
    assert side["columns"][1]["labels"] == {"product": [[[1, 1], [3, 3]], [[2, 3], [7, 7]]]}
