"""What OR-Tools reads in MPS files, a line of JSON for each: a program, run by its path."""

from __future__ import annotations

import json
import sys

from ortools.linear_solver.python import model_builder


def content(path: str) -> dict[str, list]:
    model = model_builder.Model()
    assert model.import_from_mps_file(path)
    held = model.helper
    assert not held.maximize() and held.objective_offset() == 0
    names = [held.var_name(k) for k in range(held.num_variables())]
    columns = [
        (
            name,
            held.var_lower_bound(k),
            held.var_upper_bound(k),
            held.var_objective_coefficient(k),
            held.var_is_integral(k),
        )
        for k, name in enumerate(names)
    ]
    rows = []
    for k in range(held.num_constraints()):
        entries = zip(held.constraint_var_indices(k), held.constraint_coefficients(k), strict=True)
        rows.append(
            (
                held.constraint_name(k),
                held.constraint_lower_bound(k),
                held.constraint_upper_bound(k),
                [(names[column], value) for column, value in entries],
            )
        )
    return {"columns": columns, "rows": rows}


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print(json.dumps(content(file)))
