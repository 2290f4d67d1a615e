"""Solve and Explain: treemip itself, run as a process on the saved file."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.study.lsp.positions import plain
from treemip.study.lsp.results import Refused

SECONDS = 60
"""Time limit of a solve whose spec has none."""

SUMMARY = 3
"""Lines of an answer that are shown at once; all are in the log."""

LONGEST = 200_000
"""Characters of an answer that are kept."""


@dataclass(frozen=True)
class Answer:
    """What a command said, and its exit code."""

    code: int
    text: str

    @property
    def summary(self) -> str:
        """Its first lines in one: status, objective and bound of a solve."""
        lines = (" ".join(line.split()) for line in self.text.splitlines())
        return ", ".join(islice(filter(None, lines), SUMMARY)) or "no answer"


def words_of(command: str, path: Path, limited: bool) -> list[str]:
    """The command line of a command of the server. limited: whether the spec has a time limit."""
    name = command.removeprefix("treemip.")
    limit = [] if limited or name != "solve" else ["--time-limit", str(SECONDS)]
    # -P: the folder of a spec may hold Python files of any name, which must not run.
    return [sys.executable, "-P", "-m", "treemip", name, str(path), *limit]


def check_saved(path: Path, text: str) -> None:
    """Raises Refused where the file is not what the editor shows: a process reads the file."""
    try:
        saved = Source.read(path).text
    except TreemipError:
        raise Refused(f"save {path.name} first: there is no such file yet") from None
    if saved != plain(text):
        raise Refused(f"save {path.name} first: its file is older than the text")


async def run(words: list[str], folder: Path) -> Answer:
    """Run a command line to its end; it is ended where the caller is cancelled."""
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    text = output.decode("utf-8", "replace")
    return Answer(process.returncode or 0, text[:LONGEST])
