"""list and formulations: what the library offers, read from its own files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemip.cli.console import DONE, say_json, table
from treemip.cli.examples import about, example_paths, examples, statements
from treemip.core.resolve.formulations import Formulation, formulation_named, is_file
from treemip.core.resolve.modules import formulation_names, library_module, shared_names
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible
from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.statements import signature


def list_library(what: str = "", json: bool = False) -> int:
    """List the library.

    Formulations and what each is for, the modules that they share, the concepts and terms of the
    vocabulary, example specs.
    """

    if what and what not in CONTENTS:
        raise refused(f"there is no list of '{what}'", f"there are {', '.join(CONTENTS)}")
    wanted = {k: v() for k, v in CONTENTS.items() if what in ("", k)}
    if json:
        say_json(wanted)
        return DONE
    if what == "formulations":
        return choose()
    parts = []
    for title, entries in wanted.items():
        cells = [[v for k, v in e.items() if k not in LEFT_OUT] for e in entries]
        rows = [(f"  {name}", *others) for name, *others in cells]
        parts.append("\n".join([title, table(rows)]))
    print("\n\n".join(parts))
    return DONE


LEFT_OUT = ("answers", "paper")
"""What the list of everything does not say of formulations."""


def choose(name: str = "", json: bool = False) -> int:
    """Say what each formulation is for, or all about one.

    By what the leaves answer. Of one: its paper, the line that takes it, its parameters with their
    defaults, and the shipped examples that use it.
    """
    if name:
        found = formulation_named(name)
        own = is_file(name) or found.texts
        facts = {**_facts(found), "examples": [] if own else _examples_of(name)}
        if json:
            say_json(facts)
        else:
            print(_told(facts))
        return DONE
    entries = formulations()
    if json:
        say_json(entries)
        return DONE
    for answers in dict.fromkeys(entry["answers"] for entry in entries):
        those = [entry for entry in entries if entry["answers"] == answers]
        rows = [(f"  {entry['name']}", entry["splits"], entry["for"]) for entry in those]
        print(f"leaves answer {answers}\n{table(rows)}\n")
    print("treemip formulations NAME tells its paper, parameters and examples")
    return DONE


LONGEST = 24
"""Characters of a parameter's default that fit in the table; longer ones are computed."""


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


def _facts(formulation: Formulation) -> dict[str, Any]:
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


def _examples_of(formulation: str) -> list[str]:
    found = []
    for name, path in example_paths().items():
        splits = (s for s in statements(path) if isinstance(s, n.Split))
        if any(s.by is not None and s.by.text == formulation for s in splits):
            found.append(name)
    return found


def _told(facts: dict[str, Any]) -> str:
    rows = [(key, facts[key]) for key in ("for", "paper") if facts[key]]
    rows += [("leaves", f"answer {facts['answers']}"), ("write", facts["line"])]
    if facts["examples"]:
        rows.append(("examples", ", ".join(facts["examples"])))
    text = f"{visible(facts['name'])}\n{table([(f'  {key}', value) for key, value in rows])}"
    if facts["parameters"]:
        settings = [
            (f"  {one['name']}", _shown(one["default"]), one["is"]) for one in facts["parameters"]
        ]
        text += f"\nparameters\n{table(settings)}"
    return text


def _shown(default: str) -> str:
    return default if len(default) <= LONGEST else "computed"


Entry = dict[str, str]


def formulations() -> list[Entry]:
    """Name, what leaves answer, kind of split, what it is for, paper."""
    facts = (_facts(formulation_named(name)) for name in formulation_names())
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


CONTENTS: dict[str, Callable[[], list[Entry]]] = {
    "formulations": formulations,
    "modules": modules,
    "concepts": concepts,
    "terms": terms,
    "specs": specs,
}


def _vocabulary() -> tuple[n.Statement, ...]:
    file = library_module("vocabulary")
    return file.statements if file else ()


def _indexed(declaration: n.Declaration) -> str:
    if declaration.domain is None:
        return declaration.name
    indices = ", ".join(name for b in declaration.domain.binders for name in b.names)
    return f"{declaration.name}[{indices}]"
