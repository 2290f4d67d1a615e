"""Files appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from treemip.source.diagnostic import Diagnostic, TreemipError

# On model files level 6 saves a tenth of the bytes of level 1 and takes three times as long.
GZIP_LEVEL = 1


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file that takes the place of `path` when the block ends without an error.

    The text goes to a hidden file in the same folder, which an error or an interrupt removes,
    so that an older file at `path` stays as it was. A name that ends in ``.gz`` is compressed,
    with no time and no name inside, so that equal content gives equal bytes.

    Raises TreemipError E603 when the folder or the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        descriptor, temporary = _create_beside(target)
    except OSError as error:
        raise TreemipError(_refusal(path, target, error)) from error
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if target.suffix == ".gz":
                with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise TreemipError(_refusal(path, target, error)) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _create_beside(target: Path) -> tuple[int, Path]:
    """A new hidden file in the folder of `target`, with the permissions any new file gets."""
    if target.exists() and not target.is_file():
        raise FileExistsError("what stands there is not an ordinary file")
    for attempt in count():
        temporary = target.parent / f".treemip-{os.getpid()}-{attempt}.part"
        try:
            # tempfile would make it private (0600), and os.replace keeps that.
            return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), temporary
        except FileExistsError:
            continue
    raise AssertionError("unreachable")


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
