"""Terms written out: their parameters replaced by what is given for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from treemip.resolve import typed as t


def substituted(e: t.Typed, given: Mapping[str, t.Typed]) -> t.Typed:
    """The expression with other expressions for some of its free names."""
    found = _substituted(e, given) if given else e
    assert isinstance(found, t.Typed)
    return found


def _substituted(part: Any, given: Mapping[str, t.Typed]) -> Any:
    if isinstance(part, t.Bound):
        return given.get(part.name, part)
    if isinstance(part, tuple):
        return tuple(_substituted(p, given) for p in part)
    if not isinstance(part, t.Typed | t.Binder):
        return part
    changed = {}
    for field in fields(part):
        value = getattr(part, field.name)
        new = _substituted(value, given)
        if new is not value and new != value:
            changed[field.name] = new
    return replace(part, **changed) if changed else part
