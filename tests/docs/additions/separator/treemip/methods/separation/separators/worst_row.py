"""Of each of the given families, the row that a point breaks worst."""

from __future__ import annotations

import numpy as np

from treemip.core.model.tolerances import FEASIBILITY, SEPARATED
from treemip.core.model.values import row_sums
from treemip.methods.separation.separator import Find, Job, Positions, Separator, Values


def _prepare(job: Job) -> Find:
    blocks = [block for block in job.stated.rows if block.name in job.families]

    def find(values: Values, integral: bool) -> Positions | None:
        x = np.concatenate([values[block.name] for block in job.stated.variables])
        found = {}
        for block in blocks:
            body = row_sums(block.matrix, x)
            off = np.maximum(block.lower - body, body - block.upper)
            if off.max(initial=0.0) > SEPARATED * FEASIBILITY:
                found[block.name] = np.array([off.argmax()])
        return found or None

    return find


SEPARATOR = Separator("worst_row", (), _prepare, "state the rows up front")
