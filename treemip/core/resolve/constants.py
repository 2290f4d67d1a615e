"""Values that the text alone determines: parameters, bounds and requirements without data.

What is undefined, or can never hold, is reported before any data is read. Binding and lowering
check the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from treemip.core.resolve import typed as t
from treemip.core.resolve.link import Linker
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.spec import Constraint, ObjectiveSpec, Requirement
from treemip.core.resolve.typed import Role, Symbol, TypedDomain
from treemip.core.source.diagnostic import Fault
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n

Value = float | bool | None
"""None: only the data, the tree or a solution give it."""


class Constants:
    """Values of typed expressions that are numbers or conditions of numbers alone.

    `value` raises Fault (E404) for what is undefined. The value of a name is computed once.
    """

    def __init__(self) -> None:
        self._of_symbol: dict[str, Value] = {}

    def value(self, e: t.Typed) -> Value:
        match e:
            case t.Const():
                return e.value
            case t.Negation():
                operand = self.value(e.operand)
                return None if operand is None else -operand
            case t.Arithmetic():
                return _arithmetic(e, self.value(e.left), self.value(e.right))
            case t.Comparison():
                return _compared(e.op, self.value(e.left), self.value(e.right))
            case t.Logic():
                return _logic(e.op, [self.value(operand) for operand in e.operands])
            case t.Choice():
                holds = self.value(e.condition)
                return None if holds is None else self.value(e.then if holds else e.otherwise)
            case t.Call():
                return _called(e, [self.value(a) for a in e.arguments])
            case t.At():
                return self.named(e.symbol)
        return None

    def named(self, symbol: Symbol) -> Value:
        """The value of a parameter or `let` without indices."""
        known = symbol.role in (Role.PARAMETER, Role.LET) and symbol.degree is Degree.KNOWN
        if not known or symbol.domain.binders or symbol.domain.guard or symbol.value is None:
            return None
        if symbol.name not in self._of_symbol:
            self._of_symbol[symbol.name] = None  # an undefined value is reported once
            self._of_symbol[symbol.name] = self.value(symbol.value)
        return self._of_symbol[symbol.name]


def _arithmetic(e: t.Arithmetic, left: Value, right: Value) -> Value:
    if e.op == "/" and right == 0:
        raise Fault("E404", "a division by zero", e.span)
    if left is None or right is None:
        return None
    operations: dict[str, Callable[[float, float], float]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "^": math.pow,
    }
    try:
        return _finite(operations[e.op](left, right))
    except ValueError:
        raise Fault("E404", "an undefined power", e.span) from None
    except OverflowError:
        return None


def _finite(value: float) -> Value:
    return value if math.isfinite(value) else None


def _compared(op: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[op]


def _logic(op: str, operands: list[Value]) -> Value:
    """`and`, `or`, `not` of conditions, some of which may be unknown."""
    if op == "not":
        return None if operands[0] is None else not operands[0]
    decisive = op == "or"
    if decisive in operands:
        return decisive
    return None if None in operands else not decisive


FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "max": max,
    "min": min,
}


def _called(e: t.Call, arguments: list[Value]) -> Value:
    if e.function not in FUNCTIONS or None in arguments:
        return None
    try:
        return _finite(float(FUNCTIONS[e.function](*arguments)))
    except ValueError:
        if e.function == "log" and arguments == [0.0]:
            return None  # infinite, which a parameter cannot be, but a part of one may
        raise Fault("E404", f"'{e.function}' is undefined here", e.span) from None
    except OverflowError:
        return None


def check_constants(
    linker: Linker,
    rows: list[Constraint],
    objective: ObjectiveSpec | None,
    requirements: list[Requirement],
    file: n.File,
) -> None:
    """Report what is undefined (E404) or cannot hold (E307, E403, E503) whatever the data are."""
    constants = Constants()
    symbols = [s for s in linker.symbols.values() if s is not None and s.span is not None]

    def attempt(name: str, span: Span, work: Callable[[], object]) -> None:
        linker.in_progress.append((name, span))
        linker.attempt(work)
        linker.in_progress.pop()

    for symbol in symbols:
        assert symbol.span is not None
        if symbol.role is Role.PARAMETER:
            attempt(symbol.name, symbol.span, partial(_parameter, constants, symbol))
        if symbol.role is Role.VARIABLE:
            attempt(symbol.name, symbol.span, partial(_bounds, constants, symbol))
    for constraint in rows:
        attempt(constraint.name, constraint.name_span, partial(_row, constants, constraint))
    for one in () if objective is None else objective.in_turn:
        attempt(one.name, one.value.span, partial(constants.value, one.value))
    for requirement in requirements:
        linker.attempt(partial(_require, constants, requirement, file))


def _always(domain: TypedDomain) -> bool:
    """Whether a declaration or row has at least one index, whatever its conditions."""
    return not domain.guard and not any(b.conditions for b in domain.binders)


def _parameter(constants: Constants, symbol: Symbol) -> None:
    """Without indices the value is kept; with some, it may be undefined for all of them."""
    if not symbol.domain.binders:
        constants.named(symbol)
    elif symbol.value is not None and _always(symbol.domain):
        constants.value(symbol.value)


def _bounds(constants: Constants, symbol: Symbol) -> None:
    lower, upper = (0.0, 1.0) if symbol.kind == "binary" else (-math.inf, math.inf)
    for op, e in symbol.bounds:
        value = constants.value(e)
        if value is None:
            continue
        lower = max(lower, value) if op in (">=", "=") else lower
        upper = min(upper, value) if op in ("<=", "=") else upper
        if lower > upper:
            raise Fault("E403", f"no value of '{symbol.name}' is within its bounds", e.span)


def _row(constants: Constants, row: Constraint) -> None:
    if not _always(row.domain):
        return
    for side in (row.relation.left, row.relation.right, row.relation.right2):
        if side is not None:
            constants.value(side)
    for guard in row.guards:
        if constants.value(guard.value) not in (None, 0.0, 1.0):
            message = "the left side of '==>' must be compared with 0 or 1"
            raise Fault("E403", message, guard.value.span)
    big_m = None if row.big_m is None else constants.value(row.big_m)
    if row.big_m is not None and big_m is not None and big_m < 0:
        raise Fault("E503", "a big-M is finite and not negative", row.big_m.span)


def _require(constants: Constants, requirement: Requirement, file: n.File) -> None:
    if requirement.advice or requirement.domain.binders or requirement.domain.guard:
        return
    if constants.value(requirement.condition) is False:
        raise Fault("E307", requirement.message, asked_by(requirement, file))


def asked_by(requirement: Requirement, file: n.File) -> Span:
    """The statement that asks for the formulation; the requirement itself in a spec of its own."""
    splits = (s.span for s in file.statements if isinstance(s, n.Split))
    own = requirement.span.source == file.span.source
    return requirement.span if own else next(splits, requirement.span)
