"""One line on a terminal that says how a solve is going."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treemip.model.answer import Progress


class ProgressLine:
    """Rewrites one line of stderr; silent where that is no terminal, or beside a solver's log."""

    def __init__(self, quiet: bool = False) -> None:
        self.wanted = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, progress: Progress) -> None:
        if self.wanted:
            self._print(f"\r{progress_text(progress)}\x1b[K")

    def clear(self) -> None:
        if self.wanted:
            self._print("\r\x1b[K")

    def _print(self, text: str) -> None:
        with suppress(OSError):  # such as a terminal that was closed
            print(text, end="", file=sys.stderr, flush=True)


def progress_text(progress: Progress) -> str:
    """`12 s  scip  best 149  bound 150  gap 0.67 %  3 nodes  (Ctrl-C keeps the best)`.

    A search counts `trees`; an engine and other starts count nothing.
    """
    parts = [f"{progress.seconds:.0f} s"]
    if progress.stage:
        parts.append(progress.stage)
    if progress.objective is not None:
        parts.append(f"best {progress.objective:.6g}")
    if progress.bound is not None:
        parts.append(f"bound {progress.bound:.6g}")
    if progress.gap is not None:
        parts.append(f"gap {100 * progress.gap:.3g} %")
    if progress.stage not in ("start", "engine"):
        parts.append(f"{progress.nodes} {'trees' if progress.stage == 'search' else 'nodes'}")
    if progress.objective is not None:
        parts.append("(Ctrl-C keeps the best)")
    return "  ".join(parts)
