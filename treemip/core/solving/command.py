"""How a solver outside this process is called, and what its log tells."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from math import ceil
from pathlib import Path
from typing import Any

from treemip.core.files.profiles import PORTABLE
from treemip.core.model.answer import Limits, Status
from treemip.core.registry import installed, solvers
from treemip.core.solving.optional import is_installed
from treemip.core.solving.solver import Call, Solver
from treemip.core.source.confined import is_confined
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.core.source.suggest import did_you_mean, listed

COMMAND = "command:"
RUNNER = Path(__file__).with_name("runner.py")
LIMITS = tuple(field.name for field in fields(Limits) if field.name != "log")
MARKS = ("model", "solution", "start", *LIMITS)
MARK = re.compile(r"\{(" + "|".join(MARKS) + r")\}")
OWN_MARKS = tuple(mark for mark in MARKS if mark != "start")
"""Those of a user's own command, which is given no start: nobody knows in which form."""
ANY_MARK = re.compile(r"\{([A-Za-z_]+)\}")


def runs_as_process(solver: str) -> bool:
    """Whether the name is one of a solver outside this process."""
    return solver in installed() or solver.startswith(COMMAND)


@dataclass(frozen=True)
class Files:
    """Where the files of a run are; `suffix` is the solution's."""

    folder: Path
    suffix: str

    @property
    def model(self) -> Path:
        return self.folder / "model.mps"

    @property
    def start(self) -> Path:
        return self.folder / "start.mst"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def solution(self) -> Path:
        return self.folder / f"solution{self.suffix}"


def called(solver: str) -> tuple[Solver, Call, list[str]]:
    """The entry, its call, and how the command begins. Raises E602, E902."""
    if is_confined() and solver.startswith(COMMAND):
        fail("E602", "no command may be run here", remedy="choose a solver that comes with treemip")
    if solver.startswith(COMMAND):
        return _own_command(solver.removeprefix(COMMAND))
    entry = solvers()[solver]
    if entry.program is not None:
        for name in entry.program.programs:
            if (found := _program(name)) is not None:
                return entry, entry.program, [found]
    if entry.package_call is not None and is_installed(entry.package):
        return entry, entry.package_call, [sys.executable, "-P", str(RUNNER)]
    programs = entry.program.programs if entry.program else ()
    sought = [*(f"no program '{name}' on PATH" for name in programs)]
    sought += [f"no Python package '{entry.package}'"] if entry.package else []
    fail(
        "E602",
        f"{entry.title} is not installed: {' and '.join(sought)}",
        remedy=entry.how_to_install,
    )


