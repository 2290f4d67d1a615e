"""The best of several starts, with what all of them have found out."""

from __future__ import annotations

from dataclasses import replace

from treemip.model.model import Model
from treemip.model.values import objective_value
from treemip.strategy.incumbent import with_start
from treemip.strategy.warm_start import WITHOUT, WarmStart


class BestStart:
    """`start`: the best one so far, with the notes, refuted cuts and seconds of all starts, and
    the tightest bound."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sign = -1.0 if model.objective.sense == "maximize" else 1.0
        self.start = WarmStart()

    @property
    def worth(self) -> float | None:
        """The objective of the best start."""
        return self._worth(self.start)

    def add(self, one: WarmStart) -> bool:
        """Whether it is better than all before it. One that was stopped ends the starts: what
        stopped it is kept, with the best start as its solution where that is better."""
        worth, before = self._worth(one), self.worth
        better = worth is not None and (before is None or self.sign * worth < self.sign * before)
        so_far = self.start
        solution = one if better else so_far
        if solution.values is None and so_far.stated is None:
            solution = one  # what is a solution of the stated model alone
        seconds = dict(so_far.seconds)
        for stage, took in one.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + took
        new = tuple(name for name in one.refuted if name not in so_far.refuted)
        self.start = replace(
            solution,
            notes=(*so_far.notes, *one.notes),
            stopped=one.stopped,
            bound=self._tightest(so_far.bound, one.bound),
            refuted=(*so_far.refuted, *new),
            seconds=seconds,
        )
        if one.stopped is not None and one.stopped.status == "interrupted":
            stopped = with_start(self.model, one.stopped, self.start.values)
            self.start = replace(self.start, stopped=stopped)
        return better

    def result(self) -> WarmStart:
        """The best start; no note then says that there is none."""
        if self.start.values is None:
            return self.start
        notes = (replace(n, message=n.message.removesuffix(WITHOUT)) for n in self.start.notes)
        return replace(self.start, notes=tuple(notes))

    def _worth(self, one: WarmStart) -> float | None:
        return None if one.values is None else objective_value(self.model, one.values)

    def _tightest(self, *bounds: float | None) -> float | None:
        known = [self.sign * bound for bound in bounds if bound is not None]
        return self.sign * max(known) if known else None
