"""How much one visitor may ask of the playground, and how much all may together."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from treemip.study.sandbox.folder import MOST_BYTES

TEXT = 200_000
"""Characters of one text."""

FILES = 30
"""Texts and tables in one request."""

BODY = 2_000_000
"""Bytes of a request, unless it is an upload."""

UNUSED = 3600.0
"""Seconds after which an unused table or answer is dropped."""

LOOK = 5.0
"""Seconds that analysing a text may take."""

TABLE = 20.0
"""Seconds that reading an uploaded table may take."""

ALONE = 60.0
"""Seconds that a solve goes on when nobody is following it."""

MODEL = 200_000
"""Characters of a model file that are shown."""

PART = 3_000_000
"""Characters of any part of an answer."""


@dataclass(frozen=True)
class Limits:
    """seconds: of a solve. later: seconds for what is made beside the tree (mathematics, model,
    report). megabytes: of an upload. workers: solves at a time. analysts: texts analysed at a
    time. waiting_each, waiting: jobs in the queue, of one visitor and of all. tables_each: tables
    of one visitor. tables, answers: bytes of all tables and of all kept answers. memory: bytes of
    address space of a job. public: whether machines other than this one are served."""

    seconds: float = 60.0
    later: float = 30.0
    megabytes: float = 10.0
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    analysts: int = field(default_factory=lambda: max(3, os.cpu_count() or 1))
    waiting_each: int = 3
    waiting: int = 100
    tables_each: int = 10
    tables: int = 200_000_000
    answers: int = 200_000_000
    memory: int = 4 << 30
    public: bool = False

    @property
    def upload(self) -> int:
        """Bytes of an upload."""
        return int(self.megabytes * 1e6)

    @property
    def folder(self) -> int:
        """Bytes of the files of a request, including what its commands write."""
        return max(MOST_BYTES, 3 * self.upload)
