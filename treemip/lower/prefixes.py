"""Many products with common factors, multiplied out along a prefix tree.

Factors that stand in more products come first, the order of frequent-pattern trees (Han, Pei,
Yin 2000); a prefix that several products begin with is one slot. For the probabilities of the
paths of a tree this is a slot for each point and node, whatever the shape of the tree: the
root's factor stands in the products of all leaves below it, and so on down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.instance.ragged import offsets_of
from treemip.model.tape import Product
from treemip.model.unique import numbered


@dataclass(frozen=True)
class _Prefixes:
    """A prefix tree: nodes in order of level; `parent` is -1 and `level` 1 for the first ones."""

    parent: np.ndarray
    factor: np.ndarray
    level: np.ndarray
    end: np.ndarray  # of each product, the node where it ends, -1 for an empty one


def shared_products(
    owner: np.ndarray, factor: np.ndarray, size: int, start: int
) -> tuple[list[Product], np.ndarray]:
    """Steps that compute `size` products, and the slot of each, int64 (size,).

    Product owner[k] has the factor slot factor[k]; `start` is the first free slot.
    """
    tree = _prefixes(owner, factor, size)
    count = len(tree.parent)
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=count)
    ends = np.bincount(tree.end[tree.end >= 0], minlength=count)
    kept = (children > 1) | (ends > 0)
    slot = np.where(tree.level == 1, tree.factor, -1)
    steps = []
    for level in range(2, int(tree.level.max(initial=1)) + 1):
        nodes = np.flatnonzero(kept & (tree.level == level))
        if len(nodes):
            # Their last factors, the rarest, are then taken in ascending order, often each once.
            nodes = nodes[tree.factor[nodes].argsort(kind="stable")]
            steps.append(_step(tree, nodes, slot))
            slot[nodes] = start + np.arange(len(nodes))
            start += len(nodes)
    result = slot[tree.end] if count else np.full(size, -1)
    empty = tree.end < 0
    if empty.any():
        steps.append(Product(np.zeros(2, np.int64), np.zeros(0, np.int64)))
        result[empty] = start
    return steps, result


def _prefixes(owner: np.ndarray, factor: np.ndarray, size: int) -> _Prefixes:
    distinct, code, rank = _counted(factor)
    order = (owner * len(distinct) + rank[code]).argsort(kind="stable")
    owner, code = owner[order], code[order]
    lengths = np.bincount(owner, minlength=size)
    first = offsets_of(lengths)[:-1]
    end = np.full(size, -1)
    parents, factors, levels = [], [], []
    count = 0
    for k in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > k)
        keys = (end[here] + 1) * len(distinct) + code[first[here] + k]
        nodes, which = numbered(keys)
        parents.append(nodes // len(distinct) - 1)
        factors.append(distinct[nodes % len(distinct)])
        levels.append(np.full(len(nodes), k + 1))
        end[here] = count + which
        count += len(nodes)
    join = np.concatenate
    none = [np.zeros(0, np.int64)]
    return _Prefixes(join(none + parents), join(none + factors), join(none + levels), end)


def _counted(factor: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different factors, ascending; which of them each one is; the rank of each of them.

    The most frequent has rank 0, and of two that are equally frequent the smaller the lower one.
    """
    low = int(factor.min()) if len(factor) else 0
    frequency = np.bincount(factor - low)
    present = np.flatnonzero(frequency)
    number = np.empty(len(frequency), np.int64)
    number[present] = np.arange(len(present))
    rank = np.empty(len(present), np.int64)
    rank[(-frequency[present]).argsort(kind="stable")] = np.arange(len(present))
    return present + low, number[factor - low], rank


def _step(tree: _Prefixes, nodes: np.ndarray, slot: np.ndarray) -> Product:
    """Each node as the product of the nearest prefix above that has a slot and what follows."""
    rows, factors = [np.arange(len(nodes))], [tree.factor[nodes]]
    row, above = np.arange(len(nodes)), tree.parent[nodes]
    while len(row):
        done = slot[above] >= 0
        rows.append(row)
        factors.append(np.where(done, slot[above], tree.factor[above]))
        row, above = row[~done], tree.parent[above[~done]]
    owner = np.concatenate(rows)
    order = owner.argsort(kind="stable")
    offsets = offsets_of(np.bincount(owner, minlength=len(nodes)))
    return Product(offsets, np.concatenate(factors)[order])
