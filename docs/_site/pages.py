"""All pages that are made for the site, written before Sphinx looks for pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import gallery, messages, outside, reference
from .places import DOCS

FOLDERS = ("api", "errors", "files", "gallery")
"""Of docs/: they hold made pages only, and git ignores them."""


def write(app: Any) -> None:
    """Writes what is new, leaves what is the same, and removes what is not made any more."""
    made: dict[Path, str] = {}
    for part in (gallery, messages, reference, outside):
        made |= part.files()
    for path, text in made.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for folder in FOLDERS:
        for path in (DOCS / folder).rglob("*"):
            if path.is_file() and path not in made:
                path.unlink()
