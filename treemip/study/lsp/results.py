"""What the functions of this room return: plain data, with offsets into a text.

They are no types of the protocol, so that a page in a browser can use the same functions without
its packages; `conversion.py` makes those of the protocol from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """Characters `start` up to `end` of the file with this path."""

    path: str
    start: int
    end: int


@dataclass(frozen=True)
class Change:
    """`text` in place of what stands there."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Problem:
    """severity: "error", "warning" or "note". related: other places, with what they are."""

    code: str
    severity: str
    message: str
    start: int
    end: int
    related: tuple[tuple[Place, str], ...] = ()
    fix: QuickFix | None = None


@dataclass(frozen=True)
class QuickFix:
    title: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Hover:
    """text: Markdown."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Item:
    """A completion: `insert` in place of the characters from `start` up to the cursor.

    kind: "keyword", "variable", "function", "parameter", "class", "module", "value", "property",
    "file", "snippet". With `snippet` the text has places to fill in, `$1` or `${1:name}`.
    """

    label: str
    kind: str
    insert: str
    start: int
    detail: str = ""
    documentation: str = ""
    snippet: bool = False


@dataclass(frozen=True)
class Signature:
    """active: the argument at the cursor. parameters: each with what is said of it."""

    label: str
    parameters: tuple[tuple[str, str], ...]
    active: int
    documentation: str = ""


@dataclass(frozen=True)
class Outline:
    """A statement of a text. name_start, name_end: of its name."""

    name: str
    kind: str
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    children: tuple[Outline, ...] = ()


@dataclass(frozen=True)
class Fold:
    """Lines from 0, both included. kind: "region" or "comment"."""

    first: int
    last: int
    kind: str = "region"


@dataclass(frozen=True)
class Token:
    """kind: one of `tokens.KINDS`; modifiers of `tokens.MODIFIERS`."""

    start: int
    end: int
    kind: str
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lens:
    title: str
    command: str
    start: int
    arguments: tuple[str, ...] = field(default=())


class Refused(Exception):
    """What was asked for cannot be done, and why: shown to the user as it is."""
