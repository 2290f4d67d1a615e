"""Where tools run commands: in a private folder, with the files of the user's folder linked in.

Texts and tables from the assistant are written there; the user's files are read where they are
(`Folder.lend`). Trees are kept for the session under names such as tree-1, with the files that came
with their spec, so that later tools find the same data.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treemip.core.source.diagnostic import fail, refused
from treemip.study.assistant.results import Problem
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import Command, Job, JobLimits, Outcome, Tell

SPEC = "spec.tree"
TREE = "tree.json"

OVERHEAD = 30.0
"""Seconds that a job gets on top of the time limit of its solve: to read, compile and verify."""

MOST_TREES = 50
"""Trees that a session keeps; the oldest are dropped first."""

Files = Mapping[str, str]
"""Texts by file name, as the assistant gives them."""


@dataclass(frozen=True)
class Ran:
    """Outcomes of commands, and the files of theirs that were asked for."""

    outcomes: Sequence[Outcome]
    left: Mapping[str, bytes]


@dataclass(frozen=True)
class Kept:
    """A tree of this session: its file, and the files that came with its spec."""

    tree: bytes
    files: Files


@dataclass
class Workspace:
    """folder: the user's, absolute. seconds: the time limit of a solve."""

    folder: Path
    seconds: float
    kept: dict[str, Kept] = field(default_factory=dict)
    count: int = 0
    saved: set[str] = field(default_factory=set)

    async def run(
        self,
        files: Mapping[str, str | bytes],
        commands: Sequence[Sequence[str]],
        seconds: float | None = None,
        leave: Sequence[str] = (),
        tell: Tell | None = None,
    ) -> Ran:
        """Run commands in a folder with these files. leave: the names of files to return.

        Raises TreemipError (E902) for an invalid file name, and for too many or too large files.
        """
        with Folder() as place:
            for name, text in files.items():
                place.put(name, text)
            place.lend(self.folder)
            limits = JobLimits((self.seconds if seconds is None else seconds) + OVERHEAD)
            job = Job(place, [Command(tuple(words)) for words in commands], limits)
            outcomes = await job.run(tell)
            outcomes = [
                Outcome(one.code, self._shown(one.out), self._shown(one.err)) for one in outcomes
            ]
            found = {name: place.read(name) for name in leave}
        return Ran(outcomes, {name: data for name, data in found.items() if data is not None})

    def _shown(self, text: str) -> str:
        """A text without the path of the user's folder, which means nothing to an assistant."""
        return text.replace(f"{self.folder}/", "")

    def spec_files(self, spec: str, files: Files) -> tuple[str, dict[str, str]]:
        """The name of a spec, and the files to write; `spec` is its text or its file's name."""
        one_line = "\n" not in spec.strip() and spec.strip().endswith(".tree")
        return (spec.strip(), dict(files)) if one_line else (SPEC, {**files, SPEC: spec})

    # --------------------------------------------------------------------------------- trees

    def keep(self, tree: bytes, files: Files) -> str:
        """Keep a tree; the name that it has in this session."""
        self.count += 1
        name = f"tree-{self.count}"
        self.kept[name] = Kept(tree, {k: v for k, v in files.items() if k != SPEC})
        while len(self.kept) > MOST_TREES:
            del self.kept[next(iter(self.kept))]
        return name

    def tree_files(self, tree: str, files: Files) -> tuple[str, dict[str, str | bytes]]:
        """The name of a tree's file, and the files to write. Raises E902 for an unknown tree."""
        if tree in self.kept:
            kept = self.kept[tree]
            return TREE, {**kept.files, **files, TREE: kept.tree}
        if not tree.endswith(".json"):
            have = f"this session has {', '.join(self.kept)}" if self.kept else "solve a spec first"
            raise refused(
                f"there is no tree '{tree}'", f"{have}, or name a tree.json of the folder"
            )
        return tree, dict(files)

    def demand_free(self, name: str) -> Path:
        """The path in the user's folder to save a tree to. Raises TreemipError: E902 for an invalid
        name, E603 for a file that exists and was not saved by this session."""
        if name != Path(name).name or not name.endswith(".json") or name.startswith("."):
            raise refused(
                f"'{name}' cannot be the tree's file", "name a .json file, such as a.json"
            )
        path = self.folder / name
        if path.is_symlink() or (path.exists() and name not in self.saved):
            message = f"'{name}' cannot be written: it exists, and this session did not save it"
            fail("E603", message, remedy="choose another name")
        return path

    def save(self, tree: bytes, name: str) -> str:
        """Write a tree to the user's folder. Raises TreemipError as `demand_free`, and E603 if the
        file cannot be written."""
        path = self.demand_free(name)
        try:
            path.write_bytes(tree)
        except OSError as error:
            fail("E603", f"'{name}' cannot be written: {error.strerror or error}")
        self.saved.add(name)
        return name


# ------------------------------------------------------------------------------ what was said


def from_json(text: str) -> Any:
    """What a command printed by --json; None if that is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def problems_of(outcome: Outcome) -> list[Problem]:
    """What `check --json` found; if it printed no JSON, its messages as they were printed."""
    told = from_json(outcome.out)
    if told is None:
        return plain_problems(outcome)
    return [Problem(**one) for each in told for one in each["problems"]]


def plain_problems(outcome: Outcome) -> list[Problem]:
    """Messages of a command, read from what it printed."""
    found = []
    for part in outcome.err.strip().split("\n\n"):
        first = part.partition("\n")[0]
        head, _, message = first.partition(": ")
        severity, bracket, code = head.rstrip("]").partition("[")
        if bracket and severity in ("error", "warning"):
            found.append(Problem(code=code, severity=severity, message=message, text=part))
    if not found and outcome.code == 2 and outcome.err.strip():
        found.append(
            Problem(code="", severity="error", message=outcome.err.strip(), text=outcome.err)
        )
    return found


def said(outcome: Outcome) -> str:
    """All that a command printed, messages first."""
    return "\n\n".join(part for part in (outcome.err.strip(), outcome.out.rstrip()) if part)


class Clock:
    """Seconds since it was made, and the last event of a job's progress."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self.event: dict[str, Any] = {}

    def tell(self, event: dict[str, Any]) -> None:
        self.event = {**self.event, **{k: v for k, v in event.items() if v is not None}}

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    @property
    def message(self) -> str:
        shown = [f"{k} {self.event[k]:g}" for k in ("objective", "bound") if k in self.event]
        return ", ".join([str(self.event.get("stage", "compiling")), *shown])
