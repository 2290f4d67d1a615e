"""Values for a formulation's parameters: by the `by` arguments, the spec, `-p`; the last counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from treemip.resolve.modules import Module
from treemip.resolve.pointing import word
from treemip.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.source.span import Source
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n
from treemip.syntax.parse import parse


def override(
    modules: list[Module],
    split: n.Split | None,
    options: Iterable[tuple[str, str]],
    report: Report,
) -> None:
    """Put the values in the places of those that the modules give. Reports E209, E211, E902."""
    _by_arguments(modules, split, report)
    _by_spec(modules)
    for name, text in options:
        _by_option(name, text, modules, report)


def parameters(modules: list[Module]) -> dict[str, tuple[Module, n.Param]]:
    """Parameters by name, each from the first module that declares it."""
    found: dict[str, tuple[Module, n.Param]] = {}
    for m in modules:
        for name, declared in m.declarations.items():
            if isinstance(declared, n.Param):
                found.setdefault(name, (m, declared))
    return found


def formulations(modules: list[Module]) -> list[Module]:
    return [m for m in modules if m.role == "formulation"]


def _by_arguments(modules: list[Module], split: n.Split | None, report: Report) -> None:
    if split is None or not split.arguments:
        return
    known = parameters(formulations(modules))
    given: set[str] = set()
    for argument in split.arguments:
        name = argument.name
        if name is None:
            report.error(
                "E211", "a formulation's parameters are given by name", argument.span, _such(known)
            )
        elif name not in known:
            report.error(
                "E211",
                f"'{split.formulation}' has no parameter '{name}'",
                word(argument.span, name),
                _listed(known),
                did_you_mean(name, known),
            )
        elif name in given:
            report.error("E209", f"'{name}' is given twice", word(argument.span, name))
        else:
            m, old = known[name]
            m.declarations[name] = replace(old, value=argument.value)
            given.add(name)


def _such(known: Iterable[str]) -> str:
    return next((f"such as {name} = 0.01" for name in known), "it has no parameters")


def _listed(known: Iterable[str]) -> str:
    names = listed(known)
    return f"its parameters are {names}" if names else "it has no parameters"


def _by_spec(modules: list[Module]) -> None:
    """A spec's parameter without indices gives its value to the formulation's of that name."""
    spec, known = modules[0], parameters(formulations(modules))
    for name, declared in list(spec.declarations.items()):
        if name in known and isinstance(declared, n.Param) and declared.domain is None:
            m, _ = known[name]
            old = m.declarations[name]
            assert isinstance(old, n.Param)
            m.declarations[name] = replace(old, value=declared.value, name_span=declared.name_span)
            del spec.declarations[name]


def _by_option(name: str, text: str, modules: list[Module], report: Report) -> None:
    known = parameters(modules)
    if name not in known:
        report.add(
            Diagnostic.outside(
                "E211",
                f"-p {name}={text}: there is no parameter '{name}'",
                did_you_mean(name, known)
                or (f"the parameters are {listed(known)}" if known else "this spec has none"),
            )
        )
        return
    value = option_value(name, text)
    if value is None:
        report.add(
            Diagnostic.outside(
                "E902",
                f"-p {name}={text}: '{text}' is not one value"
                if text.strip()
                else f"-p {name}=: there is no value",
                f"write a number or an expression of known things, such as -p {name}=0.01",
            )
        )
        return
    m, old = known[name]
    m.declarations[name] = replace(old, value=value)


def option_value(name: str, text: str) -> n.Expr | None:
    """The expression that an option's text is, or None where it is anything else or more."""
    source = Source(f"-p {name}={text}", f"param {name} = {text};")
    try:
        statements = parse(source).statements
    except TreemipError:
        return None
    only = statements[0] if len(statements) == 1 else None
    return only.value if isinstance(only, n.Param) and not only.doc else None
