"""A private folder for files that somebody else hands over: texts, tables, trees.

It is kept in memory if the system has a file system there, and removed at the end.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from types import TracebackType

from treemip.core.source.diagnostic import fail

IN_MEMORY = Path("/dev/shm")

MOST_FILES = 50
MOST_BYTES = 20_000_000

LONGEST_NAME = 100

PREFIX = "treemip-"

LOCK = ".owner"
"""A file that is locked while the process that made the folder lives."""

_PART = re.compile(r"\w[\w .()+-]*")


class Folder:
    """A folder of files by name, such as `data/credit.csv`.

    most: bytes of all files together. within: the folder to make it in, instead of memory. lent:
    files of another folder that jobs may read as well, see `lend`.
    """

    def __init__(self, most: int = MOST_BYTES, within: Path | None = None) -> None:
        self.most = most
        place = within if within is not None else _place(most)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place)).resolve()
        self.lent: tuple[Path, ...] = ()
        self._lock = None if within is not None else _locked(self.path / LOCK)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file, in place of one of the same name.

        Raises TreemipError (E902) for an invalid name, and for too many or too large files.
        """
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        path = self._room(name, len(data))
        path.write_bytes(data)
        return path

    def link(self, name: str, file: Path) -> Path:
        """Link to a file elsewhere on the same file system under this name, so that several folders
        share one copy. Raises as `put` does."""
        path = self._room(name, file.stat().st_size)
        os.link(file, path)
        return path

    def _room(self, name: str, size: int) -> Path:
        """The path for a file of so many bytes, cleared, with its folder made."""
        path = self.path / checked_name(name)
        others = {one: length for one, length in self.sizes().items() if one != path}
        if len(others) >= MOST_FILES:
            fail("E902", f"there are {MOST_FILES} files already", remedy="remove some of them")
        whole = sum(others.values()) + size
        if whole > self.most:
            have = f"{whole / 1e6:.1f} MB"
            message = f"with '{name}' the files have {have}; the limit is {self.most / 1e6:.0f} MB"
            fail("E902", message, remedy="use fewer rows or columns, or treemip on your machine")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
        except OSError:
            message = f"'{name}' is a file and a folder at once"
            fail("E902", message, remedy="rename one of them")
        return path

    def read(self, name: str) -> bytes | None:
        """The content of a file; None where there is none."""
        path = self.path / checked_name(name)
        with suppress(OSError):
            return path.read_bytes()
        return None

    def lend(self, other: Path) -> None:
        """Let jobs read the files of another folder under the same names, but for hidden ones.

        They stay where they are; this folder gets links to them, under names that no file has yet.
        Files are put first, so that none is written through a link.
        """
        other = other.resolve()
        shown = [one for one in sorted(other.iterdir()) if not one.name.startswith(".")]
        self.lent = tuple(one for one in shown if one.resolve().is_relative_to(other))
        _link(self.lent, self.path)

    def sizes(self) -> dict[Path, int]:
        """Bytes of each file that was put here or made by a command."""
        found = {}
        for folder, inner, names in os.walk(self.path):
            inner[:] = [one for one in inner if not one.startswith(".")]
            shown = (name for name in names if not name.startswith("."))
            for path in (Path(folder) / name for name in shown):
                with suppress(OSError):
                    if not path.is_symlink():
                        found[path] = path.lstat().st_size
        return found

    def without_place(self, text: str) -> str:
        """What a command printed, without the path of this folder."""
        return text.replace(f"{self.path}{os.sep}", "").replace(str(self.path), "this folder")


def checked_name(name: str) -> PurePosixPath:
    """A relative path without `..` and hidden parts. Raises TreemipError (E902)."""
    path = PurePosixPath(name)
    plain = all(_PART.fullmatch(part) for part in path.parts)
    if not name or len(name) > LONGEST_NAME or path.is_absolute() or not plain:
        shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
        message = f"'{shown}' cannot be the name of a file here"
        fail("E902", message, remedy="use letters, digits, '_', '-' and '.', such as data/iris.csv")
    return path


def _link(paths: Iterable[Path], folder: Path) -> None:
    """Links to these in a folder; where a folder of that name exists, links to what it lacks."""
    for path in paths:
        place = folder / path.name
        if not place.exists():
            place.symlink_to(path)
        elif place.is_dir() and path.is_dir():
            _link((one for one in path.iterdir() if not one.name.startswith(".")), place)


def remove_abandoned() -> None:
    """Remove the folders of processes that were killed before they could do so."""
    for place in {IN_MEMORY, Path(tempfile.gettempdir())}:
        for lock in place.glob(f"{PREFIX}*/{LOCK}"):
            with suppress(OSError):
                free = _locked(lock) if lock.stat().st_uid == os.getuid() else None
                if free is not None:
                    shutil.rmtree(lock.parent, ignore_errors=True)
                    os.close(free)


def _locked(path: Path) -> int | None:
    """The descriptor of a file, locked until it is closed or the process ends; None if another
    process holds the lock, or the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _place(most: int) -> Path | None:
    """The place in memory if the folder fits there; None for that of temporary files."""
    with suppress(OSError):
        if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > 4 * most:
            return IN_MEMORY
    return None
