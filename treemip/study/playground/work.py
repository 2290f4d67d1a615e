"""The commands of a task, and the part of the answer that each of them makes.

They run as two jobs of the sandbox: the first finds the tree, the second makes what may be slow,
within a limit of its own. Both write into a folder whose name visitors cannot use.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from treemip.study.playground.limits import MODEL, PART
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import PROGRESS, Command, Outcome

MADE = "made.here"
"""The folder of the files that commands write."""

TREE = f"{MADE}/tree.json"

SPEC_OF_TABLE = "first.tree"

Json = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A command and the part of the answer that it makes: from `file`, else from what it prints.
    needs: a file without which it is skipped."""

    part: str
    words: tuple[str, ...]
    file: str | None = None
    needs: str | None = None

    @property
    def command(self) -> Command:
        return Command(self.words, self.needs)

    def content(self, folder: Folder, outcome: Outcome) -> Any:
        """The part; None if the command did not make it."""
        if self.file is None:
            return outcome.out[:PART] if outcome.out else None
        data = folder.read(self.file) if outcome.code is not None else None
        if data is None or (len(data) > PART and self.part != "model"):
            return None
        text = data.decode("utf-8", "replace")
        return _cut(text) if self.part == "model" else text


def saved_tree(folder: Folder) -> Json | None:
    """The tree as `solve` saved it; None if there is none, or if it is too large."""
    data = folder.read(TREE)
    return json.loads(data) if data is not None and len(data) <= PART else None


def _cut(model: str) -> str:
    """The beginning of a model file; a note takes the place of the rest."""
    if len(model) <= MODEL:
        return model
    lines = model[:MODEL].rpartition("\n")[0]
    return f"{lines}\n\\ cut here: the whole file has {len(model) / 1e6:.1f} million characters\n"


def _settings(parameters: Json) -> tuple[str, ...]:
    return tuple(word for name, value in parameters.items() for word in ("-p", f"{name}={value}"))


def of_tree(spec: str, parameters: Json) -> list[Step]:
    """The tree and its picture first, then the pages beside it, and last what takes long."""
    settings, report = _settings(parameters), f"{MADE}/report.html"
    mathematics, check, model = of_text(spec, parameters)
    return [
        Step(
            "summary",
            ("solve", spec, "-o", TREE, "--log-json", PROGRESS, *settings),
        ),
        Step("svg", ("show", TREE, "-o", f"{MADE}/tree.svg"), f"{MADE}/tree.svg", TREE),
        Step("page", ("show", TREE, "-o", f"{MADE}/tree.html"), f"{MADE}/tree.html", TREE),
        model,
        mathematics,
        Step("score", ("score", TREE), needs=TREE),
        Step("report", ("report", TREE, "-o", report, "--progress", PROGRESS), report, TREE),
        check,
    ]


def of_text(spec: str, parameters: Json) -> list[Step]:
    settings = _settings(parameters)
    page, model = f"{MADE}/spec.html", f"{MADE}/model.lp"
    return [
        Step("mathematics", ("explain", spec, "-o", page, *settings), page),
        Step("check", ("check", spec, "--data", *settings)),
        Step("model", ("compile", spec, "-o", model, *settings), model),
    ]


def about_tree() -> list[Step]:
    found = []
    for suffix in ("py", "sql", "txt"):
        file = f"{MADE}/converted.{suffix}"
        found.append(Step(f"convert.{suffix}", ("convert", TREE, "-o", file), file, TREE))
    return found


def of_table(table: str, label: str | None) -> list[Step]:
    chosen = ("--label", label) if label else ()
    return [Step("spec", ("init", table, "-o", SPEC_OF_TABLE, *chosen), SPEC_OF_TABLE)]


def commands(steps: Iterable[Step]) -> list[Command]:
    return [one.command for one in steps]
