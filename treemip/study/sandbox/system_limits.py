"""Limits that the system holds a process to. They come first: nothing is imported for them."""

from __future__ import annotations

import os
from contextlib import suppress


def limit(memory: int, seconds: float | None, written: int, nice: int = 5) -> None:
    """Limits of this process and those that it starts; none where the system knows none.

    memory: bytes of addresses. seconds: of processor time on each core. written: bytes of a file.
    nice: how much it stands back behind others.
    """
    try:
        import resource
    except ImportError:
        return
    own = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: written,
        resource.RLIMIT_CORE: 0,
    }
    if seconds is not None:
        own[resource.RLIMIT_CPU] = int(seconds * (os.cpu_count() or 1)) + 1
    for name, value in own.items():
        hard = resource.getrlimit(name)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(name, (most, most))
    with suppress(OSError):
        os.nice(nice)
