"""treemip: optimal decision trees from the paper's own algebra to any solver, and back.

    import treemip
    result = treemip.load("iris.tree").compile().solve()
    print(result.tree, result.train_errors, result.verified)

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treemip import plot, sklearn
    from treemip.api.builder import Builder
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program, load, loads
    from treemip.api.result import Result
    from treemip.api.store import load_tree
    from treemip.core.source.diagnostic import Diagnostic, TreemipError
    from treemip.core.tree.tree import Tree
    from treemip.study.sweeps.compare import compare
    from treemip.study.sweeps.sweep import cross_validate, sweep
    from treemip.study.sweeps.tuning import tune

__version__ = "0.1.0"

_HOMES = {
    "load": "treemip.api.program",
    "loads": "treemip.api.program",
    "Program": "treemip.api.program",
    "Builder": "treemip.api.builder",
    "Compiled": "treemip.api.compiled",
    "Result": "treemip.api.result",
    "load_tree": "treemip.api.store",
    "compare": "treemip.study.sweeps.compare",
    "sweep": "treemip.study.sweeps.sweep",
    "cross_validate": "treemip.study.sweeps.sweep",
    "tune": "treemip.study.sweeps.tuning",
    "Tree": "treemip.core.tree.tree",
    "Diagnostic": "treemip.core.source.diagnostic",
    "TreemipError": "treemip.core.source.diagnostic",
}

_HOOKS = {"load_ipython_extension": "treemip.study.notebook"}
"""What `%load_ext treemip` looks for."""

_MODULES = {"plot": "treemip.plot"}

_WITH_EXTRAS = {"sklearn": "treemip.sklearn"}
"""Modules that need an optional package, so `import *` leaves them alone."""

__all__ = list(_HOMES | _MODULES)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    modules = _MODULES | _WITH_EXTRAS
    if name in modules:
        return import_module(modules[name])
    home = _HOMES.get(name) or _HOOKS.get(name)
    if home is None:
        raise AttributeError(f"module 'treemip' has no attribute '{name}'")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
