"""Reductions that are empty wherever they are evaluated: usually a mistake in a condition."""

from __future__ import annotations

from treemip.core.lower.frame import Frame
from treemip.core.resolve import typed as t
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.source.span import Source, Span

WORTH = {"sum": "0", "prod": "1", "max": "-infinity", "min": "infinity"}


class EmptyReductions:
    """Which reductions had elements for some index, and which had none for any so far."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Span], tuple[t.Reduction, bool]] = {}

    def note(self, e: t.Reduction, frame: Frame, child: Frame) -> None:
        """An evaluation over `frame`, which its binders grow to `child`. Families come in slices,
        so what one slice leaves empty another one may fill."""
        if frame.size:
            filled = self._seen.get((e.op, e.span), (e, False))[1]
            self._seen[e.op, e.span] = e, filled or child.size > 0

    def warnings(self, source: Source) -> list[Diagnostic]:
        """W401 for each one in this text that was always empty."""
        empty = [e for e, filled in self._seen.values() if not filled and e.op in WORTH]
        return [_warning(e) for e in empty if e.span.source == source]


def _warning(e: t.Reduction) -> Diagnostic:
    each = " for every index" if e.free else ""
    message = f"this '{e.op}' is over an empty set{each}, so it is {WORTH[e.op]}"
    remedy = (
        "check its sets and conditions: ord(l) counts leaves among all nodes, "
        "position(l, leaves) among leaves"
        if "ord(" in e.span.text
        else "check its sets and conditions"
    )
    return Diagnostic("W401", message, e.span, remedy, severity=Severity.WARNING)
