"""Limits enforced by the system. They are set first, so this imports nothing of the package."""

from __future__ import annotations

import os
from contextlib import suppress


def limit(memory: int, seconds: float | None, written: int, nice: int = 5) -> None:
    """Limit this process and those that it starts; does nothing where the system has no limits.

    memory: bytes of address space. seconds: of CPU time on each core. written: bytes of a file.
    nice: by how much its priority is lowered.
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
