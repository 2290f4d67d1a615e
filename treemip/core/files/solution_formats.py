"""Solution files, told apart by what stands in them: solvers share the suffix .sol."""

from __future__ import annotations

import errno
from functools import cache
from pathlib import Path

from treemip.core.files import ampl_solution
from treemip.core.files.solution_files import Format, SolutionFile, Text
from treemip.core.registry import solvers
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.core.source.reading import HEAD, read_bytes, unpacked
from treemip.core.source.suggest import listed


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are tried: those of each solver, what solvers print
    instead of writing a file, which is told by its first words only, and AMPL's."""
    ordered = sorted(solvers().values(), key=lambda s: s.program is not None and s.program.prints)
    return (*(form for solver in ordered for form in solver.formats), ampl_solution.FORMAT)


GZIP = b"\x1f\x8b"


def read_solution(path: str | Path) -> SolutionFile:
    """Read a solver's solution file, gzipped or not.

    Raises E901 when the file cannot be opened, E606 when it is in no known format, was cut (as
    far as its format lets that be seen) or holds what is not a number.
    """
    data = _bytes(Path(path))
    for form in formats():
        if form.recognises(data[:HEAD]):
            return form.read(Text(str(path), data))
    known = listed(form.name for form in formats())
    fail(
        "E606",
        f"'{path}' is {'empty' if not data.strip() else 'in no known solution format'}",
        remedy=f"solution files of these kinds can be read: {known}",
    )


def _bytes(path: Path) -> bytes:
    """The whole file, or its first bytes where they are of no known format."""

    def known(head: bytes) -> bool:
        return head.startswith(GZIP) or any(form.recognises(head) for form in formats())

    try:
        data = read_bytes(path, wanted=known)
    except OSError as error:
        raise TreemipError(
            Diagnostic.outside("E901", f"'{path}' cannot be read: {error.strerror}")
        ) from error
    return _unpacked(path, bytes(data)) if data.startswith(GZIP) else bytes(data)


def _unpacked(path: Path, data: bytes) -> bytes:
    try:
        return unpacked(data)
    except OSError as error:
        damaged = error.errno != errno.EFBIG
        remedy = "copy it again" if damaged else "unpack it with gunzip to use it"
        message = f"'{path}' cannot be unpacked: {error.strerror}"
        raise TreemipError(Diagnostic.outside("E606", message, remedy)) from error
