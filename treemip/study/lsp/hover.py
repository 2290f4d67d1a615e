"""Hover texts: what is known of the name under the cursor."""

from __future__ import annotations

import re

from treemip.core.resolve.asked import asked_rows
from treemip.core.resolve.formulations import formulation_named
from treemip.core.resolve.modules import library_module
from treemip.core.source.codes import STAGES, TITLES
from treemip.core.source.diagnostic import TreemipError
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import Lexeme
from treemip.study.lsp.asked_modules import asked_module, page
from treemip.study.lsp.completion_settings import setting_words
from treemip.study.lsp.cursor import word_at
from treemip.study.lsp.declared import declared, markdown, rows, text_of
from treemip.study.lsp.language_docs import about, about_kind, about_setting, about_statement
from treemip.study.lsp.problems import problems
from treemip.study.lsp.results import Hover
from treemip.study.lsp.table import NOTHING, DataFacts
from treemip.study.lsp.view import View

_CODE = re.compile(r"\b[EW][0-9]{3}\b")


def hover(view: View, offset: int, facts: DataFacts = NOTHING) -> Hover | None:
    """On a name: what it is, with its paper, equation and value. On a problem: its code's title."""
    word = word_at(view.text, offset)
    found = _of_code(view, offset) or (_of_word(view, word, facts) if word is not None else "")
    here = [p for p in problems(view, facts.problems) if p.start <= offset <= p.end]
    codes = [code_page(p.code) for p in here]
    parts = list(dict.fromkeys(filter(None, [found, *codes])))
    if not parts:
        return None
    start, end = (word.start, word.end) if word is not None else (offset, offset)
    return Hover("\n\n---\n\n".join(parts), start, end)


def code_page(code: str) -> str:
    """What a code of a message stands for."""
    stage = next((name for prefix, name in STAGES.items() if code.startswith(prefix)), "")
    return f"**{code}** {TITLES[code]} *({stage})*" if code in TITLES else ""


def _of_code(view: View, offset: int) -> str:
    """A code in a comment, such as `# see E205`."""
    line = view.text.rfind("\n", 0, offset) + 1
    end = view.text.find("\n", offset)
    text = view.text[line : len(view.text) if end < 0 else end]
    found = (m for m in _CODE.finditer(text) if m.start() <= offset - line <= m.end())
    return next((code_page(m[0]) for m in found), "")


def _of_word(view: View, word: Lexeme, facts: DataFacts) -> str:
    if word.kind == "string":
        return _of_text(view, word, facts)
    if word.kind != "name":
        return ""
    return (
        _of_requirement(view, word)
        or _of_mention(view, word, facts)
        or _of_statement(view, word, facts)
        or _of_row(view, word)
        or about(word.text)
        or about_statement(word.text)
    )


def _of_requirement(view: View, word: Lexeme) -> str:
    """The module that a row asks for."""
    bodies = (row.body for row in asked_rows(view.file))
    if not any(isinstance(b, n.Asked) and b.module.span.start == word.start for b in bodies):
        return ""
    module = asked_module(word.text)
    return "" if module is None else page(word.text, module)


def _of_mention(view: View, word: Lexeme, facts: DataFacts) -> str:
    mention = view.mentions.get(word.start)
    one = declared(view, word.text)
    if mention is None:
        known = one is not None and not _in_settings(view, word)
        return markdown(one, facts.parameters.get(word.text, "")) if one and known else ""
    if mention.what in ("index", "argument", "local set"):
        of = f", {mention.sort}" if mention.sort is not None else ""
        return f"**{mention.what}** `{word.text}`{of}"
    if mention.what == "data":
        symbol, column = mention.symbol, facts.columns.get(word.text)
        doc = f" — {symbol.doc}" if symbol is not None and symbol.doc else ""
        cells = f"\n\ncolumn: {column.about}" if column is not None else ""
        return f"**data** `{word.text}`{doc}{cells}"
    return markdown(one, facts.parameters.get(word.text, "")) if one is not None else ""


def _in_settings(view: View, word: Lexeme) -> bool:
    return isinstance(view.statement_at(word.start), n.Data | n.Strategy)


