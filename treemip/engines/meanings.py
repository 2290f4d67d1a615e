"""Whether all variables of a spec have a value on a tree, as a proof about trees needs."""

from __future__ import annotations

from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.answer_columns import answer_values, split_values
from treemip.search.candidate import Candidate
from treemip.search.complete import completion_of, tables_of


def demand_meanings(instance: Instance, model: Model) -> None:
    """Raises Refusal where a variable has no value on a tree: none could be claimed to be proven,
    and a proof takes long."""
    topology = instance.nodes
    tree = Candidate.empty(topology, instance.table.inputs.shape[1])
    of_tree = split_values(instance, tree) | answer_values(instance, tree)
    unknown = completion_of(instance, model, of_tree, tables_of(instance, tree)).unknown
    if unknown:
        raise Refusal(f"its variable '{unknown[0]}' has no meaning on a tree")
