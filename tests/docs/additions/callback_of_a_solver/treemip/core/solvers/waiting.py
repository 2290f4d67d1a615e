"""Reports the start that it was given until it is stopped."""

from __future__ import annotations

import time
from math import inf

import numpy as np

from treemip.core.files.profiles import NOTHING_MORE, Caps
from treemip.core.model.answer import Answer, Limits, OnProgress, Progress
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.solving.solver import Solver


def _solve(
    model: Model, limits: Limits, start: np.ndarray | None, on_progress: OnProgress | None
) -> Answer:
    from treemip.core.solving.interrupt import Watch
    from treemip.core.solving.outcome import Outcome, settle

    watch = Watch(limits.time, on_progress)
    assert start is not None

    def work() -> None:
        while watch.left(inf) and not watch.stopping.is_set():
            worth = objective_value(model, start)
            watch.report(Progress(watch.seconds, worth, None, None, 0))
            time.sleep(0.01)

    stopped = watch.run(work, stop=lambda: None)
    outcome = Outcome("interrupted" if stopped else "time_limit", start, -inf, None)
    return settle(
        model, limits, outcome, seconds=watch.seconds, solver=("waiting", "1"), start_accepted=True
    )


SOLVER = Solver(
    "waiting", "Waiting", Caps(mps=NOTHING_MORE), order=100, package="numpy", solve=_solve
)
