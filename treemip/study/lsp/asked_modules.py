"""Rows that ask for a module of the library, `fair: parity(sex, 0.1);`: its name and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from treemip.core.resolve.asked import inside, parameters, signature
from treemip.core.resolve.modules import library_module, shared_names
from treemip.core.syntax import nodes as n
from treemip.study.lsp.cursor import Call, Cursor
from treemip.study.lsp.results import Item, Signature
from treemip.study.lsp.table import DataFacts
from treemip.study.lsp.view import View


@cache
def asked_module(name: str) -> n.File | None:
    """The module of the library that a row can ask for by this name: it has rows of that name."""
    file = library_module(name) if name in shared_names() else None
    subjects = (s for s in (file.statements if file else ()) if isinstance(s, n.Subject))
    return file if any(c.name == name for s in subjects for c in s.constraints) else None


def asked_at(cursor: Cursor) -> n.File | None:
    """The module whose arguments the cursor is among."""
    call, unit = cursor.call, list(cursor.unit)
    if call is None or call.opener != "(" or call.name is None or cursor.block:
        return None
    at = unit.index(call.name)
    return asked_module(call.name.text) if at and unit[at - 1].text == ":" else None


def module_items(cursor: Cursor) -> Iterator[Item]:
    """The modules that may stand where a row begins, behind its name."""
    if len(cursor.unit) not in (2, 3) or cursor.before != ":":
        return
    for name in shared_names():
        file = asked_module(name)
        if file is not None:
            form = signature(name, file)
            yield Item(name, "module", f"{name}($1)", cursor.start, form, page(name, file), True)


def argument_items(
    view: View, cursor: Cursor, module: n.File, facts: DataFacts
) -> list[Item] | None:
    """Columns, for a parameter that stands for one, and the names of arguments; None where others
    than these are expected."""
    call = cursor.call
    assert call is not None
    if call.inside and call.inside[-1].text not in (",", "="):
        return None
    known = parameters(module)
    wanted = known[_active(call, known)] if known else None
    found = []
    if wanted is not None and isinstance(wanted.value, n.String):
        for column in _columns(view, module, wanted, facts):
            found.append(Item(column, "property", column, cursor.start, wanted.value.value))
    if not call.inside or call.inside[-1].text == ",":
        given = {x.text for x in call.inside if x.kind == "name"}
        for p in known:
            if p.name not in given and _is_given(p):
                found.append(Item(p.name, "parameter", f"{p.name} = ", cursor.start, _said(p)))
    return found or None


def module_signature(call: Call, module: n.File) -> Signature:
    assert call.name is not None
    every = parameters(module)
    known = [p for p in every if _is_given(p)]
    labels = tuple((_label(p), _said(p)) for p in known)
    active = min(_active(call, every), max(0, len(known) - 1))
    return Signature(signature(call.name.text, module), labels, active)


def page(name: str, module: n.File) -> str:
    """What hovers say of the module: its form and its arguments."""
    listed = "\n".join(f"* `{_label(p)}` — {_said(p)}" for p in parameters(module) if _is_given(p))
    return f"**requirement** `{signature(name, module)}`\n\n{listed}"


def _is_given(p: n.Param) -> bool:
    """Whether the module's signature shows a parameter."""
    return isinstance(p.value, n.String) or (isinstance(p.value, n.Number) and bool(p.doc))


def _label(p: n.Param) -> str:
    return f"{p.name} = {p.value.text}" if isinstance(p.value, n.Number) else p.name


def _said(p: n.Param) -> str:
    return p.value.value if isinstance(p.value, n.String) else p.doc


def _active(call: Call, known: list[n.Param]) -> int:
    """The number of the parameter at the cursor, which may be named."""
    names = [p.name for p in known]
    inside = [x.text for x in call.inside]
    start = max((k for k, text in enumerate(inside) if text == ","), default=-1) + 1
    named = inside[start] if inside[start + 1 : start + 2] == ["="] else ""
    return names.index(named) if named in names else min(call.argument, max(0, len(names) - 1))


def _columns(view: View, module: n.File, wanted: n.Param, facts: DataFacts) -> list[str]:
    """The columns that an argument may name: groups where the module has it with an index, those
    that splits may test where it asks for features."""
    uses = [x for x in inside(module.statements) if isinstance(x, n.Name)]
    groups = tuple(view.linker.columns.groups) if view.linker is not None else ()
    if any(x.name == wanted.name and x.indices for x in uses):
        return [*groups]
    of_features = (x.arguments or () for x in uses if x.name == "features_of")
    if not any(wanted.name in n.mentioned(a) for arguments in of_features for a in arguments):
        return []
    label = view.data.label.text if view.data is not None else ""
    return [c for c in facts.columns if c not in (*groups, label) and c.isidentifier()]
