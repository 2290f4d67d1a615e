"""Refusals: why a request is not answered, and what to do about it."""

from __future__ import annotations

import re

from treemip.core.source.diagnostic import TreemipError


class Denied(Exception):
    """status: the HTTP status code. help: what to do about it; may be empty."""

    def __init__(self, status: int, error: str, remedy: str = "") -> None:
        super().__init__(error)
        self.status, self.error, self.help = status, error, remedy

    def to_json(self) -> dict[str, str]:
        return {"error": self.error, "help": self.help}


def denied(error: TreemipError) -> Denied:
    """The refusal of a request whose contents are wrong."""
    first = error.diagnostics[0]
    return Denied(400, first.message, first.remedy)


def refused(printed: str) -> Denied:
    """The refusal for the first error that a command printed: its message and its remedy."""
    first = re.sub(r"^error\[\w+\]: ", "", printed.strip()).splitlines()
    remedy = next((one.split("= help: ", 1)[1] for one in first if "= help: " in one), "")
    return Denied(400, first[0].strip(), remedy.strip())
