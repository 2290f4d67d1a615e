"""What every refusal promises: places inside the text, and a message that can be shown."""

from __future__ import annotations

import unicodedata

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.render import render_all
from treemip.core.source.span import Span

from .cases import OTHER, Fault

LONGEST = 200_000  # characters of all messages about one text


def require_sound(error: TreemipError) -> None:
    """Raise `Fault` unless each place is inside its text and the messages can be printed."""
    require_shown(error.diagnostics)


def require_shown(diagnostics: tuple[Diagnostic, ...]) -> None:
    if not diagnostics:
        raise Fault(OTHER, "a refusal without a message")
    for one in diagnostics:
        for span in (one.span, *(r.span for r in one.related)):
            if span is not None and not _inside(span):
                place = f"{span.start}..{span.end} of {len(span.source.text)} characters"
                raise Fault(OTHER, f"{one.code} is about {place}: {one.message}", "a place outside")
        if not one.message.strip():
            raise Fault(OTHER, f"{one.code} has no message")
    for colour in (False, True):
        text = render_all(diagnostics, colour)
        if len(text) > LONGEST:
            raise Fault(OTHER, f"messages of {len(text)} characters", "messages too long")
    controls = {c for c in render_all(diagnostics) if unicodedata.category(c) == "Cc"} - {
        "\n",
        "\t",
    }
    if controls:
        codes = ", ".join(d.code for d in diagnostics)
        raise Fault(OTHER, f"control characters {controls} in {codes}", "control characters")


def _inside(span: Span) -> bool:
    return 0 <= span.start <= span.end <= len(span.source.text)
