"""How a cell becomes a value: the one rule, whatever a table is read from.

A cell is a text, as a data file has it. Values from memory are cells too: `cell_text` gives the
text that a file has for each. A column is then read as numbers or as texts, as training settled: as
numbers, a cell is the double nearest to its text; as texts, the level that `positions` finds.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from treemip.core.instance.decimals import number_of
from treemip.core.model.tolerances import LAST_EXACT
from treemip.core.resolve.settings.data_spec import number_text

BLANKS = " \t"
"""What does not count around a cell or the name of a column; all other blanks are text."""

WORDS = (("False", "FALSE", "false"), ("True", "TRUE", "true"))
"""How files write the truth values 0 and 1: what pandas and polars take for them."""

TRUTH = {word: float(value) for value, words in enumerate(WORDS) for word in words}


# --------------------------------------------------------------------------- from memory to text


def array_of(values: Any) -> np.ndarray:
    """A list, or a list of rows, as an array that keeps each value as it is.

    Among texts NumPy would make texts of numbers and of NaN; among numbers, numbers of truth values
    and of integers that no double is. Values that a masked array hides become None.
    """
    hidden = getattr(values, "mask", None) if isinstance(values, np.ndarray) else None
    if hidden is not None:  # a masked array; numpy.ma takes 6 ms to import
        values = np.asarray(values)
        if np.any(hidden):
            values = values.astype(object)
            values[np.broadcast_to(hidden, values.shape)] = None
        return values
    if isinstance(values, np.ndarray):
        return values
    array = np.asarray(values)
    if array.dtype.kind not in "iufUS":
        return array
    objects = np.array(values, object)
    kinds = set(map(type, objects.ravel().tolist()))
    rounded = array.dtype.kind == "f" and any(issubclass(kind, int) for kind in kinds)
    return objects if len(kinds) > 1 or rounded else array


def is_truth(kind: type) -> bool:
    return issubclass(kind, bool | np.bool_)


def cell_text(value: object) -> str | None:
    """The text that a data file has for a value: "" for a missing one, None for what is no cell."""
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool | np.bool_):
        return WORDS[bool(value)][0]
    if isinstance(value, int | float | np.integer | np.floating):
        return number_cell(value)
    if isinstance(value, Decimal):
        return "" if value.is_nan() else str(value)
    return None


def number_cell(value: int | float | np.integer | np.floating) -> str:
    """A number's text; 1 and 1.0 have the same one. "" for NaN.

    From 2**53 a double may stand for several integers, so its text is that of none.
    """
    if isinstance(value, int | np.integer):
        return str(int(value))
    number = float(value)
    if np.isnan(number):
        return ""
    return number_text(number) if abs(number) < LAST_EXACT else repr(number)


# ------------------------------------------------------------------------- from text to a level


def spellings(text: str) -> tuple[str, ...]:
    """The texts that are the same cell, the shortest one first: 1 is 1.0 where a column of whole
    numbers went through doubles."""
    number = number_of(text)
    if number is None or not number.is_integer() or abs(number) >= LAST_EXACT:
        return (text,)
    plain = number_text(number)
    same = (plain, f"{plain}.0", *(["-0.0"] if number == 0 else []))
    return same if text in same else (text,)


def positions(names: tuple[str, ...]) -> dict[str, int]:
    """For each text that stands for one of the levels `names`, which one.

    A level is known by its spellings. A text that is none of these is the only level that has the
    same number (7 is 007) or the same truth value (True is TRUE, or 1), if there is just one.
    """
    known: dict[str, int] = {}
    for k, name in enumerate(names):
        for text in spellings(name):
            known.setdefault(text, k)
    claims: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        for text in _others(name):
            claims.setdefault(text, []).append(k)
    single = {text: levels[0] for text, levels in claims.items() if len(levels) == 1}
    return {**single, **known}


def _others(name: str) -> tuple[str, ...]:
    """What memory may have in place of a level's text."""
    number = number_of(name)
    if number is None:
        return WORDS[int(TRUTH[name])] if name in TRUTH else ()
    if abs(number) >= LAST_EXACT:
        return ()
    words = WORDS[int(number)] if number in (0, 1) else ()
    return (*spellings(number_text(number)), *words)
