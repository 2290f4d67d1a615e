"""A text laid out by treemip's formatter, as few changes of lines as that takes."""

from __future__ import annotations

from treemip.core.source.span import Source
from treemip.core.syntax.format import format_text
from treemip.study.lsp.results import Change

LONGEST = 500_000
"""Characters of a text that is laid out, which takes seconds."""


def formatting(path: str, text: str) -> list[Change]:
    """The changes that lay a text out; none of a very long one. Raises TreemipError where it does
    not parse."""
    if len(text) > LONGEST:
        return []
    laid_out = format_text(Source(path, text))
    if laid_out == text:
        return []
    old, new = text.splitlines(keepends=True), laid_out.splitlines(keepends=True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    start = sum(map(len, old[:first]))
    end = len(text) - sum(map(len, old[len(old) - last :]))
    return [Change(path, start, end, "".join(new[first : len(new) - last]))]
