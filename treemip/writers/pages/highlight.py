"""A spec as HTML, each kind of its parts in a colour of its own."""

from __future__ import annotations

from html import escape

from treemip.core.syntax.colours import parts

_WORD, _DECLARED, _GIVEN = "color:#0050a0;font-weight:600", "color:#6a1b7a", "color:#00626e"
COLOURS = {
    "head": _WORD,
    "word": _WORD,
    "kind": _WORD,
    "reduction": _WORD,
    "declared": _DECLARED,
    "module": _DECLARED,
    "setting": _GIVEN,
    "function": _GIVEN,
    "set": _GIVEN,
    "table": _GIVEN,
    "constant": _GIVEN,
    "concept": _GIVEN,
    "term": _GIVEN,
    "number": "color:#8a3200",
    "string": "color:#1b6b3a",
    "comment": "color:#5f5f5f;font-style:italic",
}
"""On white; keywords, strings and comments are told apart by weight, quotes or slant in greyscale
as well."""


def highlighted(text: str) -> str:
    """A text of the language in a `pre`, styled in place, since notebooks drop style sheets."""
    pieces: list[str] = []
    end = 0
    for part in parts(text):
        pieces.append(escape(text[end : part.start]))
        inner = escape(text[part.start : part.end])
        style = COLOURS.get(part.kind)
        pieces.append(f'<span style="{style}">{inner}</span>' if style else inner)
        end = part.end
    pieces.append(escape(text[end:]))
    look = "line-height:1.4;overflow-x:auto;color:#1a1a1a;background:#f7f7f5;padding:.6em"
    return f'<pre style="{look}">{"".join(pieces)}</pre>'