def _own_command(line: str) -> tuple[Solver, Call, list[str]]:
    """A command line of the user's own, with {model} and {solution} for the files."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _bad_command(line, str(error)) from error
    if not words or not any("{model}" in word for word in words):
        raise _bad_command(line, "it has no placeholder {model}")
    for name in (name for word in words for name in ANY_MARK.findall(word)):
        if name not in OWN_MARKS:
            known = did_you_mean(name, OWN_MARKS) or f"the placeholders are {listed(OWN_MARKS)}"
            raise _bad_command(line, f"unknown placeholder {{{name}}}", known)
    prints = not any("{solution}" in word for word in words)
    found = _program(words[0])
    if found is None:
        fail("E602", f"there is no program '{words[0]}'", remedy="install it first")
    options = {name: () for name in LIMITS if any(f"{{{name}}}" in w for w in words)}
    # Without {time} the limit is kept by ending the child.
    call = Call((), tuple(words[1:]), {"time": (), **options}, prints=prints)
    name = Path(found).name
    return Solver(name, name, PORTABLE.caps, order=0, program=call), call, [found]


def _program(name: str) -> str | None:
    """Its whole path: it runs in another folder than the one where it was looked for."""
    found = shutil.which(name)
    return None if found is None else os.path.abspath(found)


def _bad_command(line: str, why: str, remedy: str = "") -> TreemipError:
    example = 'such as --solver "command:cbc {model} solve solution {solution}"'
    return TreemipError(
        Diagnostic.outside("E902", f"the command '{line}' cannot be run: {why}", remedy or example)
    )


def lacking(entry: Solver, call: Call) -> dict[str, str]:
    """The message for each limit that treemip cannot pass to the solver."""
    own = {*call.options, *(("threads",) if entry.serial else ())}
    return {
        name: f"{entry.title} takes no {name.replace('_', ' ')} from treemip"
        for name in LIMITS
        if name not in own
    }


def takers(call: Call) -> str:
    """The remedy for a limit that the call does not have."""
    return f"leave it out, or choose another solver; it takes {listed(call.options)}"


def arguments(
    entry: Solver, call: Call, limits: Limits, files: Files, given: bool
) -> Iterator[str]:
    """The arguments with all placeholders filled. Raises E902 for a limit without a placeholder."""
    asked = _asked(entry, call, limits)
    options = options_of(entry, call, limits)
    start = call.start[1] if call.start and given else ()
    parts = {"{options}": options, "{start}": start}
    marks = {"model": files.model, "solution": files.solution, "start": files.start}
    filled = {name: str(path) for name, path in marks.items()}
    filled |= {name: _number(asked[name]) for name in LIMITS if name in asked}
    for word in call.arguments:
        for part in parts.get(word, (word,)):
            for name in MARK.findall(part):
                if name not in filled:
                    raise _no_value(entry, name)
            yield MARK.sub(lambda found: filled[found[1]], part)


def options_of(entry: Solver, call: Call, limits: Limits) -> list[str]:
    """The options of a call for what is asked of it. Raises E902 for a limit that it lacks."""
    asked = _asked(entry, call, limits)
    options = [
        word.replace("{value}", _number(asked[name])).replace("{whole}", str(ceil(asked[name])))
        for name in asked
        for word in call.options[name]
    ]
    return options + [w for name in call.always.keys() - asked.keys() for w in call.always[name]]


def _asked(entry: Solver, call: Call, limits: Limits) -> dict[str, Any]:
    asked = {k: v for k, v in asdict(limits).items() if v is not None and k in LIMITS}
    for name, message in lacking(entry, call).items():
        if name in asked:
            fail("E902", message, remedy=takers(call))
    return {name: value for name, value in asked.items() if name in call.options}


def _no_value(entry: Solver, name: str) -> TreemipError:
    """An empty word would be read as something else: `sec` without seconds stops CBC at once."""
    said = name.replace("_", " ")
    return TreemipError(
        Diagnostic.outside(
            "E902",
            f"the command of {entry.title} has {{{name}}}, and no {said} limit is given",
            f"give the limit, or leave {{{name}}} out of the command",
        )
    )


def _number(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


TAIL = 6  # lines of a log that are shown when a solver fails


class Log:
    """What a log tells, by its call's patterns."""

    def __init__(self, text: str, call: Call) -> None:
        self.text, self.patterns = text, call.log

    def last(self, pattern: str) -> str | None:
        found = re.findall(pattern, self.text, re.MULTILINE) if pattern else []
        return found[-1] if found else None

    def has(self, pattern: str) -> bool:
        return bool(pattern) and re.search(pattern, self.text, re.MULTILINE) is not None

    @property
    def status(self) -> Status | None:
        said = [status for pattern, status in self.patterns.status.items() if self.has(pattern)]
        return said[-1] if said else None

    @property
    def bound(self) -> float | None:
        try:
            return float(self.last(self.patterns.bound) or "none")
        except ValueError:
            return None

    @property
    def nodes(self) -> int | None:
        counted = self.last(self.patterns.nodes)
        return None if counted is None else int(counted)

    @property
    def version(self) -> str:
        return self.last(self.patterns.version) or ""

    @property
    def unlicensed(self) -> str:
        """What is missing, in the solver's words; empty where a licence is not the matter."""
        return (self.last(self.patterns.unlicensed) or "").rstrip(".")

    @property
    def tail(self) -> str:
        lines = [line.strip() for line in self.text.splitlines()[1:] if line.strip()]
        return "; ".join(lines[-TAIL:])
