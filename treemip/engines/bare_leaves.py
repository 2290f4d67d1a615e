"""Whether leaves without points have labels."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.value_sources import Meaning
from treemip.resolve.other_names import variable_behind
from treemip.resolve.typed import at_all
from treemip.search.answer_columns import answer_values, split_values
from treemip.search.candidate import Candidate
from treemip.search.complete import tables_of
from treemip.tree.tree_map import TreeMap

LABEL = "label"


def are_bare(instance: Instance) -> bool:
    """Whether the concept `label` says of each leaf without points that it has none, as where a
    formulation's variable means `given_label[l,k] * occupied[l]`; seen on a tree without splits."""
    concept, topology = instance.spec.concepts.get(LABEL), instance.topology
    variable = None if concept is None else variable_behind(concept)
    if variable is None or variable.means is None or topology is None:
        return False
    tree_map, leaves = TreeMap.of(instance), topology.leaves
    none = np.zeros(len(leaves), np.int64)
    tree = Candidate.empty(topology, tree_map.inputs.width, tree_map.unsplit_left, none, None)
    of_tree = split_values(instance, tree) | answer_values(instance, tree)
    evaluator = Evaluator(instance, Meaning(tables_of(instance, tree), of_tree))
    frame = evaluator.places.domain_frame(variable)
    said = np.asarray(evaluator.known(at_all(variable), frame))
    ends = np.unique(tree.ends(instance.table.inputs))
    empty = ~np.isin(frame.column(variable.domain.names[0]), ends)
    return bool(empty.any() and said[~empty].any() and not said[empty].any())
