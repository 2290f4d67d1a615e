"""The contents of a request, checked: texts, tables, settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treemip.core.source.diagnostic import TreemipError
from treemip.study.playground.denied import Denied, denied
from treemip.study.playground.limits import FILES, TEXT
from treemip.study.playground.work import MADE, SPEC_OF_TABLE
from treemip.study.sandbox.folder import checked_name
from treemip.study.sandbox.job import PROGRESS

Json = dict[str, Any]

_NAME = re.compile(r"[^\W\d]\w*")

TAKEN = (MADE, PROGRESS, SPEC_OF_TABLE)
"""Names that are reserved for what commands write."""


def read_json(body: bytes) -> Json:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Denied(400, "the request is not JSON") from None
    if not isinstance(found, dict):
        raise Denied(400, "the request is not a JSON object")
    return found


@dataclass(frozen=True)
class Texts:
    """files: texts by name. tables: ids of uploaded tables by name. spec: which of the files the
    request is about."""

    files: Mapping[str, str]
    tables: Mapping[str, str]
    spec: str

    @classmethod
    def read(cls, request: Json) -> Texts:
        """Raises Denied."""
        files, tables = _texts(request, "files"), _texts(request, "tables")
        if len(files) + len(tables) > FILES:
            raise Denied(413, f"there are more than {FILES} files", "remove some of them")
        for name in (*files, *tables):
            _checked(name)
        for name in files.keys() & tables.keys():
            raise Denied(400, f"'{name}' is both a text and a table", "rename one of them")
        for name, text in files.items():
            if len(text) > TEXT:
                message = f"'{name}' has {len(text)} characters; the limit is {TEXT}"
                raise Denied(413, message, "upload it as a table, or use treemip on your machine")
            if not _whole(text):
                raise Denied(400, f"'{name}' is not valid Unicode", "save it as UTF-8")
        spec = request.get("spec")
        if not isinstance(spec, str) or spec not in files:
            raise Denied(400, "'spec' names none of the files")
        return cls(files, tables, spec)


def _texts(request: Json, key: str) -> dict[str, str]:
    found = request.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise Denied(400, f"'{key}' must be an object of texts by name")
    return found


def _whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked(name: str) -> None:
    try:
        path = checked_name(name)
    except TreemipError as error:
        raise denied(error) from None
    except ValueError:
        raise Denied(400, "a file has an invalid name") from None
    if path.parts[0] in TAKEN:
        raise Denied(400, f"'{name}' is the name of a file that treemip writes", "rename it")


def number(request: Json, key: str, default: float, most: float) -> float:
    """A positive number, at most `most`."""
    found = request.get(key)
    if found is None:
        return min(default, most)
    if isinstance(found, bool) or not isinstance(found, int | float) or not found > 0:
        raise Denied(400, f"'{key}' must be a number above 0")
    return float(min(found, most))


def whole_number(request: Json, key: str) -> int | None:
    found = request.get(key)
    if found is not None and (isinstance(found, bool) or not isinstance(found, int) or found < 0):
        raise Denied(400, f"'{key}' must be a whole number, 0 or more")
    return found


def words(request: Json, key: str, known: tuple[str, ...]) -> list[str]:
    found = request.get(key, [])
    if not isinstance(found, list) or not all(one in known for one in found):
        raise Denied(400, f"'{key}' must be a list of some of {', '.join(known)}")
    return list(found)


def parameters(request: Json) -> dict[str, str]:
    """Values of parameters by name, as texts."""
    found = request.get("parameters") or {}
    if not isinstance(found, dict) or len(found) > 50:
        raise Denied(400, "'parameters' must be an object of at most 50 values by name")
    for name, value in found.items():
        if not _NAME.fullmatch(name):
            raise Denied(400, f"'{name[:50]}' cannot be the name of a parameter")
        if not isinstance(value, str | int | float) or len(str(value)) > 200:
            raise Denied(400, f"the value of '{name}' must be a number or a short text")
    return {name: str(value) for name, value in found.items()}


def optional_text(request: Json, key: str) -> str | None:
    found = request.get(key)
    if found is None or found == "":
        return None
    if not isinstance(found, str) or len(found) > 200 or found.startswith("-") or "\0" in found:
        raise Denied(400, f"'{key}' must be a name")
    return found
