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
from typing import Any

HIDDEN = ".output"
"""The folder that the output of commands goes to while they run."""

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
    printed = folder / HIDDEN
    printed.mkdir(exist_ok=True)
    kept = _descriptors(printed)
    try:
        code = reported(lambda: main(words))
    finally:
        _restored(kept)
    out, err = ((printed / name).read_text("utf-8", "replace") for name in ("out", "err"))
    return {"code": code, "out": out, "err": err}


def _descriptors(printed: Path) -> tuple[int, int]:
    """Redirect standard output and error to files; the descriptors of before. Solvers write to
    descriptors, not to `sys.stdout`."""
    kept = []
    for number, name in ((1, "out"), (2, "err")):
        kept.append(os.dup(number))
        file = os.open(printed / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    return kept[0], kept[1]


def _restored(kept: tuple[int, int]) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    for number, old in zip((1, 2), kept, strict=True):
        os.dup2(old, number)
        os.close(old)


if __name__ == "__main__":
    run()
