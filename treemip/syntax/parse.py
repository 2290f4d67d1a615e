"""Text to nodes."""

from __future__ import annotations

from functools import lru_cache

from lark import Lark
from lark.exceptions import UnexpectedInput, VisitError

from treemip.resources import grammar_path
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Source
from treemip.syntax.build import Builder
from treemip.syntax.nodes import File


@lru_cache(maxsize=1)
def parser() -> Lark:
    text = grammar_path().read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def parse(source: Source) -> File:
    """Parse a whole text. Raises TreemipError (E101, E102) with the place of the first fault."""
    try:
        tree = parser().parse(source.text)
    except UnexpectedInput as error:
        start = max(0, min(error.pos_in_stream or 0, len(source.text)))
        span = source.span(start, min(start + 1, len(source.text)))
        raise TreemipError(Diagnostic("E101", "unexpected text", span)) from None
    try:
        return Builder(source).transform(tree)
    except VisitError as error:
        raise error.orig_exc from None
