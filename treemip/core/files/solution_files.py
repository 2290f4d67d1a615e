"""What all solution formats share: the text, its numbers, and what is read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from treemip.core.model.answer import PROVEN_STATUSES, WITHOUT_SOLUTION, Status
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Source

LONG = 15  # digits of a count
NO_NAMES = np.zeros(0, "S1")


@dataclass(frozen=True)
class SolutionFile:
    """The content of a solver's solution file.

    names: 'S' array (values,), values: float64 (values,), both None when the file has no
    solution. objective: as the file states it, so of a model that was written negated it is the
    negative; None where the format has none. complete: every column is listed; otherwise those
    left out are 0. digits: how many significant ones the format prints of a number about 1.
    listed: the objective as the listed costs and values give it, None where the format states no
    costs. added: columns that the solver puts in by itself. ordinal: the values stand in the
    model's order without names. bound: the solver's bound on the objective, in the file's sign.
    """

    path: str
    format: str
    status: Status
    complete: bool
    digits: int
    objective: float | None = None
    names: np.ndarray | None = None
    values: np.ndarray | None = None
    listed: float | None = None
    added: tuple[bytes, ...] = ()
    ordinal: bool = False
    bound: float | None = None

    @property
    def has_solution(self) -> bool:
        return self.values is not None


@dataclass(frozen=True)
class Format:
    """One way of writing solutions: `recognises` sees the first 4 kB, `read` the whole text."""

    name: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Text], SolutionFile]


@dataclass(frozen=True)
class Text:
    """The bytes of a solution file with their path, for messages."""

    path: str
    data: bytes

    @cached_property
    def lines(self) -> list[bytes]:
        """Whole lines, without line ends; a last line that is not ended is left out."""
        return self.data.replace(b"\r\n", b"\n").split(b"\n")[:-1]

    def line(self, number: int) -> bytes:
        """A line by its 0-based number; E606 when the file ends before it does."""
        if number >= len(self.lines):
            self.fail_cut()
        return self.lines[number]

    def fail(self, number: int, message: str, remedy: str = "") -> NoReturn:
        """Raise E606 at a 0-based line."""
        source = Source(self.path, self.data.decode("utf-8", "replace").replace("\r\n", "\n"))
        start = source.line_starts[number]
        span = source.span(start, start + len(source.line(number + 1)))
        fail("E606", message, span, remedy or "write the file again")

    def demand_line_end(self) -> None:
        """E606 when the last line is not ended: the file was cut inside it."""
        if not self.data.endswith(b"\n"):
            self.fail_cut()

    def fail_cut(self) -> NoReturn:
        """Raise E606 for a file that ends too early."""
        last = self.data.count(b"\n") - self.data.endswith(b"\n")
        self.fail(max(0, last), "the solution file is cut off here", "copy or write it again")

    def whole(self, token: bytes, number: int) -> int:
        """A count or an index on a 0-based line; E606 when it is none, or beyond all counting."""
        if not token.isdigit() or len(token) > LONG:
            self.fail(number, "expected a whole number here")
        return int(token)

    def numbers(self, tokens: list[bytes], lines: int | list[int]) -> np.ndarray:
        """float64 (tokens,): one a line from 0-based line `lines` on, or each on its own of
        `lines`. E606 at the first that is no finite number."""
        try:
            values = np.array(tokens, "S").astype(np.float64) if tokens else np.zeros(0)
        except ValueError:
            values = np.array([np.nan])
        if not np.isfinite(values).all() or any(b"_" in token for token in tokens):
            bad = next(k for k, token in enumerate(tokens) if not _is_number(token))
            place = lines + bad if isinstance(lines, int) else lines[bad]
            self.fail(place, f"'{tokens[bad].decode(errors='replace')}' is not a number")
        return values


def named_values(
    text: Text, first: int, stop: int, shape: int, name_at: int, value_at: int, what: str
) -> tuple[np.ndarray, np.ndarray]:
    """Names and values of lines `first` to `stop`, each of `shape` words; `what` is expected."""
    tokens = [line.split() for line in text.lines[first:stop]]
    for k, token in enumerate(tokens):
        if len(token) != shape:
            text.fail(first + k, f"expected {what} here")
    names = [token[name_at] for token in tokens]
    values = text.numbers([token[value_at] for token in tokens], first)
    return np.array(names, "S") if names else NO_NAMES, values


def outcome(status: Status | None, found: bool) -> tuple[Status, bool]:
    """The status as far as the file's words for it are known, and whether values are to be read.

    `found`: the file lists values. They are left when the status says that they are no solution:
    a point on an unbounded ray, or where a solver gave up.
    """
    if status is None:
        status = "feasible" if found else "no_solution"
    elif not found and status in PROVEN_STATUSES:
        status = "no_solution"
    return status, found and status not in WITHOUT_SOLUTION


def _is_number(token: bytes) -> bool:
    try:
        return b"_" not in token and bool(np.isfinite(float(token)))
    except ValueError:
        return False
