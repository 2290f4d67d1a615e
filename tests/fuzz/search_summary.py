"""What came of many cases of the campaign `searches`, by formulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .judge import Ending

COLUMNS = (
    "formulation",
    "cases",
    "optimum reached",
    "missed",
    "no tree exists",
    "none reached",
    "refused",
    "proven by",
    "worse than CART",
    "infeasible or false",
)


def rows(
    endings: Iterable[Ending], faults: Iterable[tuple[str, str]] = ()
) -> list[dict[str, object]]:
    """One row for each formulation. faults: formulation and text of each broken promise."""
    every, broken = list(endings), list(faults)
    names = dict.fromkeys([e.formulation for e in every] + [name for name, _ in broken])
    return [_row(n, [e for e in every if e.formulation == n], broken) for n in names]


def _row(name: str, endings: list[Ending], faults: list[tuple[str, str]]) -> dict[str, object]:
    count = Counter(e.outcome for e in endings)
    mine = [text for formulation, text in faults if formulation == name]
    worse = sum("but CART has" in text for text in mine)
    return {
        "formulation": name,
        "cases": len(endings) + len(mine),
        "optimum reached": count["optimal"] + count["found"],
        "missed": count["missed"],
        "no tree exists": count["none"],
        "none reached": count["unfound"],
        "refused": dict(Counter(e.code for e in endings if e.code)) or 0,
        "proven by": dict(Counter(_short(e.proven) for e in endings if e.proven)),
        "worse than CART": worse,
        "infeasible or false": len(mine) - worse,
    }


def _short(who: str) -> str:
    return "own bound" if who.startswith("the objective's own bound") else who


def printed(table: list[dict[str, object]]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(_cell(row[c]) for c in COLUMNS) + " |" for row in table]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items())
    return str(value)
