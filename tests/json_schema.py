"""Checks a value by docs/tree.schema.json: the part of JSON Schema that it uses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "tree.schema.json").read_text())
NOTES = {"$schema", "$defs", "title", "description"}
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def faults(value: Any, schema: dict[str, Any] = SCHEMA, path: str = "$") -> Iterator[str]:
    """Where the value is not what the schema says."""
    for keyword, wanted in schema.items():
        if keyword not in NOTES and keyword not in ("properties", "additionalProperties"):
            yield from CHECKS[keyword](value, wanted, path)
    if isinstance(value, dict):
        own, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, member in value.items():
            if name in own:
                yield from faults(member, own[name], f"{path}.{name}")
            elif isinstance(others, dict):
                yield from faults(member, others, f"{path}.{name}")
            elif not others:
                yield f"{path}: '{name}' is not in the schema"


def _type(value: Any, wanted: str | list[str], path: str) -> Iterator[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    is_bool = isinstance(value, bool)
    if not any(isinstance(value, TYPES[n]) and (not is_bool or n == "boolean") for n in names):
        yield f"{path}: {value!r} is not of type {wanted}"


def _required(value: Any, wanted: list[str], path: str) -> Iterator[str]:
    yield from (f"{path}: '{name}' is missing" for name in wanted if name not in value)


def _items(value: Any, wanted: dict[str, Any], path: str) -> Iterator[str]:
    for k, item in enumerate(value if isinstance(value, list) else []):
        yield from faults(item, wanted, f"{path}[{k}]")


def _matching(value: Any, wanted: list[dict[str, Any]], path: str) -> int:
    return sum(not any(faults(value, one, path)) for one in wanted)


def _any_of(value: Any, wanted: list[dict[str, Any]], path: str) -> Iterator[str]:
    if not _matching(value, wanted, path):
        yield f"{path}: none of the alternatives"


def _one_of(value: Any, wanted: list[dict[str, Any]], path: str) -> Iterator[str]:
    if (count := _matching(value, wanted, path)) != 1:
        yield f"{path}: {count} of the alternatives"


def _ref(value: Any, wanted: str, path: str) -> Iterator[str]:
    yield from faults(value, SCHEMA["$defs"][wanted.removeprefix("#/$defs/")], path)


def _when(holds: bool, path: str, value: Any) -> Iterator[str]:
    if not holds:
        yield f"{path}: {value!r} is not allowed"


CHECKS = {
    "type": _type,
    "required": _required,
    "items": _items,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "$ref": _ref,
    "enum": lambda v, wanted, path: _when(v in wanted, path, v),
    "const": lambda v, wanted, path: _when(v == wanted, path, v),
    "minimum": lambda v, wanted, path: _when(v is None or v >= wanted, path, v),
    "maximum": lambda v, wanted, path: _when(v <= wanted, path, v),
    "minItems": lambda v, wanted, path: _when(len(v) >= wanted, path, v),
    "uniqueItems": lambda v, wanted, path: _when(len({*v}) == len(v), path, v),
    "pattern": lambda v, wanted, path: _when(re.search(wanted, v) is not None, path, v),
}
