"""The progress of a solve as JSON lines: an event a line, written as it comes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from treemip.api.store import finite
from treemip.core.model.answer import Answer, OnProgress, Progress
from treemip.core.model.tolerances import EQUAL
from treemip.core.source.diagnostic import Diagnostic, TreemipError

if TYPE_CHECKING:
    from treemip.api.result import Result

EVERY = 1.0
"""Seconds between two lines in which neither the stage nor the best objective is new."""

UNCOUNTED = ("engine", "start")
"""The stages that have no nodes and try no trees of a known number."""

LIMITED = ("engine", "search", "start", "solve")
"""The stages that a time limit is for."""


def logged(
    path: str | Path | None,
    on_progress: OnProgress | None,
    run: Callable[[OnProgress | None], Result],
) -> Result:
    """`run` with a callback that writes to `path`, where there is one, and calls `on_progress`.

    The last line is the outcome, also where `run` raises. Raises E603 where the file cannot be
    opened. A disk that is full later ends the log and not the solve: the result's `unwritten` is
    that E603.
    """
    if path is None:
        return run(on_progress)
    try:
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed below, on a full disk too
    except OSError as error:
        raise TreemipError(_unwritable(path, error)) from None
    log = ProgressLog(file, on_progress)
    try:
        result = run(log)
        log.write(outcome(result, log.seconds))
        if log.error is None:
            return result
        return replace(result, unwritten=(_unwritable(path, log.error),))
    except BaseException as error:
        status = "interrupted" if isinstance(error, KeyboardInterrupt) else "error"
        log.write({"event": "end", "status": status, "message": _message(error)})
        raise
    finally:
        with suppress(OSError):
            file.close()


def _unwritable(path: str | Path, error: OSError) -> Diagnostic:
    why = (error.strerror or str(error)).lower()
    return Diagnostic.outside("E603", f"'{path}' cannot be written: {why}", "choose another place")


class ProgressLog:
    """A callback for progress. Events: "stage" when another one begins, "incumbent" for a better
    objective, "progress" for the rest, of which there is one in EVERY seconds at most. `error`: the
    first one in writing; the log ends there."""

    def __init__(self, file: TextIO, on_progress: OnProgress | None) -> None:
        self.file, self.on_progress = file, on_progress
        self.stage: str | None = None
        self.number: int | None = None
        self.objective: float | None = None
        self.error: OSError | None = None
        self.seconds = -EVERY
        self._lock = threading.Lock()  # solvers report from threads of their own

    def __call__(self, progress: Progress) -> None:
        with self._lock:
            event = self._event(progress)
            if event is not None:
                self.seconds = progress.seconds
                self.write({"event": event, **_numbers(progress)})
        if self.on_progress is not None:
            self.on_progress(progress)

    def _event(self, progress: Progress) -> str | None:
        number = progress.objective_number
        if number != self.number:
            self.number, self.stage, self.objective = number, None, None
        new_stage = progress.stage != self.stage
        better = progress.objective is not None and (
            self.objective is None
            or abs(progress.objective - self.objective) > EQUAL * max(1.0, abs(self.objective))
        )
        self.stage = progress.stage
        self.objective = progress.objective if better else self.objective
        if new_stage:
            return "stage"
        if better:
            return "incumbent"
        return "progress" if progress.seconds >= self.seconds + EVERY else None

    def write(self, event: dict[str, Any]) -> None:
        """One line, on the disk before this returns; nothing after an error."""
        if self.error is not None or self.file.closed:  # a solver's thread may outlive the solve
            return
        try:
            self.file.write(json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n")
            self.file.flush()
        except OSError as error:
            self.error = error


def _numbers(progress: Progress) -> dict[str, Any]:
    number = progress.objective_number
    return {
        **({} if number is None else {"objective_number": number}),
        "stage": progress.stage,
        "seconds": round(progress.seconds, 3),
        "objective": _finite(progress.objective),
        "bound": _finite(progress.bound),
        "gap": _finite(progress.gap),
        "nodes": None if progress.stage in UNCOUNTED else progress.nodes,
    }


def outcome(result: Result, told: float) -> dict[str, Any]:
    """The last line: what the result says of itself. told: seconds of the last line before it;
    between solves of several, models are built too."""
    answer = result.answer
    seconds = sum(result.seconds.get(stage, 0.0) for stage in LIMITED)
    return {
        "event": "end",
        "status": answer.status,
        "seconds": round(max(seconds, told), 3),
        "objective": _finite(answer.objective),
        "bound": _finite(answer.bound),
        "gap": _finite(answer.gap),
        "nodes": answer.nodes,
        "solver": answer.solver,
        "proven_by": _proven_by(answer),
        "verdict": result.verdict,
        **({"objectives": [o.to_json() for o in result.objectives]} if result.objectives else {}),
    }


def _proven_by(answer: Answer) -> str | None:
    """Whose proof it is: of the "solver", an "engine" in its place, or the "objective" itself."""
    if answer.status != "optimal":
        return None
    return "engine" if answer.solver == "engine" else answer.proven_by


def _finite(value: float | None) -> float | None:
    return None if value is None else finite(float(value))


def _message(error: BaseException) -> str:
    if isinstance(error, TreemipError):
        return error.diagnostics[0].message
    return f"{type(error).__name__}: {error}".rstrip(": ")
