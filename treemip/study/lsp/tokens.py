"""Semantic tokens: each word of a text by what it means, as the resolver found it."""

from __future__ import annotations

from collections.abc import Iterator

from treemip.core.resolve.builtins import BASE_SETS, CONSTANTS, DATA, FUNCTION_NAMES, NUMBERS
from treemip.core.resolve.settings.words import words_of
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.machine import STATEMENT_WORDS
from treemip.core.syntax.scan import Lexeme, comments, word_span
from treemip.study.lsp.completion_settings import COLUMNS, setting_words
from treemip.study.lsp.declared import declared, rows
from treemip.study.lsp.results import Token
from treemip.study.lsp.view import LONGEST, View

KINDS = (
    "keyword", "comment", "string", "number", "operator", "variable", "parameter", "function",
    "class", "property", "enumMember", "namespace",
)  # fmt: skip
MODIFIERS = ("declaration", "readonly", "defaultLibrary")

_ROLES = {
    "variable": "variable",
    "parameter": "variable",
    "let": "variable",
    "set": "class",
    "tree": "class",
    "term": "function",
    "data": "property",
    "index": "parameter",
    "argument": "parameter",
    "local set": "class",
}


def tokens(view: View) -> list[Token]:
    """In the order of the text, none over several lines."""
    row_names = {r.name for r, _, _ in rows(view)}
    special = dict(_special(view))
    if len(view.text) > LONGEST:
        return []
    found = [Token(c.start, c.end, "comment") for c in comments(view.text)]
    for lexeme, terminal in view.reading.taken:
        if lexeme.end <= lexeme.start or lexeme.kind == "end":
            continue
        token = _token(view, lexeme, terminal, row_names)
        if lexeme.kind == "name" and lexeme.start in special:
            token = Token(lexeme.start, lexeme.end, special[lexeme.start])
        if token is not None and "\n" not in view.text[token.start : token.end]:
            found.append(token)
    found.sort(key=lambda token: token.start)
    return _apart(found)


def _apart(found: list[Token]) -> list[Token]:
    """Without those that begin inside another one: comments hold what the lexer passed over."""
    apart: list[Token] = []
    for token in found:
        if not apart or token.start >= apart[-1].end:
            apart.append(token)
    return apart


def _special(view: View) -> Iterator[tuple[int, str]]:
    """Words that a statement gives their meaning, by their offset: settings, kinds, modules."""
    for s in view.file.statements:
        if not view.is_own(s.span):
            continue
        if isinstance(s, n.Data | n.Strategy):
            for setting in s.settings:
                yield setting.span.start, "keyword"
                yield from _words_of_setting(setting, isinstance(s, n.Data))
        elif isinstance(s, n.Split | n.Topology):
            yield word_span(s.span, s.kind, 1).start, "enumMember"
        elif isinstance(s, n.Header):
            yield word_span(s.span, s.name, 1).start, "namespace"
            yield word_span(s.span, s.kind, 2).start, "enumMember"
        reference = s.by if isinstance(s, n.Split) else s.module if isinstance(s, n.Use) else None
        if reference is not None:
            yield reference.span.start, "namespace"


def _words_of_setting(setting: n.Setting, in_data: bool) -> Iterator[tuple[int, str]]:
    """The words that a setting takes, and the columns that it names."""
    for k, word in enumerate(words_of(setting)):
        known = setting_words(setting.key, first=k == 0)
        if word.name in known:
            yield word.span.start, "enumMember"
        elif in_data and word.name is not None and setting.key in COLUMNS:
            yield word.span.start, "property"


def _token(view: View, lexeme: Lexeme, terminal: str, row_names: set[str]) -> Token | None:
    start, end = lexeme.start, lexeme.end
    if lexeme.kind == "string":
        return Token(start, end, "string")
    if lexeme.kind == "number":
        return Token(start, end, "number")
    if lexeme.kind == "mark":
        return Token(start, end, "operator") if lexeme.text not in "(){}[],;:" else None
    if terminal != "NAME" and (terminal or lexeme.text in STATEMENT_WORDS):
        return Token(start, end, "keyword")
    return _name(view, lexeme, row_names)


def _name(view: View, lexeme: Lexeme, row_names: set[str]) -> Token | None:
    start, end, text = lexeme.start, lexeme.end, lexeme.text
    mention = view.mentions.get(start)
    if mention is not None and mention.name == text:
        known = ("readonly",) if mention.what in ("parameter", "data") else ()
        place = mention.place
        own = place is not None and view.is_own(place)
        if own and place is not None and place.start == start:
            known = ("declaration", *known)
        if not own:
            known = (*known, "defaultLibrary")
        return Token(start, end, _ROLES[mention.what], known)
    if text in FUNCTION_NAMES and view.text[end : end + 20].lstrip().startswith("("):
        return Token(start, end, "function", ("defaultLibrary",))
    if text in BASE_SETS:
        return Token(start, end, "class", ("defaultLibrary",))
    if text in CONSTANTS or text in NUMBERS:
        return Token(start, end, "enumMember", ("defaultLibrary",))
    if text in DATA:
        return Token(start, end, "property", ("readonly", "defaultLibrary"))
    if text in row_names:
        return Token(start, end, "namespace")
    one = declared(view, text)
    if one is not None:
        return Token(start, end, "variable")
    return Token(start, end, "property")
