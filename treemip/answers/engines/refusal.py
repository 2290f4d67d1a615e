"""Why an engine, or what shares its reading of a spec, does not take it."""

from __future__ import annotations

from treemip.core.source.span import Span

NO_TIME = "time was up before it was known whether an engine takes it"
"""The reason where time is up before it is known whether an engine takes a spec."""


class Refusal(Exception):
    """The text, one line, completes "the engine does not answer: ...". about: the row, term or
    variable of the spec that stands in the way, where that is known."""

    def __init__(self, why: str, about: Span | None = None) -> None:
        super().__init__(why)
        self.about = about
