"""Golden files of many small cases: a text, and behind `->` what becomes of it.

    == a title for a group of cases
    | text around each case of the group, with … where the case goes
    first case
    -> what is said of it
    second case, of one
    or several lines
    -> what is said of it

What is behind arrows is rewritten by --update-goldens.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from treemip.core.source.diagnostic import Diagnostic
from treemip.core.source.span import Span


def remade(path: Path, outcome: Callable[[str], str]) -> str:
    """The file with what `outcome` gives for the text of each case."""
    made: list[str] = []
    around, case = "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-> ") and not case:
            continue  # a further line of an outcome
        if line.startswith("== "):
            around = ""
        elif line.startswith("| "):
            around += line[2:] + "\n"
        elif line.startswith("-> "):
            text = around.replace("…", case.removesuffix("\n")) if "…" in around else around + case
            made += [f"-> {said}" for said in outcome(text).splitlines()]
            case = ""
            continue
        elif line:
            case += line + "\n"
        made.append(line)
    return "\n".join(made) + "\n"


def told(diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> str:
    """Code, place, message, caret, remedy and the other places of each diagnostic."""
    lines = []
    for d in diagnostics:
        place = f" at `{d.span.text}`" if d.span else ""
        lines.append(f"{d.code}{place}: {d.message}")
        lines += [f"  {d.caret}"] if d.caret else []
        lines += [f"  help: {d.remedy}"] if d.remedy else []
        lines += [f"  see `{r.span.text}`{_side(d.span, r.span)}" for r in d.related]
    return "\n".join(line.replace("\n", " ") for line in lines)


def _side(place: Span | None, other: Span) -> str:
    """Where the other place is one of two alike."""
    if place is None or place.text != other.text or place.source != other.source:
        return ""
    return " before it" if other.start < place.start else " behind it"
