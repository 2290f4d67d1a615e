"""What a report says beside the scores: what requirements leave to spare, and what trees to compare
with are worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.api.baselines import KAPLAN_MEIER, at_random, baselines
from treemip.api.learned_from import Words
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.leaf_outcomes import by_point
from treemip.core.tree.requirements import Requirement, requirements_on
from treemip.core.tree.requirements_on import NO_SLACK, to_spare
from treemip.core.tree.score import AnyScore, Score, ValueScore
from treemip.core.tree.score_text import percent
from treemip.core.tree.tree import Tree
from treemip.writers.convert.sides import SIGNS

Row = tuple[str, ...]
Scored = Callable[[Tree, Table], AnyScore]

NO_CART = "no survival trees"

MOST_VALUES = 20_000_000
"""Points times requirements above which these are not measured on other trees as well."""


def requirement_rows(words: Words, tree: Tree) -> tuple[Row, ...]:
    """Each with what it is at its tightest row and how much that leaves; () of a spec without."""
    found = requirements_on(words.instance, tree, words.values)
    rows = [(visible(one.name), visible(one.text), _at(one), _left_over(one)) for one in found]
    head = ("requirement", "as written", "on this tree", "to spare")
    return (head, *rows) if rows else ()


def _at(one: Requirement) -> str:
    if one.left is None or one.right is None:
        return "not known" if one.rows else "no row"
    sign = SIGNS.get(one.sign, one.sign)
    text = f"{one.left:.5g} {sign} {one.right:.5g}"
    return f"{text} for {visible(one.where)}, the tightest of {one.rows}" if one.where else text


def _left_over(one: Requirement) -> str:
    if one.slack is None:
        return ""
    if not one.holds:
        return f"missed by {-one.slack:.4g}"
    return "none" if abs(one.slack) < NO_SLACK else to_spare(one.slack)


def comparison_rows(words: Words, tree: Tree, data: Data, scored: Scored) -> tuple[Row, ...]:
    """The tree, then others: how right each is and the spec's objective, on both parts, and which
    requirements it misses. () where nothing is to be compared with."""
    try:
        others = baselines(words.instance, tree)
    except TreemipError:
        return ()
    if not others:
        return ()
    parts = [("training", data.train)] + ([("test", data.test)] if data.test is not None else [])
    few = len(data.train.y) * len(words.instance.spec.constraints) <= MOST_VALUES
    names, rows = list(_measures(scored(tree, data.train))), []
    blank = [""] * len(names) * len(parts)
    for name, one in {"this tree": tree, **others}.items():
        scores = [scored(one, table) for _, table in parts]
        measured = [_measures(each) for each in scores]
        cells = [each.get(what, "") for what in names for each in measured]
        cells += [_objective(each) for each in scores]
        rows.append((visible(name), *cells, _misses(words, one) if few else ""))
    if KAPLAN_MEIER in others and names:
        rows.append(("CART", NO_CART, *blank[1:], *[""] * len(parts), ""))
    drawn = [_drawn(tree, table, scored) for _, table in parts]
    if drawn[0] is not None:
        cells = ["" if worth is None else f"{worth:.6g}" for worth in drawn]
        rows.append(("as many of each, at random", *blank, *cells, ""))
    observed = _observed(words, tree)
    if observed is not None:
        rest = [""] * (len(parts) - 1)
        rows.append(("mean outcome as observed", *blank, f"{observed:.6g}", *rest, ""))
    heads = [f"{name} {what}" for what in (*names, "objective") for name, _ in parts]
    return _without_empty([("", *heads, "misses"), *rows])


def _measures(found: AnyScore) -> dict[str, str]:
    """How right a tree is, by what that is called; {} where leaves choose."""
    if isinstance(found, Score):
        return {"accuracy": percent(found.accuracy)}
    if found.survival is not None:
        numbers = {
            "Harrell's C": found.survival.harrell_c,
            "Brier score": found.survival.integrated_brier,
        }
        return {what: f"{each:.5g}" for what, each in numbers.items() if each is not None}
    mae = found.mae if isinstance(found, ValueScore) else None
    return {} if mae is None else {"MAE": f"{mae:.5g}"}


def _objective(found: AnyScore) -> str:
    return "" if found.objective is None else f"{found.objective:.6g}"


def _misses(words: Words, tree: Tree) -> str:
    try:
        found = requirements_on(words.instance, tree, words.values)
    except (TreemipError, ValueError):
        return "not known"
    return ", ".join(visible(one.name) for one in found if one.holds is False)


def _drawn(tree: Tree, table: Table, scored: Scored) -> float | None:
    """The objective on average where the tree's choices go to points at random."""
    return at_random(tree, table, lambda one: scored(one, table).objective)


def _observed(words: Words, tree: Tree) -> float | None:
    """The mean outcome of what the points received, where leaves choose."""
    if tree.answer.kind == "value" or tree.predicts_label:
        return None
    outcome = by_point(words.instance, "outcome")
    return None if outcome is None else float(np.mean(outcome))


def _without_empty(rows: list[Row]) -> tuple[Row, ...]:
    """The columns in which some row but the first has a text."""
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    return tuple(tuple(row[k] for k in kept) for row in rows)
