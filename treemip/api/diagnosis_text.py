"""A diagnosis as text and as JSON: how far requirements must give, and what was tried."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from treemip.api.diagnosis import Diagnosis, Needed
from treemip.api.giving import rounded
from treemip.api.trials import Tried
from treemip.core.resolve.spec import Constraint

if TYPE_CHECKING:
    from treemip.api.result import Result


def in_words(needed: Needed) -> str:
    """How far a requirement must give, as a line of text."""
    give, op = needed.give, needed.requirement.relation.op
    if give.enough is None:
        return f"how far it must give was not found out in {_seconds(needed.seconds)}"
    if not give.enough:
        return "the other requirements exclude each other without it as well"
    if give.amount is None:
        return "without it the others hold; how far it must give was not measured"
    down = op == ">="
    if give.limit is not None:
        limit = give.words or rounded(give.limit, down)
        if give.proven:
            return f"would have to {'fall' if down else 'rise'} to {limit}"
        return f"{'lowered' if down else 'raised'} to {limit} it holds with the others; less may do"
    amount = rounded(give.amount, False)
    if give.proven:
        return f"would have to give by {amount}"
    return f"relaxed by {amount} it holds with the others; less may do"


def text_of(row: Constraint) -> str:
    """A requirement as its text has it, on one line."""
    text = row.span.text
    if row.asked_as == row.name:
        text = f"{row.name}: {text}"
    return " ".join(text.split())


def best_in_words(best: Result | None, seconds: float) -> str:
    """The best tree where a requirement gives, as a line of text, or that none was found in so many
    seconds."""
    if best is None:
        return f"no tree was found then in {_seconds(seconds)}; more time may find one"
    proven = best.optimality is not None and best.optimality.proven
    errors = "" if best.train_errors is None else f", {best.train_errors} training errors"
    what = "the best tree then" if proven else "the best tree found then"
    return f"{what}: objective {best.objective:.6g}{errors}"


def best_as_json(best: Result | None, file: PurePath | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return {
        "objective": best.objective,
        "training_errors": best.train_errors,
        "proven": best.optimality is not None and best.optimality.proven,
        "file": None if file is None else str(file),
    }


# --------------------------------------------------------------------------------- what was tried


def tried_in_words(diagnosis: Diagnosis) -> list[str]:
    """Lines on the sets of requirements that trials have decided, and on those that they have not;
    [] where nothing is open."""
    tried, lines = diagnosis.tried, list[str]()
    if diagnosis.feasible is None:
        lines += [f"not decided in {_seconds(tried.seconds)} whether there is a solution", ""]
    if not tried.undecided:
        return [*lines, NO_REQUIREMENTS] if lines else []
    lines += _listed("proven to exclude each other:", map(_names, tried.conflicting))
    lines += _listed("a tree keeps:", map(_names, tried.together))
    open_sets = (
        f"{_names(one.requirements)}  ({_seconds(one.seconds) if one.seconds else 'not tried'})"
        for one in tried.undecided
    )
    lines += _listed("not decided, after so much time:", open_sets)
    return [*lines, ADVICE]


ADVICE = "more time (--time-limit) or a smaller depth may decide these"

NO_REQUIREMENTS = (
    "the spec has no requirements of its own to leave out; give it more time (--time-limit)"
)

MOST_SHOWN = 12  # sets in a list


def _listed(title: str, sets: Iterable[str]) -> list[str]:
    found = list(sets)
    more = [f"  and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
    return [title, *(f"  {one}" for one in found[:MOST_SHOWN]), *more, ""] if found else []


def _names(rows: Iterable[Constraint]) -> str:
    return ", ".join(row.name for row in rows) or "none of them"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def tried_as_json(tried: Tried) -> dict[str, Any]:
    return {
        "seconds": _tenths(tried.seconds),
        "together": [[row.name for row in rows] for rows in tried.together],
        "conflicting": [[row.name for row in rows] for rows in tried.conflicting],
        "undecided": [
            {
                "requirements": [row.name for row in one.requirements],
                "seconds": round(one.seconds, 2),
            }
            for one in tried.undecided
        ],
    }


def _tenths(seconds: float) -> float:
    return round(seconds, 1)
