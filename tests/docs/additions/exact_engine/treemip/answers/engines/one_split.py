"""All trees with one univariate split, one by one, each completed to a solution."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product
from math import inf

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.derived import thresholds
from treemip.core.model.values import objective_value
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns, complete
from treemip.answers.search.start import Searched


def _fits(case: Case, late: Callable[[], bool]) -> Engine | Refusal:
    topology = case.instance.topology
    if topology is None or topology.size != 3:
        return Refusal("its trees have more than one split")
    return OneSplit(case)


class OneSplit(Engine):
    def __init__(self, case: Case) -> None:
        self.case = case

    def run(self, effort: Effort) -> Searched:
        began, stated, best, worth = time.perf_counter(), self.case.stated, None, inf
        trees = list(self._trees())
        for tree in trees:
            done = complete(self.case.instance, stated, tree)
            if done.violations:
                continue
            values = as_columns(stated, done.values)
            value = self.case.sign * objective_value(stated, values)
            if value < worth:
                best, worth = values, value
        seconds, value = time.perf_counter() - began, self.case.sign * worth
        return Searched(best, {}, value, len(trees), seconds, value, proven=True, by="engine")

    def _trees(self) -> Iterator[Candidate]:
        table, topology = self.case.instance.table, self.case.instance.topology
        assert topology is not None
        cuts = thresholds(table.x, table.y)
        for feature in range(cuts.count):
            for cut in cuts.items[cuts.offsets[feature] : cuts.offsets[feature + 1]]:
                for labels in product(range(len(table.classes)), repeat=2):
                    tree = Candidate.empty(topology, table.x.shape[1], labels=np.array(labels))
                    tree.weights[0, feature], tree.threshold[0] = 1.0, cut
                    yield tree


ENGINE = ExactEngine("one_split", ("univariate",), _fits)
