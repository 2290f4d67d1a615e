"""The incumbent: the better of start and answer, and what the objective proves of it."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np

from treemip.core.model.answer import (
    CLAIMED_STATUSES,
    PROVEN_STATUSES,
    WITHOUT_SOLUTION,
    Answer,
    OnProgress,
    Progress,
    Status,
    relative_gap,
)
from treemip.core.model.bounds import objective_bound
from treemip.core.model.model import Model
from treemip.core.model.tolerances import DOUBTFUL, PROVEN
from treemip.core.model.values import objective_value

DISPROVEN: dict[Status, str] = {
    "optimal": "the solver called a solution optimal that is worse than the start",
    "infeasible": "the solver called the model infeasible, but the start is a solution",
}
"""Messages for a solver's claim that the start disproves, by the status claimed."""


def unsolved(solver: str, status: Status, seconds: float, message: str = "") -> Answer:
    """The answer of a solver that was not run, or not to its end."""
    return Answer(status, None, None, None, None, seconds, None, solver, "", message=message)


def with_start(model: Model, answer: Answer, start: np.ndarray | None) -> Answer:
    """The answer, or the start in its place where the solver has found nothing as good.

    start: float64 (columns,), a solution of `model`. A start that no solution should be as good
    as, by the solver's word, disproves that word: the status is "feasible" then, without a bound.
    """
    if start is None or answer.status in ("unbounded", "infeasible_or_unbounded"):
        return answer
    worth, sign = objective_value(model, start), _sign(model)
    allowed = DOUBTFUL if answer.status in CLAIMED_STATUSES else PROVEN
    own = -inf if answer.objective is None else sign * answer.objective
    if answer.values is not None and sign * worth <= own + allowed * max(1.0, abs(worth)):
        return answer
    status: Status = answer.status
    bound, message = answer.bound, answer.message
    past = bound is not None and sign * (worth - bound) > DOUBTFUL * max(1.0, abs(worth))
    if past or status in DISPROVEN:
        note = DISPROVEN.get(status, "the solver's bound excludes the start, which is a solution")
        status, bound, message = "feasible", None, "; ".join(filter(None, [message, note]))
    elif status in ("no_solution", "locally_optimal"):
        status = "feasible"
    if bound is not None:
        bound = sign * max(sign * bound, sign * worth)
    gap = relative_gap(worth, bound)
    taken = replace(answer, status=status, values=start, objective=worth, bound=bound, gap=gap)
    return replace(taken, start_accepted=True, message=message)


def without_claim(answer: Answer, refuted: tuple[str, ...]) -> Answer:
    """The answer of a model with `refuted` cuts: the solution stands, bound and proof do not."""
    if not refuted:
        return answer
    proofs: dict[Status, Status] = {
        "optimal": "feasible",
        "gap_limit": "feasible",
        "infeasible": "no_solution",
        "infeasible_or_unbounded": "no_solution",
    }
    names = ", ".join(f"'{name}'" for name in refuted)
    note = f"a solution violates only the cut {names}, so nothing is proven with this cut"
    status = proofs.get(answer.status, answer.status)
    message = "; ".join(filter(None, [answer.message, note]))
    return replace(answer, status=status, bound=None, gap=None, message=message)


def with_own_bound(model: Model, answer: Answer, most: float | None = None) -> Answer:
    """The answer with its bound held by the objective's own; optimal where that is reached.

    most: `objective_bound`, where the caller has it. Ipopt's answers stay without a bound, unless
    they are proven optimal by it.
    """
    if answer.status in WITHOUT_SOLUTION | PROVEN_STATUSES:
        return answer
    most, sign = objective_bound(model) if most is None else most, _sign(model)
    if not isfinite(most):
        return answer
    if reaches(model, answer.objective, most):
        optimal: Status = "optimal"
        bound = answer.objective
        return replace(answer, status=optimal, bound=bound, gap=0.0, proven_by="objective")
    if answer.bound is None and answer.solver == "ipopt":
        return answer
    if answer.bound is not None and sign * answer.bound <= sign * most:
        return answer
    gap = relative_gap(answer.objective, most)
    return replace(answer, bound=most, gap=gap, proven_by="objective")


def tighter(model: Model, bound: float | None) -> float:
    """The objective's own bound, or the one given where that is tighter."""
    return model.objective.tighter(objective_bound(model), bound)


def reaches(model: Model, objective: float | None, most: float) -> bool:
    """Whether an objective is as good as `most`, but for what solvers call no difference."""
    if objective is None or not isfinite(most):
        return False
    return _sign(model) * (most - objective) <= PROVEN * max(1.0, abs(objective))


def _sign(model: Model) -> float:
    return -model.objective.sign


def staged(
    on_progress: OnProgress | None,
    stage: str,
    before: float,
    model: Model,
    worth: float | None,
) -> OnProgress | None:
    """A callback for a solver whose reports tell the stage and count the seconds `before` it.

    worth: of the start; it is told for as long as the solver has nothing as good.
    """
    if on_progress is None:
        return None
    sign = _sign(model)

    def tell(progress: Progress) -> None:
        best = progress.objective
        if worth is not None and (best is None or sign * best < sign * worth):
            best = worth
        gap = relative_gap(best, progress.bound)
        seconds = before + progress.seconds
        on_progress(replace(progress, seconds=seconds, objective=best, gap=gap, stage=stage))

    return tell


def of_all_stages(on_progress: OnProgress | None, model: Model) -> OnProgress | None:
    """A callback that is told the best objective and bound of all stages so far: a search begins
    without what the engine before it has found, and the answer is the better of the two."""
    if on_progress is None:
        return None
    sign = _sign(model)
    best: float | None = None
    low: float | None = None

    def tell(progress: Progress) -> None:
        nonlocal best, low
        objective, bound = progress.objective, progress.bound
        if objective is not None and (best is None or sign * objective > sign * best):
            best = objective
        if bound is not None and (low is None or sign * bound < sign * low):
            low = bound
        gap = relative_gap(best, low)
        on_progress(replace(progress, objective=best, bound=low, gap=gap))

    return tell
