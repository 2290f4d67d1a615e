"""What is known of how good a solution is, who proved it, and whether the tree disproves that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from treemip.core.model.answer import PROVEN_STATUSES, Answer, relative_gap
from treemip.core.model.blocks import family
from treemip.core.model.model import Model
from treemip.core.model.tolerances import VERIFIED
from treemip.core.registry import separators, solvers
from treemip.core.resolve.checks import separated_set
from treemip.core.resolve.modules import own_cuts
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.source.suggest import listed
from treemip.core.tree.verify import Verdict, VerifyReport, better_by

STARTED = {
    "engine": "an exact engine",
    "search": "tree search",
    "cart": "CART",
    "local_svm": "Local SVM",
    "svm_tree": "the SVM tree",
    "start": "the given start",
}
"""Starts, which find a solution when no solver is called."""


@dataclass(frozen=True)
class Optimality:
    """Whether a solution is proven to be the best, by whom, and how far it may be from that.

    gap: relative, as the solver's bound leaves it; 0 when proven, None where no bound is known.
    local: whether the solver searches for local optima only. false_bound: a bound that the solver
    gave and the tree disproves; there is no proof and no gap then. given: the spec's own cuts in
    the model, which treemip does not prove to be valid.
    """

    proven: bool
    by: str
    gap: float | None
    local: bool = False
    false_bound: float | None = None
    given: tuple[str, ...] = ()

    def text(self, verdict: Verdict) -> str:
        """A clause for the line of the verdict, such as "optimality not proven (gap 12 %)".

        A proof is of the solver's solution: of a tree that is not verified it says nothing.
        """
        who = f" by {self.by}" if self.by else ""
        if self.proven and verdict == "not verified":
            return f"the solution, not the tree, is proven optimal{who}"
        if self.proven:
            return f"proven optimal{who}{self._given()}"
        if self.false_bound is not None:
            whose = f"{self.by}'s bound" if self.by else "the bound"
            return f"optimality not proven: {whose} {self.false_bound:.9g} is false"
        if self.local:
            return f"locally optimal{who}, not proven optimal"
        if self.gap is None:
            return "optimality not proven"
        return f"optimality not proven (gap {100 * self.gap:.3g} %)"

    def _given(self) -> str:
        if not self.given:
            return ""
        cuts = "cut" if len(self.given) == 1 else "cuts"
        return f", given the spec's {cuts} {listed(self.given)}"

    def to_json(self) -> dict[str, Any]:
        """What tree.json says beside `gap` and `status`, which have the rest."""
        return {
            "proven": self.proven,
            "by": self.by or None,
            "false_bound": self.false_bound,
            **({"given_cuts": list(self.given)} if self.given else {}),
        }


def titled(solver: str, version: str) -> str:
    """A solver in the writing of its makers, with its version: "SCIP 10.0.2"."""
    known = {name: one.title for name, one in solvers().items()}
    title = (known | STARTED).get(solver, solver)
    return f"{title} {version}" if version else title


def own_bound(solver: str) -> str:
    """Who proves a solution optimal that is as good as the objective can be at all."""
    found = f", found by {solver}" if solver else ""
    return f"the objective's own bound{found}"


def claimed(answer: Answer, given: tuple[str, ...] = ()) -> Optimality:
    """What the solver says of its solution. given: as of `Optimality`."""
    by = titled(answer.solver, answer.solver_version)
    if answer.proven_by == "objective" and answer.status == "optimal":
        by = own_bound(by)
    proven = answer.status == "optimal" and closed(answer.objective, answer.bound)
    gap = 0.0 if proven else answer.gap
    return Optimality(proven, by, gap, answer.status == "locally_optimal", given=given)


def closed(objective: float | None, bound: float | None) -> bool:
    """Whether a bound leaves no room for a better solution; True where one of the two is unknown,
    since some solvers say "optimal" and no more."""
    if objective is None or bound is None:
        return True
    return abs(bound - objective) <= VERIFIED * max(1.0, abs(objective))


def disproved(bound: float | None, own: float | None, sense: str) -> bool:
    """Whether a tree whose objective is `own` is better than a bound says that any can be."""
    if bound is None or own is None:
        return False
    return better_by(sense, own, bound) > VERIFIED * max(1.0, abs(bound))


def own_cuts_in(spec: Spec, model: Model, answer: Answer) -> tuple[str, ...]:
    """Names of the spec's own cuts on which a proof of the answer rests: those that are rows of
    the model, and for a solver's proof those that are separated."""
    if not own_cuts(spec):
        return ()
    separated = [*spec.strategy.separate, *spec.strategy.initial]
    if answer.proven_by == "objective":
        separated = []  # its bound is that of the stated rows
    names = {family(block.name) for block in model.rows if block.cut}
    names |= {word.name or "" for one in separated for word in one.names}
    over = {separators()[one.separator].over for one in separated}
    names |= {cut.name for cut in spec.cuts if separated_set(cut) in over - {""}}
    return tuple(sorted(names & own_cuts(spec)))


