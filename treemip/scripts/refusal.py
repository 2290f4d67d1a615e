"""Diagnostics for what a script cannot say."""

from __future__ import annotations

from treemip.resolve import typed as t
from treemip.source.diagnostic import Diagnostic, TreemipError


def refused(e: t.Typed, what: str, remedy: str = "") -> TreemipError:
    """E601 at an expression: `what` cannot be exported."""
    remedy = remedy or "write the model itself instead: treemip compile -o model.mps"
    return TreemipError(Diagnostic("E601", f"{what} cannot be exported", e.span, remedy))
