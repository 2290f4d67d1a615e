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
from treemip.source.reading import read_bytes, unpacked
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

HEAD = 4096  # bytes
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
    try:
        data = read_bytes(path)
    except OSError as error:
        raise TreemipError(
            Diagnostic.outside("E901", f"'{path}' cannot be read: {error.strerror}")
        ) from error
    try:
        return unpacked(data) if data.startswith(GZIP) else data
    except OSError as error:
        remedy = (
            "unpack it with gunzip to use it" if error.errno == errno.EFBIG else "copy it again"
        )
        message = f"'{path}' cannot be unpacked: {error.strerror}"
        raise TreemipError(Diagnostic.outside("E606", message, remedy)) from error
