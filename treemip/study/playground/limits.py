"""What one visitor may ask of the playground, and what all of them may."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from treemip.study.sandbox.folder import MOST_BYTES

TEXT = 200_000
"""Characters of one text."""

FILES = 30
"""Texts and tables that travel with one request."""

BODY = 2_000_000
"""Bytes of a request that is no upload."""

UNUSED = 3600.0
"""Seconds after which what nobody asked for is dropped."""

LOOK = 5.0
"""Seconds that a text may be looked at."""

TABLE = 20.0
"""Seconds that reading an uploaded table may take."""

ALONE = 60.0
"""Seconds that a solve goes on without anybody who follows it."""

MODEL = 200_000
"""Characters of a model file that are shown."""

PART = 3_000_000
"""Characters of any part of an answer."""


@dataclass(frozen=True)
class Limits:
    """seconds: of a solve. later: seconds for what is made beside the tree (mathematics, model,
    report). megabytes: of an upload. workers: solves at once. analysts: texts that are looked at
    at once. waiting: jobs in the queue, of one visitor and of all. tables: of one visitor, and
    bytes of all. answers: bytes of all that are kept. memory: bytes of addresses of a job."""

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
        """Bytes of the files of a request, with what its commands write."""
        return max(MOST_BYTES, 3 * self.upload)
