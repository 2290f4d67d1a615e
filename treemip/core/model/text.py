"""A model as readable text: to look at a stage of the compiler, and to state whole models in tests.

minimize cost: 3 x(1) + y + 1
subject to
  low(1): 2 x(1) - y >= 4
  range: -1 <= x(1) * y + x(2)^2 <= 1
  on(1): z = 1 ==> x(1) <= 2 [big_m 3]
special ordered sets
  either(1): z, y
functions
  abs(1) = |x(1) - 2|
tape
  s1 = x(1) + 2
  s2 = exp(s1)
  s3 = s1 * s2
variables
  -1 <= x(1) <= 1
  binary z

Slots of the tape are numbered from 1; rows and objective add them behind their products. Of the
columns of a special ordered set one at most is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.model.blocks import (
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Method,
    Quadratic,
    Rows,
    SparseRows,
    SpecialSets,
    Variables,
)
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Product, Smooth, Step, Tape


def to_text(model: Model) -> str:
    """The whole model, a line for each row, function and variable, in the order of the model.

    Numbers are exact: the shortest text that reads back as the same double. A name is its block's
    with the index labels in brackets, and a running number where those are not unique.
    """
    names = [name for block in model.variables for name in row_names(block.name, block.index)]
    objective = model.objective
    body = _sum(
        [
            *_linear(objective.linear, np.arange(len(objective.linear)), names),
            *_products(objective.quadratic, 0, names),
            *_slots(objective.slots, 0),
        ],
        objective.constant,
    )
    lines = [f"{objective.sense} {objective.name}: {body}"]
    rows = [line for block in model.rows for line in _rows(block, names)]
    rows += [line for block in model.implications for line in _implications(block, names)]
    sets = [line for block in model.special_sets for line in _special_sets(block, names)]
    functions = [line for block in model.functions for line in _functions(block, names)]
    tape = [f"s{k + 1} = {step}" for k, step in enumerate(_tape(model.tape, names))]
    variables = [line for block in model.variables for line in _variables(block, names)]
    parts = {
        "subject to": rows,
        "special ordered sets": sets,
        "functions": functions,
        "tape": tape,
        "variables": variables,
    }
    for title, part in parts.items():
        if part:
            lines += [title, *("  " + line for line in part)]
    return "\n".join(lines) + "\n"


def row_names(name: str, index: Index) -> list[str]:
    """Names of a block's rows or columns."""
    if not index.columns:
        single = index.length == 1
        return [name] if single else [f"{name}({k + 1})" for k in range(index.length)]
    tuples = list(zip(*(column.tolist() for column in index.columns), strict=True))
    if len(set(tuples)) < len(tuples):
        tuples = [(*labels, k + 1) for k, labels in enumerate(tuples)]
    return [f"{name}({','.join(map(label, labels))})" for labels in tuples]


def label(value: float) -> str:
    """An index's label: a whole number, or the shortest text of another."""
    return str(value) if isinstance(value, int) else number(value)


def number(value: float) -> str:
    """The shortest text of a double, whole numbers without a fraction."""
    whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(float(value))


def _rows(block: Rows, names: list[str]) -> Iterator[str]:
    for row, name in enumerate(row_names(block.name, block.index)):
        yield f"{name}: {_row(block, row, names)}"


def _row(block: Rows, row: int, names: list[str]) -> str:
    parts = [
        *_entries(block.matrix, row, names),
        *_products(block.quadratic, row, names),
        *_slots(block.slots, row),
    ]
    return _between(_sum(parts), float(block.lower[row]), float(block.upper[row]))


def _between(body: str, low: float, high: float) -> str:
    if low == high:
        return f"{body} = {number(low)}"
    if low == -np.inf and high == np.inf:
        return f"{body} free"
    left = "" if low == -np.inf else f"{number(low)} <= "
    if left and high == np.inf:
        return f"{body} >= {number(low)}"
    return f"{left}{body} <= {number(high)}"


def _implications(block: Implications, names: list[str]) -> Iterator[str]:
    method = "" if block.method is Method.AUTO else f" [{block.method.value}]"
    for row, name in enumerate(row_names(block.name, block.body.index)):
        guard = _sum([*_entries(block.guard, row, names)], float(block.guard_constant[row]))
        if block.big_m is not None:
            method = f" [big_m {number(block.big_m[row])}]"
        value = number(block.value[row])
        yield f"{name}: {guard} = {value} ==> {_row(block.body, row, names)}{method}"


