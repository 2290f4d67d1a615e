"""Solution files, told apart by what stands in them: solvers share the suffix .sol."""

from __future__ import annotations

import errno
from pathlib import Path

from treemip.read import (
    ampl,
    cbc,
    copt,
    cplex,
    glpk,
    glpk_raw,
    gurobi,
    gurobi_json,
    highs_pretty,
    highs_raw,
    lp_solve,
    mosek,
    scip,
    xpress_asc,
    xpress_slx,
)
from treemip.read.solution import Format, SolutionFile, Text
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.reading import HEAD, read_bytes, unpacked
from treemip.source.suggest import listed

_MODULES = (
    highs_raw,
    highs_pretty,
    scip,
    cbc,
    glpk,
    glpk_raw,
    gurobi,
    gurobi_json,
    cplex,
    xpress_slx,
    xpress_asc,
    copt,
    mosek,
    lp_solve,
    ampl,
)
FORMATS: tuple[Format, ...] = tuple(module.FORMAT for module in _MODULES)
"""A new format is a module here with a FORMAT, and its name in this list."""

GZIP = b"\x1f\x8b"


def read_solution(path: str | Path) -> SolutionFile:
    """Read a solver's solution file, gzipped or not.

    Raises E901 when the file cannot be opened, E606 when it is in no known format, was cut (as
    far as its format lets that be seen) or holds what is not a number.
    """
    data = _bytes(Path(path))
    for form in FORMATS:
        if form.recognises(data[:HEAD]):
            return form.read(Text(str(path), data))
    known = listed(form.name for form in FORMATS)
    raise TreemipError(
        Diagnostic.outside(
            "E606",
            f"'{path}' is {'empty' if not data.strip() else 'in no known solution format'}",
            f"solution files of these kinds can be read: {known}",
        )
    )


def _bytes(path: Path) -> bytes:
    """The whole file, or its first bytes where they are of no known format."""

    def known(head: bytes) -> bool:
        return head.startswith(GZIP) or any(form.recognises(head) for form in FORMATS)

    try:
        data = read_bytes(path, wanted=known)
    except OSError as error:
        raise TreemipError(
            Diagnostic.outside("E901", f"'{path}' cannot be read: {error.strerror}")
        ) from error
    return _unpacked(path, data) if data.startswith(GZIP) else data


def _unpacked(path: Path, data: bytes) -> bytes:
    try:
        return unpacked(data)
    except OSError as error:
        damaged = error.errno != errno.EFBIG
        remedy = "copy it again" if damaged else "unpack it with gunzip to use it"
        message = f"'{path}' cannot be unpacked: {error.strerror}"
        raise TreemipError(Diagnostic.outside("E606", message, remedy)) from error
