"""Files appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import gzip
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from treemip.core.files.undo import undoing, uninterrupted
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail

# On model files level 6 saves a tenth of the bytes of level 1 and takes three times as long.
GZIP_LEVEL = 1

_numbers = count()


@dataclass
class _Written:
    """A file that waits for its place: `path` as the caller named it, `target` without links."""

    path: str | Path
    target: Path
    temporary: Path
    complete: bool = False

    def remove(self) -> None:
        with suppress(OSError):
            self.temporary.unlink()


@dataclass
class _Group:
    files: list[_Written] = field(default_factory=list)
    undo: ExitStack = field(default_factory=ExitStack)


_group: ContextVar[_Group | None] = ContextVar("group", default=None)


@contextmanager
def together() -> Iterator[None]:
    """All files that `replacing` writes in the block take their places at its end, or none does.

    Blocks inside another one join it. A failure while the files are moved, which leaves some of
    them in place, is an E603 that names them.
    """
    if _group.get() is not None:
        yield
        return
    group = _Group()
    token = _group.set(group)
    try:
        with group.undo:
            try:
                yield
                _move([file for file in group.files if file.complete])
            finally:
                for file in group.files:
                    file.remove()
    finally:
        _group.reset(token)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file that takes the place of `path` when the block ends without an error.

    The text goes to a hidden file in the same folder, which an error or an interrupt removes,
    so that an older file at `path` stays as it was. A name that ends in ``.gz`` is compressed,
    with no time and no name inside, so that equal content gives equal bytes. A device, a pipe or
    a descriptor such as /dev/stdout is written to directly.

    Raises TreemipError E603 when the folder or the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        if (raw := _stream(path)) is not None:
            with raw, _packed(raw, target) as file:
                yield file
            return
        with together(), _beside(path, target) as file:
            yield file
    except OSError as error:
        raise TreemipError(_refusal(path, target, error)) from error


@contextmanager
def _beside(path: str | Path, target: Path) -> Iterator[BinaryIO]:
    """The hidden file beside `target`, a part of the group."""
    if target.exists() and not target.is_file():
        raise FileExistsError("it is not an ordinary file")
    group = _group.get()
    assert group is not None
    file = _Written(path, target, _unused_name(target.parent))
    group.files.append(file)
    group.undo.enter_context(undoing(file.remove))
    # tempfile would make it private (0600), and os.replace would keep that.
    with open(file.temporary, "xb") as raw, _packed(raw, target) as packed:
        yield packed
    file.complete = True


@contextmanager
def _packed(raw: BinaryIO, target: Path) -> Iterator[BinaryIO]:
    if target.suffix != ".gz":
        yield raw
        return
    with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def _move(files: list[_Written]) -> None:
    """Each file into its place. Raises E603, with the names of those that were moved before."""
    with uninterrupted():
        for k, file in enumerate(files):
            try:
                os.replace(file.temporary, file.target)
            except OSError as error:
                moved = " and ".join(f"'{one.path}'" for one in files[:k])
                more = f"; {moved} {'was' if k == 1 else 'were'} written" if moved else ""
                raise TreemipError(_refusal(file.path, file.target, error, more)) from error


def is_stream(path: str | Path) -> bool:
    """Whether `path` is a device, a pipe or a descriptor, which cannot be replaced."""
    if descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def descriptor(path: str | Path) -> int | None:
    """The number behind /dev/stdout, /dev/stderr or /dev/fd/N; None for all other paths."""
    name = str(path)
    number = {"/dev/stdout": "1", "/dev/stderr": "2"}.get(name, name.removeprefix("/dev/fd/"))
    return int(number) if number.isascii() and number.isdecimal() and number != name else None


def _stream(path: str | Path) -> BinaryIO | None:
    """A device, pipe or descriptor, opened; None for a file. Raises OSError."""
    if not is_stream(path):
        return None
    number = descriptor(path)
    if number is None:
        return open(path, "wb")
    # Opened by its name, a file that stdout was sent to would be written from its beginning.
    for printed in (sys.stdout, sys.stderr):
        printed.flush()
    return os.fdopen(os.dup(number), "wb")


def written_size(path: str | Path) -> int:
    """Bytes of a file that `replacing` has written, in its place or still waiting for it."""
    group, target = _group.get(), Path(os.path.realpath(path))
    for file in group.files if group is not None else ():
        if file.complete and file.target == target:
            return file.temporary.stat().st_size
    return Path(path).stat().st_size if not is_stream(path) else 0


@contextmanager
def replacing_beside(path: str | Path | None, main: str | Path) -> Iterator[BinaryIO | None]:
    """`replacing` for a second file beside `main`; None when there is no `path`.

    Raises TreemipError E603 when both are one file.
    """
    if path is None:
        yield None
        return
    if os.path.realpath(path) == os.path.realpath(main):
        message = f"'{main}' cannot be both the model and the map of its names"
        fail("E603", message, remedy="give the map a name of its own")
    with replacing(path) as file:
        yield file


def _unused_name(folder: Path) -> Path:
    """A hidden name that no other thread or process takes, nor one that was killed left there."""
    names = (folder / f".treemip-{os.getpid()}-{number}.part" for number in _numbers)
    return next(name for name in names if not name.exists())


def _refusal(path: str | Path, target: Path, error: OSError, more: str = "") -> Diagnostic:
    folder = target.parent
    if not folder.is_dir():
        remedy = f"there is no folder '{folder}': create it first, or choose another one"
    elif not os.access(folder, os.W_OK | os.X_OK):
        remedy = f"no write permission in the folder '{folder}': choose another place"
    elif isinstance(error, FileExistsError | IsADirectoryError) or is_stream(path):
        remedy = "choose another name"
    else:
        remedy = "choose another name, or make room on the disk"
    reason = error.strerror or str(error)
    return Diagnostic.outside("E603", f"'{path}' cannot be written: {reason}{more}", remedy)
