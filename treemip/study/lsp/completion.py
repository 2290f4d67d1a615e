"""What may be typed at the cursor: statements, names, words of the grammar, and texts."""

from __future__ import annotations

from collections.abc import Iterator

from treemip.core.resolve.builtins import (
    BASE_SETS,
    CALLS,
    CONSTANTS,
    DATA,
    NUMBERS,
    ONLY_ON_A_TREE,
)
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.machine import grammar_words, statement_words, terminals_of
from treemip.core.syntax.scan import scan
from treemip.study.lsp.asked_modules import argument_items, asked_at, module_items
from treemip.study.lsp.completion_fit import fitted
from treemip.study.lsp.completion_settings import setting_items
from treemip.study.lsp.completion_statements import statement_items
from treemip.study.lsp.completion_texts import element_items, text_items
from treemip.study.lsp.cursor import Cursor, cursor_at
from treemip.study.lsp.declared import Declared, all_declared, markdown
from treemip.study.lsp.language_docs import REDUCTIONS, STATEMENTS, WORDS, about
from treemip.study.lsp.results import Item
from treemip.study.lsp.table import NOTHING, DataFacts
from treemip.study.lsp.view import View

MOST = 400
"""Completions that are offered at once."""


def completion(view: View, offset: int, facts: DataFacts = NOTHING) -> list[Item]:
    """Those that begin with the word before the cursor come first; editors filter further."""
    cursor = cursor_at(view.text, offset)
    if cursor.in_comment:
        return []
    found = _items(view, cursor, facts)
    wanted = cursor.prefix.casefold()
    begins = [x for x in found if x.label.casefold().startswith(wanted)]
    inside = [x for x in found if wanted and x not in begins and wanted in x.label.casefold()]
    unique: dict[str, Item] = {}
    for item in (*begins, *inside):
        unique.setdefault(item.label, item)
    fitting = (fitted(item, cursor) for item in unique.values())
    return [item for item in fitting if item is not None][:MOST]


def _items(view: View, cursor: Cursor, facts: DataFacts) -> list[Item]:
    if cursor.in_string:
        return text_items(view, cursor, facts)
    if cursor.block:
        return setting_items(view, cursor, facts)
    if not cursor.unit:
        return list(_statements(cursor))
    special = statement_items(view, cursor)
    if special is not None:
        return special
    module = asked_at(cursor)
    arguments = argument_items(view, cursor, module, facts) if module is not None else None
    if arguments is not None:
        return arguments
    return [*module_items(cursor), *_expression(view, cursor, facts), *_words(cursor)]


def _statements(cursor: Cursor) -> Iterator[Item]:
    """Statements; under `subject to` also the snippet of another row."""
    expected = cursor.expected
    for word, (snippet, what) in STATEMENTS.items():
        terminal = statement_words()[word.split()[0]]
        if terminal in expected:
            yield Item(word, "keyword", snippet, cursor.start, what, snippet=True)
    if "NAME" in expected:
        yield Item(
            "constraint", "snippet", "${1:name}: ${2:splits <= 3};", cursor.start, "a row",
            snippet=True,
        )  # fmt: skip


# -------------------------------------------------------------------------------- expressions


def _expression(view: View, cursor: Cursor, facts: DataFacts) -> Iterator[Item]:
    if "NAME" not in cursor.expected:
        return
    if cursor.before == "in":
        yield from _sets(view, cursor)
        return
    if _binds(cursor):
        yield from _binders(cursor)
        return
    if not {"NUMBER", "LPAR"} <= cursor.expected and cursor.before != ":":
        return  # a name to be declared
    yield from element_items(view, cursor, facts)
    for name in cursor.bound:
        yield Item(name, "variable", name, cursor.start, "index")
    for one in all_declared(view):
        yield _of_declared(one, cursor.start)
    yield from _of_language(view, cursor.start)


def _binds(cursor: Cursor) -> bool:
    """Whether the name of an index is expected: after `{`, or a comma in it before the ':'."""
    call = cursor.call
    if call is None or call.opener != "{" or cursor.before not in ("{", ","):
        return False
    return not any(lexeme.text == ":" for lexeme in call.inside)


INDICES = {
    "points": "i", "features": "j", "classes": "k", "branches": "t", "leaves": "l", "nodes": "t",
    "categorical_features": "c",
}  # fmt: skip


def _binders(cursor: Cursor) -> Iterator[Item]:
    for name, index in INDICES.items():
        if index not in cursor.bound:
            text = f"{index} in {name}"
            yield Item(text, "snippet", text, cursor.start, about(name).replace("**", ""))


def _sets(view: View, cursor: Cursor) -> Iterator[Item]:
    for name in BASE_SETS:
        yield Item(name, "class", name, cursor.start, "set", about(name))
    for one in all_declared(view):
        if isinstance(one.node, n.SetDeclaration):
            yield _of_declared(one, cursor.start)
    for name, (form, what) in CALLS.items():
        if what.startswith(("nodes", "leaves", "last", "branches", "points", "features",
                            "categories", "values of a", "midpoints")):  # fmt: skip
            yield Item(name, "function", f"{name}($1)", cursor.start, form, what, snippet=True)


def _of_declared(one: Declared, start: int) -> Item:
    kinds = {n.Param: "parameter", n.Term: "function", n.SetDeclaration: "class"}
    kind = kinds.get(type(one.node), "variable")
    detail = f"{one.kind}{' — ' + one.doc if one.doc else ''}"
    insert, snippet = one.node.name, False
    if one.indices:
        places = ",".join(f"${{{k}:{name}}}" for k, name in enumerate(one.indices, start=1))
        insert, snippet = f"{one.node.name}[{places}]", True
    elif isinstance(one.node, n.Term) and one.node.parameters:
        insert, snippet = f"{one.node.name}($1)", True
    return Item(one.node.name, kind, insert, start, detail, markdown(one), snippet)


def _of_language(view: View, start: int) -> Iterator[Item]:
    columns = view.linker.columns if view.linker is not None else None
    for name in (*columns.groups, *columns.numbers) if columns is not None else ():
        yield Item(name, "property", f"{name}[${{1:i}}]", start, "column of the data", snippet=True)
    for name, table in DATA.items():
        if name not in ONLY_ON_A_TREE:
            places = ",".join(f"${{{k}:{i}}}" for k, i in enumerate("ijkl"[: len(table.sorts)], 1))
            yield Item(name, "property", f"{name}[{places}]", start, table.doc, snippet=True)
    for name in (*CONSTANTS, *NUMBERS, *BASE_SETS):
        yield Item(name, "class", name, start, about(name).replace("**", ""))
    for name, what in REDUCTIONS.items():
        insert = f"{name} {{${{1:i in points}}}} $0"
        yield Item(name, "keyword", insert, start, what, snippet=True)
    for name, (form, what) in CALLS.items():
        if name not in REDUCTIONS:
            yield Item(name, "function", f"{name}($1)", start, form, what, snippet=True)


# -------------------------------------------------------------------------------------- words


def _words(cursor: Cursor) -> Iterator[Item]:
    """Words of the grammar that may come here."""
    expected = cursor.expected
    for word in grammar_words():
        lexeme = next(scan(word))
        # `max` and `sum` are offered with their braces.
        terminals = [t for t in terminals_of(lexeme, False) if t not in ("NAME", "REDUCE")]
        if any(t in expected for t in terminals) and not _only_a_statement(word, cursor):
            yield Item(word, "keyword", word, cursor.start, WORDS.get(word, ""))


def _only_a_statement(word: str, cursor: Cursor) -> bool:
    return word in statement_words() and bool(cursor.unit)
