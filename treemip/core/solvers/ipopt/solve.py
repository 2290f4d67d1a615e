"""Ipopt from CasADi's wheel: a local solution of a smooth continuous model.

Wächter and Biegler, 2006. Options: https://coin-or.github.io/Ipopt/OPTIONS.html. Ipopt proves
nothing about the rest of the box, so its best word is "locally_optimal" and there is no bound
(docs/decisions/010). What is reported was checked: rows and bounds are computed anew from the
values by the model's own tape, and a point that misses them is no solution.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakMethod

import numpy as np

from treemip.core.files.requirements import demand_taken
from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress, Progress, Status
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Smooth, Tape
from treemip.core.model.tolerances import FEASIBILITY, IPOPT_BARRIER, IPOPT_OPTIMALITY, IPOPT_PUSH
from treemip.core.model.values import objective_value, violation
from treemip.core.registry import solvers
from treemip.core.solvers.ipopt.hessian import derivatives
from treemip.core.solvers.ipopt.model import CasadiModel, to_casadi
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.optional import needed
from treemip.core.solving.outcome import Outcome, settle
from treemip.core.solving.start_completion import checked

if TYPE_CHECKING:
    import casadi
    import scipy.sparse

    from treemip.core.solvers.ipopt.model import CasadiModel

    Ends = Callable[[casadi.DM, casadi.DM, casadi.DM], bool]

STATUS: dict[str, Status] = {
    "Solve_Succeeded": "locally_optimal",
    "Solved_To_Acceptable_Level": "locally_optimal",
    "Feasible_Point_Found": "feasible",
    "Search_Direction_Becomes_Too_Small": "feasible",
    "Maximum_Iterations_Exceeded": "solver_limit",
    "Maximum_CpuTime_Exceeded": "time_limit",
    "Maximum_WallTime_Exceeded": "time_limit",
}
"""By Ipopt's status; all others, local infeasibility too, prove nothing and give no solution."""

NEAR = {"mu_init": IPOPT_BARRIER, "bound_push": IPOPT_PUSH, "bound_frac": IPOPT_PUSH}
"""Options for a point that is nearly a solution: by default Ipopt moves it well inside its bounds
first, where a tree with labels of 0 and 1 is another tree."""


@dataclass(frozen=True)
class Run:
    """One run from one point. values: feasible ones or None; words: Ipopt's own status."""

    status: Status
    values: np.ndarray | None
    objective: float
    words: str
    iterations: int


