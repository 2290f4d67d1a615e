"""What a request is told that is not answered."""

from __future__ import annotations

import re

from treemip.core.source.diagnostic import TreemipError


class Denied(Exception):
    """status: of HTTP. help: what to do about it."""

    def __init__(self, status: int, error: str, remedy: str = "") -> None:
        super().__init__(error)
        self.status, self.error, self.help = status, error, remedy

    def to_json(self) -> dict[str, str]:
        return {"error": self.error, "help": self.help}


def denied(error: TreemipError) -> Denied:
    """The same, as a request that cannot be read."""
    first = error.diagnostics[0]
    return Denied(400, first.message, first.remedy)


def refused(printed: str) -> Denied:
    """What a command printed of its first error, as the message and the remedy that are in it."""
    first = re.sub(r"^error\[\w+\]: ", "", printed.strip()).splitlines()
    remedy = next((one.split("= help: ", 1)[1] for one in first if "= help: " in one), "")
    return Denied(400, first[0].strip(), remedy.strip())
