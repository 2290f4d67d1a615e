"""docs/architecture.md speaks of what is there: every room, file and function that it names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "treemip"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = [
    (cells[0], " ".join(cells[1:]))
    for line in PAGE.splitlines()
    if len(cells := [c.strip() for c in line.strip("|").split("|")]) == 2
]
LAYERS = ("core", "answers", "methods", "writers", "study")
FOLDERS = {
    **{p.parent.name: p.parent for p in PACKAGE.glob("*/*/__init__.py")},
    **{name: PACKAGE / name for name in ("api", "cli")},
}
"""Every room's folder."""
ROOMS = {room: text for room, text in ROWS if room in FOLDERS}
"""The text of the table of rooms by room."""


def home(path: str) -> Path:
    """Where a path is that begins with a room or a module of a layer, as `tree/tree.py`."""
    first = path.split("/", 1)[0]
    folders = (FOLDERS[first].parent,) if first in FOLDERS else (PACKAGE / name for name in LAYERS)
    return next((folder / path for folder in folders if (folder / path).exists()), PACKAGE / path)


def test_the_folders_are_the_layers_the_path_and_the_commands() -> None:
    assert {p.parent.name for p in PACKAGE.glob("*/__init__.py")} == {*LAYERS, "api", "cli"}


def test_the_table_has_every_room() -> None:
    assert set(ROOMS) == set(FOLDERS)


def test_the_diagram_has_every_room() -> None:
    diagram = PAGE.split("its subfolders")[1].split("```")[1]
    assert set(FOLDERS) <= set(re.findall(r"\w+", diagram))


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_named_in_a_room_is_there(room: str) -> None:
    """A name after a folder's, as `oblique/proof.py`, is of that folder."""
    folder = FOLDERS[room]
    named = re.findall(r"`([\w/]+\.py|\w+/)`", ROOMS[room])
    assert named
    assert [name for name in named if not (folder / name).exists()] == []


def test_every_function_and_module_named_elsewhere_is_there() -> None:
    for module, name in re.findall(r"`((?:\w+\.)+\w+)\.(\w+)`", PAGE):
        room = FOLDERS.get(module.split(".")[0])
        if room is not None and not (ROOT / f"{module}.{name}").exists():
            inside = ".".join(["treemip", *room.relative_to(PACKAGE).parent.parts, module])
            assert hasattr(importlib.import_module(inside), name), f"{module}.{name}"


def test_every_path_named_is_there() -> None:
    named = re.findall(
        r"`((?:\w+/)+[\w.]*)`", re.sub(r"\n\| room \|.*?\n\n", "", PAGE, flags=re.DOTALL)
    )
    assert named
    assert [p for p in named if not home(p).exists() and not (ROOT / p).exists()] == []


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
