"""What assistants can look up: formulations, words of the language, examples, error codes.

All of it comes from shipped files and from the tables of the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from treemip.core.resolve.builtins import CALLS, CONSTANTS, DATA, ELEMENTS, SETS
from treemip.core.resolve.catalogue import concepts, formulation_facts, terms
from treemip.core.resolve.examples import example_paths, examples
from treemip.core.resolve.formulations import formulation_named
from treemip.core.resolve.modules import formulation_names
from treemip.core.resolve.settings.data_block import SETTINGS
from treemip.core.resolve.settings.strategy import READERS
from treemip.core.source.codes import STAGES, TITLES
from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import did_you_mean
from treemip.study.assistant.results import (
    Example,
    Formulation,
    Parameter,
    Word,
)
from treemip.study.lsp.language_docs import (
    REDUCTIONS,
    STATEMENTS,
    setting_form,
)

SHOWN_ROWS = 4
"""Lines that are shown of the tables of an example."""

NEAR = 5
"""Other examples that are named beside the one shown."""


def formulation(name: str) -> Formulation:
    """Raises TreemipError (E210) for a name that the library does not have."""
    facts = formulation_facts(formulation_named(name))
    return Formulation(
        name=facts["name"],
        purpose=facts["for"],
        line=facts["line"],
        splits=facts["splits"],
        answers=facts["answers"],
        parameters=[
            Parameter(name=one["name"], default=one["default"], means=one["is"])
            for one in facts["parameters"]
            if one["is"]
        ],
    )


def all_formulations() -> list[Formulation]:
    return [formulation(name) for name in formulation_names()]


# -------------------------------------------------------------------------------------- words


def words(search: str = "") -> list[Word]:
    """All words of the language, or those that match all parts of a search, else any of them."""
    wanted = [part.lower() for part in search.split()]
    having = [(one, f"{one.name} {one.kind} {one.form} {one.means}".lower()) for one in _words()]
    found = [one for one, text in having if all(part in text for part in wanted)]
    return found or [one for one, text in having if any(part in text for part in wanted)]


def _words() -> Iterator[Word]:
    for name, (form, means) in STATEMENTS.items():
        yield Word(name=name, kind="statement", form=_plain(form), means=means)
    for kind, keys, in_strategy in (("data", SETTINGS, False), ("strategy", READERS, True)):
        for key in keys:
            yield Word(
                name=key,
                kind=f"setting of {kind}",
                form=setting_form(key, in_strategy).replace("\n", "  "),
                means="",
            )
    for name, (_, means) in SETS.items():
        yield Word(name=name, kind="set", form=name, means=means)
    for name in CONSTANTS:
        yield Word(name=name, kind="element", form=name, means=ELEMENTS.get(name, ""))
    for name, table in DATA.items():
        indices = ", ".join(str(sort).removeprefix("a ") for sort in table.sorts)
        yield Word(name=name, kind="data", form=f"{name}[{indices}]", means=table.doc)
    for name, (form, means) in CALLS.items():
        yield Word(name=name, kind="function", form=form, means=means)
    for name, means in REDUCTIONS.items():
        yield Word(name=name, kind="reduction", form=f"{name} {{i in S}} …", means=means)
    for entry in concepts():
        name = entry["name"].partition("[")[0]
        yield Word(name=name, kind="concept", form=entry["name"], means=entry["means"])
    for entry in terms():
        name = entry["name"].partition("(")[0]
        yield Word(name=name, kind="term", form=entry["name"], means=entry["is"])


def _plain(snippet: str) -> str:
    """An editor's snippet without its placeholders."""
    return re.sub(r"\$\{\d+:((?:[^{}]|\{[^{}]*\})*)\}", lambda m: m[1], snippet).replace("\n", " ")


def told(found: Iterable[Word]) -> str:
    """A line for each, by kind."""
    lines: list[str] = []
    kind = ""
    for one in found:
        if one.kind != kind:
            kind = one.kind
            lines.append(f"{kind}:")
        means = f" - {one.means}" if one.means else ""
        lines.append(f"  {one.form}{means}")
    return "\n".join(lines)


# ----------------------------------------------------------------------------------- examples


def example(wanted: str) -> Example:
    """A shipped spec by its name, or the one that best matches some words.

    Raises TreemipError (E902) if none does.
    """
    known = examples()
    ends = {one.rpartition("/")[2]: one for one in known}
    name = wanted.strip().removeprefix("specs/").removesuffix(".tree")
    key = name if name in known else ends.get(name, "")
    ranked = _ranked(wanted, known)
    if not key and ranked:
        key = ranked[0]
    if not key:
        meant = ends.get(did_you_mean(name, ends).name)
        remedy = f"did you mean '{meant}'?" if meant else f"there are {', '.join(known)}"
        raise refused(f"no example fits '{wanted}'", remedy)
    near = {one: known[one] for one in ranked if one != key}
    path = example_paths()[key]
    text = path.read_text(encoding="utf-8")
    return Example(
        ok=True,
        name=key,
        about=known[key],
        spec=text,
        files=_beginnings(key, text),
        near=dict(list(near.items())[:NEAR]),
    )


def _ranked(wanted: str, known: dict[str, str]) -> list[str]:
    """Examples by the words that they share with what is wanted, best first. Rare words count more,
    and so do those in the name and the first sentence."""
    words = _stems(wanted)
    heads = {name: _stems(f"{name} {about}") for name, about in known.items()}
    paths = example_paths()
    texts = {name: _stems(paths[name].read_text(encoding="utf-8")) for name in known}
    worth = {
        w: 1 / sum(w in one for one in texts.values()) for w in words & set().union(*texts.values())
    }
    scores = {
        name: sum(v * (4 * (w in heads[name]) + (w in texts[name])) for w, v in worth.items())
        for name in known
    }
    return [name for name, score in sorted(scores.items(), key=lambda e: -e[1]) if score > 0]


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 2}


def _stem(word: str) -> str:
    """A word without its plural ending: `leaves` as `leaf`, `splits` as `split`."""
    for ending, instead in (("aves", "af"), ("ies", "y"), ("ses", "s"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending) + instead
    return word


def _beginnings(name: str, text: str) -> dict[str, str]:
    """The files that a spec reads: the first lines of tables, and modules beside it in full."""
    folder = example_paths()[name].parent
    found = {}
    for file in re.findall(r'"([^"\n]+\.(?:csv|tree))"', text):
        path = folder / file
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            found[file] = "\n".join(lines[:SHOWN_ROWS] if file.endswith(".csv") else lines)
    for module in re.findall(r"\b(?:by|use)\s+(\w+)", text):
        path = folder / f"{module}.tree"
        if path.is_file():
            found[path.name] = path.read_text(encoding="utf-8")
    return found


# ------------------------------------------------------------------------------------- errors


def error(code: str) -> str:
    """What an error code means. Raises TreemipError (E902) for an unknown one."""
    key = code.upper()
    if key not in TITLES:
        raise refused(f"there is no message '{code}'", f"codes are {', '.join(TITLES)}")
    stage = STAGES.get(key[:2]) or STAGES.get(key[:1], "")
    return f"# {key}: {TITLES[key]}\n\n{stage}. The message says where it is and how to fix it.\n"
