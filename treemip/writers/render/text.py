"""Pieces of text that formulas and programs share: headings, comments, where to break a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Symbol
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.render import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def templates(folder: Path, **syntax: Any) -> Environment:
    """The templates of a folder, in which a name that is not given is an error."""
    # Imported here: most commands need no template, and loading jinja2 would slow their start.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(folder)
    return Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, **syntax
    )


def heading(spec: Spec) -> tuple[str, str]:
    """The name of the formulation, or of the spec itself, and its paper; '' where it has none."""
    return spec.formulation or spec.name, spec.paper


def about(s: Symbol, *more: str) -> str:
    """What the paper calls a symbol, and what it is."""
    symbol = f"{s.paper_symbol} in the paper" if s.paper_symbol else ""
    return "; ".join(w for w in (symbol, s.doc, *more) if w)


def one_line(text: str) -> str:
    """A text that cannot end a comment: white space as blanks, invisible characters replaced."""
    return visible(" ".join(text.split()))


def in_docstring(text: str) -> str:
    r"""A text that cannot end a docstring between three quotes, and holds no escapes."""
    return one_line(text).replace("\\", "\\\\").replace('"', "'")


def comment(text: str, width: int = 100) -> str:
    """The text as comment lines."""
    return fill(
        one_line(text), width, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )


def split_outside(text: str, at: str) -> list[str]:
    """The text cut at each match of the pattern that is outside of brackets and quotes."""
    free = set(outside(text))
    cuts = [m for m in re.finditer(at, text) if m.start() in free]
    places = [(0, 0), *((m.start(), m.end()) for m in cuts), (len(text), len(text))]
    return [text[a[1] : b[0]] for a, b in pairwise(places)]


def outside(text: str) -> Iterator[int]:
    """Places of the text that are outside of brackets and quotes."""
    depth, quote = 0, ""
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[k - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c in "([{") - (c in ")]}")
            if not depth:
                yield k


def refused(e: t.Typed, what: str, remedy: str = "") -> TreemipError:
    """E601 at an expression that no script can state: `what` cannot be exported."""
    remedy = remedy or "write the model itself instead: treemip compile -o model.mps"
    return TreemipError(Diagnostic("E601", f"{what} cannot be exported", e.span, remedy))
