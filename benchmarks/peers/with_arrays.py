"""The formulations without a modelling tool: formulas to arrays, arrays to text in plain Python."""

from __future__ import annotations

from itertools import compress

import numpy as np
from arrays import Arrays, binoct_arrays, soct_arrays
from binoct import binoct
from command import run
from soct import soct

INFINITE = np.inf


def write_soct(table: str, depth: int, target: str) -> None:
    write(soct_arrays(soct(table, depth)), target)


def write_binoct(table: str, depth: int, target: str) -> None:
    write(binoct_arrays(binoct(table, depth)), target)


def write(model: Arrays, target: str) -> None:
    """Write free MPS: one line a coefficient, every number in its shortest exact form."""
    matrix = model.matrix()
    lower, upper, cost = (np.concatenate(p) for p in (model.lower, model.upper, model.cost))
    integer = np.concatenate(model.integer)
    row_lower, row_upper = np.concatenate(model.row_lower), np.concatenate(model.row_upper)
    rows = model.row_names
    with open(target, "w", buffering=1 << 20) as out:
        out.write(f"NAME model\nOBJSENSE\n    {'MAX' if model.maximize else 'MIN'}\nROWS\n N obj\n")
        kinds = np.where(row_lower == row_upper, "E", np.where(row_upper < INFINITE, "L", "G"))
        out.writelines(map(" {} {}\n".format, kinds.tolist(), rows))
        out.write("COLUMNS\n")
        inside = False
        for j, name in enumerate(model.names):
            if integer[j] != inside:
                out.write(f" MARK 'MARKER' {_marker(inside)}\n")
                inside = not inside
            if cost[j]:
                out.write(f" {name} obj {cost[j]:.17g}\n")
            part = slice(matrix.indptr[j], matrix.indptr[j + 1])
            entries = zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)
            out.write("".join([f" {name} {rows[r]} {value!r}\n" for r, value in entries]))
        if inside:
            out.write(f" MARK 'MARKER' {_marker(inside)}\n")
        out.write("RHS\n")
        sides = np.where(row_upper < INFINITE, row_upper, row_lower)
        nonzero = sides != 0
        out.writelines(
            map(" RHS {} {!r}\n".format, compress(rows, nonzero), sides[nonzero].tolist())
        )
        out.write("BOUNDS\n")
        bounds = zip(model.names, lower.tolist(), upper.tolist(), strict=True)
        out.writelines(_bound(name, lo, hi) for name, lo, hi in bounds if lo != 0 or hi != INFINITE)
        out.write("ENDATA\n")


def _marker(inside: bool) -> str:
    return "'INTEND'" if inside else "'INTORG'"


def _bound(name: str, lower: float, upper: float) -> str:
    if lower == -INFINITE and upper == INFINITE:
        return f" FR BND {name}\n"
    text = f" LO BND {name} {lower!r}\n" if lower else ""
    return text + (f" UP BND {name} {upper!r}\n" if upper < INFINITE else "")


if __name__ == "__main__":
    run(soct=write_soct, binoct=write_binoct)
