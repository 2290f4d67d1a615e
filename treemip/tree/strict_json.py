"""JSON as `json.dumps` writes it: no more is taken, so that what is read has one meaning."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn

DIGITS = 19
"""Of a whole number: no number of a tree has more."""


def strict_json(text: str) -> Any:
    """The value. Raises ValueError, in words, for what is not JSON or is nested without end, for a
    key that stands twice in an object, and for a number that is not finite or not a 64-bit one."""
    try:
        return json.loads(
            text,
            parse_int=_whole,
            parse_float=_number,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"the number {digits[:DIGITS]}... has {len(digits)} digits")
    return int(digits)


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"the number {text[:DIGITS]} is too large")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for k, key in enumerate(keys) if key in keys[:k])
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


def is_number(given: object) -> bool:
    """Whether a value read is a number, which true and false are not."""
    return isinstance(given, int | float) and not isinstance(given, bool)


def texts(given: object) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else, and for a text that stands twice."""
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise ValueError("a list of names is expected")
    if len(set(given)) < len(given):
        raise ValueError("a name stands twice in a list of names")
    return tuple(given)


def number(given: object) -> float:
    """A finite number. Raises ValueError for anything else."""
    if not isinstance(given, int | float) or isinstance(given, bool) or not isfinite(given):
        raise ValueError("a number is expected")
    return float(given)


def whole(given: object) -> int:
    """A whole number, not below 0. Raises ValueError for anything else."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ValueError("a whole number is expected")
    return given
