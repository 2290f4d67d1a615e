"""Lets, terms and extensions as functions of Python."""

from __future__ import annotations

from treemip.resolve.symbols import Symbol
from treemip.scripts.expressions import AND, SUM
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import STEP
from treemip.scripts.scope import whole_sort


def definition(write: PythonExpressions, s: Symbol) -> str:
    """A let or term; outside its own indices it is the vocabulary's extension."""
    assert s.value is not None
    names = s.parameters or s.domain.names
    with write.scope.opened(empty=True):
        if s.parameters:
            for name, sort in zip(s.parameters, s.sorts, strict=False):
                write.scope.bind(name, sort)
        for binder in () if s.parameters else s.domain.binders:
            write.scope.bind(binder.name, binder.element, binder)
        inside = write.scope.index(tuple(names))
        about = " ".join(f"{s.doc} {s.tag}".split())
        lines = [f"# {about}"] if about else []
        lines.append(f"def {write.of(s)}({inside}):")
        if s.extension is not None:
            lines += _elsewhere(write, s, inside)
        lines.append(f"{STEP}return {write.text(s.value)}")
    return "\n".join(lines)


def _elsewhere(write: PythonExpressions, s: Symbol, inside: str) -> list[str]:
    assert s.extension is not None
    tests = [write.text(c, AND) for c in s.domain.guard]
    for b in s.domain.binders:
        if not whole_sort(b):
            tests.append(f"{write.scope[b.name]} in {write.text(b.set, SUM)}")
        tests += [write.text(c, AND) for c in b.conditions]
    if not tests:
        return []
    return [
        f"{STEP}if not ({' and '.join(tests)}):",
        f"{STEP * 2}return {write.function(s.extension)}({inside})",
    ]


def extended(write: PythonExpressions, s: Symbol) -> str:
    """A variable that the vocabulary extends; empty where nothing mentions its extension."""
    if s.extension is None or s.extension not in write.symbols:
        return ""
    names = [write.names.bound(n, set()) for n in s.domain.names]
    inside = ", ".join(names)
    own = write.of(s)
    return (
        f"def {write.extension(s)}({inside}):\n"
        f"{STEP}if ({inside}) in {own}:\n{STEP * 2}return {own}[{inside}]\n"
        f"{STEP}return {write.function(s.extension)}({inside})"
    )
