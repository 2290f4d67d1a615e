"""What all campaigns share: a case, its own random numbers, and what came of it."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TRACEBACK, HANG, LOST = "traceback", "hang", "lost"
WRONG_VERDICT, WRONG_OPTIMUM, OTHER = "wrong verdict", "wrong optimum", "other fault"

PLURALS = {
    TRACEBACK: "tracebacks",
    HANG: "hangs",
    LOST: "lost",
    WRONG_VERDICT: "wrong verdicts",
    WRONG_OPTIMUM: "wrong optima",
    OTHER: "other faults",
}
"""Kinds of faults. A crash counts as a traceback, too much memory as a hang; "other fault" is any
other broken promise, such as a message about a place outside the text."""

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Case:
    """Case `number` of a campaign; everything in it follows from these three."""

    campaign: str
    seed: int
    number: int

    def __str__(self) -> str:
        return f"{self.campaign}:{self.seed}.{self.number}"

    def dice(self) -> random.Random:
        return random.Random(str(self))

    def rng(self) -> np.random.Generator:
        name = int.from_bytes(self.campaign.encode(), "big")
        return np.random.default_rng([self.seed, name, self.number])


@dataclass(frozen=True)
class Outcome:
    """`fault` is None where all promises were kept.

    `key` tells faults apart: those with the same one are shown once. `files` reproduce the case.
    `counts` are added up over the campaign and shown, such as {"refused": 1}.
    """

    fault: str | None = None
    text: str = ""
    key: str = ""
    files: Files = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


class Fault(Exception):
    """Raised anywhere inside a case: a promise was broken."""

    def __init__(self, kind: str, text: str, key: str = "") -> None:
        super().__init__(text)
        self.kind, self.text, self.key = kind, text, key or text


@dataclass(frozen=True)
class Campaign:
    """`run(case, folder, files)` runs one case in an empty folder.

    It returns what to count, raises `Fault`, and puts into `files` what reproduces the case. Any
    other exception is a traceback. `cpu` seconds and `memory` bytes (of addresses, beyond those the
    process began with; None for no limit) bound a case. `size()` is how many cases there are; None
    for any number. `summary(counts)` tells in words of its own what was counted; None for a list.
    """

    name: str
    unit: str
    default: int
    run: Callable[[Case, Path, dict[str, str | bytes]], Mapping[str, int]]
    cpu: float = 5.0
    wall: float = 60.0
    memory: int | None = None
    size: Callable[[], int] | None = None
    summary: Callable[[Mapping[str, int]], str] | None = None


def judged(campaign: Campaign, case: Case, folder: Path) -> Outcome:
    """Run a case; whatever is raised becomes its outcome."""
    files: dict[str, str | bytes] = {}
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            counts = campaign.run(case, folder, files)
    except Fault as fault:
        return Outcome(fault.kind, fault.text, fault.key, files)
    except MemoryError as error:
        return Outcome(HANG, f"out of memory\n{_told(error)}", _place(error), files)
    except OutOfTime as error:
        text = f"more than {campaign.cpu:g} s of CPU time\n{_told(error)}"
        return Outcome(HANG, text, f"{campaign.name}: out of time", files)
    except Exception as error:
        return Outcome(TRACEBACK, _told(error), _place(error), files)
    for one in heard:
        if "/treemip/" in one.filename:
            place = f"{one.category.__name__} at {Path(one.filename).name}:{one.lineno}"
            return Outcome(OTHER, f"{place}: {one.message}", place, files, counts)
    return Outcome(counts=counts, files=files)


class OutOfTime(BaseException):
    """Raised by the alarm; no `except Exception` stops it."""


def _told(error: BaseException) -> str:
    lines = "".join(traceback.format_exception(error)).splitlines()
    return "\n".join(lines if len(lines) <= 40 else [*lines[:8], "  ...", *lines[-30:]])


def _place(error: BaseException) -> str:
    """The exception's type and the last line of treemip it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "/treemip/" in f.filename] or frames
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else ""
    return f"{type(error).__name__} at {place}"
