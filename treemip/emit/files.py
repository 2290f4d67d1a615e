"""Files appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from treemip.source.diagnostic import Diagnostic, TreemipError

# On model files level 6 saves a tenth of the bytes of level 1 and takes three times as long.
GZIP_LEVEL = 1

_numbers = count()


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file that takes the place of `path` when the block ends without an error.

    The text goes to a hidden file in the same folder, which an error or an interrupt removes,
    so that an older file at `path` stays as it was. A name that ends in ``.gz`` is compressed,
    with no time and no name inside, so that equal content gives equal bytes.

    Raises TreemipError E603 when the folder or the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    temporary = _unused_name(target.parent)
    try:
        if target.exists() and not target.is_file():
            raise FileExistsError("what stands there is not an ordinary file")
        # tempfile would make it private (0600), and os.replace would keep that.
        with open(temporary, "xb") as raw:
            if target.suffix == ".gz":
                with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise TreemipError(_refusal(path, target, error)) from error
        raise


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
        raise TreemipError(Diagnostic.outside("E603", message, "give the map a name of its own"))
    with replacing(path) as file:
        yield file


def _unused_name(folder: Path) -> Path:
    """A hidden name that no other thread or process takes, nor one that was killed left there."""
    names = (folder / f".treemip-{os.getpid()}-{number}.part" for number in _numbers)
    return next(name for name in names if not name.exists())


def _refusal(path: str | Path, target: Path, error: OSError) -> Diagnostic:
    folder = target.parent
    if not folder.is_dir():
        remedy = f"there is no folder '{folder}': make it first, or choose another place"
    elif not os.access(folder, os.W_OK | os.X_OK):
        remedy = f"the folder '{folder}' is not yours to write in: choose another place"
    else:
        remedy = "choose another name, or make room on the disk"
    reason = error.strerror or str(error)
    return Diagnostic.outside("E603", f"'{path}' cannot be written: {reason}", remedy)
