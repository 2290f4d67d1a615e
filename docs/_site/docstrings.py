"""Docstrings, which are plain text with code in backquotes, as the markup that autodoc reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MARKUP = re.compile(r"([*|\\])|(?<=\w)(_)(?!\w)")


def convert(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrites the lines in place, as the event of autodoc asks for."""
    lines[:] = [line for block in _blocks(lines) for line in [*_block(block), ""]]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """What stands between empty lines, with code kept together."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def _block(lines: list[str]) -> list[str]:
    if all(line.startswith("    ") for line in lines):
        return [".. code-block:: python", "", *lines]
    if len(lines) > 1 and set(lines[1]) == {"-"}:
        return [f"**{lines[0]}**", "", *_parameters(lines[2:])]
    return _marked(lines)


def _parameters(lines: list[str]) -> list[str]:
    """`name : text` with further lines set in, as a list."""
    items = [re.sub(r"^(\w[\w, ]*?) : ", r"* `\1`: ", line) for line in lines]
    return _marked([item if item.startswith("* ") else f"  {item.strip()}" for item in items])


def _marked(lines: list[str]) -> list[str]:
    """Lines whose code is in backquotes, and which have no other markup than a list's."""
    parts = re.split(r"(`[^`]+`)", "\n".join(lines))
    marked = "".join(f"`{part}`" if k % 2 else _plain(part) for k, part in enumerate(parts))
    return marked.splitlines()


def _plain(text: str) -> str:
    """Text in which nothing is markup but the stars of a list."""
    return re.sub(r"^\\\* ", "* ", MARKUP.sub(r"\\\g<0>", text), flags=re.M)
