"""The exact engines, in the order in which they are tried; the only place that names them.

A new engine is a file with an `ENGINE` and a line here. The next one is asked where those before it
refuse, or have not proven their tree.
"""

from __future__ import annotations

from treemip.engines import univariate_engine
from treemip.engines.engine import ExactEngine
from treemip.engines.oblique import engine as oblique

ENGINES: tuple[ExactEngine, ...] = (
    univariate_engine.ENGINE,
    oblique.ENGINE,
)


def engines(split: str | None, after_search: bool) -> tuple[ExactEngine, ...]:
    """Those about splits of that kind which begin with the solution of a search, or do not."""
    return tuple(e for e in ENGINES if split in e.splits and e.after_search == after_search)
