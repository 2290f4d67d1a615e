"""A solve whose proof other processes share, and what is said where they had nothing to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.source.diagnostic import Diagnostic, Severity, refused

if TYPE_CHECKING:
    from treemip.api.result import Result

UNUSED = (
    "the backend '{}' had nothing to do: it shares proofs of univariate trees of depth 3 and more, "
    "where rows couple no leaves and no prices depend on the depth"
)


@contextmanager
def shared_by(
    backend: str | None, resume: str | Path | None, threads: int | None
) -> Iterator[Callable[[Result], Result]]:
    """The block's proofs are shared; gives what adds a note to a result where none was.

    backend, resume: as of `Compiled.solve`. threads: processes of this machine; None for one on
    each core. Raises E602, E902.
    """
    if backend is None:
        if resume is not None:
            raise refused("a folder to resume from needs a backend", "loky or dask")
        yield lambda result: result
        return
    from treemip.solving.backends import sharing

    folder = None if resume is None else Path(resume)
    with sharing(backend, threads or os.cpu_count() or 1, folder) as hands:

        def noted(result: Result) -> Result:
            if hands.used:
                return replace(result, unwritten=(*result.unwritten, *hands.unwritten))
            text = UNUSED.format(backend)
            note = Diagnostic("W602", text, None, severity=Severity.NOTE)
            return replace(result, warnings=[*result.warnings, note])

        yield noted