def _of_statement(view: View, word: Lexeme, facts: DataFacts) -> str:
    """Words that a statement gives their meaning: settings, columns, formulations, modules."""
    statement = view.statement_at(word.start)
    if isinstance(statement, n.Data | n.Strategy):
        setting = next(
            (s for s in statement.settings if s.span.start <= word.start < s.span.end), None
        )
        if setting is not None and setting.span.start == word.start:
            return about_setting(word.text, isinstance(statement, n.Strategy))
        if setting is not None and isinstance(statement, n.Data) and word.text in facts.columns:
            return _column(word.text, facts)
        if setting is not None:
            return (
                _of_strategy(view, word, setting)
                if isinstance(statement, n.Strategy)
                else about_setting(setting.key, False)
            )
    if isinstance(statement, n.Topology | n.Split):
        kind = "topology" if isinstance(statement, n.Topology) else "split"
        if found := about_kind(word.text, kind):
            return found
    reference = statement.by if isinstance(statement, n.Split) else None
    if isinstance(statement, n.Use):
        reference = statement.module
    if reference is not None and reference.span.start <= word.start < reference.span.end:
        return module_page(view, reference.text)
    return ""


def _of_strategy(view: View, word: Lexeme, setting: n.Setting) -> str:
    """A row or variable that a strategy names, else the setting."""
    own = ""
    if word.text not in setting_words(setting.key, first=False):
        one = declared(view, word.text)
        own = _of_row(view, word) or (markdown(one) if one is not None else "")
    return own or about_setting(setting.key, True)


def module_page(view: View, name: str) -> str:
    """What a formulation or module says of itself: its paper and its parameters."""
    file = next((m.file for m in view.modules[1:] if m.name == name), None) or library_module(name)
    if file is None:
        return ""
    header = file.header
    if header is None:
        names = ", ".join(f"`{s.name}`" for s in file.statements if isinstance(s, n.Declaration))
        return f"**module** `{name}`\n\ndeclares {names}"
    params = [s for s in file.statements if isinstance(s, n.Param)]
    try:
        statements = formulation_named(name, view.path.parent).statements
        params = [s for s in statements if isinstance(s, n.Param)]
    except TreemipError:
        pass
    listed = "\n".join(f"* {_parameter(p)}" for p in params)
    texts = "".join(f"\n\n{text}" for text in (header.purpose, header.paper) if text)
    return f"**formulation** `{name}`, {header.kind} splits{texts}" + (
        f"\n\nparameters:\n{listed}" if listed else ""
    )


def _parameter(node: n.Param) -> str:
    doc = f" — {node.doc}" if node.doc else ""
    return f"`{node.name} = {' '.join(node.value.span.text.split())}`{doc}"


def _of_row(view: View, word: Lexeme) -> str:
    """The name of a family of rows."""
    for row, module, is_cut in rows(view):
        if row.name == word.text:
            what = "cut" if is_cut else "constraint"
            tag = f", equation {row.tag}" if row.tag else ""
            return f"**{what}** of {module.name}{tag}\n\n```tree\n{text_of(row.span)}\n```"
    return ""


def _of_text(view: View, word: Lexeme, facts: DataFacts) -> str:
    """A string: the data file, or an element it names."""
    statement, text = view.statement_at(word.start), word.text[1:-1]
    if isinstance(statement, n.Data) and statement.path == text and facts.about:
        return f"**data** `{text}`: {facts.about}"
    if text in facts.columns:
        return _column(text, facts)
    for sort, names in facts.names.items():
        if text in names:
            kind, _, name = sort.partition(":")
            return f"a value of `{name}`" if kind == "group" else f"a {kind}"
    return ""


def _column(name: str, facts: DataFacts) -> str:
    column = facts.columns[name]
    levels = ", ".join(f"`{level}`" for level in column.levels[:12])
    more = f" and {len(column.levels) - 12} more" if len(column.levels) > 12 else ""
    return f"**column** `{name}`: {column.about}" + (f"\n\n{levels}{more}" if levels else "")
