"""`answer_of("old.json", i)`: what a saved tree answers to a point, and terms that take its file.

A term's argument that is a text, as in `changes("old.json")`, names a saved tree. What the tree
answers is known, so it becomes a number of each point: of a class its number among the label's
classes, 0 where the label has no such class.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from treemip.core.resolve import typed as t
from treemip.core.resolve.link import Linker, Scope
from treemip.core.resolve.resolver import Resolver
from treemip.core.resolve.settings.data_spec import SavedTree
from treemip.core.resolve.sorts import NUMBER, POINT
from treemip.core.resolve.typed import Symbol
from treemip.core.source.diagnostic import Fault
from treemip.core.syntax import nodes as n

FUNCTION = "answer_of"


def answer_of(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`answer_of("old.json", i)`. Raises Fault (E203, E204)."""
    if len(values) != 2:
        message = f"'{FUNCTION}' takes the file of a saved tree and a point"
        raise Fault("E203", message, node.span, f'write {FUNCTION}("old.json", i)')
    path = _file(values[0], scope)
    point = resolver.resolve(values[1], scope, POINT)
    if point.sort != POINT:
        raise Fault("E204", f"'{FUNCTION}' takes a point, but this is {point.sort}", values[1].span)
    resolver.linker.require("data", FUNCTION, node.span)
    symbol = _symbol(resolver.linker, path, node)
    return t.At(symbol=symbol, arguments=(point,), span=node.span)


def _file(node: n.Expr, scope: Scope) -> n.String:
    if isinstance(node, n.Name) and node.name in scope.texts:
        return scope.texts[node.name]
    if isinstance(node, n.String):
        return node
    message = f"'{FUNCTION}' takes the file of a saved tree in quotes"
    raise Fault("E204", message, node.span, f'write {FUNCTION}("old.json", i)')


def _symbol(linker: Linker, path: n.String, node: n.Name) -> Symbol:
    """The table of what the tree in this file answers, one for each file."""
    known = linker.saved_trees.get(path.value)
    if known is None:
        stem = re.sub(r"\W+", "_", PurePath(path.value).stem) or "tree"
        name = f"{FUNCTION}_{stem}"
        taken = {each.name for each in linker.saved_trees.values()}
        while name in taken or linker.declares(name):
            name += "_"
        known = SavedTree(name=name, path=path.value, span=path.span)
        linker.saved_trees[path.value] = known
    symbol = linker.symbols.get(known.name)
    doc = f"what the tree of {known.path} answers"
    return symbol or linker.of_data(known.name, (POINT,), NUMBER, doc)


# ------------------------------------------------------------------------ terms over a file


def takes_file(term: n.Term) -> bool:
    """Whether a term asks what a saved tree answers that its argument names."""
    return bool(term.parameters) and FUNCTION in set(n.mentioned(term.value))


def term_of_file(resolver: Resolver, term: n.Term, node: n.Name, scope: Scope) -> t.Typed:
    """`changes("old.json")`: the term's expression for this file. Raises Fault (E203)."""
    given = node.arguments or ()
    texts: dict[str, n.String] = {}
    for name, argument in zip(term.parameters, given, strict=False):
        value: n.Expr = argument.value
        if isinstance(value, n.Name) and value.name in scope.texts:
            value = scope.texts[value.name]
        if isinstance(value, n.String) and argument.name in (None, "", name):
            texts[name] = value
    if len(texts) != len(term.parameters) or len(given) != len(texts) or node.indices:
        message = f"'{term.name}' takes the file of a saved tree in quotes"
        raise Fault("E203", message, node.span, f'write {term.name}("old.json")')
    resolver.linker.note_declared(term.name, node.span)
    typed = resolver.number(term.value, Scope(texts=texts))
    return replace(typed, span=node.span)
