"""Declarations that depend on themselves through meanings or extensions, which are resolved last.

What a variable means is evaluated on a tree by what it mentions, through `let`s and the meanings of
other variables, so none may depend on itself. Circles of definitions alone are found by `link`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from treemip.core.resolve.link import Linker
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.typed import At, Role, Symbol, Typed, walk
from treemip.core.source.diagnostic import Related


def check_circles(linker: Linker) -> None:
    """Report (E207) each circle, at a declaration of the spec where it has one."""
    symbols = [s for s in linker.symbols.values() if s is not None]
    reported = set[Symbol]()
    for below, what in ((rests_on, "what {} means"), (definition, "{}")):
        for circle in _circles(symbols, below):
            if reported.isdisjoint(circle):
                reported |= set(circle)
                _report(_from_the_spec(circle, linker), what, linker)


def _report(circle: list[Symbol], what: str, linker: Linker) -> None:
    first = circle[0]
    chain = " -> ".join(symbol.name for symbol in (*circle, first))
    related = tuple(
        Related(symbol.span, "which mentions this") for symbol in circle[1:] if symbol.span
    )
    words = [symbol.name for symbol in circle if linker.concept(symbol.name)]
    remedy = "say what one of them is without the others"
    if words:
        remedy = f"choose another name than '{words[0]}', which is a concept, or {remedy}"
    named = what.format(f"'{first.name}'")
    message = f"{named} depends on itself: {chain}"
    linker.report.error(
        "E207", message, first.span or linker.modules[0].file.span, remedy, related=related
    )


def _from_the_spec(circle: list[Symbol], linker: Linker) -> list[Symbol]:
    """The circle, begun at the first of the spec's own declarations in the order of its text."""
    own = [s for s in circle if s.span is not None and linker.owner(s.span) == SPEC]
    if not own:
        return circle
    begin = circle.index(min(own, key=lambda s: s.span.start if s.span else 0))
    return [*circle[begin:], *circle[:begin]]


def _circles(
    symbols: Iterable[Symbol], below: Callable[[Symbol], list[Symbol]]
) -> Iterator[list[Symbol]]:
    """Circles of symbols, each resting on the next; at least one where there are any."""
    done = set[Symbol]()
    for start in symbols:
        waiting = [] if start in done else [(start, iter(below(start)))]
        while waiting:
            symbol, rest = waiting[-1]
            path = [one for one, _ in waiting]
            following = next(rest, None)
            if following is None:
                done.add(symbol)
                waiting.pop()
            elif following in path:
                yield path[path.index(following) :]
            elif following not in done:
                waiting.append((following, iter(below(following))))


def rests_on(symbol: Symbol) -> list[Symbol]:
    """What its value on a tree depends on: its meaning, or else its definition."""
    if symbol.means is not None:
        return symbols_in(symbol.means.value)
    return definition(symbol)


def definition(symbol: Symbol) -> list[Symbol]:
    """What its value in rows rests on. An extension mentions the symbol that it extends."""
    found = [] if symbol.role is Role.VARIABLE else symbols_in(symbol.value)
    if symbol.extension is not None:
        found += [s for s in symbols_in(symbol.extension.value) if s is not symbol]
    return found


def symbols_in(expression: Typed | None) -> list[Symbol]:
    """Symbols in an expression itself, in the order of the text."""
    return list(dict.fromkeys(e.symbol for e in walk(expression) if isinstance(e, At)))


def closure(symbols: Iterable[Symbol], below: Callable[[Symbol], Iterable[Symbol]]) -> set[Symbol]:
    """Symbols, those below them, those below these, and so on."""
    waiting, seen = list(symbols), set[Symbol]()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += below(one)
    return seen