def _special_sets(block: SpecialSets, names: list[str]) -> Iterator[str]:
    for r, name in enumerate(row_names(block.name, block.index)):
        members = block.members[block.offsets[r] : block.offsets[r + 1]].tolist()
        yield f"{name}: {', '.join(names[k] for k in members)}"


def _functions(block: Functions, names: list[str]) -> Iterator[str]:
    for r in range(block.length):
        arguments = [
            _sum(
                [
                    *_entries(block.arguments, k, names),
                    *_products(block.quadratic, k, names),
                    *_slots(block.slots, k),
                ],
                float(block.constants[k]),
            )
            for k in range(int(block.offsets[r]), int(block.offsets[r + 1]))
        ]
        yield f"{names[block.result + r]} = {_applied(block.function, arguments)}"


def _applied(function: Function, arguments: list[str]) -> str:
    if function is Function.ABS:
        return f"|{arguments[0]}|"
    return f"{function.value}({', '.join(arguments)})"


def _variables(block: Variables, names: list[str]) -> Iterator[str]:
    word = "" if block.kind is Kind.CONTINUOUS else block.kind.value + " "
    for k in range(block.length):
        name, low, high = names[block.start + k], float(block.lower[k]), float(block.upper[k])
        usual = block.kind is Kind.BINARY and (low, high) == (0.0, 1.0)
        yield word + (name if usual else _between(name, low, high))


def _tape(tape: Tape, names: list[str]) -> Iterator[str]:
    for step in tape.steps:
        for r in range(step.length):
            yield _step(step, r, names)


def _step(step: Step, r: int, names: list[str]) -> str:
    if isinstance(step, Affine):
        parts = [*_entries(step.columns, r, names), *_slots(step.slots, r)]
        return _sum(parts, float(step.constants[r]))
    if isinstance(step, Product):
        factors = step.factors[step.offsets[r] : step.offsets[r + 1]].tolist()
        return " * ".join(f"s{k + 1}" for k in factors) or "1"
    argument = f"s{int(step.arguments[r]) + 1}"
    if step.function is Smooth.POWER:
        power = number(step.exponent)
        return f"{argument}^({power})" if step.exponent < 0 else f"{argument}^{power}"
    return f"{step.function.value}({argument})"


# ------------------------------------------------------------------------- expressions


def _entries(matrix: SparseRows, row: int, names: list[str]) -> Iterator[tuple[float, str]]:
    at = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
    return _linear(matrix.data[at], matrix.indices[at], names)


def _slots(matrix: SparseRows | None, row: int) -> Iterator[tuple[float, str]]:
    if matrix is None:
        return
    at = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
    pairs = zip(matrix.data[at].tolist(), matrix.indices[at].tolist(), strict=True)
    yield from ((coef, f"s{slot + 1}") for coef, slot in pairs)


def _linear(
    coefs: np.ndarray, columns: np.ndarray, names: list[str]
) -> Iterator[tuple[float, str]]:
    pairs = zip(coefs.tolist(), columns.tolist(), strict=True)
    return ((coef, names[column]) for coef, column in pairs if coef)


def _products(q: Quadratic, row: int, names: list[str]) -> Iterator[tuple[float, str]]:
    for k in np.flatnonzero(q.row == row):
        first, second = names[q.first[k]], names[q.second[k]]
        yield float(q.coef[k]), f"{first}^2" if first == second else f"{first} * {second}"


def _sum(terms: list[tuple[float, str]], constant: float = 0.0) -> str:
    """`2 x - y + 1`: a coefficient 1 is left out, a sign stands before its term."""
    signed = [(coef < 0, _term(abs(coef), what)) for coef, what in terms]
    if constant or not signed:
        signed.append((constant < 0, number(abs(constant))))
    (minus, first), *rest = signed
    return (
        ("-" if minus else "")
        + first
        + "".join(f" {'-' if less else '+'} {text}" for less, text in rest)
    )


def _term(coef: float, what: str) -> str:
    return what if coef == 1 else f"{number(coef)} {what}"