class Ipopt:
    """A model built for Ipopt once, to be solved from any number of points.

    Raises E601 for integers, implications and functions, E602 without casadi, E402 and E403 as
    `to_casadi` does.
    """

    def __init__(
        self, model: Model, limits: Limits = NO_LIMITS, on_progress: OnProgress | None = None
    ) -> None:
        demand_taken(model, solvers()["ipopt"])
        ca = needed("casadi", "casadi")  # imported before time is counted
        began = time.perf_counter()
        self.model = model
        self.limits = limits
        self.tolerance = limits.feasibility or FEASIBILITY
        self.made: CasadiModel = to_casadi(model)
        self.watch = Watch(limits.time, on_progress)
        self.out_of_time = False
        self._derivatives = derivatives(self.made, model)
        self._solvers: dict[bool, casadi.Function] = {}
        # Weakly: what CasADi holds would otherwise wait for the collector of circles.
        self._keep = stopper(ca, self.made, WeakMethod(self._ends))
        self._least: int | None = None
        self._solver(near=False)
        self._built = time.perf_counter() - began

    def solve(
        self, points: Iterable[np.ndarray], near: int = 0, seconds: float | None = None
    ) -> Answer:
        """The best of the runs from all points, float64 (columns,) each.

        near: how many of the points, from the first one on, are nearly solutions, which a run
        stays near (`NEAR`). seconds: of wall clock, where that is not the rest of the time limit.
        Ctrl-C and the time limit end the current run and keep what was found.
        """
        self.watch = Watch(self._left() if seconds is None else seconds, self.watch.on_progress)
        runs: list[Run] = []

        def work() -> None:
            for number, point in enumerate(points):
                if self._stops():
                    break
                runs.append(self._run(point, number < near))
                self._report(runs)

        interrupted = self.watch.run(work, stop=lambda: None)
        return self._answer(runs, interrupted)

    def _left(self) -> float | None:
        """What building the model has left of the time limit."""
        return None if self.limits.time is None else max(0.0, self.limits.time - self._built)

    def point(self, number: int, start: np.ndarray | None = None) -> np.ndarray:
        """Random point `number` of the limits' seed, with what `start` knows in its place.

        Raises E607 for a start of the wrong length.
        """
        drawn = random_point(self.model, self.limits.seed or 0, number)
        if start is None:
            return drawn
        start = checked(start, self.model.column_count)
        return np.where(np.isnan(start), drawn, start)

    def advance(self, point: np.ndarray, iterations: int, near: bool = False) -> np.ndarray:
        """Where so many iterations lead, and as many more as it takes to a solution.

        point: float64 (columns,), as what is given back; that is no solution where Ipopt finds
        none. The clock that counts is that of the caller's `watch`.
        """
        self._least = iterations
        try:
            start = np.clip(point, self.made.lower, self.made.upper)
            return self._inside(self._solver(near)(x0=start, **self.made.bounds)["x"])
        finally:
            self._least = None

    def gradients(self, x: np.ndarray) -> tuple[np.ndarray, scipy.sparse.csc_array]:
        """At x (columns,): that of the minimized objective, (columns,), and those of the rows."""
        solver = self._solver(near=False)
        _, slope = solver.get_function("nlp_grad_f")(x, [])
        _, rows = self._derivatives["jac_g"](x, [])
        return np.array(slope, np.float64).ravel(), rows.sparse()

    # ------------------------------------------------------------------------- one run

    def _run(self, point: np.ndarray, near: bool = False) -> Run:
        made, solver = self.made, self._solver(near)
        if (made.row_lower == made.row_upper).sum() > len(made.lower):
            # Ipopt would refuse it with these words, and CasADi warn on the terminal.
            return Run("no_solution", None, np.nan, "Not_Enough_Degrees_Of_Freedom", 0)
        found = solver(x0=np.clip(point, made.lower, made.upper), **made.bounds)
        said = solver.stats()
        words = str(said["return_status"])
        status = STATUS.get(words, "no_solution")
        if words == "User_Requested_Stop":
            status = "time_limit" if self.out_of_time else "interrupted"
        values = self._inside(found["x"])
        iterations = int(said.get("iter_count", 0))
        if status == "no_solution" or not violation(self.model, values) <= self.tolerance:
            lost: Status = "no_solution" if status in ("locally_optimal", "feasible") else status
            return Run(lost, None, np.nan, words, iterations)
        return Run(status, values, objective_value(self.model, values), words, iterations)

    def _ends(self, f: casadi.DM, x: casadi.DM, g: casadi.DM) -> bool:
        """Whether the run ends at the iterate x."""
        if self._stops():
            return True
        if self._least is None:
            return False
        self._least -= 1
        return self._least < 0 and violation(self.model, self._inside(x)) <= self.tolerance

    def _inside(self, x: casadi.DM) -> np.ndarray:
        """Values of Ipopt's, float64 (columns,), within the bounds."""
        values = np.array(x, np.float64).ravel()
        inside: np.ndarray = np.clip(values, self.made.lower, self.made.upper)
        return inside

    def _stops(self) -> bool:
        self.out_of_time = self.watch.left(np.inf) <= 0
        return self.out_of_time or self.watch.stopping.is_set()

    def _solver(self, near: bool) -> casadi.Function:
        """Ipopt with its own options or those of `NEAR`, built when it is first asked for."""
        if near in self._solvers:
            return self._solvers[near]
        self._solvers[near] = solver_of(
            self.made, self._derivatives, self._keep, self.limits, NEAR if near else {}
        )
        return self._solvers[near]

    # ----------------------------------------------------------------------- all of them

    def _best(self, runs: list[Run]) -> Run | None:
        sign = -1.0 if self.made.negated else 1.0
        return min(
            (r for r in runs if r.values is not None),
            key=lambda r: sign * r.objective,
            default=None,
        )

    def _report(self, runs: list[Run]) -> None:
        best = self._best(runs)
        worth = None if best is None else best.objective
        self.watch.report(Progress(self.watch.seconds, worth, None, None, len(runs)))

    def _answer(self, runs: list[Run], interrupted: bool) -> Answer:
        best = self._best(runs)
        status: Status = "no_solution" if best is None else best.status
        if interrupted or self.out_of_time:
            status = "interrupted" if interrupted else "time_limit"
        elif best is None and runs:
            status = runs[-1].status
        values = None if best is None else best.values
        answer = settle(
            self.model,
            self.limits,
            Outcome(status, values, np.nan, 0, _said(runs, best, self.limits)),
            seconds=self.watch.seconds,
            solver=("ipopt", version()),
            start_accepted=None,
        )
        return replace(answer, gap=None)


def solve_ipopt(
    model: Model,
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
) -> Answer:
    """One run of Ipopt from `start`, float64 (columns,), nan where a value is unknown.

    Unknown columns, and all of them without a start, begin at random, by `limits.seed`
    (`random_point`): the middle of a box is often a saddle point, where Ipopt would stay. A gap
    and threads do not concern Ipopt. Raises what `Ipopt` raises, and E607 for a start of the wrong
    length.
    """
    ipopt = Ipopt(model, limits, on_progress)
    answer = ipopt.solve([ipopt.point(0, start)])
    return replace(answer, start_accepted=None if start is None else True)


def _said(runs: list[Run], best: Run | None, limits: Limits) -> str:
    words = []
    if best is None:
        words += sorted({f"Ipopt: {r.words.replace('_', ' ').lower()}" for r in runs})
    elif best.words != "Solve_Succeeded":
        words.append(f"Ipopt: {best.words.replace('_', ' ').lower()}")
    if len(runs) > 1:
        found = sum(r.values is not None for r in runs)
        words.append(f"best of {len(runs)} starts, {found} of which gave a solution")
    if limits.gap or limits.absolute_gap:
        words.append("Ipopt proves no bound, so the gap limit has no effect")
    return "; ".join(words)


