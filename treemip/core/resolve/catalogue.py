"""What the library offers, read from its own files: formulations, modules, concepts, terms."""

from __future__ import annotations

from typing import Any

from treemip.core.resolve.examples import about, example_paths, examples, statements
from treemip.core.resolve.formulations import Formulation, formulation_named
from treemip.core.resolve.modules import formulation_names, library_module, shared_names
from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.columns import signature

Entry = dict[str, str]


def formulations() -> list[Entry]:
    """Name, what leaves answer, kind of split, what it is for, paper."""
    facts = (formulation_facts(formulation_named(name)) for name in formulation_names())
    return [{k: one[k] for k in ("name", "answers", "splits", "for", "paper")} for one in facts]


def modules() -> list[Entry]:
    """Name of each module that a text may `use`, its first comment."""
    found = []
    for name in shared_names():
        file = library_module(name)
        found.append({"name": name, "about": about(file.span.source.text if file else "")})
    return found


def concepts() -> list[Entry]:
    """Name with indices, what it means."""
    return [
        {"name": _indexed(s), "means": s.doc} for s in _vocabulary() if isinstance(s, n.Concept)
    ]


def terms() -> list[Entry]:
    """Name with parameters, definition."""
    found = []
    for s in _vocabulary():
        if isinstance(s, n.Term):
            value = " ".join(s.value.span.text.split())
            found.append({"name": signature(s), "is": value})
    return found


def specs() -> list[Entry]:
    """Name of each example, what it is about."""
    return [{"name": name, "about": about} for name, about in examples().items()]


def _answers(formulation: Formulation) -> str:
    """What leaves answer: `predict`'s kind, and the set from which it takes an element."""
    for s in formulation.statements:
        if isinstance(s, n.Predict):
            sets = s.value.domain.binders if isinstance(s.value, n.Reduction) else ()
            of = [one.set.name for one in sets if isinstance(one.set, n.Name)]
            if s.kind == "class" and of and of != ["classes"]:
                return f"an element of {of[0]}"
            return {"distribution": "shares of the classes", "value": "a number"}.get(
                s.kind, "a class"
            )
    return "a class"


def formulation_facts(formulation: Formulation) -> dict[str, Any]:
    header = formulation.header
    settings = [
        {"name": s.name, "default": " ".join(s.value.span.text.split()), "is": s.doc}
        for s in formulation.statements
        if isinstance(s, n.Param)
    ]
    line = f"split {formulation.splits} by {formulation.written};"
    return {
        "name": formulation.name,
        "for": header.purpose,
        "paper": header.paper,
        "answers": _answers(formulation),
        "splits": formulation.splits,
        "line": line,
        "parameters": settings,
    }


def examples_of(formulation: str) -> list[str]:
    found = []
    for name, path in example_paths().items():
        splits = (s for s in statements(path) if isinstance(s, n.Split))
        if any(s.by is not None and s.by.text == formulation for s in splits):
            found.append(name)
    return found


def _vocabulary() -> tuple[n.Statement, ...]:
    file = library_module("vocabulary")
    return file.statements if file else ()


def _indexed(declaration: n.Declaration) -> str:
    if declaration.domain is None:
        return declaration.name
    indices = ", ".join(name for b in declaration.domain.binders for name in b.names)
    return f"{declaration.name}[{indices}]"