def held_against(
    answer: Answer, optimality: Optimality, report: VerifyReport, sense: str
) -> tuple[Answer, Optimality, list[Diagnostic]]:
    """The answer without a bound that its own tree disproves, and W704 where there was one.

    Only a verified tree disproves: all of its objective is recomputed then, and it keeps the
    spec's constraints.
    """
    bound = answer.bound
    if bound is None and answer.status == "optimal":
        bound = answer.objective
    own = report.tree_objective
    if not report.verified or not disproved(bound, own, sense):
        return answer, optimality, []
    status = "feasible" if answer.status in PROVEN_STATUSES else answer.status
    kept = replace(answer, status=status, bound=None, gap=None)
    optimality = replace(optimality, proven=False, gap=None, false_bound=bound)
    return kept, optimality, [_false_proof(optimality, answer, own)]


def contradicted(answer: Answer) -> list[Diagnostic]:
    """W608 for a bound that a solver contradicts by itself, which the answer is without."""
    if not answer.contradiction:
        return []
    return [
        Diagnostic(
            "W608",
            f"{titled(answer.solver, answer.solver_version)} {answer.contradiction}: the bound is "
            "not used, and nothing is proven by it",
            None,
            "solve with another solver or with --feasibility 1e-9; a solver of your own must give "
            "bounds in the sense of the model's objective (treemip/core/solving/solver.py)",
            severity=Severity.WARNING,
        )
    ]


def gap_of_tree(
    answer: Answer, optimality: Optimality, report: VerifyReport, sense: str
) -> tuple[Answer, Optimality]:
    """The gap of a verified tree that is better than its solution, whose gap is too wide for it."""
    own = report.tree_objective if report.verified else None
    gap = tree_gap(answer.objective, own, answer.bound, sense)
    if optimality.proven or gap is None:
        return answer, optimality
    return replace(answer, gap=gap), replace(optimality, gap=gap)


def objective_of_tree(answer: Answer, report: VerifyReport) -> Answer:
    """The answer with the objective of a verified tree, where its solution's is the same within
    tolerances: that of a solution may be off by what the solver forgives its rows."""
    own, value = report.tree_objective, answer.objective
    if not report.verified or own is None or value is None or not closed(own, value):
        return answer
    return replace(answer, objective=own)


def tree_gap(
    objective: float | None, own: float | None, bound: float | None, sense: str
) -> float | None:
    """The gap that a bound leaves to the better of the solution's objective and the tree's own."""
    if objective is not None and own is not None and not closed(own, objective):
        objective = own if better_by(sense, own, objective) > 0 else objective
    return relative_gap(objective, bound)


def _false_proof(optimality: Optimality, answer: Answer, own: float | None) -> Diagnostic:
    who = optimality.by or "the solver"
    what = f"gave {optimality.false_bound:.9g} as a bound on the objective"
    if answer.status == "optimal":
        what = f"called {optimality.false_bound:.9g} the optimum"
    return Diagnostic(
        "W704",
        f"{who} {what}, but the tree's own objective is {own:.9g}, which is better: "
        "the bound is false, and the tree may not be the best",
        None,
        "solve again with another solver, with --implications big_m or --feasibility 1e-9; where "
        "all of them agree, a `means` says less than the rows of its formulation ask",
        severity=Severity.WARNING,
    )