def version() -> str:
    """That of the wheel: CasADi does not tell Ipopt's own."""
    return f"(casadi {needed('casadi', 'casadi').__version__})"


def solver_of(
    made: CasadiModel,
    derivatives: Mapping[str, casadi.Function],
    keep: casadi.Callback,
    limits: Limits,
    options: Mapping[str, object],
) -> casadi.Function:
    """Ipopt for the model, with the user's options; `keep` is called at each iteration."""
    tolerance = limits.feasibility or FEASIBILITY
    settings = {
        "print_time": False,
        "show_eval_warnings": limits.log,
        "iteration_callback": keep,
        **derivatives,
        # The gradient of the Lagrangian would only serve sensitivities, which nobody asks for.
        "no_nlp_grad": True,
        "calc_lam_p": False,
        "ipopt": {
            "print_level": 5 if limits.log else 0,
            "sb": "yes",
            "tol": IPOPT_OPTIMALITY,
            "constr_viol_tol": tolerance,
            "acceptable_constr_viol_tol": tolerance,
            "honor_original_bounds": "yes",
            **options,
        },
    }
    return needed("casadi", "casadi").nlpsol("ipopt", "ipopt", made.nlp, settings)


# ---------------------------------------------------------------------- random points to begin from

STEEP = 2.0
"""Root mean square, at a random point, of the arguments that logistic functions have."""


def random_point(model: Model, seed: int, number: int = 0) -> np.ndarray:
    """Point `number` of a seed's sequence, float64 (columns,).

    A logistic function is flat but for arguments of a few units, and where it is flat nothing pulls
    at what it is taken of. With the parameters of Amaldi, Consolo and Manno (2023), gamma = 512
    and coefficients from -1 to 1, points drawn from the whole box have arguments of some hundreds:
    most runs end where they began, with a tree that hardly splits (docs/decisions/019).

    Drawn uniformly within the bounds; a column without a bound gets a value within 1 of 0, or
    within 2 of its only bound. Columns in the arguments of logistic functions are then drawn
    together, as near to 0 as it takes for their root mean square to be at most STEEP. Point k is
    the same however many points are drawn.
    """
    lower, upper = model.lower, model.upper
    low = np.where(np.isfinite(lower), lower, np.minimum(-1.0, upper - 2.0))
    high = np.where(np.isfinite(upper), upper, np.maximum(1.0, low + 2.0))
    low = np.where(np.isfinite(low), low, high - 2.0)
    point = np.random.default_rng([seed, number]).uniform(low, high)
    center = np.clip(0.0, lower, upper)
    shrunk: np.ndarray = center + _factors(model.tape, point) * (point - center)
    return shrunk


def _factors(tape: Tape, point: np.ndarray) -> np.ndarray:
    """The factor of each column, from the steepest step that contains it."""
    found = np.ones(len(point))
    for k in tape.arguments_of(Smooth.LOGISTIC):
        step = tape.steps[k]
        if isinstance(step, Affine) and step.columns.nonzeros:
            rows = step.columns
            sums = np.bincount(rows.row_of, rows.data * point[rows.indices], rows.count)
            size = float(np.sqrt(np.mean(sums**2)))
            if size > STEEP:
                found[rows.indices] = np.minimum(found[rows.indices], STEEP / size)
    return found


# --------------------- CasADi's hook between two iterations, the one place where a run can be ended


def stopper(ca: casadi, made: CasadiModel, stops: WeakMethod[Ends]) -> casadi.Callback:
    """A callback that ends the run when `stops` says so of (f, x, g); the caller keeps it alive."""
    rows, columns = made.g.numel(), made.x.numel()
    known = made.p.numel()
    sizes = {"f": 1, "x": columns, "lam_x": columns, "g": rows, "lam_g": rows, "lam_p": known}
    return _stopper_class(ca)(sizes, stops)


@cache
def _stopper_class(ca: casadi) -> type[casadi.Callback]:
    """A class, which can only be defined once CasADi is imported."""
    names = tuple(ca.nlpsol_out(i) for i in range(ca.nlpsol_n_out()))
    at = [names.index(name) for name in ("f", "x", "g")]

    class Stopper(ca.Callback):
        def __init__(self, sizes: dict[str, int], stops: WeakMethod[Ends]) -> None:
            ca.Callback.__init__(self)
            self.sizes = sizes
            self.stops = stops
            self.construct("stopper", {})

        def get_n_in(self) -> int:
            return len(names)

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return str(names[i])

        def get_name_out(self, i: int) -> str:
            return "ret"

        def get_sparsity_in(self, i: int) -> casadi.Sparsity:
            return ca.Sparsity.dense(self.sizes.get(names[i], 0), 1)

        def eval(self, arguments: list[casadi.DM]) -> list[float]:
            stops = self.stops()
            return [float(stops is not None and stops(*(arguments[k] for k in at)))]

    return Stopper
