"""Another package's engines for the errors of univariate trees of depth 4 and 5: ConTree and DL8.5
of pytrees-rs, where it is installed.

They are given the numbers of bins in place of values, so that their thresholds are those of the
spec and no tolerance of theirs matters. Of their tree the splits count, and each leaf has the
most frequent class of its points. The optimum that they claim is believed where that tree has as
many errors as they say.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from treemip.answers.engines import peer_process
from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.plans import Plan
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.univariate import candidate, demand_agreement
from treemip.answers.search.complete import complete
from treemip.answers.search.ratios import of_structure
from treemip.answers.search.start import Searched, as_columns
from treemip.answers.search.sums import Sums
from treemip.core.instance.trees import Forest
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.child import run_child
from treemip.core.solving.interrupt import Watch, asked_to_stop
from treemip.core.solving.optional import is_installed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.extras import pip_install

PACKAGE, EXTRA = "pytrees", "peers"
DEPTHS = 4, 5  # below there are engines of our own
SHARE = 0.6  # of the seconds; a search has the others
FEW, SOME = 64, 256  # cuts up to which DL8.5, which has a column for each, comes first or at all


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    instance, topology = case.instance, case.instance.topology
    if topology is None or not _is_asked(topology):
        raise Refusal("it takes complete trees of depth 4 and 5")
    predict = instance.spec.predict
    if predict is None or predict.kind == "distribution" or instance.table.label_kind == "number":
        raise Refusal("it takes leaves with classes")
    spec = case.spec
    errors = Errors.of(spec.sums, spec.of_point, instance.table.y)
    problem = problem_of(instance, spec.sums, joined=False)
    if problem.coupled or len(problem.conditions.stats) or not problem.allowed.all():
        raise Refusal("it has rows")
    if not is_installed(PACKAGE):
        raise Refusal(f"one for trees of this depth needs a package: {pip_install(EXTRA)}")
    demand_agreement(instance, spec, problem, late)
    return PeerEngine(case, problem, errors)


ENGINE = ExactEngine("peers", ("univariate",), prepared)


def _is_asked(topology: Forest) -> bool:
    depth = int(topology.depth.max())
    complete_tree = topology.families == 1 and topology.size == 2 ** (depth + 1) - 1
    return complete_tree and depth in DEPTHS


@dataclass(frozen=True)
class Errors:
    """An objective, to be minimized, that is constant + price * errors. of_class float64 (M, K):
    how many points of each class each distinct point is."""

    constant: float
    price: float
    of_class: np.ndarray

    @classmethod
    def of(cls, sums: Sums, of_point: np.ndarray, y: np.ndarray) -> Errors:
        """Raises Refusal where the objective is anything else, or there are rows."""
        more = sums.rows > 1 or sums.folds or sums.opaque or sums.limits[0].count
        if more or len(sums.local_rows) or sums.answers.values is not None:
            raise Refusal("it has rows, or more in its objective than errors")
        if of_structure(sums).any() or sums.label.any():
            raise Refusal("its objective has prices")
        of_class = np.zeros((sums.points, sums.classes))
        if y.max() >= sums.classes:
            raise Refusal("its leaves do not answer the table's classes")
        np.add.at(of_class, (of_point, y), 1.0)
        worth = sums.sign * sums.shared[:, :, 0]
        own = worth - worth.mean(axis=1, keepdims=True)
        right = of_class - of_class.mean(axis=1, keepdims=True)
        price = -float((own * right).sum() / max((right**2).sum(), EQUAL))
        if not price > 0 or (np.abs(own + price * right) > EQUAL * price).any():
            raise Refusal("its objective is not the number of errors")
        each = worth[:, 0] + price * of_class[:, 0] - price * of_class.sum(axis=1)
        return cls(sums.sign * float(sums.constant[0]) + float(each.sum()), price, of_class)

    def worth(self, errors: float) -> float:
        return self.constant + self.price * errors


@dataclass(frozen=True)
class Answer:
    """plan: the splits, with the best class of each leaf, and how many errors that makes; claimed:
    how many the package says, and whether it calls them the fewest."""

    plan: Plan
    errors: float
    claimed: float
    optimal: bool

    @property
    def is_believed(self) -> bool:
        return self.optimal and self.claimed == self.errors


class PeerEngine(Engine):
    def __init__(self, case: Case, problem: Problem, errors: Errors) -> None:
        self.case, self.problem, self.errors = case, problem, errors
        cuts = int((~problem.bins.last).sum())
        names = ["DL85Classifier", "ConTreeClassifier"]
        self.names = names if cuts <= FEW else names[::-1] if cuts <= SOME else names[1:]

    def run(self, effort: Effort) -> Searched:
        """Raises Refusal where the package gives no tree."""
        began = time.perf_counter()
        until = began + SHARE * effort.seconds
        watch, best, why = Watch(SHARE * effort.seconds), None, ""
        for name in self.names:
            left = until - time.perf_counter()
            if left <= 0 or asked_to_stop():
                break
            answer = self._asked(name, left, watch)
            if isinstance(answer, str):
                why = answer
            elif best is None or answer.errors < best.errors or answer.is_believed:
                best = answer
            if best is not None and best.is_believed:
                break
        if best is None:
            raise Refusal(f"the package {PACKAGE} gives no tree: {why or 'time was too short'}")
        return self._searched(best, time.perf_counter() - began)

    def described(self) -> str:
        which = " and ".join(name.removesuffix("Classifier") for name in self.names)
        return (
            f"The errors of univariate trees of depth {self.problem.depth}, by {which} of the "
            f"package {PACKAGE}, in a process of its own. Its tree is completed in the stated "
            "model, and its claim believed where that tree has as many errors."
        )

    def _searched(self, answer: Answer, seconds: float) -> Searched:
        sign, errors = self.case.sign, self.errors
        value = sign * errors.worth(answer.errors)
        bound = value if answer.is_believed else sign * errors.worth(0.0)
        found = Searched(None, {}, bound, 0, seconds, by="engine")
        tree = candidate(self.problem, answer.plan)
        completion = complete(self.case.instance, self.case.stated, tree)
        if completion.violations:
            found.failed.update(Counter(v.name for v in completion.violations))
            return found
        values = as_columns(self.case.stated, completion.values)
        proven = answer.is_believed and not completion.unknown
        return Searched(values, {}, bound, 0, seconds, value, proven, by="engine")

    # ------------------------------------------------------------------ the other process

    def _asked(self, name: str, seconds: float, watch: Watch) -> Answer | str:
        """What an estimator finds, or why it finds nothing."""
        until = time.time() + seconds
        with TemporaryDirectory(prefix="treemip-", ignore_cleanup_errors=True) as made:
            folder = Path(made)
            np.savez(folder / "table.npz", x=self._inputs(name), y=self.case.instance.table.y)
            script = [sys.executable, "-P", str(Path(peer_process.__file__))]
            command = [*script, made, name, str(self.problem.depth), repr(until)]
            log = folder / "log.txt"
            try:
                run_child(command, folder, log, log, watch, watch.seconds + seconds)
                with np.load(folder / "answer.npz") as answer:
                    return self._read(name, {key: answer[key] for key in answer.files})
            except (OSError, ValueError, TreemipError, Refusal):
                lines = log.read_text("utf-8", "replace").split("\n") if log.exists() else []
                return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _inputs(self, name: str) -> np.ndarray:
        """The points of the table: by the bins of their features, or by a column for each cut."""
        bins = self.problem.bins
        if name != "DL85Classifier":
            inputs = bins.rank.T.astype(float)
        else:
            cut = np.flatnonzero(~bins.last)
            right = [~bins.goes_left(one) for one in cut.tolist()]
            inputs = np.array(right).reshape(len(cut), bins.points).T.astype(np.int64)
        every: np.ndarray = inputs[self.case.spec.of_point]
        return every

    def _read(self, name: str, tree: dict[str, np.ndarray]) -> Answer:
        """Raises Refusal where a split is none of the problem's."""
        bins, of_class = self.problem.bins, self.errors.of_class
        cuts, nodes = np.flatnonzero(~bins.last), tree["nodes"]

        def cut_at(node: int) -> int:
            feature, threshold = int(nodes[node, 2]), float(nodes[node, 3])
            if name == "DL85Classifier":
                return int(cuts[feature])
            cut = int(bins.start[feature]) + int(np.floor(threshold))
            if bins.feature[cut] != feature or bins.last[cut]:
                raise Refusal("a threshold of its tree is none of the spec's")
            return cut

        def plan(node: int, rows: np.ndarray, depth: int) -> tuple[Plan, float]:
            left, right = (int(child) for child in nodes[node, :2])
            if left < 0 or right < 0:
                here = of_class[rows].sum(axis=0)
                return self._bare(int(here.argmax()), depth), float(here.sum() - here.max())
            if not depth:
                raise Refusal("its tree is too deep")
            cut = cut_at(node)
            goes = bins.goes_left(cut, rows)
            one, wrong = plan(left, rows[goes], depth - 1)
            other, more = plan(right, rows[~goes], depth - 1)
            return (cut, one, other), wrong + more

        whole, errors = plan(0, np.arange(len(self.problem.x)), self.problem.depth)
        return Answer(whole, errors, float(tree["errors"]), bool(tree["optimal"]))

    def _bare(self, label: int, depth: int) -> Plan:
        """A leaf above the last level: splits that change nothing, where each branch must split."""
        if self.problem.unsplit is not None or not depth:
            return label
        below = self._bare(label, depth - 1)
        return int(np.flatnonzero(~self.problem.bins.last)[0]), below, below
