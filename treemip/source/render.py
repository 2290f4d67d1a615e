"""Diagnostics as text: code, place, excerpt with a caret, chain, remedy.

    error[E201]: unknown name 'branchs'
      --> specs/iris.tree:7:18
       |
     7 |   few {t in branchs}: sum {j in features} uses[t,j] <= 2;
       |             ^^^^^^^ did you mean 'branches'?
       = help: ...
"""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic
from treemip.source.span import Span


def render(diagnostic: Diagnostic) -> str:
    """The whole message, without colour and without a final line end."""
    lines = [f"{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"]
    width = max(
        (len(str(s.line)) for s in (diagnostic.span, *(r.span for r in diagnostic.related)) if s),
        default=1,
    )
    if diagnostic.span is not None:
        lines += excerpt(diagnostic.span, diagnostic.caret, width)
    for related in diagnostic.related:
        lines += excerpt(related.span, related.text, width)
    if diagnostic.remedy:
        lines.append(f"{' ' * width} = help: {diagnostic.remedy}")
    return "\n".join(lines)


def excerpt(span: Span, text: str, width: int) -> list[str]:
    """The place and its first line with the spanned part underlined; tabs are kept as tabs."""
    line = span.source.line(span.line)
    before = line[: span.column - 1]
    stop = min(len(line), span.column - 1 + max(1, span.end - span.start))
    carets = "^" * max(1, stop - (span.column - 1))
    pad = "".join("\t" if ch == "\t" else " " for ch in before)
    margin = " " * width
    return [
        f"{margin}--> {span}",
        f"{margin} |",
        f"{span.line:>{width}} | {line}",
        f"{margin} | {pad}{carets}{' ' + text if text else ''}",
    ]
