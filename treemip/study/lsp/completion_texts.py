"""Completion of texts in quotes: files, columns, and elements by the sort that their place asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from treemip.core.resolve.builtins import BASE_SETS, DATA, FUNCTIONS
from treemip.core.resolve.calls import NAMED
from treemip.core.resolve.sorts import CLASS, COLUMN, NUMBER, Element, Sort, named_by_text
from treemip.core.source.confined import entries
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.stop import CLOSERS, TERMINAL
from treemip.core.syntax.scan import Lexeme, lexeme_at
from treemip.study.lsp.cursor import Call, Cursor
from treemip.study.lsp.declared import declared
from treemip.study.lsp.results import Item
from treemip.study.lsp.table import DataFacts, elements_of
from treemip.study.lsp.view import View

TABLES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".gz")

MOST_FILES = 200


def text_items(view: View, cursor: Cursor, facts: DataFacts) -> list[Item]:
    """What a text that is being typed may be; a closing quote is added where there is none."""
    end = "" if _closed(view.text, cursor) else '"'
    return [
        Item(name, kind, _escaped(name) + end, cursor.start, detail)
        for name, kind, detail in _texts(view, cursor, facts)
    ]


def _closed(text: str, cursor: Cursor) -> bool:
    """Whether the text goes on behind the cursor, up to a quote on its line."""
    string = lexeme_at(text, cursor.start - 1)
    return string is not None and string.kind == "string"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _texts(view: View, cursor: Cursor, facts: DataFacts) -> Iterator[tuple[str, str, str]]:
    if cursor.first == "data" and len(cursor.unit) == 1:
        yield from _files(view.path.parent, cursor.prefix, TABLES)
    elif cursor.before in ("by", "use") and cursor.first in ("split", "use"):
        yield from _files(view.path.parent, cursor.prefix, (".tree",))
    elif cursor.block == "data":
        if cursor.before == "positive":
            label = view.data.label.text if view.data is not None else ""
            column = facts.columns.get(label)
            classes = elements_of(facts, CLASS) or (column.levels if column else ())
            yield from ((name, "value", "class") for name in classes)
        else:
            yield from ((k, "property", c.about) for k, c in facts.columns.items())
    else:
        sort = wanted_sort(view, cursor)
        yield from ((name, "value", _of(sort)) for name in _elements(facts, sort))


def _of(sort: Sort | None) -> str:
    return str(sort).removeprefix("a ").removeprefix("an ") if sort is not None else ""


def element_items(view: View, cursor: Cursor, facts: DataFacts) -> Iterator[Item]:
    """Elements in quotes where one may stand without a quote being typed yet."""
    sort = wanted_sort(view, cursor)
    for name in _elements(facts, sort):
        text = f'"{_escaped(name)}"'
        yield Item(text, "value", text, cursor.start, _of(sort))


def _elements(facts: DataFacts, sort: Sort | None) -> Sequence[str]:
    if sort == COLUMN:
        return tuple(facts.columns)
    return elements_of(facts, sort) if named_by_text(sort) else ()


def _files(base: Path, prefix: str, endings: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Files and folders that a path may go on with."""
    typed = prefix.rpartition("/")[0]
    folder = base / typed if typed or not prefix.startswith("/") else Path("/")
    try:
        found = entries(folder)[:MOST_FILES]
    except (OSError, ValueError):
        return
    for entry in found:
        path = f"{typed}/{entry.name}" if typed else entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield f"{path}/", "file", "folder"
        elif entry.name.lower().endswith(endings):
            yield path, "file", ""


# ------------------------------------------------------------------------------------- sorts


def wanted_sort(view: View, cursor: Cursor) -> Sort | None:
    """The sort of the element that the cursor's place takes; None where it is not known."""
    call, before = cursor.call, cursor.before
    if before in ("=", "!=") and cursor.unit:
        return _left_sort(view, list(cursor.unit)[:-1], call)
    if call is None:
        return None
    if call.opener == "{" and len(cursor.unit) > 2:
        outer = [x for x in cursor.unit if x not in call.inside]
        if len(outer) > 2 and outer[-2].text == "in":
            return _name_sort(view, cursor, outer[:-2])
    if call.name is None:
        return None
    if call.opener == "[":
        sorts = index_sorts(view, call.name.text)
        return sorts[call.argument] if call.argument < len(sorts) else None
    if call.name.text == "table":
        return _key_sort(cursor)
    signature = FUNCTIONS.get(call.name.text)
    if signature is not None and call.argument < len(signature.arguments):
        return NAMED.get(signature.arguments[call.argument])
    return None


def index_sorts(view: View, name: str) -> tuple[Sort, ...]:
    """The sorts of a name's indices."""
    symbol = view.linker.symbols.get(name) if view.linker is not None else None
    if symbol is not None:
        return symbol.sorts
    if name in DATA:
        return DATA[name].sorts
    one = declared(view, name)
    domain = one.node.domain if one is not None else None
    sets = (b.set for b in domain.binders) if domain is not None else ()
    return tuple(
        BASE_SETS[s.name].element if isinstance(s, n.Name) and s.name in BASE_SETS else NUMBER
        for s in sets
    )


def _left_sort(view: View, lexemes: list[Lexeme], call: Call | None) -> Sort | None:
    """The sort of what stands before an `=`: a name, perhaps with indices."""
    depth, at = 0, len(lexemes) - 1
    while at >= 0:
        depth += (lexemes[at].text in TERMINAL) - (lexemes[at].text in CLOSERS)
        if depth == 0 and lexemes[at].kind == "name":
            return _value_sort(view, lexemes[at].text, lexemes)
        if depth <= 0 and lexemes[at].kind != "name" and lexemes[at].text not in CLOSERS:
            return None
        at -= 1
    return None


def _name_sort(view: View, cursor: Cursor, lexemes: list[Lexeme]) -> Sort | None:
    """`j in {"…"`: the sort of j."""
    return _left_sort(view, lexemes, None)


def _value_sort(view: View, name: str, lexemes: list[Lexeme]) -> Sort | None:
    bound = _bound_sort(name, lexemes)
    if bound is not None:
        return bound
    if name == "y":
        return CLASS
    linker = view.linker
    if linker is not None and name in linker.columns.groups:
        return Element(f"group:{name}")
    if name in DATA:
        return DATA[name].sort
    symbol = linker.symbols.get(name) if linker is not None else None
    return symbol.sort if symbol is not None and symbol.sort != NUMBER else None


def _bound_sort(name: str, lexemes: list[Lexeme]) -> Sort | None:
    """The sort of an index that the statement binds over a set of the language."""
    for one, word, members in zip(lexemes, lexemes[1:], lexemes[2:], strict=False):
        if one.text == name and word.text == "in" and members.text in BASE_SETS:
            element = BASE_SETS[members.text].element
            return element if isinstance(element, Element) else None
        if one.text == name and word.text == "in" and members.text == "values":
            at = lexemes.index(members)
            inside = [x for x in lexemes[at + 1 : at + 3] if x.kind == "name"]
            return Element(f"group:{inside[0].text}") if inside else None
    return None


def _key_sort(cursor: Cursor) -> Sort | None:
    """The sort of a table's keys: that of the parameter's first index."""
    lexemes = list(cursor.unit)
    for k, lexeme in enumerate(lexemes[:-1]):
        if lexeme.text == "in" and lexemes[k + 1].text in BASE_SETS:
            element = BASE_SETS[lexemes[k + 1].text].element
            return element if isinstance(element, Element) else None
    return None
