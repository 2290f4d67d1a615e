"""Where rows of data stand, so that messages can name file, row, column and setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Span


@dataclass(frozen=True)
class RowLocation:
    """The rows at hand: the file's name, each row's number in it, and the places in the spec.

    `rows` int64 (N,) are 1-based and do not count the header; None means 1 … N. `spans` has the
    settings that speak for single columns.
    """

    file: str = "the data"
    rows: np.ndarray | None = None
    span: Span | None = None
    spans: Mapping[str, Span] = field(default_factory=dict)

    def row(self, k: int) -> str:
        """Row k of the arrays at hand, as the user counts it."""
        return f"row {int(self.row_at(np.array([k]))[0])} of {self.file}"

    def row_at(self, rows: np.ndarray) -> np.ndarray:
        """Row numbers int64 (M,) of rows (M,) of the arrays at hand."""
        return rows + 1 if self.rows is None else self.rows[rows]

    def fail(
        self, code: str, message: str, remedy: str = "", caret: str = "", column: str = ""
    ) -> NoReturn:
        """Raise TreemipError at the column's setting, or at the data block as a whole."""
        span = self.spans.get(column, self.span)
        raise TreemipError(Diagnostic(code, message, span, remedy, caret))
