"""One run of a sweep: a spec with its values, solved; its key, and its row of the table."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip import __version__
from treemip.core.resolve.module_files import KeptTexts, ModuleText
from treemip.core.resolve.settings.data_spec import Rows
from treemip.core.solving.backends import leave_signals_to
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.tree.score import Score
from treemip.study.sweeps.axes import FOLD
from treemip.study.sweeps.measures import SCORED, scored

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.api.result import Result

Row = dict[str, Any]
"""A run's values and results by column; None where there is none."""

MEASURED = (
    *("status", "verdict", "train_errors", "test_errors", *SCORED),
    *("sense", "objective", "bound", "gap", "seconds", "features", "splits"),
    *("solver", "proven_by", "selected", "message", "key"),
)
"""The columns behind those of what varies."""

FOR_SELECTED = ", for the selected points alone"
"""Behind the name of who proved an optimum, where the model has selected points only."""


@dataclass(frozen=True)
class Run:
    """All that a run needs, so that another process or machine can do it.

    values: what varies, as texts. parameters: for the spec. settings: arguments of
    `Compiled.solve`. data_file, base: absolute paths. table: columns in memory in place of a file.
    data_digest: SHA-256 of the data, empty for a spec without. modules: texts that the spec is
    linked with beside the library's. parts: of each row of the table in which part it is, as
    `Rows` has it; empty where the text says so. shared: the seconds that the run shares with others
    of its path, None for a run by itself.
    """

    name: str
    text: str = field(repr=False)
    base: str
    values: dict[str, str]
    parameters: tuple[tuple[str, str], ...]
    settings: dict[str, Any]
    data_file: str | None = None
    table: Any = field(default=None, repr=False)
    data_digest: str = ""
    modules: tuple[ModuleText, ...] = field(default=(), repr=False)
    parts: bytes = field(default=b"", repr=False)
    shared: float | None = None

    @property
    def key(self) -> str:
        """SHA-256 of all that decides the answer: texts, values, data, settings, treemip's version.

        Where spec and data lie does not count.
        """
        parts = [self.text, sorted(self.parameters), self.settings, self.data_digest, __version__]
        if self.modules:
            parts.append([(module.reference, module.text) for module in self.modules])
        if self.parts:
            parts.append(hashlib.sha256(self.parts).hexdigest())
        if self.shared is not None:
            parts.append({"shared": self.shared})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def program(self) -> Program:
        """The spec of the run. Raises TreemipError."""
        from treemip.api.program import Program

        source = Source(self.name, self.text)
        program = Program(
            source,
            self.parameters,
            Path(self.base),
            self.table,
            self.data_file,
            KeptTexts(self.modules),
        )
        spec = program.spec
        if self.parts and spec.data is not None:
            fold = self.values.get(FOLD, "")
            rows = Rows(parts=self.parts, fold=fold, span=spec.data.span)
            program.spec = replace(spec, data=replace(spec.data, train=rows))
        return program


def execute(run: Run) -> Row:
    """Solve. An error of this run alone is its status; only KeyboardInterrupt is raised."""
    return executed(run)[0]


def executed(run: Run, **settings: Any) -> tuple[Row, Result | None]:
    """The row and the result, None where there is none. settings: in place of the run's own."""
    began = time.perf_counter()
    row: Row = {**run.values, **dict.fromkeys(MEASURED), "key": run.key}
    result = None
    try:
        program = run.program()
        if run.parts:
            _ = program.data  # read now, so that each of several objectives has the same parts
        result = program.compile().solve(**{**run.settings, **settings})
        row |= _measured(result)
    except TreemipError as error:
        first = error.diagnostics[0]
        row |= {"status": "error", "message": f"{first.code}: {first.message}"}
    except MemoryError:
        row |= {"status": "error", "message": "E405: not enough memory"}
    return {**row, "seconds": round(time.perf_counter() - began, 3)}, result


def execute_apart(run: Run, parent: int) -> Row:
    """`execute` in a worker process, which leaves Ctrl-C to its parent and ends with it."""
    leave_signals_to(parent)
    return execute(run)


def _measured(result: Result) -> Row:
    from treemip.api.store import finite

    train, test = result.whole_score or result.train_score, result.test_score
    whole, selected = result.whole_score, result.selected
    return {
        "status": result.status,
        "verdict": result.verdict,
        "train_errors": whole.errors if isinstance(whole, Score) else result.train_errors,
        "test_errors": result.test_errors,
        **scored(train, test),
        "sense": result.compiled.sense,
        "objective": finite(result.objective),
        "bound": finite(result.bound),
        "gap": finite(result.gap),
        "features": len(train.distinct_features) if train else None,
        "splits": train.effective_splits if train else None,
        "solver": result.answer.solver,
        "proven_by": _proven_by(result),
        "selected": None if selected is None else selected.kept,
        "message": "; ".join([*result.problems, *_filled(result)]) or None,
    }


def _filled(result: Result) -> list[str]:
    """Missing values of the test part for which its tree has no side."""
    data = result.compiled.instance.data
    return [f"{each.code}: {each.message}" for each in (data.filled if data else ())]


def _proven_by(result: Result) -> str | None:
    """Who proved the solution optimal, and of what, where the model has selected points only."""
    if result.optimality is None or not result.optimality.proven:
        return None
    part = result.selected is not None and result.selected.kept < result.selected.points
    return result.optimality.by + (FOR_SELECTED if part else "")
