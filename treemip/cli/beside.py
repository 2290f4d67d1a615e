"""Files that `compile` writes beside the model: a start, and branching priorities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treemip.cli.console import complain, refuse

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


def demand_start(start: str | None, file: Path | None, target: str) -> None:
    """Before the model is built: E902 for a start without a file, E601 for a target without such
    files."""
    if start is not None and file is None:
        raise refuse("--start asks for a file to write it to", "add --start-file m.mst")
    if start == "none":
        raise refuse("--start none gives --start-file nothing to hold", "leave both out")
    if file is not None:
        from treemip.files.profiles import profile_named
        from treemip.files.search_hints import require_start

        require_start(profile_named(target))


def writers(
    compiled: Compiled,
    start: tuple[str | None, Path | None],
    priorities: Path | None,
    names: Literal["spec", "short"],
) -> list[Callable[[], int]]:
    """What writes the files, to be called when the model is written.

    All else that can fail is done here, so that no file is left of a command that ends with an
    error. Raises E601 where there are no priorities, and what `Compiled.start_values` does.
    """
    from treemip.files.profiles import profile_named
    from treemip.files.search_hints import require_order, write_start

    found: list[Callable[[], int]] = []
    profile = profile_named(compiled.target)
    kind, file = start
    if priorities is not None:
        require_order(compiled.model, profile)
        found.append(lambda: compiled.write_priorities(priorities, names=names))
    if file is not None:
        values, notes = compiled.start_values(kind)
        complain(notes)
        if values is not None:
            found.append(lambda: write_start(compiled.model, values, file, profile, names))
    return found
