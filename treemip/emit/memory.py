"""How much memory a solver may take, where there is a limit: SCIP and HiGHS crash beyond it.

Limits are those of `ulimit -v` (addresses) and `ulimit -d`, and the one of the control group, which
containers and batch systems set.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.memory import REMEDY

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")
SIZES = Path("/proc/self/statm")


def memory_left() -> int | None:
    """Bytes that this process may still take under all its limits; None where there are none."""
    limit, used = _group_limit(), _used()
    left = [addresses_left()]
    left += [max(0, limit - used[1])] if limit is not None and used is not None else []
    return min((one for one in left if one is not None), default=None)


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
            f"there is not enough memory for {what}: {left // 2**20} MB are left under the limit, "
            f"and it takes {least // 2**20} MB to begin with"
        )
        raise TreemipError(Diagnostic.outside("E405", message, REMEDY))


def _used() -> tuple[int, int, int] | None:
    """Bytes of addresses, of resident memory and of data; None where the system does not say."""
    try:
        addresses, resident, _, _, _, data, _ = map(int, SIZES.read_text().split())
    except (OSError, ValueError):  # not Linux
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return addresses * page, resident * page, data * page


def address_limit(name: str) -> int | None:
    """A limit of the process in bytes, by its name in the module `resource`."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft = resource.getrlimit(getattr(resource, name))[0]
    return None if soft == resource.RLIM_INFINITY else soft


def _group_limit() -> int | None:
    """The least limit of the control group and of those around it, version 2."""
    found = []
    with suppress(OSError, ValueError):
        lines = OWN_GROUP.read_text().splitlines()
        own = next(line[len("0::/") :] for line in lines if line.startswith("0::/"))
        folder = GROUPS / own
        for one in (folder, *folder.parents):
            if one != GROUPS and GROUPS not in one.parents:
                break
            with suppress(OSError, ValueError):  # the root has no such file; "max" is no limit
                found.append(int((one / "memory.max").read_text()))
    return min(found, default=None)
