"""What a solver's log tells beside the solution file."""

from __future__ import annotations

import re

from treemip.model.answer import Status
from treemip.strategy.entry import Call

TAIL = 6  # lines of a log that are shown when a solver fails


class Log:
    """What a log tells, by its call's patterns."""

    def __init__(self, text: str, call: Call) -> None:
        self.text, self.told = text, call.told

    def last(self, pattern: str) -> str | None:
        found = re.findall(pattern, self.text, re.MULTILINE) if pattern else []
        return found[-1] if found else None

    def has(self, pattern: str) -> bool:
        return bool(pattern) and re.search(pattern, self.text, re.MULTILINE) is not None

    @property
    def status(self) -> Status | None:
        said = [status for pattern, status in self.told.status.items() if self.has(pattern)]
        return said[-1] if said else None

    @property
    def bound(self) -> float | None:
        try:
            return float(self.last(self.told.bound) or "none")
        except ValueError:
            return None

    @property
    def nodes(self) -> int | None:
        counted = self.last(self.told.nodes)
        return None if counted is None else int(counted)

    @property
    def version(self) -> str:
        return self.last(self.told.version) or ""

    @property
    def unlicensed(self) -> str:
        """What is missing, in the solver's words; empty where a licence is not the matter."""
        return (self.last(self.told.unlicensed) or "").rstrip(".")

    @property
    def tail(self) -> str:
        lines = [line.strip() for line in self.text.splitlines()[1:] if line.strip()]
        return "; ".join(lines[-TAIL:])
