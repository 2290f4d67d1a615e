"""How far apart a formulation wants points at a hyperplane or a cut, as a search finds out.

Gaps cost time to look for and rule trees out, so they are looked for only after a tree has broken
rows, and asked for as often as trees are too narrow without.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

import numpy as np

from treemip.answers.search import point_sample
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import feature_gaps, needed_gap
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.source.diagnostic import TreemipError

SELDOM = 4  # promising trees that are too narrow to one that is wide enough, for more to be asked
LOOKED = 3  # trees that break rows and need no gap, after which none is looked for


class NeededGaps:
    """late: whether the time for looking is used up. few: whether there are few points, among which
    a gap may be met by chance.

    narrow: whether a tree's gaps were too narrow for the formulation. narrowest: of the best such
    tree, its objective, to be minimized, and its gap; infinite without one. rows: the family of
    rows that the first of them broke.
    """

    def __init__(
        self,
        instance: Instance,
        model: Model,
        search: Alternation,
        few: bool,
        late: Callable[[], bool],
    ) -> None:
        self.instance, self.model, self.search = instance, model, search
        self.few, self.late = few, late
        self.narrow, self.rows = False, ""
        self.narrowest = (np.inf, 0.0)
        self._widths = [0, 0]  # promising trees without a gap asked for: too narrow, wide enough
        self._looked = 0

    @cached_property
    def needed(self) -> float:
        """Between the points on the two sides of a hyperplane."""
        if self.search.univariate:
            return 0.0
        instance, model, x = self.instance, self.model, self.search.x
        few = point_sample.POINTS
        if len(instance.table.y) > few:  # each direction costs passes over the model's rows
            with suppress(TreemipError):  # a sample need not have what the spec requires
                instance, model = point_sample.sample_of(instance, few, 0)
                x = instance.table.distinct[0]
        return needed_gap(instance, model, x, self.search.empty(), self.late)

    @property
    def asked(self) -> float:
        """What trees are searched with: 0 as long as none was too narrow."""
        return self.needed if self.narrow else 0.0

    def is_wide(self, gap: float) -> bool:
        return gap >= self.needed * (1 - SAME_WORTH)

    def note(self, gap: float) -> None:
        """The gap of a tree that was searched without asking for one; 0 for no promising tree."""
        if self.narrow and gap > 0:
            self._widths[self.is_wide(gap)] += 1

    @property
    def seldom_wide(self) -> bool:
        """Whether trees without a gap asked for are hardly ever wide enough."""
        narrow, wide = self._widths
        return self.few and narrow >= SELDOM * (1 + wide)

    def measure_cuts(self, tree: Candidate) -> bool:
        """Finds out once, after a tree has broken rows, how wide the formulation wants cuts of
        single features; from then on they are. Whether that changes them."""
        search, cuts = self.search, self.search.cuts
        if cuts.least.any() or self._looked >= LOOKED:
            return False
        self._looked += 1
        first = np.flatnonzero(tree.weights[:, : search.features].any(axis=0))
        cuts.least = feature_gaps(
            self.instance, self.model, search.x, search.empty(), first, self.late
        )
        return bool(cuts.least.any())
