"""Small specs for the tests of the resolver."""

from __future__ import annotations

from treemip.core.resolve.resolve import resolve
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

HEAD = 'data "iris.csv" { label class; scale minmax; }\ntopology complete(depth = 2);\n'
SOCT = HEAD + "split oblique by soct;\n"


def resolved(text: str, *options: tuple[str, str]) -> Spec:
    """The spec of a text; a text without data and split is one for S-OCT."""
    whole = text if "split " in text else SOCT + text
    return resolve(parse(Source("a.tree", whole)), options)


def faults(text: str, *options: tuple[str, str]) -> tuple[Diagnostic, ...]:
    """What is wrong with a text."""
    try:
        resolved(text, *options)
    except TreemipError as error:
        return error.diagnostics
    raise AssertionError("nothing is wrong with the text")


def said(text: str, *options: tuple[str, str]) -> list[tuple[str, str]]:
    """Codes with the words they point at."""
    return [(d.code, d.span.text if d.span else "") for d in faults(text, *options)]


def value(spec: Spec, name: str) -> str:
    """The text that a parameter's value stands as."""
    found = next(s.value for s in spec.parameters if s.name == name)
    assert found is not None
    return found.span.text
