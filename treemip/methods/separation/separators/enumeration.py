"""Members of given families that a point breaks, found by evaluating all of them.

The families are stated in full, but their rows get into the solver's model only when they are
broken: any `cut` of a spec, or a constraint with many rows of which few matter.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.arrays import unique
from treemip.core.model.blocks import Rows
from treemip.core.model.tolerances import FEASIBILITY, SEPARATED
from treemip.core.model.values import products_at, row_sums
from treemip.methods.separation.separator import Find, Job, Parameter, Positions, Separator, Values

TOLERANCE = SEPARATED * FEASIBILITY


def _prepare(job: Job) -> Find:
    blocks = [block for block in job.stated.rows if block.name in job.families]
    most = int(job.number("most"))

    def find(values: Values, integral: bool) -> Positions | None:
        x = np.concatenate([values[block.name] for block in job.stated.variables])
        broken = {block.name: _broken(block, x, most) for block in blocks}
        return {name: rows for name, rows in broken.items() if len(rows)} or None

    return find


def _broken(block: Rows, x: np.ndarray, most: int) -> np.ndarray:
    """The rows that x breaks, ascending; of more than `most`, those it breaks worst."""
    body = row_sums(block.matrix, x) + products_at(block.quadratic, x, block.length)
    off = np.maximum(block.lower - body, body - block.upper)
    side = np.abs(np.where(np.isfinite(block.upper), block.upper, block.lower))
    rows = np.flatnonzero(off > TOLERANCE * np.maximum(1.0, side))
    if len(rows) > most:
        rows = unique(rows[np.argpartition(-off[rows], most)[:most]])
    return rows


SEPARATOR = Separator(
    "enumeration",
    (Parameter("most", 1000, least=1),),
    _prepare,
    "cuts NAME;  adds the rows up front",
)
