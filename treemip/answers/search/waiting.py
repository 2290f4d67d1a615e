"""Which trees are completed at once: a completion reads all rows of the model, which among many
points takes a good share of the time, and a better tree may turn up soon."""

from __future__ import annotations

import numpy as np

from treemip.answers.search.candidate import Candidate

COSTLY = 0.02  # share of the time limit, from which on a completion is worth waiting for
REST = 10  # times the seconds of a completion, after which the next one is due


class Waiting:
    """The best tree that is still to be completed, and its objective, to be minimized; infinite
    without one. limit: seconds of the search. seconds: of the last completion."""

    def __init__(self, limit: float) -> None:
        self.limit, self.seconds, self.ended = limit, 0.0, 0.0
        self.clear()

    def clear(self) -> None:
        self.objective: float = np.inf
        self.tree: Candidate | None = None

    def put(self, objective: float, tree: Candidate) -> None:
        self.objective, self.tree = objective, tree

    def note(self, began: float, ended: float) -> None:
        """A completion, in seconds of the search."""
        self.seconds, self.ended = ended - began, ended

    @property
    def costly(self) -> bool:
        return self.seconds >= COSTLY * self.limit

    @property
    def until(self) -> float:
        """When time for one more completion is left, in seconds of the search; infinite where
        completions cost little."""
        return self.limit - self.seconds if self.costly else np.inf

    def pays(self, now: float) -> bool:
        """Whether the next completion is better put off."""
        return self.costly and now - self.ended <= REST * self.seconds
