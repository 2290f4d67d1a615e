"""Lets, terms and extensions as functions of Python."""

from __future__ import annotations

import re

from treemip.resolve.sorts import Degree
from treemip.resolve.typed import Symbol
from treemip.scripts.expressions import AND, SUM
from treemip.scripts.heading import one_line
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import STEP, returned
from treemip.scripts.scope import whole_sort


def definition(write: PythonExpressions, s: Symbol) -> str:
    """A let or term; outside its own indices it is the vocabulary's extension."""
    assert s.value is not None
    names = s.parameters or s.domain.names
    with write.scope.opened(empty=True):
        for name in s.parameters:
            write.scope.bind(name)
        for binder in () if s.parameters else s.domain.binders:
            write.scope.bind(binder.name, binder.element, binder)
        inside = write.scope.index(tuple(names))
        about = one_line(f"{s.doc} {s.tag}")
        lines = [f"# {about}"] if about else []
        if s.degree is Degree.NONLINEAR and s.domain.binders:
            lines.append("@shared")
        lines.append(f"def {write.of(s)}({inside}):")
        if s.extension is not None:
            lines += _elsewhere(write, s, inside)
        lines.append(returned(write.text(s.value)))
    return "\n".join(lines)


def _elsewhere(write: PythonExpressions, s: Symbol, inside: str) -> list[str]:
    assert s.extension is not None
    tests = [write.text(c, AND) for c in s.domain.guard if write.settled(c) is None]
    for b in s.domain.binders:
        if not whole_sort(b):
            tests.append(f"{write.scope[b.name]} in {write.text(b.set, SUM)}")
        tests += [write.text(c, AND) for c in b.conditions]
    if not tests:
        return []
    said = f"not ({' and '.join(tests)})"
    if len(tests) == 1 and (found := re.fullmatch(r"(\w+) in (\w+)", tests[0])):
        said = f"{found[1]} not in {found[2]}"
    return [
        f"{STEP}if {said}:",
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
