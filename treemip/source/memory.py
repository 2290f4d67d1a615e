"""Errors that mean that memory is used up, in whichever shape they come."""

from __future__ import annotations

import errno

WORDS = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""Of the dynamic loader, of the C library, and of Python's threads."""

REMEDY = "take fewer points, or a smaller topology; or raise the limits that ulimit shows"


def is_memory_error(error: BaseException) -> bool:
    """Whether there was no memory to allocate, or to load a library or start a thread with."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError | RuntimeError):
        return any(words in str(error).lower() for words in WORDS)
    return False
