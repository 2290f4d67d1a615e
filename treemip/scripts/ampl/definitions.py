"""Lets: parameters where they are known, else variables that are what they are defined as."""

from __future__ import annotations

from treemip.resolve.sorts import Element
from treemip.resolve.typed import Symbol
from treemip.scripts.ampl.expressions import AmplExpressions
from treemip.scripts.ampl.indexing import indexing, inside
from treemip.scripts.ampl.layout import statement
from treemip.scripts.expressions import AND, SUM
from treemip.scripts.heading import comment
from treemip.scripts.scope import whole_sort


def remark(s: Symbol, *more: str) -> str:
    """A comment: what the paper calls it, what it is, its equation."""
    symbol = f"{s.paper_symbol} in the paper" if s.paper_symbol else ""
    words = [" ".join(w.split()) for w in (symbol, s.doc, s.tag, *more) if w]
    return f"{comment('; '.join(words))}\n" if words else ""


def parameter(write: AmplExpressions, s: Symbol) -> str:
    assert s.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, s.domain.binders, s.domain.guard)
        symbolic = " symbolic" if isinstance(s.value.sort, Element) else ""
        head = f"param {write.of(s)} {over}{symbolic} :="
        return remark(s) + statement(head, write.text(s.value))


def variable(write: AmplExpressions, s: Symbol, linear: bool) -> str:
    """A variable defined by an equation, or by AMPL's `=`, which GNU MathProg does not have."""
    assert s.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, s.domain.binders, s.domain.guard)
        own = write.of(s) + inside(write, s.domain.names)
        value = write.text(s.value, SUM)
        return remark(s) + _defined(write, write.of(s), over, own, value, linear)


def extended(write: AmplExpressions, s: Symbol, name: str, linear: bool) -> str:
    """What is `s` on its own indices, and the vocabulary's expression elsewhere."""
    wider = s.extension
    assert wider is not None and wider.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, wider.domain.binders, wider.domain.guard)
        at = inside(write, wider.domain.names)
        own = write.of(s) if s.kind or not s.value else write.parts.definition(s)
        if not s.value:
            write.symbols[s] = None
        elsewhere = write.text(wider.value)
        test = _own_indices(write, s, wider)
        value = f"if {test} then {own}{at} else {elsewhere}"
        note = f"# {write.of(s)} as the vocabulary extends it\n"
        return note + _defined(write, name, over, name + at, value, linear)


def _own_indices(write: AmplExpressions, s: Symbol, wider: Symbol) -> str:
    """The condition that the wider domain's names are indices of `s` itself."""
    for own, name in zip(s.domain.names, wider.domain.names, strict=True):
        write.scope.said[own] = write.scope[name]
    tests = [write.text(c, AND) for c in s.domain.guard if write.settled(c) is None]
    for b in s.domain.binders:
        if not whole_sort(b):
            tests.append(f"{write.scope[b.name]} in {write.text(b.set, SUM)}")
        tests += [write.text(c, AND) for c in b.conditions if write.settled(c) is None]
    return " and ".join(tests) or "1 = 1"


def _defined(
    write: AmplExpressions, name: str, over: str, own: str, value: str, linear: bool
) -> str:
    if not linear:
        return statement(f"var {name} {over} =", value)
    row = write.names.fresh(f"{name}_is")
    return f"var {name} {over};\n" + statement(f"s.t. {row} {over}:", f"{own} = {value}")
