"""JSON as `json.dumps` writes it: no more is taken, so that what is read has one meaning."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any, NoReturn, TypeGuard

LARGEST = 2**63 - 1
"""Of whole numbers."""

MANY = 2_000_000
"""Lists and objects of a text: more would take gigabytes."""


def strict_json(text: str) -> Any:
    """The value. Raises ValueError, in words, for what is not JSON, or is nested without end or
    too large, for NaN and Infinity, and for a key that stands twice in an object."""
    if text.count("[") + text.count("{") > MANY:
        raise ValueError(f"it holds more than {MANY:,} lists and objects".replace(",", " "))
    try:
        return json.loads(text, parse_constant=_constant, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    except _NotStrict:
        raise
    except ValueError:  # of int, which takes some thousand digits
        raise ValueError("it holds a number of too many digits") from None


class _NotStrict(ValueError):
    """What Python's reader takes and JSON has not."""


def _constant(name: str) -> NoReturn:
    raise _NotStrict(f"it holds {name}, which is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise _NotStrict(f"'{twice}' stands twice in one object")
    return found


def is_number(given: object) -> TypeGuard[float]:
    """Whether a value read is a finite number, which true and false are not."""
    if isinstance(given, float):
        return isfinite(given)
    return isinstance(given, int) and not isinstance(given, bool) and abs(given) <= LARGEST


def texts(given: object) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else, and for a text that stands twice."""
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise ValueError("a list of names is expected")
    if len(set(given)) < len(given):
        raise ValueError("a name stands twice in a list of names")
    return tuple(given)


def number(given: object) -> float:
    """A finite number. Raises ValueError for anything else."""
    if not is_number(given):
        raise ValueError("a number is expected")
    return float(given)


def whole(given: object) -> int:
    """A whole number, not below 0. Raises ValueError for anything else."""
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= LARGEST:
        raise ValueError("a whole number is expected")
    return given
