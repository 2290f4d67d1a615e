"""A completion beside what stands after the cursor: no bracket, mark or end of a word twice."""

from __future__ import annotations

import re
from dataclasses import replace

from treemip.core.syntax.scan import NAME
from treemip.study.lsp.cursor import Cursor
from treemip.study.lsp.results import Item

_WORD = re.compile(rf"(?:{NAME})?")


def fitted(item: Item, cursor: Cursor) -> Item | None:
    """The completion without what follows it in the text; None where it cannot stand there."""
    behind = _behind(cursor)
    if cursor.in_string:
        return _cut(item, behind.partition('"')[0] if '"' in behind else "")
    if item.insert.startswith('"') and behind.startswith('"'):
        return None
    word = _WORD.match(f"_{behind}")
    rest = word[0][1:] if word is not None else ""
    whole = item.label[: len(item.label) - len(rest)] if item.label.endswith(rest) else item.label
    follows = behind[len(rest) :].split("#")[0].strip()
    first, _, second = item.label.partition(" ")
    if second and re.match(rf"{re.escape(second.split()[0])}\b", follows):
        return replace(item, insert=first, snippet=False)
    if _has_what_follows(item, follows):
        return replace(item, insert=whole, snippet=False)
    if follows.startswith(";") and item.insert.endswith(";"):
        item = replace(item, insert=item.insert[:-1])
    return _cut(item, rest)


def _behind(cursor: Cursor) -> str:
    """The rest of the line."""
    end = cursor.text.find("\n", cursor.offset)
    return cursor.text[cursor.offset : len(cursor.text) if end < 0 else end]


def _has_what_follows(item: Item, follows: str) -> bool:
    """Whether only the word of a completion is missing, as `sum` is in `su {i in points} 1`."""
    insert = item.insert
    if insert.endswith(" = "):
        return follows.startswith("=") and not follows.startswith("==>")
    if item.snippet and ";" in insert:
        return follows[:1] not in ("", ";", "}")
    opener = re.search(r"[(\[{]", insert.replace("${", "$"))
    return opener is not None and follows[:1] == opener[0]


def _cut(item: Item, rest: str) -> Item:
    """Without the end of the word, which is there already."""
    if rest and not item.snippet and item.insert.endswith(rest):
        return replace(item, insert=item.insert[: len(item.insert) - len(rest)])
    return item
