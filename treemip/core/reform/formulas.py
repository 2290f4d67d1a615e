"""The inequalities of all reformulations, each stated once.

Passes turn them into rows (`Inequality.rows`); `explain` shows them as they stand here; scripts
write them in their own language (`Inequality.written`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.core.lower.linear import Linear

OPENING = ("(", "+", "-", "<=", ">=", "=")
TOKEN = re.compile(r"\s*(\d+|[A-Za-z]\w*|<=|>=|=|[-+()])")


@dataclass(frozen=True)
class Inequality:
    """left <= right, left >= right or left = right, in names of variables and of known numbers.

    Juxtaposition multiplies; at most one factor may contain variables: `w <= x - l (1 - b)`.
    """

    text: str

    @cached_property
    def _parts(self) -> tuple[list[str], str, list[str]]:
        tokens = TOKEN.findall(self.text)
        at = next(k for k, token in enumerate(tokens) if token in ("<=", ">=", "="))
        return tokens[:at], tokens[at], tokens[at + 1 :]

    def rows(
        self, values: Mapping[str, Linear], mirrored: bool = False
    ) -> tuple[Linear, np.ndarray, np.ndarray]:
        """left - right, and its lower and upper bounds float64 (rows,), for `values` of all names.

        mirrored: both sides are multiplied by -1.
        """
        left, sign, right = self._parts
        size = next(iter(values.values())).size
        body = _sum(left, values, size).plus(_sum(right, values, size).times(-1.0))
        if mirrored:
            body, sign = body.times(-1.0), {"<=": ">=", ">=": "<="}.get(sign, sign)
        ends, far = 0.0 - body.constant, np.full(size, np.inf)
        return body, -far if sign == "<=" else ends, far if sign == ">=" else ends

    def written(self, names: Mapping[str, str], times: str = " * ") -> str:
        """The inequality with other texts for its names and a sign between factors."""
        written, previous = "", "("
        for token in TOKEN.findall(self.text):
            opens = previous in OPENING  # a term begins here, perhaps with its sign
            if token in OPENING and token != "(":
                written += token if opens else f" {token} "
            else:
                written += ("" if opens or token == ")" else times) + names.get(token, token)
            previous = token
        return written


def _sum(tokens: list[str], values: Mapping[str, Linear], size: int) -> Linear:
    """The value of one side, or of an expression in parentheses."""
    total, sign, factors = Linear(size), 1.0, list[Linear]()
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if token in ("+", "-"):
            total = _added(total, sign, factors)
            sign, factors = (-1.0 if token == "-" else 1.0), []
        elif token == "(":
            end = rest.index(")")
            factors.append(_sum(rest[:end], values, size))
            rest = rest[end + 1 :]
        elif token.isdigit():
            factors.append(Linear.known(np.full(size, float(token))))
        else:
            factors.append(values[token])
    return _added(total, sign, factors)


def _added(total: Linear, sign: float, factors: list[Linear]) -> Linear:
    """total + sign times the product of the factors."""
    if not factors:
        return total
    unknown = [f for f in factors if f.parts or not f.is_affine]
    numbers = [f.constant for f in factors if not f.parts and f.is_affine]
    scale = sign * np.prod(numbers, axis=0) if numbers else sign
    assert len(unknown) < 2, "a formula is linear in its unknowns"
    if unknown:
        return total.plus(unknown[0].times(scale))
    return total.plus(Linear.known(np.asarray(scale)))


def listed(inequalities: Mapping[str, Inequality]) -> str:
    return ", ".join(one.text for one in inequalities.values())


PRODUCT = {
    "on_upper": Inequality("w <= u b"),
    "on_lower": Inequality("w >= l b"),
    "off_upper": Inequality("w <= x - l (1 - b)"),
    "off_lower": Inequality("w >= x - u (1 - b)"),
}
"""w = b x with b binary and l <= x <= u (McCormick 1976)."""

ABS = {"above": Inequality("y >= a"), "below": Inequality("y >= -a")}
"""y = |a| where the objective and the rows push y down only."""

ABS_ATTAINED = {
    "positive": Inequality("y <= a - 2 l (1 - z)"),
    "negative": Inequality("y <= -a + 2 u z"),
}
"""In addition where y may be pushed up: l <= a <= u, and a binary z that is 1 where a >= 0."""

MAX = Inequality("y >= a")
MIN = Inequality("y <= a")
"""y = max (min) of arguments a where y is pushed down (up) only."""

MAX_ATTAINED = Inequality("y <= a + s (1 - z)")
MIN_ATTAINED = Inequality("y >= a - s (1 - z)")
"""In addition where y may be pushed the other way: binaries z pick one argument for each y; s is
how far that argument can be below the greatest (above the least) one."""

BIG_M = {"<=": Inequality("a <= b + M (1 - g)"), ">=": Inequality("a >= b - M (1 - g)")}
"""g = 1 ==> a <= b or a >= b, with a big-M; where the guard must be 0, g is 1 - guard."""
