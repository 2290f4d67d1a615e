"""Working sets: which columns a subproblem may change, and which rows they share.

A column belongs to the first branch among its indices, else to its leaf. Columns without a node,
such as the bound beta of (18), and columns indexed by points, such as P of (1), follow from the
others and are free in every subproblem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.blocks import Rows, Variables
from treemip.core.model.dependence import moving_rows, moving_slots
from treemip.core.model.model import Model
from treemip.core.resolve.settings.decompose import DecomposeSpec
from treemip.core.source.diagnostic import Diagnostic, TreemipError

EVERYWHERE = -1
"""The owner of columns that are free in every subproblem."""
LEAVES = 0
"""The owner of columns of leaves. Branches have heap numbers, from 1 on."""


@dataclass(frozen=True)
class WorkingSets:
    """free: bool (columns,) for each working set, in the order of a macro-iteration, that of the
    leaves apart last. near: the columns that the proximal term holds, bool (columns,). coupled:
    names of the constraints that join columns of several sets. shuffled: how many of the sets, from
    the first one on, are taken in random order.
    """

    free: tuple[np.ndarray, ...]
    near: np.ndarray
    coupled: tuple[str, ...]
    shuffled: int


def working_sets(model: Model, plan: DecomposeSpec, branches: np.ndarray) -> WorkingSets:
    """Those of the plan, for a tree with branches of these heap numbers, int64.

    Branches share a set by their order in the heap, always the same ones: a subproblem is built
    once, and the convergence theorem wants one partition. Raises E601 for an equation between
    nodes that no subproblem has together, where each would keep the others as they are.
    """
    owner = _owners(model, branches)
    size = len(branches) if plan.branches is None else plan.branches
    groups = [branches[k : k + size] for k in range(0, len(branches), size)]
    everywhere, leaves = owner == EVERYWHERE, owner == LEAVES
    units = [np.isin(owner, group) for group in groups]
    shared = everywhere if plan.leaves_apart else everywhere | leaves
    units = [unit for unit in units if unit.any()]
    if plan.leaves_apart and leaves.any():
        units.append(leaves)
    coupled = _coupled(model, units, shared)
    shuffled = len(units) - bool(plan.leaves_apart and leaves.any()) if plan.shuffled else 0
    free = tuple(unit | shared for unit in units) or (shared,)
    return WorkingSets(free, ~everywhere, coupled, shuffled)


def _owners(model: Model, branches: np.ndarray) -> np.ndarray:
    """The owner of each column, int64: a branch's heap number, LEAVES or EVERYWHERE."""
    parts = [_owners_of(block, branches) for block in model.variables]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _owners_of(block: Variables, branches: np.ndarray) -> np.ndarray:
    owner = np.full(block.length, EVERYWHERE)
    sorts = block.index.sorts
    if "point" in sorts or "node" not in sorts:
        return owner
    owner[:] = LEAVES
    for sort, labels in zip(reversed(sorts), reversed(block.index.columns), strict=True):
        if sort == "node":
            owner = np.where(np.isin(labels, branches), labels.astype(np.int64), owner)
    return owner


# -------------------------------------------------------------------------- rows that join the sets


def _coupled(model: Model, units: list[np.ndarray], shared: np.ndarray) -> tuple[str, ...]:
    """Names of the constraints that join columns of several units. Raises E601 for equations.

    A column that is free in every subproblem joins the units that it has rows with.
    """
    if len(units) < 2:
        return ()
    moving = [moving_slots(model.tape, unit) for unit in units]
    of_shared = moving_slots(model.tape, shared)
    joined, through = [], []
    reached = np.zeros(len(units), bool)
    for block in model.rows:
        each = [moving_rows(block, unit, slots) for unit, slots in zip(units, moving, strict=True)]
        count = np.sum(each, axis=0)
        also = moving_rows(block, shared, of_shared)
        several = count > 1
        if (several & ~also & (block.lower == block.upper)).any():
            raise _equation(block)
        if several.any():
            joined.append(block.name)
        elif (also & (count == 1)).any():
            through.append(block.name)
            reached |= [bool((also & own).any()) for own in each]
    return tuple(dict.fromkeys([*joined, *(through if reached.sum() > 1 else [])]))


def _equation(block: Rows) -> TreemipError:
    return TreemipError(
        Diagnostic(
            "E601",
            f"'decompose' cannot keep '{block.name}': it is an equation between nodes that no"
            " subproblem changes together, so none of them could move",
            block.span,
            "take all branches together: decompose nodes(branches = all), or leave out decompose",
        )
    )
