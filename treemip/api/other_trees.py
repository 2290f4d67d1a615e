"""Trees to compare a result with: CART's, one without a split, and what of the spec they miss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.search.answer_columns import answer_values, split_values
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import tables_of
from treemip.answers.search.greedy import trees_to_compare
from treemip.answers.search.start import refusal
from treemip.answers.search.sums import NoSums
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.from_tree import broken_by_tree
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Meaning
from treemip.core.resolve.modules import asked_by_selection
from treemip.core.tree.residuals import constraint_violation

if TYPE_CHECKING:
    from treemip.core.instance.instance import Instance
    from treemip.core.model.model import Model

MOST_ENTRIES = 1_000_000
"""Entries of a table on which trees are grown to compare with: a second at most."""

MOST_NONZEROS = 1_000_000
"""Nonzeros of a model in which such trees are completed: about a second."""

SECONDS = 1.0
"""How long forms of a tree are tried that break fewer rows."""


@dataclass(frozen=True)
class OtherTree:
    """A tree that was not made for the spec's constraints.

    errors: training errors, where leaves predict the label's classes; else objective: the spec's
    own. misses: the spec's own constraints that the tree does not meet. broken: how many rows of
    which family it breaks, those of the formulation included; empty for a tree that the spec
    allows, where that depends on more than where points go, and where it was not checked: for large
    models, for splits of another kind than the formulation's, and where the time was used up.
    """

    name: str
    errors: int | None
    objective: float | None
    misses: tuple[str, ...]
    broken: dict[str, int]
    checked: bool = True

    def text(self) -> str:
        """`CART 4 (misses found, parity)`."""
        value = f"{self.objective:.6g}" if self.errors is None else str(self.errors)
        why = "" if self.checked else "rows not checked"
        why = "not allowed by this spec" if self.broken else why
        why = f"misses {', '.join(self.misses)}" if self.misses else why
        return f"{self.name} {value}" + (f" ({why})" if why else "")


def other_trees(instance: Instance, stated: Model) -> tuple[OtherTree, ...]:
    """CART grown in the spec's topology and the best tree without a split.

    stated: the model of the spec. Without CART for tables of more than MOST_ENTRIES entries;
    nothing without a topology, data or a label, and where leaves do not predict the label's
    classes for specs that `trees_to_compare` leaves out.
    """
    if instance.topology is None or instance.data is None:
        return ()
    if not instance.spec.other_answers:
        trees = () if instance.table.without_classes else tuple(_by_errors(instance))
    else:
        trees = tuple(_by_objective(instance))
    until = perf_counter() + SECONDS
    return tuple(
        _checked(instance, stated, *one, late=lambda: perf_counter() > until) for one in trees
    )


Compared = tuple[str, int | None, float | None, Candidate]
"""Name, errors, objective, tree."""


def _by_errors(instance: Instance) -> Iterator[Compared]:
    table = instance.table
    if table.inputs.size <= MOST_ENTRIES:
        grown = cart(instance)
        yield "CART", int((grown.predicted != table.y).sum()), None, of_cart(instance, grown)
    counts = np.bincount(table.y)
    tree = Candidate.empty(instance.nodes, table.inputs.shape[1])
    tree.labels[:] = counts.argmax()
    yield "majority class", len(table.y) - int(counts.max()), None, tree


def _by_objective(instance: Instance) -> Iterator[Compared]:
    if instance.table.inputs.size > MOST_ENTRIES or refusal(instance):
        return
    try:
        for name, (worth, tree) in trees_to_compare(instance).items():
            yield name, None, worth, tree
    except NoSums:
        return


def _checked(
    instance: Instance,
    stated: Model,
    name: str,
    errors: int | None,
    objective: float | None,
    tree: Candidate,
    late: Callable[[], bool],
) -> OtherTree:
    small = stated.nonzeros <= MOST_NONZEROS and not late()
    found = broken_by_tree(instance, stated, tree, late) if small else None
    broken = {} if found is None else found
    asked = {c.span for c in instance.spec.constraints if asked_by_selection(c)}
    for rows in stated.rows if broken else ():
        if rows.span in asked:  # of the tree before alone, not of the spec
            broken.pop(rows.name, None)
    misses = _misses(instance, stated, tree, broken)
    return OtherTree(name, errors, objective, misses, broken, checked=found is not None)


def _misses(
    instance: Instance, stated: Model, tree: Candidate, broken: dict[str, int]
) -> tuple[str, ...]:
    """The spec's own constraints among the broken families. In a spec that holds its formulation,
    those that the tree violates by what they mean: the others are how the formulation says it."""
    if not broken:
        return ()
    spec = instance.spec
    spans = {rows.span for rows in stated.rows if rows.name in broken}
    spans |= {rows.body.span for rows in stated.implications if rows.name in broken}
    own = [c for c in spec.constraints if c.module == "spec" and c.span in spans]
    if own and not spec.formulation:
        of_tree = split_values(instance, tree) | answer_values(instance, tree)
        evaluator = Evaluator(instance, Meaning(tables_of(instance, tree), of_tree))
        own = [c for c in own if constraint_violation(c, evaluator)]
    return tuple(dict.fromkeys(c.asked_as or c.name for c in own))
