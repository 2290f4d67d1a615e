"""A process that runs command lines for somebody else, one after another, confined to a folder.

The request is JSON on standard input, the outcome of each command a line of JSON on standard
output; `treemip.study.sandbox.job` is the other end.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

COMMANDS = (
    "check",
    "compile",
    "convert",
    "diagnose",
    "explain",
    "export",
    "fmt",
    "formulations",
    "init",
    "list",
    "predict",
    "report",
    "score",
    "show",
    "solve",
    "stats",
    "verify",
)
"""The commands that may be run: they read files and end by themselves."""


def run() -> None:
    """The entry point. Limits come first, so that they hold for imports too."""
    from treemip.core.files.undo import end_with, leave_on_signals
    from treemip.study.sandbox.system_limits import limit

    parent = os.getppid()
    request = json.load(sys.stdin)
    limit(**request["limits"])
    leave_on_signals()
    end_with(parent)
    from treemip.cli.process import begin, end, supervise

    supervise()
    from treemip.core.resources import grammar_path, library_path, specs_path
    from treemip.core.source.confined import confined_to

    begin()
    folder = Path(request["folder"])
    shipped = (library_path(), grammar_path().parent, specs_path())
    with confined_to((folder, *request["lent"], *shipped)):
        for one in request["commands"]:
            print(json.dumps(outcome(folder, one["words"], one["needs"])), flush=True)
    end(0)


def outcome(folder: Path, words: Sequence[str], needs: str | None) -> dict[str, Any]:
    """What a command printed, and its exit code: `Outcome` of the job."""
    from treemip.cli.main import main, reported

    if needs is not None and not (folder / needs).exists():
        return {"code": None, "out": "", "err": ""}
    if not words or words[0] not in COMMANDS:
        return {"code": 2, "out": "", "err": f"'{' '.join(words[:1])}' cannot be run here"}
    # Files without a name: no command can read them.
    with TemporaryFile(dir=folder) as out, TemporaryFile(dir=folder) as err:
        kept = _descriptors(out, err)
        try:
            code = reported(lambda: main(words))
        finally:
            _restored(kept)
        return {"code": code, "out": _text(out), "err": _text(err)}


def _descriptors(out: IO[bytes], err: IO[bytes]) -> tuple[int, int]:
    """Standard output and error into files; the descriptors of before. Solvers print to these."""
    kept = os.dup(1), os.dup(2)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    return kept


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _restored(kept: tuple[int, int]) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    for number, old in zip((1, 2), kept, strict=True):
        os.dup2(old, number)
        os.close(old)


if __name__ == "__main__":
    run()
