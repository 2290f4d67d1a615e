"""The slow reading of a spec at one point: variables are numbers, and so is everything else."""

from __future__ import annotations

import math

import numpy as np
from second_reading import Env, Poly, Reference, known, plain

from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.values import function_values, slot_values
from treemip.core.resolve import typed as t
from treemip.core.resolve.typed import Role, Symbol


def exp(u: float) -> float:
    """Infinite, as with arrays, where it is beyond doubles."""
    try:
        return math.exp(u)
    except OverflowError:
        return math.inf


FUNCTIONS = {
    "exp": exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "logistic": lambda u: math.exp(u) / (1 + math.exp(u)) if u < 0 else 1 / (1 + math.exp(-u)),
}


class AtPoint(Reference):
    """`values` are the variables by name, over their domains in order."""

    def __init__(self, instance: Instance, values: dict[str, np.ndarray]) -> None:
        super().__init__(instance)
        self.values = values

    def declared(self, symbol: Symbol, arguments: tuple) -> object:
        if symbol.role is not Role.VARIABLE:
            return super().declared(symbol, arguments)
        at = tuple(known(a) for a in arguments)
        return {(): float(self.values[symbol.name][self.domain(symbol.domain).index(at)])}

    def at_call(self, e: t.Call, env: Env) -> object:
        if e.function in FUNCTIONS:
            return {(): FUNCTIONS[e.function](self.number(e.arguments[0], env))}
        return super().at_call(e, env)

    def at_reduction(self, e: t.Reduction, env: Env) -> object:
        if e.op != "prod":
            return super().at_reduction(e, env)
        inner = self.bindings(e.binders, e.guard, env)
        return {(): math.prod(self.number(e.body, each) for each in inner)}

    def at_arithmetic(self, e: t.Arithmetic, env: Env) -> Poly:
        a, b = self.number(e.left, env), self.number(e.right, env)
        if e.op == "^":
            return {(): a**b}
        return {(): {"+": a + b, "-": a - b, "*": a * b}[e.op] if e.op != "/" else a / b}

    def number(self, e: t.Typed, env: Env) -> float:
        return known(plain(self.value(e, env)))


def completed(model: Model, own: np.ndarray) -> np.ndarray:
    """All columns from the spec's own, which stand before the results of functions."""
    x = np.zeros(model.column_count)
    x[: len(own)] = own
    for block in model.functions:
        slots = slot_values(model.tape, x)
        x[block.result : block.result + block.length] = function_values(block, x, slots)
    return x
