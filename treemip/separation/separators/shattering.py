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

from treemip.engines.oblique.hyperplanes import NONE, Stated, gap_of, hyperplane_rows, is_free
from treemip.engines.oblique.supports import Support
from treemip.engines.oblique.supports import Supports as Finder
from treemip.engines.refusal import Refusal
from treemip.instance.separated import Supports
from treemip.model.arrays import Ragged, offsets_of
from treemip.model.tolerances import CERTIFIED, FEASIBILITY, SEPARATED
from treemip.separation.flows import KEEP
from treemip.separation.hyperplanes import LeftOutSides, branches_at
from treemip.separation.separator import Find, Job, Parameter, Separator, Unfit, Values

HALF = 0.5
TOLERANCE = SEPARATED * FEASIBILITY
SEED = 1


ELSEWHERE = f"{KEEP}; in the library, soct and octh take it"

OTHER_SPLITS = {
    "univariate": "its splits are univariate, and shattering needs hyperplanes",
    "margin": "its leaves have no labels of their own: a side of a hyperplane is a class",
    "randomized": "its splits are randomized: a point goes to both sides of a hyperplane",
}
"""Why splits of a kind do not fit, where their rows and variables are not those of hyperplanes."""


def _prepare(job: Job) -> Find:
    try:
        stated = Stated(job.instance, job.stated)
        if job.instance.table.categorical and job.instance.splits_by_category:
            raise Refusal("its splits may tell categories apart")
        eps = _eps(stated, job)
    except Unfit:
        raise
    except Refusal as why:
        kind = job.instance.spec.split or ""
        raise Unfit(OTHER_SPLITS.get(kind, str(why)), ELSEWHERE) from None
    for name in job.rows:
        _demand_replaceable(stated, name)
    return Shattering(stated, eps, job)


def _eps(stated: Stated, job: Job) -> float:
    """The gap of the supports: what the spec's rows keep, or the 0 that was asked for.

    A greater one than the rows keep would cut off solutions; a smaller one in place of the rows
    would let points pass that no hyperplane of the spec parts.
    """
    asked = job.settings["eps"]
    free = is_free(stated)
    gap = gap_of(stated, with_norm=not free and asked != 0)
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


def _demand_replaceable(stated: Stated, name: str) -> None:
    """Raises Refusal unless a family says nothing but on which side of a hyperplane points are."""
    blocks = [block for block in stated.model.implications if block.name == name]
    if not blocks or not all(hyperplane_rows(stated, block).all() for block in blocks):
        raise Refusal(
            f"the rows '{name}' do not part points by hyperplanes, with one gap for all of them"
        )


class Shattering:
    """Supports that a point breaks, at each of the branches `at`."""

    def __init__(self, stated: Stated, eps: float, job: Job) -> None:
        self.stated, self.topology = stated, stated.topology
        self.most = int(job.number("per_node"))
        self.branches = branches_at(stated, str(job.settings["at"]))
        x = job.instance.table.inputs
        self.finder = Finder(x, eps, np.random.default_rng(SEED))
        self.seen = np.zeros(len(x))
        self.surely = (x.shape[1] + 1) / (x.shape[1] + 2)
        self.start = stated.variable("reach").start

    def __call__(self, values: Values, integral: bool) -> Supports | None:
        reach = self.reach(values["reach"])
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

    def reach(self, values: np.ndarray) -> np.ndarray:
        """How far each point passes each node, float64 (N, nodes): a node without a variable has
        what the nodes below it have."""
        columns = self.stated.reach - self.start
        reach = np.where(columns >= 0, values[np.maximum(columns, 0)], 0.0)
        missing = (self.stated.reach == NONE).all(axis=0)
        for node in np.argsort(-self.topology.depth, kind="stable").tolist():
            if missing[node] and not self.topology.is_leaf[node]:
                reach[:, node] = reach[:, self.topology.left[node]]
                reach[:, node] += reach[:, self.topology.right[node]]
        return reach

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
