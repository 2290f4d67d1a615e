"""What varies in a sweep: names and their values, as in `--vary depth=2,3`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from pathlib import Path
from typing import Any

from treemip.resolve.settings.solve_options import OPTIONS
from treemip.source.diagnostic import refused

Axes = dict[str, tuple[str, ...]]
"""The values of each name as texts, both in the order given."""

DATA, FOLD = "data", "fold"

SOLVE_OPTIONS = {name: option.kind for name, option in OPTIONS.items() if option.run}
"""Options of a solve that may vary where the spec has no parameter of that name."""

MOST_VALUES = 100_000
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def axes_of(vary: Mapping[str, Any] | Iterable[str]) -> Axes:
    """The axes of `NAME=VALUES` texts, or of a mapping of names to one value or several.

    Raises E902 for an axis without values, with a value twice, or named twice.
    """
    if isinstance(vary, Mapping):
        pairs = [(str(name), _texts(values)) for name, values in vary.items()]
    else:
        pairs = [_parsed(text) for text in vary]
    axes: Axes = {}
    for name, values in pairs:
        if name in axes:
            raise refused(f"'{name}' varies twice", "give all its values at once: 2,3 or 1..5")
        if not values:
            raise refused(f"'{name}' has no values", f"such as --vary {name}=2,3")
        again = next((v for k, v in enumerate(values) if v in values[:k]), None)
        if again is not None:
            raise refused(f"'{name}' has the value {again} twice", "each value once")
        axes[name] = tuple(values)
    return axes


def table_names(paths: Iterable[str]) -> dict[str, str]:
    """What the rows of results call each table: a relative path as it is given, and of an absolute
    one, which may tell who ran them, as many of its last parts as tell it from the others."""
    given, names = list(dict.fromkeys(paths)), {}
    for path in given:
        parts, others = Path(path).parts, [Path(one).parts for one in given if one != path]
        most = len(parts) if Path(path).is_absolute() else 0
        tails = (parts[-k:] for k in range(1, most))
        told = next((t for t in tails if all(t != one[-len(t) :] for one in others)), None)
        names[path] = path if told is None else Path(*told).as_posix()
    return names


def combinations(axes: Axes) -> list[dict[str, str]]:
    """All combinations of values, the last axis varying first."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _parsed(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not (equals and name.strip() and values.strip()):
        remedy = "write it as --vary NAME=VALUE,VALUE or --vary NAME=1..5"
        raise refused(f"'--vary {text}' is not a name with values", remedy)
    parts = [part.strip() for part in _parted(values)]
    if not all(parts):
        raise refused(f"'--vary {text}' has an empty value", "put one comma between two values")
    return name.strip(), [each for part in parts for each in _expanded(name.strip(), part)]


def _parted(values: str) -> list[str]:
    """Parted at commas that are in no brackets."""
    parts, depth = [""], 0
    for character in values:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _expanded(name: str, value: str) -> list[str]:
    """The numbers of a range such as 1..5; any other value as it is."""
    match = None if name == DATA else _RANGE.fullmatch(value)
    if match is None:
        return [value]
    first, last = int(match[1]), int(match[2])
    if not first <= last < first + MOST_VALUES:
        remedy = f"a range goes up, and has at most {MOST_VALUES:,} values"
        raise refused(f"'{name}={value}' is not a range of values", remedy)
    return [str(k) for k in range(first, last + 1)]


def _texts(values: Any) -> list[str]:
    several = isinstance(values, Sequence | range) and not isinstance(values, str)
    several = several or (hasattr(values, "tolist") and not isinstance(values, Real))
    return [_text(value) for value in (list(values) if several else [values])]


def _text(value: Any) -> str:
    from treemip.api.statement_text import number

    return number(value) if isinstance(value, Real) else str(value)


def solve_option(name: str, text: str) -> Any:
    """The value of an option of a solve. Raises E902."""
    try:
        return SOLVE_OPTIONS[name](text)
    except ValueError:
        kind = "a whole number" if SOLVE_OPTIONS[name] is int else "a number"
        raise refused(
            f"'{name}={text}': '{text}' is not {kind}", "see: treemip solve --help"
        ) from None
