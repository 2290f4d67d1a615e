"""How far a requirement may give, as text: what measures it, and the row that is left of it.

A requirement that asks for a module with a number, `acc: accuracy_at_least(region, 0.85);`, gives
by that number where its rows hold on one side of it: `0.85` becomes `0.71`. Others give by what
their row is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Solution
from treemip.core.resolve.asked import asked_rows
from treemip.core.resolve.gather import rows_of
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.spec import Constraint
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import print_node

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program

DIGITS = 6  # of a limit in a message


@dataclass(frozen=True)
class Giving:
    """A family of rows of two sides. over: its indices. each: what a unit of the requirement's
    number is worth in a row, empty where that is 1. number: the name of that number in the rows,
    empty where the requirement has none."""

    name: str
    over: str
    left: str
    op: str
    right: str
    each: str = ""
    number: str = ""

    @property
    def objective(self) -> str:
        """Measures how far the requirement is from holding, by the row that is furthest."""
        gap = f"({self.left}) - ({self.right})"
        if self.op == "=":
            return f"minimize {self._all('max', f'abs({gap})')};"
        gap = f"({gap}) / ({self.each})" if self.each else gap
        if self.op == ">=":
            return f"maximize {self._all('min', gap)};"
        return f"minimize {self._all('max', gap)};"

    def relaxed(self, amount: float) -> str:
        """The requirement after it has given, as a statement."""
        name, by = f"{self.name}_relaxed {self.over}".strip(), rounded(amount, False)
        if self.op == "=":
            return f"subject to {name}: -{by} <= ({self.left}) - ({self.right}) <= {by};"
        by = f"{by} * ({self.each})" if self.each else by
        sign = "-" if self.op == ">=" else "+"
        return f"subject to {name}: {self.left} {self.op} ({self.right}) {sign} {by};"

    def _all(self, function: str, expression: str) -> str:
        return f"{function} {self.over} ({expression})" if self.over else expression


def giving_of(program: Program, row: Constraint) -> Giving | None:
    """None where a requirement is no relation of two sides in the spec; its own, or those of the
    module that it asks for."""
    for own in rows_of(program.file, program.modules):
        relation = own.body
        if own.name == row.name and isinstance(relation, n.Relation) and relation.right2 is None:
            over = "" if own.domain is None else print_node(own.domain)
            each, number = _number(program, row, relation) or ("", "")
            left, right = print_node(relation.left), print_node(relation.right)
            return Giving(row.name, over, left, relation.op, right, each, number)
    return None


def limit_after(compiled: Compiled, row: Constraint, giving: Giving, amount: float) -> float | None:
    """The requirement's number, or the right side of a single relation, if it is one, after it has
    given."""
    relation = row.relation
    if relation.op == "=":
        return None
    if giving.number:
        right = float(np.ravel(compiled.instance.values[giving.number].values)[0])
    elif row.domain.binders or relation.right.degree is not Degree.KNOWN:
        return None
    else:
        evaluator = Evaluator(compiled.instance, Solution({}))
        right = float(evaluator.known(relation.right, Frame.empty())[0])
    return right - amount if relation.op == ">=" else right + amount


def with_number(row: Constraint, file: n.File, limit: str) -> str:
    """A requirement's own words with another number, `accuracy_at_least(region, 0.71)`; the number
    alone where it is not the one number in its brackets."""
    asked = [one.body for one in asked_rows(file) if one.name == row.name]
    for body in asked:
        assert isinstance(body, n.Asked)
        numbers = [k for k, a in enumerate(body.arguments) if isinstance(a.value, n.Number)]
        if len(numbers) == 1:
            texts = [print_node(a) for a in body.arguments]
            own = body.arguments[numbers[0]].name
            texts[numbers[0]] = f"{own} = {limit}" if own else limit
            return f"{body.module.text}({', '.join(texts)})"
    return limit


def _number(program: Program, row: Constraint, relation: n.Relation) -> tuple[str, str] | None:
    """What a unit of a requirement's number is worth in a row, and the number's name in it; None
    where the right side does not rise in proportion to one number of the module."""
    if not row.asked_as or relation.op == "=":
        return None
    prefix = f"{row.asked_as}_"
    names = {s.name for s in program.spec.parameters if s.name.startswith(prefix)}
    factors = _factors(relation.right, names)
    if factors is None or factors[0] in print_node(relation.left):
        return None
    number, parts = factors
    return " * ".join(parts), number


def _factors(side: n.Expr, names: set[str]) -> tuple[str, list[str]] | None:
    """The number that a side has once, and what it is multiplied by there; None where it is
    elsewhere, or the factors may be below 0."""
    if isinstance(side, n.Name) and side.name in names and not side.indices:
        return side.name, []
    if isinstance(side, n.Group):
        return _factors(side.inner, names)
    if not isinstance(side, n.Binary) or side.op != "*":
        return None
    for part, other in ((side.left, side.right), (side.right, side.left)):
        found = _factors(part, names)
        if found is not None and _is_a_count(other):
            return found[0], [*found[1], print_node(other)]
    return None


def _is_a_count(factor: n.Expr) -> bool:
    """Whether a factor is a size of a set or a number above 0."""
    if isinstance(factor, n.Number):
        return factor.value > 0
    return isinstance(factor, n.Name) and factor.name == "card"


def rounded(value: float, down: bool) -> str:
    """The number with few digits, towards the side on which the requirement holds."""
    exact = Decimal(f"{value:.9g}")
    last = Decimal(1).scaleb(max(exact.adjusted() - DIGITS + 1, -9))
    rounded = exact.quantize(last, ROUND_FLOOR if down else ROUND_CEILING)
    return f"{rounded.normalize():f}"
