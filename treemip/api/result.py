"""Results: the tree with all that was measured and checked, as saved in tree.json."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.api.optimality import Optimality
from treemip.core.model.answer import Answer
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.pickled import PickledWithoutRows
from treemip.core.tree.meaning import Addend
from treemip.core.tree.objective_on import score_of_test, score_of_training
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import AnyScore, Score, Sparsity, score_of, sparsity
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import Verdict, VerifyReport

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.in_turn import ObjectiveOutcome
    from treemip.api.near_optimal import NearOptimalTrees
    from treemip.api.other_trees import OtherTree
    from treemip.api.rounds import Round
    from treemip.core.instance.selected import Selected


@dataclass(frozen=True)
class Result(PickledWithoutRows):
    """`tree` and `report` are None when the solver found no solution or the spec has no tree.

    `values` are the variables of the spec by name, float64 over each family. `seconds` per stage.
    `optimality` says who proved what; None without a solution. `failure` is why there is no tree
    though there is a solution, `error` the exception behind it: the values are then the solver's
    own where they could not be brought back to the spec's variables. `time_limit`: in seconds, as
    it was asked for. `unwritten`: why the file of the progress is not whole, where it is not.
    `rounds`: of an iterative selection of points. `objectives`: of several, what came of each that
    was solved; `objective`, `bound` and `gap` are those of the last one.

    Pickled, it has what tree.json has, and no row of the data: `values` are those of splits and
    leaves, `document` is the text that is saved. What needs the data raises E301: `selected`,
    `near_optimal`, the model of `compiled`, and `others` where they were not asked for before.
    """

    compiled: Compiled
    answer: Answer
    tree: Tree | None
    report: VerifyReport | None
    values: dict[str, np.ndarray]
    seconds: dict[str, float]
    warnings: list[Diagnostic]
    optimality: Optimality | None = None
    failure: tuple[Diagnostic, ...] = ()
    time_limit: float | None = None
    error: BaseException | None = None
    unwritten: tuple[Diagnostic, ...] = ()
    rounds: tuple[Round, ...] = ()
    objectives: tuple[ObjectiveOutcome, ...] = ()
    document: str | None = None

    def _to_pickle(self) -> dict[str, Any]:
        if self.document is not None:
            return self.__dict__
        from treemip.api.store import kept_values, result_json

        answer = self.answer
        if answer.values is not None:
            answer = replace(answer, values=np.empty(0))
        made = {name: getattr(self, name) for name in ("train_score", "whole_score", "test_score")}
        known = {"others": self.others} if "others" in self.__dict__ else {}
        return {
            **self.__dict__,
            **made,
            **known,
            "answer": answer,
            "values": kept_values(self),
            "warnings": [_without_place(one) for one in self.warnings],
            "failure": tuple(map(_without_place, self.failure)),
            "error": None,
            "document": json.dumps(result_json(self), allow_nan=False),
        }

    def __repr__(self) -> str:
        value = "" if self.objective is None else f", objective {self.objective:.9g}"
        verdict = "" if self.verdict is None else f"; {self.verdict}"
        proof = ""
        if self.optimality is not None and self.verdict is not None:
            proof = f"; {self.optimality.text(self.verdict)}"
        return f"<Result {self.compiled.program.source.name}: {self.status}{value}{verdict}{proof}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: numbers, verdict, and the tree's picture."""
        from treemip.writers.pages.displays import result_html

        return result_html(self)

    @property
    def status(self) -> str:
        return self.answer.status

    @property
    def objective(self) -> float | None:
        return self.answer.objective

    @property
    def bound(self) -> float | None:
        return self.answer.bound

    @property
    def gap(self) -> float | None:
        return self.answer.gap

    @property
    def verdict(self) -> Verdict | None:
        """ "verified", "verified in part" or "not verified"; None where there is no tree to verify.

        In part: nothing is wrong, and `report.taken` lists what was not recomputed from the tree.
        """
        if self.failure:
            return "not verified"
        return None if self.report is None else self.report.verdict

    @property
    def verified(self) -> bool:
        """Whether the verdict is "verified", no more and no less."""
        return self.verdict == "verified"

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the tree, or why there is none."""
        if self.failure:
            return tuple(d.message for d in self.failure)
        return self.report.problems if self.report else ()

    @property
    def selected(self) -> Selected | None:
        """The points that the model is stated over, where the strategy selects some."""
        data = self.compiled.instance.data
        return None if data is None else data.selected

    @property
    def points(self) -> int:
        """Training points that the model is stated over."""
        if self.document is not None:
            return int(json.loads(self.document)["points"])
        return len(self.compiled.instance.table.y)

    @property
    def train_errors(self) -> int | None:
        """Of `points` those that the decoded tree gets wrong, counted by routing each of them; None
        where its leaves do not predict the label's classes."""
        return self.report.errors if self.report else None

    @property
    def test_errors(self) -> int | None:
        """The same for the test part; None without one."""
        return self.test_score.errors if isinstance(self.test_score, Score) else None

    @cached_property
    def others(self) -> tuple[OtherTree, ...]:
        """Trees to compare with: "CART", grown in the tree's own shape, and the "majority class" or
        the best tree with "no split". Each says which constraints of the spec it misses."""
        from treemip.api.other_trees import other_trees

        if self.tree is None:
            return ()
        return other_trees(self.compiled.instance, self.compiled.checked)

    @property
    def errors_of_others(self) -> dict[str, int]:
        """Training errors of `others`, where leaves predict the label's classes."""
        return {one.name: one.errors for one in self.others if one.errors is not None}

    @property
    def objective_of_others(self) -> dict[str, float]:
        """The spec's objective on `others`, where leaves do not predict the label's classes, and
        the objective is a sum over points that no side constraint limits."""
        return {one.name: one.objective for one in self.others if one.objective is not None}

    @cached_property
    def train_score(self) -> AnyScore | None:
        """What papers report of the tree, on the training part; None without a tree.

        A Score, a ValueScore or a ChoiceScore, by what leaves answer.
        """
        data = self.compiled.instance.data
        if self.tree is None or data is None:
            return None
        terms = () if self.report is None else self.report.terms
        own = [Addend(term.text, term.tree, term.taken) for term in terms]
        instance = self.compiled.instance
        return score_of_training(instance, self.tree, self.values, data.train, own)

    @cached_property
    def whole_score(self) -> AnyScore | None:
        """The same on the whole training part, of which the model has selected points only; None
        where it has all."""
        if self.tree is None or self.selected is None:
            return None
        return score_of(self.tree, self.selected.whole)

    @cached_property
    def test_score(self) -> AnyScore | None:
        """The same on the test part; None without one."""
        if self.tree is None:
            return None
        return score_of_test(self.compiled.instance, self.tree, self.values)

    @property
    def sparsity(self) -> Sparsity | None:
        """Which share of the features a randomized tree leaves unused; None for other trees."""
        return sparsity(self.tree) if isinstance(self.tree, RandomizedTree) else None

    def near_optimal(
        self, trees: int = 10, within: float = 0.02, seconds: float = 10.0
    ) -> NearOptimalTrees:
        """At most `trees` verified trees whose objective is within that share of this one's.

        seconds: of wall clock, for looking. Raises E902 for numbers out of range and where the
        spec's trees cannot be searched.
        """
        from treemip.api.near_optimal import near_optimal

        return near_optimal(self, trees, within, seconds)

    def to_json(self) -> dict[str, Any]:
        """What tree.json has."""
        from treemip.api.store import result_json

        return result_json(self)

    def without_tree(self, error: BaseException) -> Result:
        """The same values with no tree, because of what went wrong with it."""
        return replace(self, tree=None, report=None, failure=_failure(error), error=error)

    def save(self, path: str | Path) -> None:
        """Write tree.json: a temporary file renamed. Raises E603."""
        from treemip.api.store import save

        save(self, path)


def _without_place(diagnostic: Diagnostic) -> Diagnostic:
    """What it says, without the text that it points into and the path of that."""
    return replace(diagnostic, span=None, related=())


def _failure(error: BaseException) -> tuple[Diagnostic, ...]:
    """Why there is no verified tree of a solution, in words."""
    if isinstance(error, TreemipError):
        return tuple(error.diagnostics)
    if isinstance(error, MemoryError):
        message = "not enough memory to verify the solution"
        return (
            Diagnostic.outside(
                "E405", message, "save it with -o and verify it on a machine with more memory"
            ),
        )
    if isinstance(error, KeyboardInterrupt):
        return (Diagnostic.outside("E705", "interrupted before the solution was verified"),)
    return (
        Diagnostic.outside(
            "E705",
            f"no tree can be read out of the solution: {type(error).__name__}: {error}",
            "this is a fault of treemip: please report it with the spec and its data",
        ),
    )
