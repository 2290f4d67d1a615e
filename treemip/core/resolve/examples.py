"""The shipped examples: specs that can be solved by name, and what each is about."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

from treemip.core.resources import specs_path
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

NOT_EXAMPLES = ("library", "data")
"""Folders of specs/ whose files are read by specs and are none themselves."""


def examples() -> dict[str, str]:
    """What each example is about, by its path in specs/ without the suffix."""
    return {name: about(path.read_text(encoding="utf-8")) for name, path in example_paths().items()}


def about(text: str) -> str:
    """The first sentence of the comment at the beginning of a text."""
    comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
    whole = " ".join(line.removeprefix("#").strip() for line in comment)
    return re.split(r"\.\s+(?=[A-Z])", whole)[0].rstrip(".")


def example_paths() -> dict[str, Path]:
    """Specs that can be solved by name, those in the folder itself first."""
    root = specs_path()
    found = {path.relative_to(root).with_suffix("").as_posix(): path for path in _specs(root)}
    return dict(sorted(found.items(), key=lambda item: ("/" in item[0], item[0])))


def _specs(root: Path) -> list[Path]:
    """Texts with data; others are modules that specs use."""
    paths = (p for p in root.rglob("*.tree") if p.relative_to(root).parts[0] not in NOT_EXAMPLES)
    return [p for p in paths if any(isinstance(s, n.Data) for s in statements(p))]


def statements(path: Path) -> tuple[n.Statement, ...]:
    """Those of a text."""
    return parse(Source.read(path)).statements
