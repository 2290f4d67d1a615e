"""How the numbers of a text column are written: decimal commas, thousands separators, units, dates.

All cells of a column are looked at together: 1,5 has a decimal comma, 1,234,567 has thousands
separators, and 1,200 alone may be either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from treemip.core.instance.columns import Unreadable

_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?").fullmatch
_SURELY_GROUPS = re.compile(r"[^,]+,\d{3}(,.*|\..*)").fullmatch
_DECIMAL = re.compile(r"[+-]?\d*,\d+").fullmatch
_BOTH = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+").fullmatch
_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3}){2,}").fullmatch
_PLAIN = re.compile(r"[+-]?\d+(\.\d*)?").fullmatch
_LONG = re.compile(r"[+-]?\d{4,}").match

_UNIT = re.compile(r"[+-]?[$€£¥] ?[\d.,]+|[+-]?[\d.,]+ ?[%$€£¥]").fullmatch
_DATE = re.compile(
    r"(\d{4}[-/]\d\d?[-/]\d\d?|\d\d?[./-]\d\d?[./-](\d{4}|\d\d))([T ]\d\d?:\d\d.*)?"
).fullmatch


def demand_plain_numbers(name: str, words: Iterable[str]) -> None:
    """Raises the Unreadable of `odd_numbers`."""
    if fault := odd_numbers(name, words):
        raise fault


def odd_numbers(name: str, words: Iterable[str]) -> Unreadable | None:
    """What is wrong with a text column whose cells are all numbers, written with commas or with
    points between thousands. words: its distinct cells without marks for a missing value."""
    cells = sorted(words)
    of_number = (_GROUPS, _DECIMAL, _BOTH, _POINTS, _PLAIN)
    if not cells or not all(any(form(cell) for form in of_number) for cell in cells):
        return None
    commas = [cell for cell in cells if "," in cell]
    plain = [cell for cell in cells if _PLAIN(cell)]
    if both := _first(_BOTH, commas):
        number = both.replace(".", "").replace(",", ".")
        return _written(name, "a decimal comma", both, f"with decimal points alone: {number}")
    if points := _first(_POINTS, cells):
        number = points.replace(".", "")
        return _written(name, "thousands separators", points, f"without them: {number}")
    if not commas:
        return None
    if not all(_GROUPS(cell) for cell in commas):
        cell = next(cell for cell in commas if not _GROUPS(cell))
        number = cell.replace(",", ".")
        return _written(name, "a decimal comma", cell, f"with decimal points: {number}")
    cell = _first(_SURELY_GROUPS, commas) or commas[0]
    number = cell.replace(",", "")
    if _SURELY_GROUPS(cell) or (plain and not _first(_LONG, plain)):
        return _written(name, "thousands separators", cell, f"without them: {number}")
    return Unreadable(
        f"column '{name}' has numbers with a comma, such as {cell}, which may mean "
        f"{number} or {cell.replace(',', '.')}",
        "save the table without thousands separators and with decimal points",
    )


def _first(form: Callable[[str], object], cells: list[str]) -> str:
    return next((cell for cell in cells if form(cell)), "")


def _written(name: str, how: str, cell: str, remedy: str) -> Unreadable:
    message = f"column '{name}' has numbers with {how}, such as {cell}"
    return Unreadable(message, f"save the table {remedy}")


def unread(words: Iterable[str]) -> str:
    """What a text column holds that numbers could stand for: "dates", "numbers with a unit", or
    nothing."""
    cells = list(words)
    if cells and all(map(_DATE, cells)):
        return "dates"
    return "numbers with a unit" if cells and all(map(_UNIT, cells)) else ""
