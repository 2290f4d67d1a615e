"""A tree without splits, whose leaves predict the heaviest class."""

from __future__ import annotations

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.starts.from_tree import tree_start
from treemip.answers.starts.problem import Asked, NamedStart, Problem, WarmStart


def _begin(problem: Problem, _: Asked) -> WarmStart:
    table, topology = problem.instance.table, problem.instance.nodes
    heaviest = np.bincount(table.y, table.weight).argmax()
    labels = np.full(len(topology.leaves), heaviest)
    tree = Candidate.empty(topology, table.x.shape[1], labels=labels)
    return tree_start("one_class", problem, [tree])


START = NamedStart("A tree without splits", _begin)
