"""A lowered model beside the slow reading of its spec: every family, row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from second_reading import Poly, Reference, add, clean, known, plain, rows_of

from treemip.api.program import Program
from treemip.core.lower.bind import bind
from treemip.core.lower.lower import lower
from treemip.core.model.blocks import Quadratic, Rows, SparseRows
from treemip.core.model.model import Model


def compare(program: Program) -> int:
    """Compare everything; the number of rows. Fails with the first family that differs."""
    instance = bind(program.spec, program.data)
    model = lower(instance, program.spec.cuts)
    reference = Reference(instance)
    columns = column_keys(model, reference)
    count = 0
    for constraint in (*program.spec.constraints, *program.spec.cuts):
        expected: dict[str, list] = {}
        for suffix, at, row in rows_of(constraint, reference):
            if row[0] or row[3]:  # rows without variables are left out
                expected.setdefault(constraint.name + suffix, []).append((at, row))
        for name, rows in expected.items():
            found = rows_in(model, name, columns)
            assert len(found) == len(rows), name
            for got, (at, want) in zip(found, rows, strict=True):
                assert_equal(got, want, f"{name}{at}")
            count += len(rows)
    objective(model, program, reference, columns)
    return count


def column_keys(model: Model, reference: Reference) -> list[tuple]:
    """What each column of the model is, in the reference's words."""
    spec = reference.instance.spec
    columns: list[tuple] = []
    results = {f.result: f for f in model.functions if f.length}
    symbols = {s.name: s for s in spec.variables}
    for block in model.variables:
        assert block.start == len(columns)
        if not block.length:
            continue
        if block.start not in results:
            symbol = symbols[block.name]
            at = reference.domain(symbol.domain)
            assert len(at) == block.length, block.name
            columns += [(block.name, *a) for a in at]
            bounds(block, symbol, reference, at)
            continue
        f = results[block.start]
        for r in range(f.length):
            parts = range(int(f.offsets[r]), int(f.offsets[r + 1]))
            arguments = [
                with_products(
                    poly(f.arguments, k, columns, f.constants[k]), f.quadratic, k, columns
                )
                for k in parts
            ]
            (key,) = reference.piecewise(f.function.value, arguments)
            value = reference.piecewise(f.function.value, arguments)[key]
            columns.append(key[0] if key else ("constant", value))
    return columns


def bounds(block, symbol, reference: Reference, domain: list[tuple]) -> None:  # type: ignore[no-untyped-def]
    binary = symbol.kind == "binary"
    for k, at in enumerate(domain):
        low, high = (0.0, 1.0) if binary else (-math.inf, math.inf)
        env = dict(zip(symbol.domain.names, at, strict=True))
        for op, expression in symbol.bounds:
            value = known(plain(reference.value(expression, env)))
            low = max(low, value) if op in (">=", "=") else low
            high = min(high, value) if op in ("<=", "=") else high
        assert (block.lower[k], block.upper[k]) == pytest.approx((low, high)), (block.name, at)


def poly(matrix: SparseRows, row: int, columns: list[tuple], constant: float = 0.0) -> Poly:
    at = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
    ids = matrix.indices[at].tolist()
    assert ids == sorted(set(ids)) and (matrix.data[at] != 0).all()
    pairs = zip((columns[k] for k in ids), matrix.data[at].tolist(), strict=True)
    return add({(): float(constant)}, gathered(pairs))


def gathered(pairs: Iterable[tuple[tuple, float]]) -> Poly:
    """Columns with their coefficients; two function columns may mean the same, or a constant."""
    found: Poly = {(): 0.0}
    for column, coef in pairs:
        is_known = column[0] == "constant"
        key = () if is_known else (column,)
        found[key] = found.get(key, 0.0) + coef * (column[1] if is_known else 1.0)
    return found


def rows_in(model: Model, name: str, columns: list[tuple]) -> list[list]:
    found = []
    for block in model.rows:
        if block.name == name:
            found += [[*_body(block, k, columns), None] for k in range(block.length)]
    found = [row for row in found if row[0]]
    for implication in model.implications:
        if implication.name != name:
            continue
        for k in range(implication.length):
            guard = poly(implication.guard, k, columns, implication.guard_constant[k])
            found.append(
                [*_body(implication.body, k, columns), (clean(guard), implication.value[k])]
            )
    return found


def with_products(found: Poly, q: Quadratic, row: int, columns: list[tuple]) -> Poly:
    """A row's affine part with its products."""
    for k in np.flatnonzero(q.row == row):
        key = tuple(sorted((columns[q.first[k]], columns[q.second[k]]), key=repr))
        found[key] = found.get(key, 0.0) + float(q.coef[k])
    return found


def _body(block: Rows, row: int, columns: list[tuple]) -> list:
    found = with_products(poly(block.matrix, row, columns), block.quadratic, row, columns)
    constant = found.pop(())
    return [clean(found), block.lower[row] - constant, block.upper[row] - constant]


def assert_equal(got: list, want: list, where: str) -> None:
    assert set(got[0]) == set(want[0]), where
    for key, coef in want[0].items():
        assert got[0][key] == pytest.approx(coef, rel=1e-9, abs=1e-9), (where, key)
    assert got[1:3] == pytest.approx(want[1:3], rel=1e-9, abs=1e-9), where
    assert (got[3] is None) == (want[3] is None), where
    if want[3] is not None:
        assert got[3][0] == pytest.approx(want[3][0]) and got[3][1] == want[3][1], where


def objective(model: Model, program: Program, reference: Reference, columns: list[tuple]) -> None:
    said = program.spec.objective
    if said is None:
        assert not len(model.objective.linear)
        return
    want = clean(plain(reference.value(said.value, {})))
    found = gathered(zip(columns, model.costs.tolist(), strict=True))
    found[()] += model.objective.constant
    found = clean(with_products(found, model.objective.quadratic, 0, columns))
    assert set(found) == set(want)
    assert found == pytest.approx(want)
    assert model.objective.sense == said.sense
