"""What a report says of the tree's verdict, and in words of whether a better tree may exist."""

from __future__ import annotations

from typing import Any

from treemip.api.compare_saved import optimality_of
from treemip.api.optimality import Optimality
from treemip.api.reverify import Reverified
from treemip.core.tree.saved import is_number
from treemip.writers.convert.words import short

Row = tuple[str, ...]


def verdict_rows(said: dict[str, Any], again: Reverified | None) -> list[Row]:
    """Whether the tree is what its file says, with what speaks against it. again: None where it
    could not be verified anew, so that `said`, the saved document, is all there is."""
    if again is None:
        return [("verdict", f"{said.get('verdict') or 'not known'}, as the file records")]
    rows: list[Row] = [("verdict", f"{again.verdict}, checked again for this page")]
    return rows + [("", each) for each in (*again.reservations, *again.problems)]


def better_tree(said: dict[str, Any], again: Reverified | None) -> tuple[str, list[Row]]:
    """Whether there may be a better tree, as sentences for a reader who knows no bounds; and the
    solver's numbers."""
    found, proof = _optimality(said, again), "no proof is recorded"
    verdict = said.get("verdict") if again is None else again.verdict
    if found is not None and verdict:
        proof = found.text(verdict)
    rows: list[Row] = [("optimality", proof)] if again is not None or found is not None else []
    for name in ("status", "objective", "bound", "gap"):
        value = said.get(name)
        if value is not None:
            share = name == "gap" and is_number(value)
            text = f"{100 * value:.4g} %" if share else number(value)
            rows.append((name, text.replace("_", " ")))
    solver = f"{said.get('solver', '')} {said.get('solver_version', '')}".strip()
    return _in_words(said, found, verdict), [*rows, ("solver", solver)]


def number(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)


def _optimality(said: dict[str, Any], again: Reverified | None) -> Optimality | None:
    if again is not None:
        return again.optimality
    return optimality_of(said) if isinstance(said.get("optimality"), dict) else None


def _in_words(said: dict[str, Any], found: Optimality | None, verdict: Any) -> str:
    if found is not None and found.proven and verdict != "not verified":
        return "No tree that the spec allows is better by its objective: this is proven."
    if found is None or found.false_bound is not None or found.proven:
        return "It is not known whether the spec allows a better tree."
    if found.local:
        return (
            "A better tree may exist: the solver compared this one only with trees that are similar"
            " to it."
        )
    objective, bound = said.get("objective"), said.get("bound")
    if found.gap is None or not (is_number(objective) and is_number(bound)):
        return "A better tree may exist: nothing is proven about how much better it could be."
    than = "less" if bound < objective else "more"
    return (
        f"A better tree may exist, since the search ended before a proof. This tree's objective is"
        f" {short(objective)}, and no tree can have {than} than {short(bound)}, which is called the"
        f" bound. The gap, {100 * found.gap:.3g} %, is how far these two are apart. It says how"
        " much is left to prove, and not that this tree is so much worse than the best."
    )
