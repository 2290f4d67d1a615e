"""What an exact engine is: which specs it takes, and how it is run on one.

An engine is asked whether it `fits` a case, and answers with itself ready to run, or raises a
Refusal. Some engines answer alone; others improve on what a search has found and raise its bound.
Both return what a search returns, so that nobody else has to tell them apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treemip.answers.engines.own_rows import Summed, summed
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import never
from treemip.answers.search.start import Searched
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.model import Model


@dataclass(frozen=True)
class Case:
    """A spec over its data, and the model as the spec states it, or what makes that where an engine
    asks for it. late: whether the time for reading the spec as sums is used up."""

    instance: Instance
    model: Model | Callable[[], Model]
    late: Callable[[], bool] = field(default=never, kw_only=True)

    @cached_property
    def stated(self) -> Model:
        return self.model() if callable(self.model) else self.model

    @cached_property
    def spec(self) -> Summed:
        """The spec as sums, made once for all engines. Raises NoSums."""
        return summed(self.instance, self.late)

    @property
    def sign(self) -> float:
        """By which objectives are multiplied to be minimized."""
        return self.stated.objective.sign


@dataclass(frozen=True)
class Effort:
    """seconds: of wall clock. found: the best solution and bound so far, of a search or of another
    engine; None where there are none. on_progress: told of better trees and bounds. threads: the
    most to run on."""

    seconds: float
    seed: int = 0
    on_progress: OnProgress | None = None
    found: Searched | None = None
    threads: int = 1


@dataclass(frozen=True)
class Work:
    """What an engine would go through if bounds ruled nothing out: how many of `what`, and
    seconds."""

    count: float
    what: str
    seconds: float

    def __str__(self) -> str:
        long = self.seconds / 3600
        time = f"{self.seconds:.2g} s" if long < 0.1 else f"{_short(long)} hours"
        return f"about {_short(self.count)} {self.what}, {time} at worst"


def _short(number: float) -> str:
    """In few digits, as 2,400 or 3e9."""
    if number < 1e5:
        return f"{float(f'{number:.2g}'):,g}"
    return f"{number:.0e}".replace("e+0", "e").replace("e+", "e")


@dataclass(frozen=True)
class Listing:
    """trees, best first, and values float64 (n,) of the objective, to be minimized. finished:
    whether there was time for all; dropped: whether more than so many were within the limit."""

    trees: list[Candidate]
    values: np.ndarray
    finished: bool
    dropped: bool

    def pairs(self) -> Iterator[tuple[Candidate, float]]:
        return zip(self.trees, self.values.tolist(), strict=True)


class Engine(ABC):
    """An exact engine ready to run on one case.

    search_seconds: how long a search before it should take, at most; None for as long as a search
    without an engine. missing: the packages that it needs and that are not installed, as a sentence
    that says how to get them; it does not run then.
    """

    search_seconds: float | None = None
    missing: str = ""

    @abstractmethod
    def run(self, effort: Effort) -> Searched:
        """The best tree as a solution of the stated model, and a bound.

        `proven` only where no solution of the stated model is better. `values` None and `failed`
        where the best tree breaks rows that the engine does not know, so that there is a bound
        alone. Raises Refusal where only running shows that it does not take the case.
        """

    def doubt(self, seconds: float) -> str:
        """Why these seconds may be too few for a proof, by the engine's own estimate; it completes
        the sentence "the engine takes the spec, but it ...". "" where they should suffice."""
        return ""

    def described(self) -> str:
        """What the engine makes of the case, in plain text for a researcher: the trees that it goes
        through, the objective, the constraints, and what is relaxed."""
        return "It takes the spec."

    def near_optimal(self, worst: float, most: int, seconds: float) -> Listing | None:
        """All trees whose objective, in its own sense, is no worse than `worst`, the best `most`
        of them where there are more; None where the engine cannot list them."""
        return None


@dataclass(frozen=True)
class ExactEngine:
    """An entry of the registry.

    splits: the kinds of splits that it is about; it is not asked about specs with others.
    after_search: whether it begins with the solution of a search, and improves on that.
    bounds_only: whether it is for specs that no engine takes, with a part of their constraints.
    fits: the engine ready to run on a case. The second argument says whether the time for finding
    out is used up. Raises Refusal, or NoSums, where it does not take the case; `prepared` has both
    as a Refusal.
    """

    name: str
    splits: tuple[str, ...]
    fits: Callable[[Case, Callable[[], bool]], Engine]
    after_search: bool = False
    bounds_only: bool = False
