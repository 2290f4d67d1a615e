"""When a search is worth no more time."""

from __future__ import annotations

import numpy as np

from treemip.model.tolerances import SAME_WORTH

WAIT = 1.5  # seconds without a better tree before a search ends early, at least
PATIENCE = 2.0  # times the seconds that the last better tree took
STARTS = 50  # starts without a better tree before it ends, at least
MANY = 300  # starts that need not wait for so many seconds


class Stall:
    """When a search is worth no more time: nothing better for PATIENCE times as long as the last
    better tree took, at least WAIT seconds and STARTS starts. On a tiny table MANY starts do, and
    PATIENCE times as many as the last better tree took."""

    def __init__(self) -> None:
        self.best, self.start, self.at = (True, np.inf), 0, 0.0

    def note(self, standing: tuple[bool, float], starts: int, seconds: float) -> None:
        if standing < (self.best[0], self.best[1] - SAME_WORTH):
            self.best, self.start, self.at = standing, starts, seconds

    def over(self, starts: int, seconds: float) -> bool:
        since = starts - self.start
        if since >= max(MANY, PATIENCE * self.start):
            return True
        return since >= STARTS and seconds - self.at >= max(WAIT, PATIENCE * self.at)
