"""Optional packages: the command that installs them, by the ranges of pyproject.toml."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

NAME = "treemip"
_REQUIREMENT = re.compile(r"([\w.-]+)\s*([^;\[]*?)\s*;.*\bextra == ['\"]([\w-]+)['\"]")


def pip_install(extra: str, package: str | None = None) -> str:
    """Such as `pip install "pyscipopt>=5.5,<7"`: what an extra needs, or one package of it.

    The packages are named themselves, since treemip may be in no index that pip knows. Where
    treemip runs without being installed, it is the command for its folder.
    """
    found = [one for one in _requirements(extra) if package in (None, re.split("[<>=]", one)[0])]
    if not found:
        return f"pip install '.[{extra}]' in the folder of {NAME}"
    return " ".join(["pip install", *(f'"{one}"' for one in found)])


def _requirements(extra: str) -> list[str]:
    """Of an extra, from the metadata of the installed treemip: `name>=1,<2`."""
    try:
        lines = requires(NAME) or []
    except PackageNotFoundError:
        return []
    matches = filter(None, map(_REQUIREMENT.fullmatch, lines))
    # Metadata have `<7,>=5.5`, and `-` for `_` in names of extras.
    return [
        name + ",".join(sorted(ranges.split(","), reverse=True))
        for name, ranges, of in (match.groups() for match in matches)
        if of.replace("-", "_") == extra
    ]
