"""One of several objectives as a spec of its own, whose text keeps the places of the whole.

A saved tree records this text, and messages about it name lines that the user wrote; so the other
objectives become blanks, and what is new stands at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from treemip.api.statement_text import number
from treemip.core.source.diagnostic import refused
from treemip.core.source.span import Source, Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span


def objectives_of(file: n.File) -> tuple[n.Objective, ...]:
    """The objectives of a text in the order in which they are solved; none where it has none."""
    first = next((s for s in file.statements if isinstance(s, n.Objective)), None)
    return () if first is None else (first, *first.then)


def stage_source(source: Source, file: n.File, stage: int, earlier: Sequence[float]) -> Source:
    """The text with objective `stage` alone, and rows that keep those before it at `earlier`.

    Places stay what they are: other objectives become blanks, and the rows stand at the end, with a
    `let` for each of those objectives whose name the text mentions.
    Raises E902 for a stage that the text does not have and for another number of values.
    """
    objectives = objectives_of(file)
    if not 1 <= stage <= len(objectives):
        count = len(objectives)
        has = "one objective" if count == 1 else f"{count or 'no'} objectives"
        raise refused(f"there is no objective {stage}: the spec has {has}", "count from 1")
    if len(earlier) != stage - 1:
        message = f"objective {stage} needs a value for each of the {stage - 1} before it"
        if stage == 1:
            message = "objective 1 has none before it"
        raise refused(f"{message}, and got {len(earlier)}", "such as --stage 2 --earlier 12")
    whole, chosen = objectives[0].span, objectives[stage - 1]
    body = range(_body_start(chosen), chosen.value.span.end)
    semicolon = whole.start + len(whole.text.rstrip()) - 1
    text = _only(source.text, whole, body, range(semicolon, semicolon + 1))
    text = text[: whole.start] + chosen.sense + text[whole.start + len(chosen.sense) :]
    added = _mentioned_names(file, objectives, chosen)
    if earlier:
        names = _free_names(source.text, stage - 1)
        rows = [
            f"  {name}: {one.value.span.text} {_sign(one)} {number(value)};"
            for name, one, value in zip(names, objectives, earlier, strict=False)
        ]
        added += ["subject to", *rows]
    return Source(
        source.name, "\n".join([text, *added, ""]) if added else text, original=source.text
    )


def without_objectives(source: Source, file: n.File) -> tuple[str, list[str]]:
    """The text with blanks in place of its objectives, and a `let` for each that it mentions."""
    text, objectives = source.text, objectives_of(file)
    if objectives:
        text = _only(text, objectives[0].span)
    return text, _mentioned_names(file, objectives, None)


def _mentioned_names(
    file: n.File, objectives: Sequence[n.Objective], chosen: n.Objective | None
) -> list[str]:
    """A `let` for each other objective whose name the text mentions: it stands there no more."""
    names = set(n.mentioned(file.statements))
    return [
        f"let {one.name} = {one.value.span.text};"
        for one in objectives
        if one is not chosen and one.name in names
    ]


def _body_start(objective: n.Objective) -> int:
    """Where an objective's name stands or, without one, its value."""
    if objective.name is None:
        return objective.value.span.start
    return word_span(objective.span, objective.name, 1).start


def _only(text: str, statement: Span, *kept: range) -> str:
    """The text with blanks in place of a statement, but for line ends and the places `kept`."""
    places = enumerate(text[statement.start : statement.end], statement.start)
    left = (c if c in "\r\n" or any(k in part for part in kept) else " " for k, c in places)
    return text[: statement.start] + "".join(left) + text[statement.end :]


def _sign(objective: n.Objective) -> str:
    return "<=" if objective.sense == "minimize" else ">="


def _free_names(text: str, count: int) -> list[str]:
    """Names for rows that the text does not have anywhere."""
    stem = "objective"
    while any(f"{stem}_{k}" in text for k in range(1, count + 1)):
        stem = f"{stem}_"
    return [f"{stem}_{k}" for k in range(1, count + 1)]
