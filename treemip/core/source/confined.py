"""Reading confined to some folders, for texts that come from strangers.

A spec names files: its data, modules, tables, trees to begin with. Where it is run for somebody
else, as by a page or an assistant, it may name those that were handed over with it, and no others.
Every path that a text names goes through `permit`,
`exists` or `entries`, which all cost nothing where nothing is confined.

The folders are the process's own, not a thread's: solvers and engines read in threads.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

REASON = "it lies outside of the folder that may be read here"

_folders: tuple[str, ...] | None = None


@contextmanager
def confined_to(folders: Iterable[str | Path]) -> Iterator[None]:
    """Within the block no file is read outside of these folders."""
    global _folders  # noqa: PLW0603 - one for all threads
    before = _folders
    _folders = tuple(os.path.realpath(one) for one in folders)
    try:
        yield
    finally:
        _folders = before


def is_confined() -> bool:
    return _folders is not None


def permits(path: str | Path) -> bool:
    """Whether a path may be read, links followed."""
    return _folders is None or lies_within(path, _folders)


def lies_within(path: str | Path, folders: Iterable[str | Path]) -> bool:
    """Whether a path leads into one of some folders, links followed."""
    try:
        real = os.path.realpath(path)
        ends = [os.path.realpath(one) for one in folders]
    except (OSError, ValueError):
        return False
    return any(real == one or real.startswith(one + os.sep) for one in ends)


def permit(path: str | Path) -> None:
    """Raises PermissionError, with the reason in `strerror`."""
    if not permits(path):
        raise PermissionError(errno.EACCES, REASON, str(path))


def exists(path: str | Path) -> bool:
    """Whether something is there that may be read."""
    return permits(path) and os.path.exists(path)


def entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """What is in a folder, by name. Raises OSError, also for one that may not be read."""
    permit(folder)
    with os.scandir(folder) as found:
        return sorted((e for e in found if permits(e.path)), key=lambda entry: entry.name)
