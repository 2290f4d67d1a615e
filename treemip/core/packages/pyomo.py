"""A model as a Pyomo `ConcreteModel` with the spec's names, for whatever Pyomo can do with it.

One Python object for each variable, row and slot: Pyomo has no others. Slots are named
expressions, so what rows share is shared in an NL file too, as defined variables.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.names import labels_of
from treemip.core.files.profiles import Caps, Profile, Reads
from treemip.core.files.requirements import place
from treemip.core.model.blocks import (
    Index,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
    SpecialSets,
    Variables,
)
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth
from treemip.core.solving.arrays import assemble
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Report

if TYPE_CHECKING:
    import pyomo.environ as pyo

PYOMO = Profile(
    "pyomo", "Pyomo", Caps(model=Reads(objective=True, rows=True, sos=True, nonlinear=True))
)

SLOTS = "slot"
"""The component that holds the tape, an `Expression` by slot number."""


def to_pyomo(model: Model) -> pyo.ConcreteModel:
    """The model in Pyomo: a Var and a Constraint for each family, with its index labels as keys,
    and an SOSConstraint for each family of special ordered sets.

    A key is a tuple of labels as in file names, points by row number, nodes by heap number,
    features and classes from 1; a single label stands alone, a family without indices has none.
    Where another component has a family's name already it is followed by `_`. Rows without
    variables, which Pyomo refuses, are left out when they hold and an E403 when they do not. Raises
    E601 when implications or functions are left, E402 and E403 as for solvers, E602 without pyomo.
    """
    assemble(model, PYOMO)
    said = rows_with_variables(model)
    pyo = needed("pyomo.environ", "pyomo")
    made = pyo.ConcreteModel(model.name)
    columns: list[Any] = []
    for block in model.variables:
        columns += _variables(pyo, made, block)
    slots = _tape(pyo, made, model, columns)
    first = 0
    for rows in model.rows:
        kept = np.flatnonzero(said[first : first + rows.length])
        first += rows.length
        _add(made, rows.name, _constraint(pyo, rows, kept.tolist(), columns, slots))
    for sets in model.special_sets:
        _add(made, sets.name, _special_sets(pyo, sets, columns))
    objective = model.objective
    used = np.flatnonzero(model.costs)
    body = objective.constant + _sum(pyo, model.costs[used], [columns[k] for k in used])
    body += _products(objective.quadratic, 0, columns)
    if objective.slots is not None:
        body += _row(pyo, objective.slots, 0, slots)
    sense = pyo.minimize if objective.sense == "minimize" else pyo.maximize
    _add(made, objective.name, pyo.Objective(expr=body, sense=sense))
    return made


def rows_with_variables(model: Model) -> np.ndarray:
    """Which rows have an entry, a product or a slot, bool (rows,).

    Raises E403 for each family with a row that has none and does not hold.
    """
    found, report = [np.zeros(0, bool)], Report()
    for block in model.rows:
        filled = np.diff(block.matrix.indptr) > 0
        filled[block.quadratic.row] = True
        if block.slots is not None:
            filled |= np.diff(block.slots.indptr) > 0
        broken = np.flatnonzero(~filled & ((block.lower > 0) | (block.upper < 0)))
        if len(broken):
            at = place(block.name, block.index, int(broken[0]))
            message = f"row {at} has no variables and does not hold"
            report.error("E403", message, block.span, _NEVER)
        found.append(filled)
    report.raise_errors()
    return np.concatenate(found)


_NEVER = "the spec has no solution with these data: change the row, or remove it with drop"


def keys(index: Index) -> list[Any]:
    """What each member of a family is found by in its component; [None] for a single one."""
    labels = labels_of(index).columns
    if not labels:
        return [None] if index.length == 1 else list(range(1, index.length + 1))
    lists = [column.tolist() for column in labels]
    return lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))


def _add(made: pyo.ConcreteModel, name: str, component: Any) -> None:
    while made.component(name) is not None or hasattr(made, name):
        name += "_"
    made.add_component(name, component)


def _variables(pyo: Any, made: pyo.ConcreteModel, block: Variables) -> list[Any]:
    domain = {Kind.CONTINUOUS: pyo.Reals, Kind.INTEGER: pyo.Integers, Kind.BINARY: pyo.Binary}
    of = keys(block.index)
    limits = list(zip(_sides(block.lower), _sides(block.upper), strict=True))
    if of == [None]:
        variable = pyo.Var(domain=domain[block.kind], bounds=limits[0])
    else:
        bounds = dict(zip(of, limits, strict=True))
        variable = pyo.Var(of, domain=domain[block.kind], bounds=bounds)
    _add(made, block.name, variable)
    return [variable[key] for key in of]


def _constraint(pyo: Any, rows: Rows, kept: list[int], columns: list[Any], slots: list[Any]) -> Any:
    sides = list(zip(_sides(rows.lower), _sides(rows.upper), strict=True))

    def row(r: int) -> Any:
        body = _row(pyo, rows.matrix, r, columns) + _products(rows.quadratic, r, columns)
        if rows.slots is not None:
            body += _row(pyo, rows.slots, r, slots)
        low, high = sides[r]
        return (body, low) if low == high and low is not None else (low, body, high)

    of = keys(rows.index)
    if of == [None]:
        return pyo.Constraint(expr=row(0)) if kept else pyo.Constraint([])
    at = {of[r]: r for r in kept}
    return pyo.Constraint(
        list(at), rule=lambda made, *key: row(at[key[0] if len(key) == 1 else key])
    )


def _special_sets(pyo: Any, block: SpecialSets, columns: list[Any]) -> Any:
    """A component of one type 1 set, or of many by their keys; weights are 1, 2, ..."""
    ends = pairwise(block.offsets.tolist())
    members = [[columns[k] for k in block.members[first:stop].tolist()] for first, stop in ends]
    said = [(own, list(range(1, len(own) + 1))) for own in members]
    of = keys(block.index)
    if of == [None]:
        return pyo.SOSConstraint(rule=lambda made: said[0], sos=1)
    at = dict(zip(of, said, strict=True))
    return pyo.SOSConstraint(
        of, rule=lambda made, *key: at[key[0] if len(key) == 1 else key], sos=1
    )


def _tape(pyo: Any, made: pyo.ConcreteModel, model: Model, columns: list[Any]) -> list[Any]:
    """The tape's slots as named expressions, in order."""
    if not model.tape.steps:
        return []
    component = pyo.Expression(range(model.tape.length))
    _add(made, SLOTS, component)
    slots: list[Any] = []
    for step in model.tape.steps:
        for r in range(step.length):
            if isinstance(step, Affine):
                body = float(step.constants[r]) + _row(pyo, step.columns, r, columns)
                body += _row(pyo, step.slots, r, slots)
            elif isinstance(step, Product):
                body = 1.0
                for factor in step.factors[step.offsets[r] : step.offsets[r + 1]].tolist():
                    body = slots[factor] * body
            else:
                body = _function(pyo, step, slots[step.arguments[r]])
            component[len(slots)] = body
            slots.append(component[len(slots)])
    return slots


