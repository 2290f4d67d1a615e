"""What the decisions name in backquotes is there: files, and names of the code and of the language.

A decision that no longer holds says "Superseded" in a line of its own, and names what it likes.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("treemip", "specs", "grammars", "benchmarks", "tests", "docs")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
NAMED = re.compile(r"`(?!\d)((?:\w+[./])*\w+)(?:\(\))?`")
FOREIGN = {"math.fsum", "given_GROUP", "given_NAME", "TreeEnsembleClassifier", "emit"}
"""Names of other packages, stages and placeholders."""


@cache
def paths() -> tuple[str, ...]:
    here = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file()]
    return tuple(f"/{path.relative_to(ROOT)}" for path in here)


@cache
def words() -> set[str]:
    """All words of the code, its tests and the specs."""
    ends = (".py", ".tree", ".lark", ".h", ".cpp")
    texts = (Path(f"{ROOT}{p}").read_text(encoding="utf-8") for p in paths() if p.endswith(ends))
    return {word for text in texts for word in re.findall(r"\w+", text)}


def exists(name: str) -> bool:
    if name in FOREIGN or any(f"{path}/".endswith(f"/{name}/") for path in paths()):
        return True
    if "/" in name:
        return any(f"/{name}/" in path for path in paths())
    return all(part in words() for part in name.split("."))


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_what_a_decision_names_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if not re.search(r"^Superseded\b", text, re.M):
        assert [name for name in NAMED.findall(text) if not exists(name)] == []
