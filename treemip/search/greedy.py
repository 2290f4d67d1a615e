"""The tree that CART grows for the spec's own objective: a start, and a tree to compare with.

At each branch the cut is taken whose two sides are worth most as leaves. Of squared or absolute
errors this is the regression tree of Breiman, Friedman, Olshen and Stone, Classification and
Regression Trees (1984), sect. 8.3 and 8.11; of other sums over points it is their analogue.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.search.alternate import Alternation
from treemip.search.beginnings import Beginnings
from treemip.search.candidate import Candidate
from treemip.search.inputs import Inputs
from treemip.search.split_columns import form_of
from treemip.search.sum_builder import sums_of
from treemip.search.sums import Sums


def greedy_tree(instance: Instance) -> Candidate:
    """The tree in the spec's topology. Raises NoSums."""
    return Beginnings(_values(instance)).purest_tree()


def worth_of_others(instance: Instance) -> dict[str, float]:
    """The spec's objective on trees to compare with: "CART", in the same topology, and the best
    tree without a split. Nothing where side constraints or prices tell trees apart in other ways,
    or where the best values do not follow from sums. Raises NoSums.
    """
    values = _values(instance)
    if not _is_plain(values.sums):
        return {}
    sign = values.sums.sign
    greedy, constant = Beginnings(values).purest_tree(), values.empty()
    return {
        "CART": sign * values.relabelled(greedy),
        "no split": sign * values.relabelled(constant),
    }


def _is_plain(sums: Sums) -> bool:
    listed = sums.answers.values is not None and sums.parabola is None
    return sums.additive and not sums.opaque and not sums.limits[0].count and not listed


def _values(instance: Instance) -> Alternation:
    """What univariate trees are worth, over the distinct points."""
    assert instance.topology is not None
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    sums = sums_of(instance, of_point.ravel())
    inputs, rng = Inputs.of(instance), np.random.default_rng(0)
    return Alternation(
        instance.topology, x, sums, rng, np.inf, True, None, inputs, form_of(instance)
    )
