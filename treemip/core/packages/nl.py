"""NL files, AMPL's format, for solvers of nonlinear models: written by Pyomo from its model.

Beside ``model.nl`` stand ``model.col`` and ``model.row`` with the names of its columns and rows in
the NL file's order, which is not the model's: the format puts nonlinear columns first and leaves
out columns that nothing mentions. Pyomo holds a Python object for every coefficient, so that this
is for models of a few hundred thousand nonzeros; MPS and LP files have no such limit.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from treemip.core.files.atomic import replacing, replacing_beside, together, written_size
from treemip.core.files.flat_model import CutsAs, with_rows
from treemip.core.files.mapfile import mapping
from treemip.core.files.model_files import WriteReport, side_files
from treemip.core.files.names import Style, name_model
from treemip.core.files.profiles import PORTABLE, Profile
from treemip.core.files.requirements import require_no_sets
from treemip.core.model.model import Model
from treemip.core.packages.pyomo import rows_with_variables, to_pyomo
from treemip.core.source.diagnostic import Report, fail


def write_nl(
    model: Model,
    path: str | Path,
    *,
    names: Style = "spec",
    map_path: str | Path | None = None,
    profile: Profile = PORTABLE,
    cuts: CutsAs = "rows",
) -> WriteReport:
    """Write `model` as a text NL file, with its .col and .row files.

    Linear, quadratic and smooth nonlinear models; a row with two sides stays one. Raises
    TreemipError: E601 when implications, functions or sets are left or `cuts` ask for a section,
    E602 without pyomo, E603 when a file cannot be written.
    """
    base = Path(path)
    _require_plain(model, base, cuts)
    kept = rows_with_variables(model) & _bounded(model)
    text, columns, rows = _written(to_pyomo(with_rows(model, kept)))
    rows = np.flatnonzero(kept)[rows].tolist()
    settled, (col_file, row_file) = name_model(model, names), side_files(path)
    column_names, row_names = settled.columns().tolist(), settled.rows().tolist()
    with (
        together(),
        replacing_beside(map_path, path) as beside,
        replacing(col_file) as col,
        replacing(row_file) as row,
        replacing(path) as file,
    ):
        file.write(text.encode())
        col.write(b"".join(column_names[k] + b"\n" for k in columns))
        row.write(b"".join(row_names[k] + b"\n" for k in rows))
        row.write(settled.objective.encode() + b"\n")
        if beside is not None:
            beside.write(mapping(model, settled))
    return WriteReport(
        path=base,
        map_path=None if map_path is None else Path(map_path),
        rows=len(rows),
        columns=len(columns),
        nonzeros=model.nonzeros,
        bytes=written_size(path),
        negated=False,
        constant_column=None,
        free_rows=model.row_count - len(rows),
    )


def _require_plain(model: Model, path: Path, cuts: CutsAs) -> None:
    """Raises E601 for what NL files lack; `to_pyomo` finds what Pyomo's model lacks."""
    if cuts != "rows":
        fail("E601", "an NL file has no section of cuts", remedy="leave --cuts-as out")
    if path.suffix == ".gz":
        message = "solvers read NL files as they are, not compressed"
        fail("E601", message, remedy="leave .gz out")
    report = Report()
    require_no_sets(model, "an NL file", report)
    report.raise_errors()


def _written(made: Any) -> tuple[str, list[int], list[int]]:
    """The file's text, and which of the model's columns and rows it has, in its order."""
    from pyomo.core import Constraint, Var
    from pyomo.repn.plugins.nl_writer import NLWriter

    column = {id(v): k for k, v in enumerate(made.component_data_objects(Var))}
    row = {id(c): k for k, c in enumerate(made.component_data_objects(Constraint))}
    text = StringIO()
    # Presolve and scaling would make it another model than the one the names are of.
    told = NLWriter().write(
        made, text, linear_presolve=False, scale_model=False, export_nonlinear_variables=[]
    )
    columns = [column[id(v)] for v in told.variables]
    return text.getvalue(), columns, [row[id(c)] for c in told.constraints]


def _bounded(model: Model) -> np.ndarray:
    """Rows that say something, bool (rows,)."""
    parts = [np.isfinite(block.lower) | np.isfinite(block.upper) for block in model.rows]
    return np.concatenate([np.zeros(0, bool), *parts])
