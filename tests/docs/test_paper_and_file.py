"""Tables of models in the paper and in the file quote the file: S-OCT, and the tutorial's CUT1."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper_and_file.md").read_text(encoding="utf-8")
TAGS = [*(f"(1{letter})" for letter in "abcdefgh"), "(5)", "(6a)", "(6b)", "(7)"]


def squeezed(text: str) -> str:
    return " ".join(re.sub(r'"\([^"]*\)"|#.*', "", text).split()).replace(" :", ":")


def test_the_table_of_s_oct_is_its_file() -> None:
    library = squeezed((ROOT / "specs" / "library" / "soct.tree").read_text(encoding="utf-8"))
    rows = re.findall(r"^\| (\(\w+\)) \|.*\| (`.*`) \|$", PAGE, re.M)
    assert [tag for tag, _ in rows] == TAGS
    for tag, cell in rows:
        for statement in re.findall(r"`([^`]+)`", cell):
            assert squeezed(statement).removesuffix(";") in library, tag


def test_the_table_of_cut1_is_its_file() -> None:
    page = (ROOT / "docs" / "tutorial" / "from_paper_to_file.md").read_text(encoding="utf-8")
    file = squeezed((ROOT / "specs" / "own" / "cut_trees.tree").read_text(encoding="utf-8"))
    cells = re.findall(r"^\| \S.* \| (`.*`.*) \|$", page, re.M)
    quoted = [squeezed(text) for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    assert [text for text in quoted if text.removesuffix(";") not in file] == []
    stated = re.findall(r"^  (\w+) *\{", file_rows(), re.M)
    assert len(stated) == 8
    assert all(any(text.startswith(f"{name} {{") for text in quoted) for name in stated)


def file_rows() -> str:
    text = (ROOT / "specs" / "own" / "cut_trees.tree").read_text(encoding="utf-8")
    return text[text.index("subject to") : text.index("# What the decoded")]
