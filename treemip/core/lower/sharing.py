"""Definitions that mention each other again and again: evaluated once at the same indices.

`let b = a + a; let c = b + b; ...` would otherwise be evaluated 2^n times. Definitions of ordinary
depth are not kept, since most are asked for once and their values are large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.core.lower.linear import Linear, Value
from treemip.core.model.sparse_rows import Part, join_parts
from treemip.core.resolve import typed as t
from treemip.core.resolve.typed import Symbol

MANY = 1000
"""Mentions in a definition, all definitions filled in, from which on its values are kept."""

MOST = 100_000
"""Up to which number mentions are counted."""

Key = tuple[Symbol, int, tuple[tuple[str, bytes], ...]]


class Sharing:
    def __init__(self) -> None:
        self._mentions: dict[Symbol, int] = {}
        self._values: dict[Key, Value] = {}

    def value(
        self, symbol: Symbol, names: dict[str, np.ndarray], size: int, evaluate: Callable[[], Value]
    ) -> Value:
        """What `evaluate` gives for a definition at indices (size,) by name, or gave before."""
        if self.mentions(symbol) < MANY:
            return evaluate()
        key = symbol, size, tuple((name, ids.tobytes()) for name, ids in sorted(names.items()))
        if key not in self._values:
            value = evaluate()
            self._values[key] = gathered(value) if isinstance(value, Linear) else value
        return self._values[key]

    def mentions(self, symbol: Symbol) -> int:
        """Declared things in a definition with all definitions filled in; MOST at most."""
        if symbol not in self._mentions:
            self._mentions[symbol] = 1  # of a circle, which was refused before
            defined = (symbol, symbol.means, symbol.extension)
            values = [s.value for s in defined if s is not None and s.value is not None]
            self._mentions[symbol] = min(MOST, 1 + sum(map(self._inside, values)))
        return self._mentions[symbol]

    def _inside(self, e: t.Typed) -> int:
        own = self.mentions(e.symbol) if isinstance(e, t.At) else 0
        return own + sum(map(self._inside, e.inside))


def gathered(rows: Linear) -> Linear:
    """The same rows with the entries and products of each variable added up."""
    return replace(
        rows,
        parts=_joined(rows.size, rows.parts),
        slots=_joined(rows.size, rows.slots),
        products=rows.products and rows.products.added(),
    )


def _joined(size: int, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    if len(parts) < 2:
        return parts
    matrix = join_parts(size, parts)
    return (Part(np.diff(matrix.indptr), matrix.indices, matrix.data),)
