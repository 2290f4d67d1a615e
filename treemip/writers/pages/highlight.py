"""A spec as HTML, its words, numbers, strings and comments in colours of their own."""

from __future__ import annotations

from html import escape

from treemip.core.syntax.faults.machine import REDUCTIONS, STATEMENT_WORDS
from treemip.core.syntax.scan import scan

_OTHERS = (
    "to", "by", "complete", "train", "seed", "scale", "label", "encode", "missing", "if", "then",
    "else", "and", "or", "not", "in", "where", "means",
)  # fmt: skip
WORDS = frozenset((*STATEMENT_WORDS, *REDUCTIONS, *_OTHERS))
COLOURS = {
    "word": "color:#0050a0;font-weight:600",
    "number": "color:#8a3200",
    "string": "color:#1b6b3a",
    "comment": "color:#5f5f5f;font-style:italic",
}
"""On white; each is told apart by its weight, slant or place in greyscale as well."""


def highlighted(text: str) -> str:
    """A text of the language in a `pre`, styled in place, since notebooks drop style sheets."""
    parts: list[str] = []
    end = 0
    for lexeme in scan(text):
        parts.append(escape(text[end : lexeme.start]))
        kind = "word" if lexeme.kind == "name" and lexeme.text in WORDS else lexeme.kind
        inner = escape(lexeme.text)
        style = COLOURS.get(kind)
        parts.append(f'<span style="{style}">{inner}</span>' if style else inner)
        end = lexeme.end
    parts.append(escape(text[end:]))
    look = "line-height:1.4;overflow-x:auto;color:#1a1a1a;background:#f7f7f5;padding:.6em"
    return f'<pre style="{look}">{"".join(parts)}</pre>'
