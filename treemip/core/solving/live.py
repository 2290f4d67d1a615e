"""What packages with calls for whole matrices take alike: a model's rows, told apart by their part.

A package gets its plain rows in one piece; rows with products, guarded rows and cuts go by calls of
their own, where it has them, and are refused at their place in the source where it has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.files.flat_model import CutsAs, Flat, Sets, flatten, special_sets, without_ranges
from treemip.core.files.names import name_model
from treemip.core.files.profiles import Caps, Profile, Reads
from treemip.core.model.blocks import Kind, Quadratic
from treemip.core.model.model import Model
from treemip.core.solving.arrays import Arrays, assemble
from treemip.core.solving.start_completion import checked
from treemip.core.source.diagnostic import Report, fail

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LETTERS = {Kind.CONTINUOUS: "C", Kind.INTEGER: "I", Kind.BINARY: "B"}


@dataclass(frozen=True)
class Live:
    """A model's arrays; bodies of implications are its last rows, from `flat.guarded` on.

    A row with products has one side, and so has a cut that is not among the others.
    columns, rows, set_names: names as in files, 'U' (columns,), (rows,), (sets,).
    start: float64 (columns,) or None.
    """

    flat: Flat
    arrays: Arrays
    columns: np.ndarray
    rows: np.ndarray
    set_names: np.ndarray
    start: np.ndarray | None

    @property
    def model(self) -> Model:
        return self.flat.model

    @cached_property
    def kinds(self) -> np.ndarray:
        """C, I or B for each column, 'U1'."""
        parts = [np.full(b.length, LETTERS[b.kind]) for b in self.model.variables]
        return np.concatenate(parts)

    @cached_property
    def plain(self) -> np.ndarray:
        """Numbers of linear rows that hold always; those without bounds say nothing."""
        arrays = self.arrays
        kept = np.isfinite(arrays.row_lower) | np.isfinite(arrays.row_upper)
        kept[self.curved] = False
        kept[self.flat.guarded :] = False
        return np.flatnonzero(kept & ~self.flat.aside)

    @cached_property
    def curved(self) -> np.ndarray:
        """Numbers of rows with products that have a bound."""
        found = np.unique(self.arrays.quadratic.row)
        return found[[bool(self.one_sided(r)[0]) for r in found.tolist()]]

    @cached_property
    def aside(self) -> np.ndarray:
        """Numbers of lazy constraints or user cuts."""
        bounded = np.isfinite(self.arrays.row_lower) | np.isfinite(self.arrays.row_upper)
        return np.flatnonzero(self.flat.aside & bounded)

    @cached_property
    def guarded(self) -> np.ndarray:
        """Numbers of guarded rows; `flat.guards` and `flat.values` are theirs."""
        return np.arange(self.flat.guarded, self.arrays.rows)

    @cached_property
    def matrix(self) -> csr_array:
        from scipy.sparse import csr_array

        arrays = self.arrays
        entries = (arrays.matrix.data, arrays.matrix.indices, arrays.matrix.indptr)
        return csr_array(entries, shape=(arrays.rows, arrays.columns))

    @cached_property
    def sets(self) -> Sets:
        """The special ordered sets."""
        return special_sets(self.model)

    def entries(self, row: int) -> tuple[list[int], list[float]]:
        """Columns and coefficients of a row."""
        matrix = self.arrays.matrix
        at = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
        return matrix.indices[at].tolist(), matrix.data[at].tolist()

    def products(self, row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First and second columns and coefficients of a row's products."""
        return of_row(self.arrays.quadratic, row)

    def one_sided(self, row: int) -> tuple[str, float]:
        """E, G or L and the right side of a row; nothing of one without bounds."""
        low, high = float(self.arrays.row_lower[row]), float(self.arrays.row_upper[row])
        if low == high:
            return "E", low
        if np.isfinite(low):
            return "G", low
        return ("L", high) if np.isfinite(high) else ("", 0.0)

    def sided(self, rows: np.ndarray) -> Iterator[tuple[int, str, float]]:
        """Rows of one side each: number, E, G or L, right side."""
        for row in rows.tolist():
            yield row, *self.one_sided(row)


def live(
    model: Model,
    target: str,
    takes: Reads,
    cuts: CutsAs,
    start: Sequence[float] | np.ndarray | None,
) -> Live:
    """Sort a model for a package called `target`, which takes `takes`.

    Raises E601 for what it does not take, for a start of a model without integers and a model
    without variables, E402 and E403 as for other solvers, E607 for a start that is not one
    finite number for each column.
    """
    report = Report()
    apart = cuts != "rows"
    parts = tuple(p for b in model.rows for p in without_ranges(b, always=apart and b.cut))
    flat = flatten(model.with_(rows=parts), takes, target, cuts, report)
    report.raise_errors()
    arrays = assemble(flat.model, Profile(target, target, Caps(model=takes)))
    names = name_model(flat.model)
    columns, rows, sets = (n.astype(str) for n in (names.columns(), names.rows(), names.sets()))
    return Live(flat, arrays, columns, rows, sets, _complete(arrays, target, start))


def _complete(
    arrays: Arrays, target: str, start: Sequence[float] | np.ndarray | None
) -> np.ndarray | None:
    if start is None:
        return None
    values = checked(np.asarray(start, float), arrays.columns)
    if np.isnan(values).any():
        message = f"the start has no value for {np.count_nonzero(np.isnan(values))} columns"
        remedy = "complete it, as Compiled.start_values does"
        fail("E607", message, remedy=remedy)
    if not arrays.integer.any():
        message = f"{target} ignores a start on models without integers"
        fail("E601", message, remedy="leave the start out")
    return values


def of_row(form: Quadratic, row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second columns and coefficients of one row's products."""
    at = slice(*np.searchsorted(form.row, [row, row + 1]))
    return form.first[at], form.second[at], form.coef[at]


def form_matrix(form: Quadratic, row: int, columns: int) -> csr_array:
    """The products of one row as a matrix Q of x'Qx, upper triangle."""
    from scipy.sparse import coo_array

    first, second, coef = of_row(form, row)
    return coo_array((coef, (first, second)), shape=(columns, columns)).tocsr()
