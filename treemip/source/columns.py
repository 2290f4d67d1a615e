"""Text as it stands on a terminal: tabs, wide characters, characters that cannot be seen."""

from __future__ import annotations

import unicodedata

TAB = "    "
ELLIPSIS = "..."


def visible(text: str) -> str:
    """Tabs as four spaces; characters that cannot be seen or that move the cursor replaced."""
    return text if text.isprintable() else "".join(_shown(ch) for ch in text)


def visible_lines(text: str) -> str:
    """The same of a text of several lines."""
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


def shortened(text: str, most: int) -> str:
    """A text of at most about `most` characters: of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    return f"{text[: 2 * most // 3]}{ELLIPSIS}{text[-most // 3 :]}"


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    unseen = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "\ufffd" if unseen else character


def width(text: str) -> int:
    """Display columns: 2 for wide and fullwidth characters, 0 for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_cell(ch) for ch in text)


def _cell(ch: str) -> int:
    if unicodedata.category(ch) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in ("W", "F") else 1


def head(text: str, columns: int) -> str:
    """The beginning of a text in at most so many columns, with `...` where it was cut."""
    if width(text) <= columns:
        return text
    kept = text[: max(0, columns - len(ELLIPSIS))]
    while width(kept) > columns - len(ELLIPSIS):
        kept = kept[:-1]
    return kept + ELLIPSIS


def tail(text: str, columns: int) -> str:
    """The end of a text in at most so many columns, with `...` where it was cut."""
    if width(text) <= columns:
        return text
    kept = text[-(columns - len(ELLIPSIS)) :]
    while width(kept) > columns - len(ELLIPSIS):
        kept = kept[1:]
    return ELLIPSIS + kept
