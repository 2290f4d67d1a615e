"""The exact engine as a start: its tree as a solution of the stated model, and its bound."""

from __future__ import annotations

import numpy as np

from treemip.engines.fits import fits
from treemip.engines.univariate import best_tree
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.complete import complete
from treemip.search.start import SECONDS, Searched, as_columns
from treemip.search.sum_builder import sums_of


def exact(instance: Instance, stated: Model, seconds: float | None) -> Searched | None:
    """What the engine finds; None where it does not take the spec, or its tree is no solution.

    seconds: of wall clock, SECONDS where it is None. Raises NoSums.
    """
    if instance.spec.split != "univariate":
        return None
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    sums = sums_of(instance, of_point.ravel())
    if fits(instance, sums) is not None:
        return None
    found = best_tree(instance, sums, x, SECONDS if seconds is None else seconds)
    if found.tree is None:
        return Searched(None, {}, found.bound, found.evaluated, found.seconds, proven=found.proven)
    completion = complete(instance, stated, found.tree)
    if completion.violations:
        return None
    values = as_columns(stated, completion.values)
    return Searched(
        values, {}, found.bound, found.evaluated, found.seconds, found.value, found.proven
    )
