"""Texts that callers give for a part of a statement: comments stay, further statements do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from treemip.api.writing import refused
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source
from treemip.syntax.scan import scan

TAKES = {
    "data": "one value for each setting",
    "topology": "one topology",
    "split": "one kind of splits",
    "param": "one parameter",
    "set": "one set",
    "let": "one definition",
    "var": "one family of variables",
    "minimize": "one expression",
    "maximize": "one expression",
    "subject": "constraints only",
    "cut": "one constraint",
    "drop": "names of rows",
    "strategy": "one value for each setting",
}
"""What is said in a statement that begins with this word."""
NAMES = {"subject": "subject to"}


def part(text: str) -> str:
    """A text that something follows, which a comment at its end must not swallow."""
    lexemes = list(scan(text))
    return text + "\n" if lexemes and lexemes[-1].kind == "comment" else text


def ended(text: str, more: str = "") -> str:
    """The text with `more` and the semicolon behind it, before the comments at its end.

    Whether the text has its semicolon or leaves it out. Raises E902 where it ends with a comma.
    """
    lexemes, notes, open_ = list(scan(text)), [], True
    while lexemes and (lexemes[-1].kind == "comment" or (open_ and lexemes[-1].text == ";")):
        last = lexemes.pop()
        if last.kind == "comment":
            notes.append(last.text)
        else:
            open_ = False
    body = text[: lexemes[-1].end] if lexemes else ""
    if lexemes and lexemes[-1].text == ",":
        message = f"the text '{' '.join(body.split())}' ends with a comma"
        raise refused(message, "leave it out: each row and each name is an argument of its own")
    return f"{body}{more};" + "".join(f"  {note}\n" for note in reversed(notes)).rstrip("\n")


def demand_one(text: str, keys: Sequence[str] = ()) -> None:
    """E902 where a text is more than the statement it begins, or its block has other settings.

    keys: those of the block, in order. A text that cannot be parsed is left to the parser of the
    whole, which tells the place.
    """
    from treemip.syntax.parse import parse

    try:
        first, *others = parse(Source("<text>", text)).statements
    except TreemipError:
        return
    said = getattr(first, "settings", ())
    strange = [s for s, key in zip_longest(said, keys) if s is not None and s.key != key]
    for one in (*strange, *others):
        word = text.split(None, 1)[0]
        more = " ".join(one.span.text.split())
        raise refused(
            f"'{NAMES.get(word, word)}' takes {TAKES[word]}, and the text goes on with '{more}'",
            "give each statement and each setting a call or an argument of its own",
        )
