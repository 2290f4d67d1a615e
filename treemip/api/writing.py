"""Python values as words of the language, escaped where they must be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any

from treemip.source.diagnostic import Diagnostic, TreemipError

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that settings of the data block read; a column of that name needs quotes.
_WORDS = """
all drop fold impute keep marks minmax none of onehot ordinal positive quantile refuse seed
standard tab thresholds
"""
SETTING_WORDS = frozenset(_WORDS.split())


def quoted(text: object) -> str:
    """A text between quotes. Raises E902 for a line break, which no string can hold."""
    plain = str(text)
    if "\n" in plain or "\r" in plain:
        raise refused(f"a text of the language has no line breaks: {plain!r}", "rename it")
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def word(said: object) -> str:
    """A setting's word: a number, a plain name, or anything else in quotes."""
    return number(said) if isinstance(said, Real) else _name(str(said))


def columns(names: str | Iterable[str], always: bool = False) -> str:
    """Column names parted by commas, in quotes where they are no plain names (or `always`)."""
    many = [names] if isinstance(names, str) else list(names)
    return ", ".join(quoted(n) if always else _name(str(n)) for n in many)


def _name(text: str) -> str:
    bare = PLAIN.fullmatch(text) and text not in SETTING_WORDS
    return text if bare else quoted(text)


def number(said: object) -> str:
    """The shortest exact text of a number. Raises E902 for inf, nan and what is no number."""
    if isinstance(said, bool) or not isinstance(said, Real) or not isfinite(said):
        raise refused(f"a finite number is needed, not {said!r}", "give a number")
    real = float(said)
    whole = real.is_integer() and abs(real) < 2**53
    return str(int(real)) if whole else repr(real)


def value(said: object) -> str:
    """A number, or a text that is an expression."""
    return said.strip() if isinstance(said, str) else number(said)


def settings(key: str, how: str | Mapping[str, Any] | None) -> list[str]:
    """`scale minmax`, or one setting for each entry of {"minmax": ["a", "b"], "none": "c"}."""
    if how is None:
        return []
    if isinstance(how, str):
        return [f"{key} {how}"]
    found = []
    for way, named in how.items():
        if isinstance(named, Mapping):
            found += [f"{key} {way}({_levels(o)}) {_name(str(c))}" for c, o in named.items()]
        else:
            found.append(f"{key} {way} {columns(named)}".rstrip())
    return found


def _levels(order: Iterable[object]) -> str:
    return ", ".join(number(v) if isinstance(v, Real) else quoted(v) for v in order)


def refused(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E902", message, remedy))
