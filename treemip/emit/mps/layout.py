"""The two layouts of an MPS file: free, with spaces between fields, and fixed, by columns.

Fixed fields begin in columns 2, 5, 15, 25, 40 and 50 and hold 2, 8, 8, 12, 8 and 12 characters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.emit.mps.bounds import KINDS
from treemip.emit.mps.sections import Tokens
from treemip.source.diagnostic import Diagnostic, Report

NAME, NUMBER = 8, 12  # characters of a fixed field


@dataclass(frozen=True)
class Layout:
    """What stands before fields: `column` before the first name in COLUMNS and QUADOBJ, `rhs` and
    `ranges` before the row there; `kinds` begin the lines of BOUNDS. `head` and `marker` are
    templates of whole lines.
    """

    head: str
    marker: str
    column: bytes
    rhs: bytes
    ranges: bytes
    kinds: np.ndarray


FREE_FIELDS = Layout(
    "NAME {} FREE", "\n MARKER{} 'MARKER' '{}'", b"\n", b"\n RHS", b"\n RNG", KINDS
)
FIXED_FIELDS = Layout(
    "NAME          {}",
    "\n    MARKER{:<4}'MARKER'                 '{}'",
    b"\n  ",
    b"\n    RHS     ",
    b"\n    RNG     ",
    np.strings.add(KINDS, b"     "),
)


def fixed_tokens(row: np.ndarray, column: np.ndarray, number: np.ndarray) -> Tokens:
    """Tokens brought to the width of their fields, with the two columns before them.

    Raises E601 for names and numbers that fields cannot hold.
    """
    report = Report()
    for what, table, width in (
        ("name", column, NAME),
        ("name", row, NAME),
        ("number", number, NUMBER),
    ):
        long = np.flatnonzero(np.strings.str_len(table) > 1 + width)
        if len(long):
            shown = table[long[0]].decode().strip()
            message = f"fixed MPS has {width} characters for a {what}, and '{shown}' has more"
            report.add(Diagnostic.outside("E601", message, REMEDY))
    report.raise_errors()
    rows = _padded(row, NAME)
    # The last row and number stand for nothing.
    rows[-1] = b""
    numbers = np.append(_padded(number[:-1], NUMBER, to_right=True), b"")
    second = np.where(rows == b"", rows, np.strings.add(b" ", rows))
    return Tokens(rows, second, _padded(column, NAME), numbers)


REMEDY = "write free MPS, which every reader takes; short names are those of --names short"


def _padded(table: np.ndarray, width: int, to_right: bool = False) -> np.ndarray:
    bare = np.strings.lstrip(table)
    made = np.strings.rjust(bare, width) if to_right else np.strings.ljust(bare, width)
    return np.strings.add(b"  ", made.astype("S"))
