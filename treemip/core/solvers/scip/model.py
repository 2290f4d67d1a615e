"""A model as a `pyscipopt.Model`.

PySCIPOpt takes no arrays, so its own calls are mapped over whole columns of arguments. Measured
on 20 nonzeros a row, microseconds a nonzero: 0.4 this way, 0.5 from a loop in Python, 0.85
through an expression a row, 1.1 for reading a temporary MPS file. With its 200 000 rows a model of
4 million nonzeros takes 3.7 s.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.flat_model import special_sets
from treemip.core.files.names import Names, name_model
from treemip.core.model.blocks import Implications, Kind, Quadratic, SparseRows
from treemip.core.model.bounds import tape_ranges
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth
from treemip.core.registry import solvers
from treemip.core.solving.arrays import Arrays, assemble
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span

if TYPE_CHECKING:
    import pyscipopt

INFINITE = 1e20
"""What SCIP writes for infinity."""

OPTIONS = "nlpi/ipopt/optfile"
"""A file with options for Ipopt, where SCIP is built with it."""

CHUNK = 100_000
"""Nonzeros whose Python objects exist at one time."""


def to_scip(model: Model) -> pyscipopt.Model:
    """The model in a quiet `pyscipopt.Model`, under the names of model files.

    Its first columns are the model's, in order, then a column for each slot of the tape; a
    quadratic objective adds one more, its epigraph, since SCIP takes linear objectives only. The
    tape's equations are the first rows; the others keep their order, the epigraph is last. Its
    `data` lists the variables of the model's columns, since SCIP's own list is sorted by kind.
    Raises E601 when implications or functions are left and where a nonlinear function is beyond
    SCIP's numbers, E602 without pyscipopt.
    """
    scip, columns = load(model, assemble(model, solvers()["scip"]), name_model(model))
    scip.data = columns.tolist()
    return scip


def load(
    model: Model, arrays: Arrays, names: Names | None = None
) -> tuple[pyscipopt.Model, np.ndarray]:
    """`to_scip`, and the SCIP variables of the model's columns, object (columns,).

    names: of columns and rows; numbers without. Implications keep the names that SCIP gives.
    """
    scip = needed("pyscipopt", "scip").Model()
    scip.hideOutput()
    columns = _add_columns(scip, model, arrays, names)
    _add_priorities(scip, model, columns)
    objective = model.objective
    scip.setMinimize() if objective.sense == "minimize" else scip.setMaximize()
    scip.addObjoffset(objective.constant)
    slots = add_slots(scip, model, arrays, columns)
    _add_rows(scip, arrays, columns, _slot_sums(model, slots), names)
    add_indicators(scip, model, columns)
    for members, weights in special_sets(model).each():
        scip.addConsSOS1(columns[members].tolist(), weights)
    if objective.quadratic.count:
        _add_epigraph(scip, objective.quadratic, columns, objective.sense == "minimize")
    if objective.quadratic.count or arrays.quadratic.count:
        # With probing, SCIP 10.0.2 drops rows with products that it should keep: of 5500 random
        # models of 1 to 4 integers it gave 5 a wrong answer, without probing none of 25 000.
        scip.setParam("propagating/probing/maxprerounds", 0)
    if model.tape.steps:
        # This heuristic of SCIP 10.0.2 was seen to call Ipopt for minutes after the time limit.
        scip.setParam("heuristics/mpec/freq", -1)
    if not model.is_linear and OPTIONS in scip.getParams():
        # For some 10 000 rows and columns MUMPS 5.8.2 in Ipopt leaves the order of pivots to METIS,
        # which corrupts memory as it is built into PySCIPOpt's wheels.
        scip.setParam(OPTIONS, str(Path(__file__).with_name("ipopt.opt")))
    return scip, columns


def _add_columns(
    scip: pyscipopt.Model, model: Model, arrays: Arrays, names: Names | None
) -> np.ndarray:
    letter = {Kind.CONTINUOUS: "C", Kind.INTEGER: "I", Kind.BINARY: "B"}
    kinds = np.concatenate([np.full(b.length, letter[b.kind]) for b in model.variables])
    columns = np.empty(arrays.columns, object)
    columns[:] = list(
        map(
            scip.addVar,
            _texts(None if names is None else names.columns(), "x", arrays.columns),
            kinds.tolist(),
            capped(arrays.lower),
            capped(arrays.upper),
            arrays.costs.tolist(),
        )
    )
    return columns


def _texts(names: np.ndarray | None, letter: str, count: int) -> Iterable[str]:
    """Names from an 'S' array, or a letter and a number for each."""
    if names is None:
        return map(f"{letter}{{}}".format, range(count))
    return names.astype(str).tolist()


def _add_priorities(scip: pyscipopt.Model, model: Model, columns: np.ndarray) -> None:
    """Branching priorities, where the model has any; HiGHS has nothing of the kind."""
    for block in model.variables:
        if block.priority is not None:
            for column, priority in zip(
                columns[block.start : block.stop], block.priority.tolist(), strict=True
            ):
                scip.chgVarBranchPriority(column, priority)


def _slot_sums(model: Model, slots: np.ndarray) -> dict[int, pyscipopt.Expr]:
    """By model-wide row number, what each row takes from the tape."""
    found: dict[int, pyscipopt.Expr] = {}
    first = 0
    for block in model.rows:
        if block.slots is not None:
            found.update(enumerate(affine_rows(block.slots, slots), first))
        first += block.length
    return found


def _add_rows(
    scip: pyscipopt.Model,
    arrays: Arrays,
    columns: np.ndarray,
    slot_sums: dict[int, pyscipopt.Expr],
    names: Names | None,
) -> None:
    """Linear rows are added empty and get their coefficients in one stream afterwards."""
    from pyscipopt import Expr, ExprCons

    matrix, quadratic = arrays.matrix, arrays.quadratic
    curved = np.zeros(arrays.rows, bool)
    curved[quadratic.row] = True
    curved[[*slot_sums]] = True
    sides = zip(capped(arrays.row_lower), capped(arrays.row_upper), strict=True)
    rows = np.empty(arrays.rows, object)
    texts = _texts(None if names is None else names.rows(), "r", arrays.rows)
    for row, ((lower, upper), name) in enumerate(zip(sides, texts, strict=True)):
        body = _row_expression(arrays, row, columns) if curved[row] else Expr({})
        body += slot_sums.get(row, 0.0)
        rows[row] = scip.addCons(ExprCons(body, lower, upper), name)
    row_of = matrix.row_of
    entries = np.flatnonzero(~curved[row_of]) if curved.any() else np.arange(matrix.nonzeros)
    for first in range(0, len(entries), CHUNK):
        chunk = entries[first : first + CHUNK]
        coefficients = map(
            scip.addCoefLinear,
            rows[row_of[chunk]].tolist(),
            columns[matrix.indices[chunk]].tolist(),
            matrix.data[chunk].tolist(),
        )
        deque(coefficients, maxlen=0)


def _row_expression(arrays: Arrays, row: int, columns: np.ndarray) -> pyscipopt.Expr:
    from pyscipopt import quicksum

    matrix, quadratic = arrays.matrix, arrays.quadratic
    entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
    linear = zip(matrix.data[entries].tolist(), columns[matrix.indices[entries]], strict=True)
    own = slice(*np.searchsorted(quadratic.row, [row, row + 1]))
    return quicksum(c * x for c, x in linear) + _products(quadratic, own, columns)


def _products(quadratic: Quadratic, part: slice, columns: np.ndarray) -> pyscipopt.Expr:
    from pyscipopt import quicksum

    firsts, seconds = columns[quadratic.first[part]], columns[quadratic.second[part]]
    coefs = quadratic.coef[part].tolist()
    return quicksum(c * x * y for c, x, y in zip(coefs, firsts, seconds, strict=True))


def _add_epigraph(
    scip: pyscipopt.Model, form: Quadratic, columns: np.ndarray, minimize: bool
) -> None:
    """Products in the objective become t with t >= them (maximising: t <= them), cost 1."""
    from pyscipopt import ExprCons

    epigraph = scip.addVar("objective_products", "C", -INFINITE, INFINITE, 1.0)
    slack = _products(form, slice(None), columns) - epigraph
    scip.addCons(ExprCons(slack, None, 0.0) if minimize else ExprCons(slack, 0.0, None))


def capped(bounds: np.ndarray) -> list[float]:
    """Bounds as Python numbers, infinite ones as SCIP writes them."""
    return [*np.clip(bounds, -INFINITE, INFINITE).tolist()]


# ---------------------------------------------- implications: `a x <= b` where a binary has a value


def add_indicators(scip: pyscipopt.Model, model: Model, columns: np.ndarray) -> None:
    """Add the model's implications, of which each has one binary and one relation.

    `columns`: SCIP's variables of the model's columns. An equation becomes two constraints.
    """
    for block in model.implications:
        for row in range(block.length):
            _add_indicator(scip, block, row, columns)


def _add_indicator(
    scip: pyscipopt.Model, block: Implications, row: int, columns: np.ndarray
) -> None:
    from pyscipopt import ExprCons, quicksum

    body = block.body
    at = slice(int(body.matrix.indptr[row]), int(body.matrix.indptr[row + 1]))
    pairs = zip(body.matrix.data[at].tolist(), columns[body.matrix.indices[at]], strict=True)
    form = quicksum(c * x for c, x in pairs)
    guard, one = columns[block.guard.indices[row]], bool(block.value[row] == 1)
    lower, upper = float(body.lower[row]), float(body.upper[row])
    if np.isfinite(upper):
        scip.addConsIndicator(ExprCons(form, None, upper), guard, one)
    if np.isfinite(lower):
        scip.addConsIndicator(ExprCons(form, lower, None), guard, one)


# --------------------------- the tape: each slot a variable, each step the equations that define it

LARGEST = 1e15
"""Greatest magnitude of exp, 1/(1+exp) and powers; beyond 1e20 SCIP takes numbers for infinite."""


def add_slots(
    scip: pyscipopt.Model, model: Model, arrays: Arrays, columns: np.ndarray
) -> np.ndarray:
    """Variables for the tape's slots with their equations: object (slots,).

    SCIP branches on the slots' ranges, so every slot is given the range that the columns' bounds
    prove. Expressions are kept to one function each; SCIP would otherwise have to find again, in
    every row, what the rows share.

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


def demand_computable(model: Model) -> None:
    """Raises E601 where the bounds of the columns let a function's values go beyond LARGEST."""
    if model.tape.steps:
        low, high = tape_ranges(model.tape, *model.box)
        require_computable(model, low, high, model.objective.span)


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
            fail(
                "E601",
                f"SCIP cannot compute '{step.function.value}' of {least:.6g} .. {most:.6g}",
                place,
                remedy="bound its argument" + _or_ipopt(model),
            )


def _or_ipopt(model: Model) -> str:
    whole = model.integer & (model.lower < model.upper)
    if not whole.any():
        return ", make its factor smaller, or solve with Ipopt"
    at = int(whole.argmax())
    block = model.family_of(at)
    integer = f"'{block.name}' is {block.kind.value}"
    other = f"Ipopt, which could compute it, has no integers, and {integer}"
    return f" or make its factor smaller; {other}"
