"""Library modules by name: the vocabulary and the formulations."""

from __future__ import annotations

from functools import cache

from treemip.resolve.prepared import parsed
from treemip.resources import library_path
from treemip.syntax import nodes as n


def formulation_names() -> list[str]:
    """Names of the formulations in the library, sorted."""
    return sorted(p.stem for p in library_path().glob("*.tree") if p.stem != "vocabulary")


@cache
def module(name: str) -> n.File | None:
    """The parsed library module, or None when there is none of that name."""
    # Looked up in the folder's list, since a name may be none that a file can have.
    if name not in {path.stem for path in library_path().glob("*.tree")}:
        return None
    return parsed(library_path() / f"{name}.tree")
