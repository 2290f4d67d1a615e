"""What a tree's routing and labels determine whatever its coefficients and thresholds are: values
of columns, and rows that are broken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.answers.search.answer_columns import answer_values, split_values
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns, by_meaning, tables_of
from treemip.answers.search.open_columns import without_room
from treemip.core.instance.instance import Instance
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.tree.residuals import row_distance
from treemip.core.tree.tree_map import TreeMap

PROBES = (np.nan, 0.0, 1.0)
"""In place of numbers that nothing settles: what depends on them has another value with one of
these. Comparisons with nan are false, so that nan alone does not show it."""


def propagated(
    instance: Instance, model: Model, tree: Candidate, but: frozenset[str] | None = None
) -> np.ndarray:
    """Columns of the stated model by the tree's routing and labels, float64 (columns,).

    but: variables of its splits whose numbers are not known either, all of them where it is None;
    nan where a value depends on these.
    """
    tables, answers = tables_of(instance, tree), answer_values(instance, tree)
    of_splits = split_values(instance, tree)
    kept = {n: v for n, v in of_splits.items() if but is not None and n not in but}
    probes = (
        by_meaning(
            instance,
            model,
            tables,
            _all(of_splits, number) | _filled(instance, model, kept | answers, number),
        )
        for number in PROBES
    )
    return _same_in_all(model, probes)


def propagated_by_splits(
    instance: Instance, model: Model, tree: Candidate, placed: Candidate
) -> np.ndarray:
    """Columns of the stated model by the tree's splits alone, float64 (columns,); nan where they
    depend on the values of its leaves. tree, placed: as of a Completion."""
    known, answers = tables_of(instance, tree), answer_values(instance, tree)
    splits, routed = split_values(instance, placed), known.pop("routed")
    probes = (
        by_meaning(
            instance,
            model,
            {"routed": routed, **_all(known, number)},
            _filled(instance, model, splits, number) | _all(answers, number),
        )
        for number in PROBES
    )
    return _same_in_all(model, probes)


def _filled(
    instance: Instance, model: Model, given: dict[str, np.ndarray], number: float
) -> dict[str, np.ndarray]:
    """The given values by name, and a number in place of nan and of what nothing settles."""
    free = {s.name for s in instance.spec.variables if s.means is None} - given.keys()
    others = {b.name: np.full(b.length, number) for b in model.variables if b.name in free}
    return others | {n: np.where(np.isnan(v), number, v) for n, v in given.items()}


def _same_in_all(model: Model, probes: Iterator[dict[str, np.ndarray]]) -> np.ndarray:
    """Columns that have one value whatever the numbers are that nothing settles, nan for others."""
    first, *others = (as_columns(model, values) for values in probes)
    same = np.all([first == other for other in others], axis=0)
    return np.where(same, first, np.nan)


def _all(values: dict[str, np.ndarray], number: float) -> dict[str, np.ndarray]:
    return {name: np.full(len(column), number) for name, column in values.items()}


def broken_rows(instance: Instance, model: Model, tree: Candidate) -> dict[str, int]:
    """How many rows of which family no tree with this routing and these labels keeps.

    Rows of the stated model, whose values need no coefficient or threshold. Empty where a branch
    has no split, below which points may go where they like.
    """
    if not tree.weights[tree.topology.branches].any(axis=1).all():
        return {}
    return broken_by_routing(instance, model, tree)


def broken_by_routing(
    instance: Instance, model: Model, tree: Candidate, integers: bool = False
) -> dict[str, int]:
    """How many rows of which family the tree breaks, whatever the numbers of its splits; its
    branches without a split send their points where it says. integers: by its splits too, as far
    as their variables are integers, such as which feature a branch asks for."""
    x = propagated(instance, model, tree, but=numbers_of(model) if integers else None)
    counts = {}
    for block in model.rows:
        if block.slots is None:
            with np.errstate(invalid="ignore"):
                off, allowed = row_distance(block, x)
            if broken := int((off > allowed).sum()):
                counts[block.name] = broken
    return counts


def broken_by_thresholds(instance: Instance, model: Model, tree: Candidate) -> dict[str, int]:
    """How many rows of which family leave a split of the tree no threshold between the points that
    it parts, such as rows that ask for a gap between them. Splits above leaves of one answer need
    not be there."""
    bias, topology = TreeMap.of(instance).bias, tree.topology
    answers = tree.numbered_answers
    low, high = np.full((2, topology.size), [[np.inf], [-np.inf]])
    for leaf in np.unique(tree.ends(instance.table.inputs)).tolist():
        answer, path = answers[np.searchsorted(topology.leaves, leaf)], topology.upwards(leaf)
        low[path], high[path] = np.minimum(low[path], answer), np.maximum(high[path], answer)
    some = np.zeros(model.column_count, bool)
    some[bias.column[low[bias.at[0]] < high[bias.at[0]]]] = True
    return without_room(model, propagated(instance, model, tree, but=numbers_of(model)), some)


def numbers_of(model: Model) -> frozenset[str]:
    """The names of the variables that are not integers."""
    return frozenset(block.name for block in model.variables if block.kind is Kind.CONTINUOUS)
