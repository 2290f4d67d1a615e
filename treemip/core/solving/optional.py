"""Packages that treemip does without until a target needs them."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.extras import pip_install
from treemip.core.source.memory import REMEDY, demand_addresses, is_memory_error

ADDRESSES = {"sklearn": 400 * 2**20, "scipy.optimize": 400 * 2**20}
"""Bytes that a package takes at once. With too few of them, SciPy's OpenBLAS, which scikit-learn
loads too, was seen to wait for memory for ever."""


ALL = "all"
"""The extra of several packages, of which one at a time is needed."""

CORE = frozenset(["highspy", "scipy"])
"""Packages that come with treemip; missing ones were removed, or are for another machine."""


def is_installed(package: str) -> bool:
    """Whether the package is there, without importing it."""
    return find_spec(package) is not None


def needed(package: str, extra: str) -> ModuleType:
    """The package, imported; E602 with the command that installs it when it is missing.

    Raises E405 when there is no memory to load it.
    """
    root = package.partition(".")[0]
    name = package if package in ADDRESSES else root
    if name not in sys.modules:
        demand_addresses(f"the package '{name}'", ADDRESSES.get(name, 0))
    try:
        return import_module(package)
    except (ImportError, MemoryError) as error:
        if is_memory_error(error):
            message = f"not enough memory to load the package '{package}'"
            raise TreemipError(Diagnostic.outside("E405", message, REMEDY)) from error
        message = f"the package '{package}' is not installed or does not load: {error}"
        remedy = (
            f"pip install {root}"
            if root in CORE
            else pip_install(extra, root if extra == ALL else None)
        )
        raise TreemipError(Diagnostic.outside("E602", message, remedy)) from error
