"""A compiled spec: write it, hand it over, solve it, decode a solution of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treemip.api.lowering import CutNames, LoweredProgram, lower_program
from treemip.api.written import WrittenModel
from treemip.core.files.profiles import PORTABLE, Profile, profile_named, profiles
from treemip.core.instance.instance import Instance
from treemip.core.lower.error_context import traced
from treemip.core.lower.lower import several_objectives
from treemip.core.model.answer import Answer, Limits, Progress
from treemip.core.model.blocks import Implications, Method
from treemip.core.model.model import Model
from treemip.core.reform.presolve.presolve import DEFAULT, Presolved, passes_named, presolved
from treemip.core.reform.reform import Reformed, reform
from treemip.core.reform.target import PLAIN, Target
from treemip.core.source.diagnostic import Diagnostic, fail, refused
from treemip.core.source.pickled import PickledWithoutRows

if TYPE_CHECKING:
    from treemip.api.diagnosis import Diagnosis
    from treemip.api.program import Program
    from treemip.api.result import Result


class Compiled(PickledWithoutRows, WrittenModel):
    """A compiled spec. `stated` is the model as the spec states it, `model` is ready for `target`.

    Where implications depend on the target and none is named, the model is reformulated when it is
    first asked for: for portable files, and in `solve` for the solver. `implication_method`: how
    all implications are stated, if the caller says so. `cuts`: the families that the caller names,
    None for the strategy's.

    `all_objectives`: the program of several objectives that this one's belongs to; None where it
    has one.

    `seconds`: what reading the data ("read") and building the model ("compile") took.

    Pickled, it has its program and settings: model and data have to be made again from these.
    """

    def __init__(
        self,
        program: Program,
        lowered: LoweredProgram,
        seconds: dict[str, float],
        target: str | None = None,
        implication_method: Method = Method.AUTO,
        cuts: CutNames = None,
    ) -> None:
        self.program = program
        self._lowered: LoweredProgram | None = lowered
        self.seconds = seconds
        self.implication_method = implication_method
        self.cuts = cuts
        self.all_objectives: Program | None = None
        self._target = target
        self._reformed: dict[Target, Reformed] = {}
        self._as_stated = False

    def _to_pickle(self) -> dict[str, Any]:
        return {**self.__dict__, "_lowered": None, "_reformed": {}}

    @property
    def lowered(self) -> LoweredProgram:
        """The spec over its data with the model that it states. Raises E301 in a pickle."""
        if self._lowered is None:
            message = "a pickle has neither the model nor its data"
            remedy = "compile again: compiled.program.compile(), after with_data(table) for a table"
            fail("E301", message, remedy=remedy)
        return self._lowered

    @property
    def instance(self) -> Instance:
        """The spec over its data. Raises E301 in a pickle."""
        return self.lowered.instance

    @property
    def stated(self) -> Model:
        """The model as the spec states it. Raises E301 in a pickle, E405 where it does not fit into
        memory."""
        if not self.checked.is_kept:
            began = time.perf_counter()
            self._lowered = lower_program(self.program.file, self.instance, self.cuts)
            self.seconds["compile"] += time.perf_counter() - began
        return self.checked

    @property
    def checked(self) -> Model:
        """The stated model as solutions are checked against it: where its rows take much memory and
        nobody has asked for them, they are made each time (`Model.is_kept`)."""
        return self.lowered.model

    @property
    def sense(self) -> str:
        """Of the objective: "minimize" or "maximize"."""
        return self.checked.objective.sense

    def __repr__(self) -> str:
        if self._lowered is None:
            return f"<Compiled {self.program.source.name}: from a pickle, without its model>"
        rows, columns = self.checked.row_count, self.checked.column_count
        return f"<Compiled {self.program.source.name}: {rows} rows, {columns} columns as stated>"

    def _repr_html_(self) -> str:
        """What a notebook shows: sizes of the model."""
        from treemip.writers.pages.displays import compiled_html

        return compiled_html(self)

    @property
    def target(self) -> str:
        """The profile that the model is reformulated and written for."""
        return self._target or "portable"

    @property
    def asked_target(self) -> str | None:
        """The target that `compile` was given; None without one."""
        return self._target

    @property
    def reformed(self) -> Reformed:
        """The model for `target` and the way back. Raises E5xx."""
        if self._as_stated:
            return Reformed(self.stated, self.stated, ())
        target = self._reform_target(profile_named(self.target))
        if target not in self._reformed:
            began = time.perf_counter()
            with traced(self.program.spec):
                self._reformed[target] = reform(self.stated, target)
            self.seconds["compile"] += time.perf_counter() - began
        return self._reformed[target]

    @property
    def model(self) -> Model:
        return self.reformed.model

    @property
    def presolved(self) -> Presolved:
        """The model as a solver gets it, by the passes that the strategy names; see `solve`."""
        names = self.program.spec.strategy.presolve
        return presolved(self.model, DEFAULT if names is None else names)

    @property
    def depends_on_target(self) -> bool:
        """Whether implications become another thing for one target than for another."""
        return self.implication_method is Method.AUTO and not all(
            map(_as_rows, self.stated.implications)
        )

    def for_solver(self, solver: str) -> Compiled:
        """This, reformulated for a solver's profile, where `compile` was given no target."""
        profile = profiles().get(solver, PORTABLE)
        same = self._reform_target(profile) == self._reform_target(PORTABLE)
        if self._target is not None or same:
            return self
        made = copy(self)
        made._target = profile.name
        return made

    def as_stated(self) -> Compiled:
        """This without any reformulation, for solutions that need none: its model is `stated`."""
        made = copy(self)
        made._as_stated = True
        return made

    @property
    def solved(self) -> Reformed:
        """The model whose columns an answer has, and the way back: `reformed`, but that rows need
        not be kept to read a solution."""
        if self._as_stated:
            return Reformed(self.checked, self.checked, ())
        return self.reformed

    def of_all_objectives(self, program: Program) -> Compiled:
        """This as the first model of a program with several objectives."""
        made = copy(self)
        made.all_objectives = program
        return made

    def with_cuts(self, cuts: Sequence[str]) -> Compiled:
        """The spec compiled again with these families of cuts. Raises E902 for an unknown one."""
        return self.program.compile(cuts, target=self._target, implications=self.implied)

    def choosing_model(self) -> Model:
        """What a solver is chosen by: without implications, of which each solver gets its own form,
        unless the caller says which. Raises E5xx."""
        if self._target is not None or not self.depends_on_target:
            return self.model
        plain = self.stated.with_(implications=())
        with traced(self.program.spec):
            return reform(plain, PLAIN).model

    def _reform_target(self, profile: Profile) -> Target:
        """What the model is reformulated for: the same for all profiles if it is for each."""
        return (
            Target.of(profile.caps)
            if self.depends_on_target
            else Target(method=self.implication_method)
        )

    @property
    def warnings(self) -> list[Diagnostic]:
        """Of the spec, of its data and of the model. Raises E301 in a pickle."""
        return list(self.lowered.warnings)

    # -------------------------------------------------------------------- solving

    def solve(
        self,
        solver: str | None = None,
        *,
        time_limit: float | None = None,
        gap: float | None = None,
        absolute_gap: float | None = None,
        threads: int | None = None,
        feasibility: float | None = None,
        seed: int | None = None,
        start: Any = None,
        starts: int | None = None,
        presolve: str | Sequence[str] | None = None,
        log: bool = False,
        keep: str | Path | None = None,
        log_json: str | Path | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_interrupt: Literal["raise", "keep"] = "raise",
        spent: float = 0.0,
        backend: str | None = None,
        resume: str | Path | None = None,
    ) -> Result:
        """Solve and bring the verified tree back.

        Arguments left out are taken from the spec's strategy. solver: "auto", which may be an exact
        engine in the solver's place; "mip", the model's solver without it; one in memory ("highs",
        "scip", "ipopt"), one installed beside treemip (see treemip/core/solvers), or "command:"
        and a command line. start: "search", which is what a solve begins with where the spec's
        trees can be searched, "cart", "local_svm", "svm_tree" or "none"; a tree to begin from, as
        the path of a tree.json, a Result, a Tree, a fitted DecisionTreeClassifier or
        DecisionTreeRegressor of scikit-learn, or a dictionary of values by variable; or a list of
        any of these, of which the best feasible one is taken. A tree whose features or classes
        are not those of the spec's data is an E302 or E305; one that is not feasible is a warning,
        W601. starts: from how many points Ipopt begins, at random by `seed`; 10 by default. Seconds
        and gaps as in `Limits`.
        presolve: names of the passes that make the model smaller for the solver, "none" for none;
        "merge_points" by default.
        keep: a new or empty folder for model, solution and log of an installed solver, E603 for one
        with files; of an iterative selection each round has a folder in it. log_json: a file for
        the progress, a line of JSON for each event. on_interrupt: what Ctrl-C does. "raise": it is
        the KeyboardInterrupt that it is everywhere, and nothing is returned; "keep": the first one
        ends the search, and the best tree so far is the result, whose status is "interrupted". No
        other signal is handled, and none outside the main thread. spent: seconds of the time limit
        that are gone already, such as those of `compile`. backend: who shares the proof of a
        univariate tree of depth 3 or more: "loky", `threads` processes of this machine, by default
        one for each core, or "dask", the cluster that is connected or that DASK_SCHEDULER_ADDRESS
        names. resume: a folder for what they prove, from which the same solve goes on; E902 where
        it is another problem's. An argument that means nothing to the solver is an E902, a setting
        of the strategy that does a warning, W602.
        The model is reformulated for the solver, unless `compile` was given a target; the result's
        `compiled` has it as the solver got it. Raises TreemipError, and KeyboardInterrupt.
        """
        from treemip.api.pipeline import solve
        from treemip.api.progress_log import logged
        from treemip.api.shared_proof import shared_by
        from treemip.api.starts import start_of
        from treemip.core.solving.interrupt import stopping_together
        from treemip.core.strategy.settings import Settings

        if on_interrupt not in ("raise", "keep"):
            raise refused(f"on_interrupt is {on_interrupt!r}", 'give "raise" or "keep"')
        begun = start_of(start, self)
        given = Settings(
            solver,
            time_limit,
            gap,
            absolute_gap,
            threads,
            feasibility,
            seed,
            begun,
            starts,
            presolve=passes_named(presolve),
        )
        folder = None if keep is None else Path(keep)
        with (
            stopping_together() if on_interrupt == "keep" else nullcontext(),
            shared_by(backend, resume, threads or self.program.spec.strategy.threads) as note,
        ):
            result = logged(
                log_json, on_progress, lambda tell: solve(self, given, log, folder, tell, spent)
            )
            result = note(result)
        if result.status == "interrupted" and on_interrupt == "raise":
            raise KeyboardInterrupt  # a solver of its own process was, or a block around this one
        return result

    def require_one_objective(self) -> None:
        """Raises E218 where the spec has several objectives, of which one model holds one."""
        if self.all_objectives is not None and self.all_objectives.spec.objective is not None:
            raise several_objectives(self.all_objectives.spec.objective.span)

    @property
    def implied(self) -> Literal["big_m", "indicator", "sos1"] | None:
        """How all implications are stated, by the word that `Program.compile` takes."""
        method = self.implication_method
        return None if method is Method.AUTO else method.value

    # ------------------------------------------------------------------- decoding

    def decode(self, path: str | Path) -> Result:
        """The tree of a solution file that another solver wrote for this model's MPS file.

        The file may use spec names or short ids. The result of a file that says there is no
        solution has a status and no tree. Raises E606, E607.
        """
        self.require_one_objective()
        from treemip.core.files.solution_formats import read_solution
        from treemip.core.solving.solution_values import answer_of

        return self.result(answer_of(self.model, read_solution(path)), {}, [])

    def tree_of(self, values: Sequence[float] | np.ndarray, solver: str = "") -> Result:
        """What values of the model's columns mean: a verified tree, as `solve` gives it.

        values: (columns,) in the model's order, from a live model or any other source. solver:
        who found them, for tree.json. Raises E607 for another number of values.
        """
        self.require_one_objective()
        from treemip.core.solving.solution_values import answer_from

        return self.result(answer_from(self.model, values, solver), {}, [])

    def result(self, answer: Answer, stages: dict[str, float], notes: list[Diagnostic]) -> Result:
        """What an answer means: tree, verification, and everything tree.json has."""
        from treemip.api.pipeline import result

        return result(self, answer, stages, notes)

    def diagnose(self, time_limit: float | None = None) -> Diagnosis:
        """Which requirements of the spec have no solution together, as few as that takes, and how
        far each must give for the others to hold.

        time_limit: seconds of wall clock, none without. Raises E601 for models HiGHS cannot take,
        where it is not the requirements, E602, and E902 for a negative limit. After Ctrl-C what was
        tried is in the `found` of the KeyboardInterrupt.
        """
        from treemip.api.diagnosis import diagnose

        return diagnose(self, Limits(time=time_limit).time)

    # ------------------------------------------------------------------ describing

    def stats(self, relaxation: bool = False, cuts: Sequence[str] | None = None) -> dict[str, Any]:
        """Sizes of the model; with `relaxation` the bound of its continuous relaxation as well.

        cuts: families of cuts; the bounds are then those without any, with each, and with all of
        them. Raises E601 for cuts of a nonlinear model, E902 for a name that is no cut.
        """
        from treemip.api.stats import stats

        return stats(self, relaxation, cuts)

    def stats_frame(self) -> Any:
        """A line for each family of variables and rows: a DataFrame of pandas, else of polars.

        Columns: family, of ("variables" or "constraints"), kind, length. Raises E602 without
        either package.
        """
        from treemip.api.stats import frame

        return frame(self)

    def explain(self, engine: bool = False) -> str:
        """The spec, its symbols and its reformulations, as Markdown; with `engine`, what exact
        engines make of it, as plain text."""
        from treemip.api.explain import explain

        return explain(self, engine=engine)


def _as_rows(block: Implications) -> bool:
    """Whether every target gets big-M rows for the implications."""
    given = block.method is Method.AUTO and block.big_m is not None
    return given or block.method is Method.BIG_M
