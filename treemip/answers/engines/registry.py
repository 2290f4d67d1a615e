"""The exact engines, in the order in which they are tried; the only place that names them.

A new engine is a file with an `ENGINE` and a line here. The next one is asked where those before it
refuse, or have not proven their tree.
"""

from __future__ import annotations

from treemip.answers.engines import peers, ratio, relaxed, univariate_engine
from treemip.answers.engines.engine import ExactEngine
from treemip.answers.engines.frontier import engine as frontier
from treemip.answers.engines.margin import engine as margin
from treemip.answers.engines.oblique import engine as oblique

ENGINES: tuple[ExactEngine, ...] = (
    univariate_engine.ENGINE,
    ratio.ENGINE,
    peers.ENGINE,
    frontier.ENGINE,
    relaxed.ENGINE,
    margin.ENGINE,
    oblique.ENGINE,
)


def engines(split: str | None, after_search: bool | None = None) -> tuple[ExactEngine, ...]:
    """Those about splits of that kind, but for those of `bounding`; where it is said, those which
    begin with the solution of a search, or do not."""
    about = [e for e in ENGINES if split in e.splits and not e.bounds_only]
    return tuple(e for e in about if after_search in (None, e.after_search))


def bounding(split: str | None) -> tuple[ExactEngine, ...]:
    """Those that have a bound for specs about such splits that no engine takes whole."""
    return tuple(e for e in ENGINES if split in e.splits and e.bounds_only)