def _function(pyo: Any, step: Elementwise, u: Any) -> Any:
    match step.function:
        case Smooth.EXP:
            return pyo.exp(u)
        case Smooth.LOG:
            return pyo.log(u)
        case Smooth.LOGISTIC:
            return 0.5 * (1 + pyo.tanh(u / 2))  # exp(-u) would overflow
        case Smooth.POWER:
            whole = float(step.exponent).is_integer()
            return u ** (int(step.exponent) if whole else step.exponent)


def _row(pyo: Any, matrix: SparseRows, r: int, terms: list[Any]) -> Any:
    at = slice(int(matrix.indptr[r]), int(matrix.indptr[r + 1]))
    return _sum(pyo, matrix.data[at], [terms[k] for k in matrix.indices[at].tolist()])


def _sum(pyo: Any, coefficients: np.ndarray, terms: list[Any]) -> Any:
    """One flat sum: adding term by term would nest as deep as it is long."""
    pairs = zip(coefficients.tolist(), terms, strict=True)
    return pyo.quicksum(c * term for c, term in pairs)


def _products(form: Quadratic, r: int, columns: list[Any]) -> Any:
    at = slice(*np.searchsorted(form.row, [r, r + 1]))
    parts = (form.coef[at].tolist(), form.first[at].tolist(), form.second[at].tolist())
    return sum(c * columns[j] * columns[k] for c, j, k in zip(*parts, strict=True))


def _sides(bounds: np.ndarray) -> list[float | None]:
    return [b if np.isfinite(b) else None for b in bounds.tolist()]
