"""Where in a statement a word of it stands, so that a message points at the word alone."""

from __future__ import annotations

import re

from treemip.source.span import Span

TOKEN = re.compile(r'#[^\n]*|"(?:\\.|[^"\\\n])*"|(\w+)|.', re.DOTALL)


def word(span: Span, text: str, after: int = 0) -> Span:
    """The first whole word `text` behind the statement's first `after` words.

    Strings and comments hold no words. The whole span where the word is not written out.
    """
    seen = 0
    for token in TOKEN.finditer(span.text):
        if token[1] is None:
            continue
        if seen >= after and token[1] == text:
            return Span(span.source, span.start + token.start(), span.start + token.end())
        seen += 1
    return span


def mark(span: Span, between: tuple[Span, Span], texts: tuple[str, ...]) -> Span:
    """An operator, one of `texts`, between two expressions; the whole span where it is not."""
    start, end = between[0].end, between[1].start
    gap = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), span.source.text[start:end])
    for text in texts:
        at = gap.find(text)
        if at >= 0:
            return Span(span.source, start + at, start + at + len(text))
    return span
