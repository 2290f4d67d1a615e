"""Reading files within bounds: ordinary ones, or a pipe that the process was given.

Other kinds raise OSError, like a missing file, with the reason in `strerror`: a FIFO without a
writer would block for ever, and a device may never end.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from treemip.core.source.confined import permit
from treemip.core.source.deadline import PIECE, heed
from treemip.core.source.memory import room

HEAD = 4096  # bytes
_CHUNK = 1 << 20
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_LONGEST_PIPE = 1 << 31
"""Bytes read from a pipe, whose length cannot be known beforehand."""

EXPANDED, RATIO = 100_000_000, 100
"""Compressed data may expand to EXPANDED bytes, and beyond that to RATIO times their own size."""

_KINDS = {
    stat.S_IFDIR: "it is a directory",
    stat.S_IFIFO: "it is a named pipe, not an ordinary file",
    stat.S_IFSOCK: "it is a socket, not an ordinary file",
    stat.S_IFCHR: "it is a device, not an ordinary file",
    stat.S_IFBLK: "it is a device, not an ordinary file",
}


class SupportsRead(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_bytes(
    path: str | Path, most: int | None = None, wanted: Callable[[bytes], bool] | None = None
) -> bytes | bytearray:
    """The content of an ordinary file, or of a pipe such as /dev/stdin or /dev/fd/3.

    `most`: the largest number of bytes taken; without it a third of the memory there is.
    `wanted`: of the first HEAD bytes, whether the rest is worth reading; else they are returned.
    Raises OSError: not there, not readable, no ordinary file, or too large (EFBIG).
    """
    with _opened(path) as file:
        status = os.fstat(file.fileno())
        most = most if most is not None else room() // 3
        if not stat.S_ISREG(status.st_mode):
            most = min(most, _LONGEST_PIPE)
        head = file.read(HEAD)
        if head is None:  # a file of the kernel's that has nothing to read yet
            raise OSError(errno.EAGAIN, "it has nothing to read now, and is no ordinary file")
        if wanted is not None and not wanted(head):
            return head
        if status.st_size > most:
            raise _too_large(status.st_size, most)
        data: bytes | bytearray = head
        if status.st_size > len(head):
            file.seek(0)
            data = _whole(file, status.st_size)
        data += _bounded(file, most - len(data))  # of a pipe, or what was added meanwhile
    if len(data) > most:
        raise _too_large(None, most)
    return data


def _whole(file: BinaryIO, size: int) -> bytes | bytearray:
    """So many bytes, or as many as there are; a large file in place, piece by piece, so that time
    limits and signals are heeded."""
    if size <= PIECE:
        return file.read(size)
    data, at = bytearray(size), 0
    with memoryview(data) as view:
        while count := file.readinto(view[at : at + PIECE]):  # type: ignore[attr-defined]
            heed()
            at += count
    del data[at:]
    return data


def _bounded(file: SupportsRead, most: int) -> bytes:
    """All of the file, or a little more than `most`."""
    parts, length = [], 0
    while length <= most and (part := file.read(_CHUNK)):
        parts.append(part)
        length += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_text(path: str | Path, most: int | None = None) -> str:
    """A UTF-8 text without byte order mark, its line ends ``\\n``. Raises OSError and
    UnicodeDecodeError."""
    text = read_bytes(path, most).decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unpacked(data: bytes | bytearray) -> bytes:
    """gzip data expanded, all members of it.

    Raises OSError: EFBIG for data that expand out of all proportion or beyond memory, EINVAL
    where they are damaged or cut.
    """
    import gzip
    import io

    most = min(max(EXPANDED, RATIO * len(data)), room() // 3)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = _bounded(file, most)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise OSError(errno.EINVAL, "its gzip compression is damaged") from None
    if len(content) > most:
        raise OSError(errno.EFBIG, f"its gzip compression expands to more than {_size(most)}")
    return content


def _opened(path: str | Path) -> BinaryIO:
    """The open file. Raises OSError before anything is opened that might block."""
    permit(path)
    try:
        status = os.stat(path)
    except ValueError:
        raise OSError(errno.EINVAL, "a file name cannot hold such characters") from None
    if _was_given(path) or _is_terminal(status):
        return open(path, "rb")
    if not stat.S_ISREG(status.st_mode):
        reason = _KINDS.get(stat.S_IFMT(status.st_mode), "it is not an ordinary file")
        raise OSError(errno.EINVAL, reason)
    # Not blocking, should a pipe have taken the file's place meanwhile.
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NONBLOCK))


def _was_given(path: str | Path) -> bool:
    """Whether a path is a pipe that the process has open: standard input, or a shell's <(…)."""
    return os.path.realpath(path).startswith((f"/proc/{os.getpid()}/fd/", "/dev/fd/"))


def _is_terminal(status: os.stat_result) -> bool:
    """Whether a file is the terminal that standard input comes from."""
    try:
        return os.isatty(0) and os.path.samestat(status, os.fstat(0))
    except OSError:
        return False


def _too_large(size: int | None, most: int) -> OSError:
    has = "it is longer than that" if size is None else f"it has {_size(size)}"
    return OSError(errno.EFBIG, f"{has}, and at most {_size(most)} can be read")


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB".replace(",", " ") if count >= 1e6 else f"{count} bytes"
