"""Variables that concepts name: `let active {t in branches} = my_d[t]` says what my_d means.

A variable of a concept's own name has the concept's meaning. One that the concept is defined as,
index by index, is the same thing under another name, and means the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from treemip.core.resolve import typed as t
from treemip.core.resolve.circles import closure, rests_on
from treemip.core.resolve.typed import Role, Symbol, TypedDomain


def variable_behind(symbol: Symbol) -> Symbol | None:
    """A variable itself, or the one that a `let` is at each of its indices and no others; None
    where it is anything else."""
    if symbol.role is Role.VARIABLE:
        return symbol
    value, names = symbol.value, [b.name for b in symbol.domain.binders]
    if symbol.role is not Role.LET or not isinstance(value, t.At):
        return None
    if [a.name if isinstance(a, t.Bound) else "" for a in value.arguments] != names:
        return None
    sets = sets_of(symbol.domain)
    if sets is None or sets != sets_of(value.symbol.domain):
        return None
    return variable_behind(value.symbol)


def say_what_is_meant(symbols: Iterable[Symbol]) -> None:
    """Give a variable without a meaning that of the `let` that names it.

    Not where the meaning itself depends on the variable, as that of `uses` on coefficients.
    """
    for symbol in symbols:
        if symbol.role is not Role.LET or symbol.means is None:
            continue
        variable = variable_behind(symbol)
        if variable is None or variable.means is not None:
            continue
        if variable not in closure([symbol], rests_on):
            variable.means = symbol.means


def sets_of(domain: TypedDomain) -> list[str] | None:
    """The names of the sets of a domain without conditions."""
    if domain.guard or any(b.conditions for b in domain.binders):
        return None
    return [b.set.name if isinstance(b.set, t.BaseSet) else repr(b.set) for b in domain.binders]
