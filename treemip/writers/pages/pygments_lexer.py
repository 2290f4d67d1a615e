"""A lexer for Pygments, which finds it by its entry point: for Sphinx, MkDocs, LaTeX, consoles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from treemip.core.syntax.colours import parts

TOKENS: dict[str, Any] = {
    "comment": Comment.Single,
    "string": String.Double,
    "number": Number,
    "head": Keyword.Declaration,
    "word": Keyword,
    "kind": Keyword.Type,
    "reduction": Keyword.Reserved,
    "declared": Name.Function,
    "module": Name.Namespace,
    "setting": Name.Attribute,
    "choice": Name.Constant,
    "function": Name.Builtin,
    "set": Name.Builtin.Pseudo,
    "table": Name.Variable.Magic,
    "constant": Name.Constant,
    "concept": Name.Variable.Global,
    "term": Name.Variable.Global,
    "name": Name,
    "operator": Operator,
    "punctuation": Punctuation,
    "unknown": Error,
}


class TreemipLexer(Lexer):
    """Texts of treemip. Options are those of every lexer."""

    name = "treemip"
    aliases: ClassVar[list[str]] = ["treemip", "tree"]
    filenames: ClassVar[list[str]] = ["*.tree"]
    mimetypes: ClassVar[list[str]] = ["text/x-treemip"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Offset, type and text of every token; together they are the whole text."""
        end = 0
        for part in parts(text):
            if part.start > end:
                yield end, Whitespace, text[end : part.start]
            yield part.start, TOKENS[part.kind], text[part.start : part.end]
            end = part.end
        if end < len(text):
            yield end, Whitespace, text[end:]
