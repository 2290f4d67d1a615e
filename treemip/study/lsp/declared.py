"""Declared names of a text and the texts it is linked with: their form, kind and documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treemip.core.resolve.link import Linker
from treemip.core.resolve.modules import Module
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.columns import signature
from treemip.study.lsp.view import View, path_of_source

KINDS: dict[type, str] = {
    n.Param: "parameter",
    n.SetDeclaration: "set",
    n.TreeDeclaration: "tree",
    n.Var: "variable",
    n.Let: "let",
    n.Concept: "concept",
    n.Term: "term",
    n.Constraint: "constraint",
}

LONGEST = 600
"""Characters of a declaration that are shown."""


@dataclass(frozen=True)
class Declared:
    """A declaration, and the concept of its name if that is another one."""

    node: n.Declaration
    module: Module
    concept: n.Concept | None = None

    @property
    def kind(self) -> str:
        kind = KINDS.get(type(self.node), "name")
        return f"{self.node.kind} {kind}" if isinstance(self.node, n.Var) else kind

    @property
    def indices(self) -> tuple[str, ...]:
        domain = self.node.domain
        return tuple(k for b in domain.binders for k in b.names) if domain else ()

    @property
    def form(self) -> str:
        """As expressions write it: `reach[i,t]`, `l0(alpha = 1)`."""
        if isinstance(self.node, n.Term):
            return signature(self.node)
        return self.node.name + (f"[{','.join(self.indices)}]" if self.indices else "")

    @property
    def doc(self) -> str:
        return self.node.doc or (self.concept.doc if self.concept is not None else "")

    @property
    def owner(self) -> str:
        """Where it is declared, in words."""
        if self.module.role == "spec":
            return "this spec"
        return self.module.name if self.module.path is None else Path(self.module.path).name

    @property
    def paper(self) -> str:
        """What the formulation's header names as its source."""
        header = self.module.file.header
        return header.paper if header is not None else ""


def declared(view: View, name: str) -> Declared | None:
    """The declaration that a name means in a text, or the concept of the vocabulary."""
    linker = view.linker
    return None if linker is None else _declared(linker, name)


def _declared(linker: Linker, name: str) -> Declared | None:
    concept = linker.concept(name)
    found = linker.declaration(name)
    if found is not None:
        return Declared(found[1], found[0], concept)
    if concept is None:
        return None
    module = next(m for m in linker.modules if name in m.concepts)
    return Declared(concept, module)


def all_declared(view: View) -> Iterator[Declared]:
    """Each declared name once, in the order of look-up."""
    linker, seen = view.linker, set[str]()
    for m in view.modules:
        for name in (*m.declarations, *m.concepts):
            if name not in seen and linker is not None:
                seen.add(name)
                one = _declared(linker, name)
                if one is not None:
                    yield one


def rows(view: View) -> Iterator[tuple[n.Constraint, Module, bool]]:
    """All families of rows with their modules, and whether they are cuts."""
    for m in view.modules:
        for s in m.file.statements:
            if isinstance(s, n.Subject):
                yield from ((c, m, False) for c in s.constraints)
            elif isinstance(s, n.Cut):
                yield s.constraint, m, True


def text_of(span: Span) -> str:
    """A declaration as it is written, its common indent taken off; cut where it is long."""
    text = span.text
    start = span.source.text.rfind("\n", 0, span.start) + 1
    indent = len(span.source.text[start : span.start]) - len(
        span.source.text[start : span.start].lstrip()
    )
    lines = text.split("\n")
    cut = [lines[0], *(line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[1:])]
    text = "\n".join(cut)
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"


def markdown(one: Declared, value: str = "") -> str:
    """What a name is: form, kind, documentation, the paper's symbol and equation, declaration."""
    doc = f" — {one.doc}" if one.doc else ""
    lines = [f"**{one.kind}** `{one.form}`{doc}", f"```tree\n{text_of(one.node.span)}\n```"]
    in_paper = [f"symbol `{one.node.symbol}`"] if one.node.symbol else []
    in_paper += [f"equation {one.node.tag}"] if one.node.tag else []
    if in_paper:
        lines.append(f"in the paper: {', '.join(in_paper)}")
    if value:
        lines.append(f"value: `{value}`")
    if one.concept is not None and one.concept.means is not None and one.concept is not one.node:
        lines.append(f"on a tree: `{' '.join(one.concept.means.span.text.split())}`")
    source = f": {one.paper}" if one.paper else ""
    place = Path(path_of_source(one.node.span.source)).name
    lines.append(f"*declared in {one.owner}{source}* ({place}:{one.node.span.line})")
    return "\n\n".join(lines)
