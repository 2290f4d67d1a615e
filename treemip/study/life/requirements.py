"""Which of a spec's own requirements hold of its tree on other rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treemip.api.learned_from import words_for
from treemip.core.instance.saved_answers import saved_answers
from treemip.core.instance.table import other_rows
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import refused
from treemip.core.tree.requirements_on import Kept, constraints_on
from treemip.study.life.rows import Rows, Saved


@dataclass(frozen=True)
class Requirement:
    """text: as the spec states it. kept: whether it holds on the rows."""

    kept: Kept
    text: str

    @property
    def row(self) -> tuple[str, ...]:
        return self.kept.name, self.kept.text, self.text

    def to_json(self) -> dict[str, Any]:
        said: dict[str, Any] = {"name": self.kept.name, "holds": self.kept.holds, "text": self.text}
        said |= {"slack": self.kept.slack} if self.kept.slack is not None else {}
        said |= {"share_of": self.kept.of} if self.kept.of else {}
        return said | ({"why": self.kept.why} if self.kept.why else {})


def requirements(saved: Saved, rows: Rows) -> tuple[Requirement, ...]:
    """Of the spec that the tree records, on rows with all of its columns; () where it has none.

    Raises TreemipError where the spec or its columns are not there.
    """
    program = saved.program
    if program is None or program.spec.data is None:
        raise refused(f"'{saved.name}' does not record its spec", "")
    if not program.spec.own:
        return ()
    spec = program.spec.data
    answers = saved_answers(spec, program.base)
    table = other_rows(spec, rows.raw, saved.encoder, rows.place.file, answers)
    words = words_for(saved.document, saved.tree, program, saved.path, table)
    found = constraints_on(words.instance, saved.tree, words.values, table)
    texts = own_texts(program.spec)
    return tuple(Requirement(each, texts[each.name]) for each in found)


def own_texts(spec: Spec) -> dict[str, str]:
    """What the spec's own constraints say, by their names."""
    first = ((name, group[0].span.text) for name, group in spec.own_by_name.items())
    texts = ((name, " ".join(text.split()).rstrip(";")) for name, text in first)
    return {name: text.removeprefix(f"{name}:").strip() for name, text in texts}
