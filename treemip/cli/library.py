"""list and formulations: what the library offers, read from its own files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemip.cli.console import DONE, say_json, table
from treemip.core.resolve.catalogue import (
    Entry,
    concepts,
    examples_of,
    formulation_facts,
    formulations,
    modules,
    specs,
    terms,
)
from treemip.core.resolve.formulations import formulation_named, is_file
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible


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
        facts = {**formulation_facts(found), "examples": [] if own else examples_of(name)}
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


CONTENTS: dict[str, Callable[[], list[Entry]]] = {
    "formulations": formulations,
    "modules": modules,
    "concepts": concepts,
    "terms": terms,
    "specs": specs,
}
