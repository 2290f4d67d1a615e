"""A model's tape in SCIP: each slot a variable, each step the equations that define it.

SCIP branches on the slots' ranges, so every slot is given the range that the columns' bounds
prove. Expressions are kept to one function each; SCIP would otherwise have to find again, in
every row, what the rows share.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.arrays import Arrays
from treemip.model.blocks import SparseRows
from treemip.model.bounds import tape_ranges
from treemip.model.model import Model
from treemip.model.tape import Affine, Elementwise, Product, Smooth
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span

if TYPE_CHECKING:
    import pyscipopt

LARGEST = 1e15
"""Greatest magnitude of exp, 1/(1+exp) and powers; beyond 1e20 SCIP takes numbers for infinite."""


def add_slots(
    scip: pyscipopt.Model, model: Model, arrays: Arrays, columns: np.ndarray
) -> np.ndarray:
    """Variables for the tape's slots with their equations: object (slots,).

    Slots of the objective carry its coefficients as costs. Raises E601 where a function's values
    go beyond what SCIP can compute with.
    """
    tape = model.tape
    low, high = tape_ranges(tape, arrays.lower, arrays.upper)
    require_computable(model, low, high, model.objective.span)
    costs = np.zeros(tape.length)
    if model.objective.slots is not None:
        costs[model.objective.slots.indices] = model.objective.slots.data
    slots = np.empty(tape.length, object)
    for s in range(tape.length):
        least, most = (None if np.isinf(b) else float(b) for b in (low[s], high[s]))
        slots[s] = scip.addVar(f"slot{s}", "C", least, most, float(costs[s]))
    for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
        own = slots[start : start + step.length]
        if isinstance(step, Affine):
            bodies = affine_rows(step.columns, columns, affine_rows(step.slots, slots))
            made = [c + body for c, body in zip(step.constants.tolist(), bodies, strict=True)]
        elif isinstance(step, Product):
            ends = pairwise(step.offsets.tolist())
            made = [_product(slots[step.factors[first:last]]) for first, last in ends]
        else:
            made = [_function(step, u) for u in slots[step.arguments]]
        for slot, body in zip(own, made, strict=True):
            scip.addCons(slot == body)
    return slots


def affine_rows(
    matrix: SparseRows, variables: np.ndarray, before: list[Any] | None = None
) -> list[Any]:
    """Each row of matrix times the variables, added to `before`, as SCIP expressions."""
    from pyscipopt import quicksum

    found = []
    for r in range(matrix.count):
        at = slice(matrix.indptr[r], matrix.indptr[r + 1])
        terms = zip(matrix.data[at].tolist(), variables[matrix.indices[at]], strict=True)
        row = quicksum(c * v for c, v in terms)
        found.append(row if before is None else before[r] + row)
    return found


def _product(factors: np.ndarray) -> object:
    return reduce(mul, factors.tolist(), 1.0)


def _function(step: Elementwise, u: Any) -> object:
    import pyscipopt

    match step.function:
        case Smooth.EXP:
            return pyscipopt.exp(u)
        case Smooth.LOG:
            return pyscipopt.log(u)
        case Smooth.LOGISTIC:
            return 1 / (1 + pyscipopt.exp(-1.0 * u))
        case Smooth.POWER:
            whole = float(step.exponent).is_integer()
            return u ** (int(step.exponent) if whole else step.exponent)


def require_computable(model: Model, low: np.ndarray, high: np.ndarray, place: Span | None) -> None:
    """Raise E601 at `place` where a function of the tape has values beyond LARGEST.

    low, high: ranges of the tape's slots, as `tape_ranges` has them.
    """
    for step in model.tape.steps:
        if not isinstance(step, Elementwise) or step.function is Smooth.LOG:
            continue
        least, most = low[step.arguments].min(initial=0), high[step.arguments].max(initial=0)
        with np.errstate(over="ignore"):
            match step.function:
                case Smooth.EXP:
                    size = np.exp(most)
                case Smooth.LOGISTIC:
                    size = np.exp(max(-least, most))
                case _ if step.exponent < 0 < low[step.arguments].min(initial=np.inf):
                    size = low[step.arguments].min() ** step.exponent
                case _:
                    size = max(abs(least), abs(most)) ** abs(step.exponent)
        if size > LARGEST:
            raise TreemipError(
                Diagnostic(
                    "E601",
                    f"SCIP cannot compute '{step.function.value}' of {least:.6g} .. {most:.6g}",
                    place,
                    "bound its argument" + _or_ipopt(model),
                )
            )


def _or_ipopt(model: Model) -> str:
    whole = model.integer & (model.lower < model.upper)
    if not whole.any():
        return ", make its factor smaller, or solve with Ipopt"
    at = int(whole.argmax())
    block = next(b for b in model.variables if b.start <= at < b.stop)
    integer = f"'{block.name}' is {block.kind.value}"
    other = f"Ipopt, which could compute it, has no integers, and {integer}"
    return f" or make its factor smaller; {other}"
