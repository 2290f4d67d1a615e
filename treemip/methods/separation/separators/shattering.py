"""Shattering inequalities: points that no hyperplane parts do not all go where a tree sends them.

Boutilier, Michini and Zhou (2023), section 4: of a support, points L and R that no hyperplane of
the spec parts, not all of L go left and all of R right, (13). Supports are the vertices of
{q >= 0 : |sum_L q x - sum_R q x|_j < eps for each feature j, sum_L q = sum_R q = 1}, over the
points that are (nearly) present on the two sides. The paper has hyperplanes of any norm and so
equations, eps = 0; for |a|_1 <= 1 and a gap of eps the dual has this band, and without it points
would pass that no hyperplane of the spec parts. A vertex has at most p + 2 points in either case,
since p + 2 rows bound q. The costs fade as in section 4.1.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.engines.oblique.hyperplanes import Sides, hyperplanes_of
from treemip.answers.engines.oblique.norms import is_free, norms_of
from treemip.answers.engines.oblique.supports import Support
from treemip.answers.engines.oblique.supports import Supports as Finder
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.hyperplane_columns import reach_rows
from treemip.answers.search.sums import NoSums
from treemip.core.instance.separated import Supports
from treemip.core.model.arrays import Ragged, offsets_of
from treemip.core.model.blocks import SparseRows
from treemip.core.model.tolerances import CERTIFIED, FEASIBILITY, SEPARATED
from treemip.core.model.values import row_sums
from treemip.methods.separation.flows import KEEP
from treemip.methods.separation.hyperplanes import LeftOutSides, branches_at
from treemip.methods.separation.separator import Find, Job, Parameter, Separator, Unfit, Values

HALF = 0.5
TOLERANCE = SEPARATED * FEASIBILITY
SEED = 1


ELSEWHERE = f"{KEEP}; it is for oblique splits whose rows keep a gap at every branch"

OTHER_SPLITS = {
    "univariate": "its splits are univariate, and shattering needs hyperplanes",
    "margin": "its leaves have no labels of their own: a side of a hyperplane is a class",
    "randomized": "its splits are randomized: a point goes to both sides of a hyperplane",
}
"""Why splits of a kind do not fit."""


def _prepare(job: Job) -> Find:
    kind = job.instance.spec.split or ""
    if kind in OTHER_SPLITS:
        raise Unfit(OTHER_SPLITS[kind], ELSEWHERE)
    try:
        columns = hyperplanes_of(job.instance, job.stated)
        if job.instance.table.categorical and job.instance.splits_by_category:
            raise Refusal("its splits may tell categories apart")
        sides = Sides(columns)
        eps = _eps(sides, job)
        reach = reach_rows(job.instance)
    except Unfit:
        raise
    except (Refusal, NoSums) as why:
        raise Unfit(str(why), ELSEWHERE) from None
    for name in job.rows:
        _demand_replaceable(sides, name)
    return Shattering(reach, eps, job)


def _eps(sides: Sides, job: Job) -> float:
    """The gap of the supports: what the spec's rows keep, or the 0 that was asked for.

    A greater one than the rows keep would cut off solutions; a smaller one in place of the rows
    would let points pass that no hyperplane of the spec parts.
    """
    asked, free = job.settings["eps"], is_free(sides.columns)
    each = sides.gaps.each
    if not free and asked != 0:
        norms = norms_of(sides.columns)
        if not np.isfinite(norms).all():
            raise Refusal("its rows do not bound the 1-norm of the coefficients")
        if job.rows and (norms != 1).any():
            raise Refusal("its rows do not bound the 1-norm of the coefficients by 1")
        each = each / norms
    gap = float(each.min())
    if not gap > CERTIFIED:
        raise Refusal("its rows keep no gap between points left and right of a hyperplane")
    own = 0.0 if free else gap
    if asked is None:
        return own
    assert not isinstance(asked, str)
    if asked > own + CERTIFIED:
        why = f"its rows keep a gap of {own:g}, and a greater one, {asked:g}, would cut off trees"
        raise Unfit(why, "leave eps out: the gap of the rows is taken")
    if job.rows and asked < own - CERTIFIED:
        why = (
            f"its rows keep a gap of {own:g}, for which supports of a gap of {asked:g} cannot stand"
        )
        raise Unfit(why, "leave eps out: the gap of the rows is taken")
    return min(float(asked), own)


def _demand_replaceable(sides: Sides, name: str) -> None:
    """Raises Refusal unless a family says nothing but on which side of a hyperplane points are."""
    blocks = [block for block in sides.columns.model.implications if block.name == name]
    if not blocks or not all(sides.replaceable(block).all() for block in blocks):
        raise Refusal(
            f"the rows '{name}' do not part points by hyperplanes, with one gap for all of them"
        )


class Shattering:
    """Supports that a point breaks, at each of the branches `at`."""

    def __init__(self, reach: SparseRows, eps: float, job: Job) -> None:
        """reach: how far points pass nodes, as rows over the stated model, point by point."""
        self.rows, self.topology = reach, job.instance.nodes
        self.names = [block.name for block in job.stated.variables]
        self.most = int(job.number("per_node"))
        self.branches = branches_at(self.topology, str(job.settings["at"]))
        x = job.instance.table.inputs
        self.finder = Finder(x, eps, np.random.default_rng(SEED))
        self.seen = np.zeros(len(x))
        self.surely = (x.shape[1] + 1) / (x.shape[1] + 2)

    def __call__(self, values: Values, integral: bool) -> Supports | None:
        x = np.concatenate([values[name] for name in self.names])
        reach = row_sums(self.rows, x).reshape(-1, self.topology.size)
        found: list[Support] = []
        for branch in self.branches.tolist():
            left, right = (
                reach[:, self.topology.left[branch]],
                reach[:, self.topology.right[branch]],
            )
            found += self._at(left, right, HALF if integral else self.surely)
            if not integral and not found:
                found += self._violated(left, right)
        return _supports(found) if found else None

    def _at(self, left: np.ndarray, right: np.ndarray, least: float) -> list[Support]:
        """Supports among the points of which more than `least` is on a side: of at most p + 2
        points with more than (p + 1) / (p + 2) each, the inequality is broken."""
        one, other = np.flatnonzero(left > least), np.flatnonzero(right > least)
        return self.finder.among(one, other, self.most, seen=self.seen)

    def _violated(self, left: np.ndarray, right: np.ndarray) -> list[Support]:
        """Supports of points mostly on a side, where these miss less than 1 in all."""
        one, other = np.flatnonzero(left > HALF), np.flatnonzero(right > HALF)
        far = np.zeros(len(left))
        far[one], far[other] = 1.0 - left[one], 1.0 - right[other]
        found = self.finder.among(one, other, self.most, seen=4 * far)
        return [(a, b) for a, b in found if far[[*a, *b]].sum() < 1 - TOLERANCE]


def _supports(found: list[Support]) -> Supports:
    return Supports(_ragged([left for left, _ in found]), _ragged([right for _, right in found]))


def _ragged(lists: list[tuple[int, ...]]) -> Ragged:
    lengths = np.array([len(one) for one in lists], np.int64)
    return Ragged(offsets_of(lengths), np.concatenate([np.array(one, np.int64) for one in lists]))


SEPARATOR = Separator(
    "shattering",
    (
        Parameter("per_node", 8, least=1),
        Parameter("at", "branches", words=("branches", "last_branches", "root")),
        Parameter("eps", None, whole=False),
    ),
    _prepare,
    KEEP,
    keep=(
        "name all rows about these hyperplanes, or keep them:  separate shattering;  adds cuts"
        " beside them"
    ),
    over="supports",
    leave_out=LeftOutSides.of,
    pooled=True,
)
