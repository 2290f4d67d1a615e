"""docs/architecture.md speaks of what is there: every room, file and function that it names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "treemip"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def table_cells() -> list[list[str]]:
    """The cells of all lines of three."""
    lines = [[c.strip() for c in line.strip("|").split("|")] for line in PAGE.splitlines()]
    return [cells for cells in lines if len(cells) == 3]


SECTIONS = dict(re.findall(r"^### (\w+)\n\n((?:\* .*\n)+)", PAGE, re.M))
ROWS = {cells[0]: " ".join(cells[1:]) for cells in table_cells()}
ROOMS = SECTIONS or {room: text for room, text in ROWS.items() if (PACKAGE / room).is_dir()}
"""What the page says of each room, in a section of its own or a line of a table."""


def test_the_table_has_every_room() -> None:
    assert set(ROOMS) == {p.parent.name for p in PACKAGE.glob("*/__init__.py")}


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_named_in_a_room_is_there(room: str) -> None:
    """A name after a folder's, as `oblique/proof.py`, is of that folder."""
    folder = PACKAGE / room
    named = re.findall(r"`([\w/]+\.py|\w+/)`", ROOMS[room])
    assert named
    assert [name for name in named if not (folder / name).exists()] == []


def test_every_function_and_module_named_elsewhere_is_there() -> None:
    for module, name in re.findall(r"`((?:\w+\.)+\w+)\.(\w+)`", PAGE):
        if not (ROOT / f"{module}.{name}").exists() and (PACKAGE / module.split(".")[0]).is_dir():
            assert hasattr(importlib.import_module(f"treemip.{module}"), name), f"{module}.{name}"


def test_every_path_named_is_there() -> None:
    others = re.sub(r"(?m)^(\| \w+ \| .* \| .* \||### \w+\n\n(\* .*\n)+)$", "", PAGE)
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", others)
    assert named
    assert [p for p in named if not (PACKAGE / p).exists() and not (ROOT / p).exists()] == []


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
