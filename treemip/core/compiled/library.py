"""The compiled kernel as a library: built when treemip is installed, where there is a C++ compiler.
Without it numpy computes the same, and says the same.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

from treemip.core.compiled.build import HERE, built_library, source_hash

NUMPY = "TREEMIP_NUMPY"  # an environment variable; where it is set, numpy computes


@cache
def kernel() -> ctypes.CDLL | None:
    """The library, None where it was not built or not from this source."""
    path = built_library()
    if os.environ.get(NUMPY) or not path.is_file():
        return None
    try:
        library = ctypes.CDLL(str(path))
        library.treemip_source.restype = ctypes.c_char_p
        built_from = library.treemip_source().decode()
    except (OSError, AttributeError):
        return None
    return library if built_from == source_hash() else None


def unbuilt() -> str:
    """Where numpy computes what the kernel would, how to get that; to be put behind a clause."""
    if kernel() is not None:
        return ""
    return f"; the compiled kernel is several times as fast: python {HERE / 'build.py'}"
