"""Memory left under the limits of the process and the machine, and errors that mean it is used up.

Limits are those of `ulimit -v` (addresses) and `ulimit -d`, and the one of the control group, which
containers and batch systems set. SCIP and HiGHS crash beyond them.
"""

from __future__ import annotations

import errno
import gc
import os
from contextlib import suppress
from pathlib import Path

from treemip.core.source.diagnostic import fail

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")
SIZES = Path("/proc/self/statm")
FREE = Path("/proc/meminfo")

UNKNOWN = 1 << 62
"""Bytes, where the system does not say."""

WORDS = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""Of the dynamic loader, of the C library, and of Python's threads."""

NO_WORDS = "without exception set"
"""Of Python about C code that failed silently, which under a limit is for want of memory."""

REMEDY = "use fewer points or a smaller topology, or raise the limits that ulimit shows"


def is_memory_error(error: BaseException) -> bool:
    """Whether there was no memory to allocate, or to load a library or start a thread with."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError | RuntimeError):
        return any(words in str(error).lower() for words in WORDS)
    if isinstance(error, SystemError):
        return NO_WORDS in str(error) and least_limit() is not None
    return False


def memory_left() -> int | None:
    """Bytes that this process may still take under all its limits; None where there are none."""
    limit, used = _group_limit(), _used()
    left = [addresses_left()]
    left += [max(0, limit - used[1])] if limit is not None and used is not None else []
    return min((one for one in left if one is not None), default=None)


def room() -> int:
    """Bytes that arrays may take: what the limits leave, and what the machine has free."""
    left, free = memory_left(), _free()
    return min(UNKNOWN if left is None else left, UNKNOWN if free is None else free)


def addresses_left() -> int | None:
    """The same under the limits of `ulimit` alone, beyond which an allocation fails at once."""
    used = _used()
    if used is None:
        return None
    limits = ((address_limit("RLIMIT_AS"), used[0]), (address_limit("RLIMIT_DATA"), used[2]))
    return min(
        (max(0, limit - taken) for limit, taken in limits if limit is not None), default=None
    )


def demand_addresses(what: str, least: int) -> None:
    """Raises E405 where a limit leaves fewer bytes than `what` needs to begin with."""
    left = addresses_left()
    if left is not None and left < least:
        message = (
            f"not enough memory for {what}: {left // 2**20} MB are left under the limit, "
            f"and it takes {least // 2**20} MB to begin with"
        )
        fail("E405", message, remedy=REMEDY)


def _used() -> tuple[int, int, int] | None:
    """Bytes of addresses, of resident memory and of data; None where the system does not say."""
    try:
        addresses, resident, _, _, _, data, _ = map(int, SIZES.read_text().split())
    except (OSError, ValueError):  # not Linux
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return addresses * page, resident * page, data * page


def _free() -> int | None:
    """Bytes that the machine has free; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in FREE.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def address_limit(name: str) -> int | None:
    """A limit of the process in bytes, by its name in the module `resource`."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft = resource.getrlimit(getattr(resource, name))[0]
    return None if soft == resource.RLIM_INFINITY else soft


def least_limit() -> int | None:
    """The least limit of `ulimit` on addresses or data, bytes; it takes no memory to ask."""
    found = [address_limit(name) for name in ("RLIMIT_AS", "RLIMIT_DATA")]
    return min((limit for limit in found if limit is not None), default=None)


def _group_limit() -> int | None:
    """The least limit of the control group and of those around it, version 2."""
    limits = []
    with suppress(OSError, ValueError):
        lines = OWN_GROUP.read_text().splitlines()
        own = next(line[len("0::/") :] for line in lines if line.startswith("0::/"))
        folder = GROUPS / own
        for one in (folder, *folder.parents):
            if one != GROUPS and GROUPS not in one.parents:
                break
            with suppress(OSError, ValueError):  # the root has no such file; "max" is no limit
                limits.append(int((one / "memory.max").read_text()))
    return min(limits, default=None)


def drop_cycles() -> None:
    """Free recent objects that refer to each other, such as evaluators with large arrays. There are
    few of them, so that the collector would not come by for a long time."""
    gc.collect(1)


def give_back() -> None:
    """Gives memory that is free back to the system, after what held on to itself alone is let go.

    The C library keeps what arrays of some megabytes have had, where larger ones find no place.
    Worth a tenth of a second for large tables alone.
    """
    import ctypes

    gc.collect()
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
