"""The solvers and separators, found by listing their folders, and the starts by name.

Each module or folder in `core/solvers` is a solver, each module in `methods/separation/separators`
a separator. A new one is a new file there; no list names it. A file whose name begins with an
underscore is none: what several of them share. What depends on a solver, such as the order in
messages, is read from its `SOLVER`, an object of `treemip.core.solving.solver.Solver`; of a
separator, from its `SEPARATOR`, and of a start from the `START` of its module, an object of
`treemip.answers.starts.problem.NamedStart`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treemip.answers.starts.problem import NamedStart
    from treemip.core.instance.saved_answers import SavedAnswers
    from treemip.core.resolve.settings.data_spec import SavedTree
    from treemip.core.solving.solver import Solver
    from treemip.methods.separation.separator import Separator


_PACKAGE = Path(__file__).parents[1]

STARTS = {
    "cart": "treemip.answers.starts.cart",
    "local_svm": "treemip.answers.starts.local_svm",
    "svm_tree": "treemip.answers.starts.svm_tree",
    "search": "treemip.answers.starts.searched_start",
}
"""The module of each start, in the order of messages."""


@cache
def solver_names() -> frozenset[str]:
    """The names of all solvers. Nothing is imported, so that reading a spec stays fast."""
    return frozenset(_modules("core/solvers"))


@cache
def solvers() -> dict[str, Solver]:
    """All solvers by name, in the order of messages and tables. Imports no solver's package."""
    found = [import_module(f"treemip.core.solvers.{name}").SOLVER for name in solver_names()]
    return {solver.name: solver for solver in sorted(found, key=lambda s: (s.order, s.name))}


@cache
def separator_names() -> tuple[str, ...]:
    """The names of all separators. Nothing is imported."""
    return tuple(sorted(_modules("methods/separation/separators")))


@cache
def separators() -> dict[str, Separator]:
    """All separators by name. They are imported, so a spec that separates nothing does not ask."""
    modules = [
        import_module(f"treemip.methods.separation.separators.{name}") for name in separator_names()
    ]
    return {module.SEPARATOR.name: module.SEPARATOR for module in modules}


def start_named(name: str) -> NamedStart:
    """The start of one of `STARTS`; its module alone is imported."""
    start: NamedStart = import_module(STARTS[name]).START
    return start


def read_answers(tree: SavedTree, base: Path) -> SavedAnswers:
    """A saved tree of the folder `base`, ready to answer. Raises TreemipError: E701, E901."""
    read: SavedAnswers = when_called("treemip.api.saved_answers.read")(tree, base)
    return read


def in_memory() -> dict[str, Solver]:
    """The solvers that run inside this process."""
    return {name: solver for name, solver in solvers().items() if solver.solve is not None}


def installed() -> dict[str, Solver]:
    """The solvers that run as a process of their own."""
    return {name: solver for name, solver in solvers().items() if solver.solve is None}


def when_called(place: str) -> Callable[..., Any]:
    """The function at "package.module.name", imported when it is called, so that an entry names
    it without the solver's package."""
    return partial(_call, place)


def _call(place: str, *arguments: Any, **named: Any) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)(*arguments, **named)


def _modules(folder: str) -> list[str]:
    """The names of the modules in a folder of the package."""
    from pkgutil import iter_modules  # not loaded by every start of Python

    names = [module.name for module in iter_modules([str(_PACKAGE / folder)])]
    return [name for name in names if not name.startswith("_")]
