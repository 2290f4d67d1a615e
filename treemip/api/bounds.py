"""Bounds of a model's continuous relaxation, with and without its cuts, for `treemip stats`.

The relaxation is that of the model as portable files have it, unless a spec's implications are
asked for in another form: of big-M rows it keeps what they say of fractions, of indicators and
special ordered sets nothing, since only branching keeps those.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treemip.core.model.answer import Limits, Status
from treemip.core.model.blocks import Method
from treemip.core.model.model import Model
from treemip.core.solving.solve import choose_continuous, solve
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.methods.separation.relaxation import relaxed
from treemip.methods.separation.separated_model import SeparatedModel

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled

SECONDS = 60.0
"""Of wall clock for one bound, at most."""

WAYS = {
    Method.BIG_M: "big-M rows",
    Method.INDICATOR: "indicators, which the relaxation leaves out",
    Method.SOS1: "special ordered sets, which the relaxation leaves out",
}
"""How a model states its implications, in words."""


@dataclass(frozen=True)
class Bound:
    """cuts: the families of cuts in the model. value: what no solution is better than, None where
    the status is not "optimal". rows: of the model. seconds: of the solver."""

    cuts: tuple[str, ...]
    rows: int
    value: float | None
    status: Status
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "cuts": list(self.cuts),
            "rows": self.rows,
            "bound": self.value,
            "status": self.status,
            "seconds": self.seconds,
        }


def bound_of(model: Model, cuts: tuple[str, ...] = ()) -> Bound:
    """The optimum of the continuous relaxation of a model without nonlinear functions.

    Raises E602 without a solver in memory, KeyboardInterrupt at a signal.
    """
    relaxation = relaxed(model)
    answer = solve(relaxation, choose_continuous(relaxation), Limits(time=SECONDS))
    if answer.status == "interrupted":
        raise KeyboardInterrupt
    value = answer.objective if answer.status == "optimal" else None
    return Bound(cuts, model.row_count, value, answer.status, answer.seconds)


def bounds(compiled: Compiled, cuts: Sequence[str] | None) -> dict[str, Any]:
    """`lp_bound`, that of the compiled model, and `lp_bounds`, what it is with which cuts.

    cuts: families, of which each is tried alone, and all together; first the model without any.
    None for the compiled model alone, and with the initial cuts of its strategy, where these are
    separators. A nonlinear model has no bound: an optimum of Ipopt is a
    local one. Raises E601 for cuts of a nonlinear model, E902 for a name that is no cut.
    """
    nonlinear = bool(compiled.model.tape.steps)
    if cuts is not None and nonlinear:
        message = "the bounds with cuts are of linear programs, and this model is nonlinear"
        raise TreemipError(Diagnostic.outside("E601", message, "leave '--cuts' out"))
    if nonlinear:
        return {"lp_bound": None}
    each = [bound_of(one.model, names) for names, one in _variants(compiled, cuts)]
    own = each[-1]
    if cuts is None:
        each += _with_initial(compiled, own.cuts)
    stated = {"implications": stated_by(compiled), "of": [bound.to_json() for bound in each]}
    return {"lp_bound": own.value, "lp_bounds": stated}


def _with_initial(compiled: Compiled, present: tuple[str, ...]) -> list[Bound]:
    """The bound with the initial cuts that the strategy asks for beside those that are present."""
    initial = compiled.program.spec.strategy.initial
    if not initial:
        return []
    separated = SeparatedModel(compiled.instance, compiled.stated, compiled.model)
    separated.add_initial(time.perf_counter() + SECONDS)
    return [bound_of(separated.model, (*present, *(one.separator for one in initial)))]


def _variants(
    compiled: Compiled, cuts: Sequence[str] | None
) -> Iterator[tuple[tuple[str, ...], Compiled]]:
    """The cuts of each model to solve, the one with most of them last."""
    if cuts is None:
        present = dict.fromkeys(block.name for block in compiled.model.rows if block.cut)
        yield tuple(present), compiled
        return
    named = tuple(cuts)
    last = compiled.with_cuts(named)  # first, so that a wrong name costs no solve
    yield (), compiled.with_cuts(())
    if len(named) > 1:
        for name in named:
            yield (name,), compiled.with_cuts((name,))
    if named:
        yield named, last


def stated_by(compiled: Compiled) -> list[str]:
    """How the model states its implications: "big_m", "indicator", "sos1"; none where it has
    none."""
    model = compiled.model
    ways = {
        Method.BIG_M: any(rows.made_by == Method.BIG_M.value for rows in model.rows),
        Method.INDICATOR: bool(model.implications),
        Method.SOS1: bool(model.special_sets),
    }
    return [way.value for way, is_used in ways.items() if is_used]
