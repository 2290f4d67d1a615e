"""A spec's own names take precedence over a formulation's private ones.

Variables, lets, terms and trees that a formulation or a module of it declares are private unless
they are concepts; so is the name of its objective. Its concepts, parameters and sets are its
interface: other texts rely on them, and a spec replaces values of parameters and sets by declaring
them. Where a spec, a group or a known number has the same name as a private declaration, the
formulation's is renamed, in its text alone: `loss` of `oct` becomes `oct_loss`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TypeVar

from treemip.core.resolve.modules import SPEC, VOCABULARY, Module
from treemip.core.syntax import nodes as n

NAMED = (n.Name, n.Press, n.Word, n.Objective, n.Declaration)
"""Nodes whose `name` is the name of a declaration; those of `Name` and `Word` may be."""

T = TypeVar("T")


def hide_private(modules: list[Module], columns: Iterable[str]) -> None:
    """Rename the formulation's private declarations whose names the spec has as well.

    columns: those that are mentioned by their name, groups and known numbers.
    """
    own = {name for m in modules if m.owner == SPEC for name in m.declarations} | {*columns}
    theirs = [m for m in modules if m.owner not in (SPEC, VOCABULARY)]
    concepts = {name for m in modules for name in m.concepts}
    hidden = {
        name: m.owner
        for m in theirs
        for name, declared in m.declarations.items()
        if name in own - concepts and not isinstance(declared, n.Param | n.SetDeclaration)
    }
    if not hidden:
        return
    taken = {name for m in modules for name in (*m.declarations, *m.concepts)} | own
    new = {}
    for name, owner in hidden.items():
        new[name] = _free(f"{re.sub(r'[^0-9A-Za-z_]', '_', owner)}_{name}", taken)
        taken.add(new[name])
    for m in theirs:
        m.file = _renamed(m.file, new, m)
        m.declarations = {
            new.get(name, name): _renamed(declared, new, m)
            for name, declared in m.declarations.items()
        }
        m.concepts = {name: _renamed(c, new, m) for name, c in m.concepts.items()}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _renamed(part: T, new: Mapping[str, str], module: Module) -> T:
    """A part of a syntax tree with other names.

    Values that the spec gives to parameters are in the module's tables, and keep their names.
    """
    if isinstance(part, tuple):
        return tuple(_renamed(item, new, module) for item in part)  # type: ignore[return-value]
    if not isinstance(part, n.Node) or part.span.source is not module.file.span.source:
        return part
    changed = {}
    for f in fields(part):
        before = getattr(part, f.name)
        if isinstance(before, tuple | n.Node):
            after = _renamed(before, new, module)
        elif f.name == "name" and isinstance(part, NAMED):
            after = new.get(before, before)
        else:
            continue
        if after is not before and after != before:
            changed[f.name] = after
    if isinstance(part, n.Drop) and not set(part.when).isdisjoint(new):
        changed["when"] = tuple(new.get(name, name) for name in part.when)
    return replace(part, **changed) if changed else part  # type: ignore[type-var]
