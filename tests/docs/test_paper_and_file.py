"""docs/paper_and_file.md: the table of S-OCT quotes the library's file."""

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
