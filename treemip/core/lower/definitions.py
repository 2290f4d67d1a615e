"""All that expressions are made of, with what defines the symbols in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from treemip.core.resolve import typed as t
from treemip.core.resolve.typed import Role, Symbol


def all_parts(
    expressions: Iterable[t.Typed], definitions: Callable[[Symbol], Iterable[t.Typed]]
) -> Iterator[t.Typed]:
    """Expressions, what is inside them, and the same of what `definitions` gives for each symbol
    that they mention, once."""
    waiting, seen = list(expressions), set[Symbol]()
    while waiting:
        e = waiting.pop()
        yield e
        waiting += e.inside
        if isinstance(e, t.At) and e.symbol not in seen:
            seen.add(e.symbol)
            waiting += definitions(e.symbol)


def as_meant(symbol: Symbol) -> Iterator[t.Typed]:
    """What a symbol means on a tree, or is defined by."""
    for one in (symbol, symbol.means, symbol.extension):
        if one is None:
            continue
        yield from one.domain.inside
        if one.value is not None and (one is not symbol or symbol.means is None):
            yield one.value


def by_value(symbol: Symbol) -> list[t.Typed]:
    """What is evaluated of a symbol where variables have values."""
    found = [] if symbol.extension is None else by_value(symbol.extension)
    if symbol.role in (Role.LET, Role.TERM):
        found += [*symbol.domain.inside, *([] if symbol.value is None else [symbol.value])]
    return found
