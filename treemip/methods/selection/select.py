"""From all points of the training part to those that a model is stated over.

Zhu et al. (2020): `hull` is LP (7) and Algorithm 1, `hyperplane` the heuristic inside it,
`balanced` Algorithm 2, and `iterative` the selection of one round of Algorithm 3.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.instance import splits_by_category
from treemip.core.instance.selected import Selected
from treemip.core.lower.bind import read_topology
from treemip.core.model.answer import OnProgress, Progress
from treemip.core.model.tolerances import HULL_TIE
from treemip.core.resolve.settings.selection import Selection
from treemip.core.resolve.spec import Spec
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Diagnostic, Severity, fail
from treemip.core.tree.tree import Tree
from treemip.methods.selection.balanced import LARGEST, Balance
from treemip.methods.selection.clusters import Cluster, Partition, clusters, of_cart, of_tree
from treemip.methods.selection.hull import Cover, Tell
from treemip.methods.selection.parallel import Task, run_all


def select(
    spec: Spec,
    data: Data | None,
    on_progress: OnProgress | None = None,
    tree: Tree | None = None,
) -> Data | None:
    """The data with the points that the strategy selects as their training part; as they are where
    it selects none.

    tree: whose leaves make the clusters; CART's in the spec's topology where there is none.
    Raises E213 for thresholds that the number of features rules out, E312, E602.
    """
    asked = spec.strategy.select
    if data is None or asked is None:
        return data
    needed("highspy", "highs")
    began, whole = time.perf_counter(), data.whole
    inputs = _inputs(spec, whole)
    require_thresholds(spec, data)
    if tree is not None:
        part = of_tree(whole.inputs, tree)
    else:
        assert spec.topology is not None
        topology = read_topology(spec.topology)
        part = of_cart(inputs, whole.y, whole.weight, len(whole.classes), topology)

    def tell(decided: int) -> None:
        if on_progress is not None:
            seconds = time.perf_counter() - began
            on_progress(Progress(seconds, None, None, None, decided, "select"))

    chooser = _Chooser(asked, inputs, whole, part, tell, spec.strategy.threads)
    selected = replace(chooser.selected(), seconds=time.perf_counter() - began)
    warnings = (*(w for w in data.warnings if w.code != "W605"), _warning(asked, selected))
    return replace(data, train=selected.table(), selected=selected, warnings=warnings)


def _inputs(spec: Spec, whole: Table) -> np.ndarray:
    """The points as hulls and distances see them: categories of kept columns are features too."""
    return whole.inputs if splits_by_category(spec) else whole.x


def require_thresholds(spec: Spec, data: Data) -> None:
    """Raises E213 where beta2 < (d + 1)(1 - beta1), which Algorithm 1 asks for, does not hold."""
    asked = spec.strategy.select
    if asked is None or asked.beta1 is None or asked.beta2 is None:
        return
    most = (_inputs(spec, data.whole).shape[1] + 1) * (1 - asked.beta1)
    if asked.beta2 >= most:
        assert asked.span is not None
        message = f"beta2 must be below (features + 1) * (1 - beta1) = {most:.6g}"
        fail("E213", message, asked.span, remedy="lower beta1 or beta2")


class _Chooser:
    """One selection over all clusters."""

    def __init__(
        self,
        asked: Selection,
        x: np.ndarray,
        whole: Table,
        part: Partition,
        tell: Tell,
        threads: int | None,
    ) -> None:
        self.asked, self.x, self.whole, self.part = asked, x, whole, part
        self.tell, self.threads = tell, threads or _processors()
        self.right = part.predicted == whole.y
        self.among = np.arange(len(whole.y))
        if asked.kind == "iterative":
            self.among = np.flatnonzero(self.right)
        found = clusters(x[self.among], whole.y[self.among], part.leaf[self.among])
        self.clusters = found

    def rows_of(self, cluster: Cluster) -> np.ndarray:
        return self.among[cluster.rows]

    def selected(self) -> Selected:
        answers = self._answers()
        pairs = list(zip(self.clusters, answers, strict=True))
        parts = [self.rows_of(c)[self._chosen(c, answer)] for c, answer in pairs]
        rows = [*parts, *([] if self.asked.kind != "iterative" else [np.flatnonzero(~self.right)])]
        chosen = np.sort(np.concatenate(rows))
        covers = [a for a in answers if isinstance(a, Cover)]
        heavy, added = self._heavy(pairs, chosen)
        kept_with = self._kept_with(pairs, chosen)
        return Selected(
            self.whole,
            chosen,
            self.asked.text,
            len(self.clusters),
            sum(1 for c, a in pairs if a is not None and not a.inside.any() and not len(c.copies)),
            sum(int(a.kept.sum()) for a in covers) if covers else None,
            sum(len(c.copies) for c in self.clusters),
            self.part.by,
            int(np.count_nonzero(~self.right)),
            heavy,
            added,
            kept_with,
            0.0,
        )

    def _answers(self) -> Sequence[Cover | Balance | None]:
        if self.asked.kind == "hyperplane":
            return [None] * len(self.clusters)
        balanced = self.asked.kind == "balanced"
        if balanced:
            self._require_small()
        eps = None if balanced else self.asked.eps
        tasks = [Task(self.x[self.rows_of(c)], eps) for c in self.clusters]
        return run_all(tasks, self.threads, self.tell)

    def _require_small(self) -> None:
        """Raises E312 for a cluster whose LP (9) would have too many columns."""
        largest = max(len(c.rows) for c in self.clusters)
        if largest > LARGEST:
            assert self.asked.span is not None
            message = (
                f"'select balanced' solves LP (9), which has a column for each pair of points of a"
                f" cluster: the largest has {largest} distinct points, and {LARGEST} can be taken"
            )
            remedy = "select hull;  takes clusters of any size"
            fail("E312", message, self.asked.span, remedy=remedy)

    # --------------------------------------------------------------- within a cluster

    def _chosen(self, cluster: Cluster, answer: Cover | Balance | None) -> np.ndarray:
        """Positions in the rows of a cluster."""
        everything = np.arange(len(cluster.rows))
        if answer is None:
            return self._nearest(cluster, everything, self._share_of(cluster))
        if isinstance(answer, Balance):
            return np.flatnonzero(answer.selected) if answer.selected.any() else everything
        kept = np.flatnonzero(answer.kept)
        if self.asked.beta1 is None or self.asked.beta2 is None:
            return kept
        return self._by_thresholds(cluster, answer, kept)

    def _by_thresholds(self, cluster: Cluster, answer: Cover, kept: np.ndarray) -> np.ndarray:
        """Algorithm 1, from its third line on; a copy of a point counts as inside by it."""
        assert self.asked.beta1 is not None
        size = cluster.size
        inside = size - len(kept)
        if inside / size >= 1 - self.asked.beta1:
            return kept
        least = 1 / (self.x.shape[1] + 1) - HULL_TIE
        major = np.union1d(answer.of[answer.share >= least], cluster.original)
        major = major[answer.kept[major]]
        more = self._share_of(cluster) - len(major)
        if more <= 0:
            return major
        return np.union1d(major, self._nearest(cluster, np.setdiff1d(kept, major), more))

    def _share_of(self, cluster: Cluster) -> int:
        """beta_2 |N|, rounded up: at least one point of each cluster."""
        assert self.asked.beta2 is not None
        return ceil(self.asked.beta2 * cluster.size - HULL_TIE)

    def _nearest(self, cluster: Cluster, among: np.ndarray, count: int) -> np.ndarray:
        """The points nearest to a hyperplane on their way, the first of equally near ones."""
        distance = self.part.distance[self.rows_of(cluster)[among]]
        return np.sort(among[np.argsort(distance, kind="stable")[:count]])

    def _heavy(
        self, pairs: list[tuple[Cluster, Cover | Balance | None]], chosen: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Of Algorithm 3: where J is among the chosen, and the weight of all of I."""
        if self.asked.kind != "iterative":
            return np.zeros(0, np.int64), 0.0
        major = [np.zeros(0, np.int64)]
        for cluster, answer in pairs:
            assert isinstance(answer, Cover)
            used = np.union1d(answer.of, cluster.original)
            major.append(self.rows_of(cluster)[used[answer.kept[used]]])
        heavy = np.searchsorted(chosen, np.sort(np.concatenate(major)))
        return heavy, float(self.whole.weight[~self.right].sum())

    def _kept_with(
        self, pairs: list[tuple[Cluster, Cover | Balance | None]], chosen: np.ndarray
    ) -> np.ndarray:
        """Of each chosen point the one whose leaf it shares, int64: in each cluster, the first of
        the points in whose hull others lie, so that these end in the same leaf."""
        kept_with = np.arange(len(chosen))
        for cluster, answer in pairs if self.asked.together else []:
            assert isinstance(answer, Cover)
            used = np.unique(answer.of)
            shared = np.searchsorted(chosen, self.rows_of(cluster)[used[answer.kept[used]]])
            kept_with[shared] = shared.min(initial=len(chosen))
        return kept_with


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where processes are not bound to processors
        return os.cpu_count() or 1


def _warning(asked: Selection, selected: Selected) -> Diagnostic:
    """W605: what was selected, and which points a proof is about."""
    message = (
        f"the model is stated over {selected.kept} of {selected.points} points, by 'select"
        f" {selected.how}': what is proven of it holds for these alone"
    )
    if selected.kept == selected.points:
        message = f"'select {selected.how}' keeps all {selected.points} points"
    remarks = []
    if selected.equal:
        remarks.append(f"of equal points of a cluster one is kept, {selected.equal} are left out")
    if selected.bare:
        remarks.append(
            f"in {selected.bare} of {selected.clusters} clusters no point is inside the hull of"
            " others"
        )
    return Diagnostic("W605", message, asked.span, "; ".join(remarks), severity=Severity.WARNING)
