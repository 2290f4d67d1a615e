"""What exact engines make of a spec over its data: why none takes it, or what they work on."""

from __future__ import annotations

import time
from collections.abc import Callable

from treemip.answers.engines.engine import Case, ExactEngine
from treemip.answers.engines.obstacle import located, noted, obstacle, prepared, unknown_split
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.registry import bounding, engines
from treemip.answers.starts.problem import Asked
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Diagnostic

SECONDS = 5.0
"""For finding what of a spec stands in the way."""


def engine_note(instance: Instance, model: Model | Callable[[], Model]) -> Diagnostic | None:
    """W609, why no exact engine takes the spec, or why those that do may end without a proof; None
    where one should have it, and for a spec without trees or data. model: as stated, or what makes
    it where an engine asks for it."""
    if not instance.spec.split or instance.topology is None or instance.data is None:
        return None
    case, began = Case(instance, model), list[float]()

    def late() -> bool:
        """From when the place is first looked for: that the engines refuse may take as long."""
        began.append(time.perf_counter())
        return began[-1] > began[0] + SECONDS

    return obstacle(case, _engine_seconds(instance), late)


def _engine_seconds(instance: Instance) -> float:
    """That engines have in a solve of the spec."""
    return Asked(whole=instance.spec.strategy.time_limit).engine_seconds


def explain_engines(instance: Instance, model: Model, title: str) -> str:
    """A page of plain text: for each engine about trees of that kind, in the order in which they
    are asked, what it makes of the spec, or what stands in its way. model: as stated."""
    spec = instance.spec
    parts = [f"# {title}: exact engines"]
    if not spec.split or instance.topology is None or instance.data is None:
        return f"{parts[0]}\n\nExact engines are for trees over data, and the spec has none.\n"
    case = Case(instance, model)
    asked = (*engines(spec.split), *bounding(spec.split))
    for entry in asked:
        parts += [f"## {entry.name}", _said_by(entry, case)]
    if not asked:
        parts.append(_in_words(noted(instance, unknown_split(spec))))
    return "\n\n".join(parts) + "\n"


def _said_by(entry: ExactEngine, case: Case) -> str:
    engine = prepared(entry, case)
    if isinstance(engine, Refusal):
        until = time.perf_counter() + SECONDS
        refusal = located(case, entry, engine, lambda: time.perf_counter() > until)
        return _in_words(noted(case.instance, refusal))
    needs = [engine.missing] if engine.missing else []
    after = ["It begins with the tree of a search."] if entry.after_search else []
    seconds = _engine_seconds(case.instance)
    doubt = engine.doubt(seconds)
    slow = [f"It may prove nothing in {seconds:.3g} s: it {doubt}."] if doubt else []
    return "\n\n".join([*after, *needs, *slow, engine.described()])


def _in_words(note: Diagnostic) -> str:
    lines = [note.message[:1].upper() + note.message[1:] + "."]
    if note.span is not None:
        lines += [f"  {note.span}: {' '.join(note.span.text.split())}"]
    return "\n".join(lines)
