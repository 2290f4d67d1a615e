"""Branching priorities: which variables a solver should branch on first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.blocks import Variables
from treemip.model.model import Model
from treemip.resolve.settings.strategy import StrategySpec


def with_priorities(model: Model, strategy: StrategySpec) -> Model:
    """The model with the strategy's priorities on its variables; what it means is unchanged.

    Families named first come first. With `root_first` the node counts before the family: all
    named variables of the root, then those of its children, and so on down (Verwer and Zhang,
    2019, branch on the root's decision first).
    """
    if not strategy.priority:
        return model
    rank = {name: len(strategy.priority) - k for k, name in enumerate(strategy.priority)}
    return replace(
        model,
        variables=tuple(
            replace(b, priority=_priority(b, rank[b.name], len(rank), strategy.root_first))
            if b.name in rank
            else b
            for b in model.variables
        ),
    )


def _priority(block: Variables, rank: int, families: int, root_first: bool) -> np.ndarray:
    """int64 (length,), at least 1; 0 is the priority of everything else."""
    found = np.full(block.length, rank, np.int64)
    if root_first and "node" in block.index.sorts:
        heap = block.index.columns[block.index.sorts.index("node")]
        depth = np.floor(np.log2(heap)).astype(np.int64)
        found += families * (64 - depth)
    return found
