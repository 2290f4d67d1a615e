"""Where grammar, library, example specs and the language's page lie, in a checkout and a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def _room(name: str) -> Path:
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def grammar_path() -> Path:
    return _room("grammars") / "tree.lark"


def library_path() -> Path:
    """The folder of formulations and of the vocabulary."""
    return _room("specs") / "library"


def shared_path() -> Path:
    """The folder of modules that formulations share."""
    return library_path() / "shared"


def specs_path() -> Path:
    """The folder of runnable example specs."""
    return _room("specs")


def summary_path() -> Path:
    """The page with the whole language in short."""
    return _room("docs") / "summary.md"
