"""An answer held against every tree of its model, by nothing that treemip has.

* A tree is verified, keeps every side constraint and is worth what is said.
* No tree is better than the optimum; "optimal" is the optimum; "infeasible" means no tree.
* No bound is beyond the optimum.

A solver's false claim is no fault of ours where another one disproves it on the same model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from reference.enumeration import Trees
from reference.ways import Candidate

from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.instance.trees import Forest
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree import Tree

from .cases import WRONG_OPTIMUM, WRONG_VERDICT, Fault
from .models import Model

SECONDS = 20.0
OTHERS = ("scip", "highs", "cbc")
FINDS = 1e-4  # relative: what another solver must find to disprove a claim
FINE = 1e-9  # a violation of 1e-6 in a row of SVM1-ODT is worth 1000 times as much


@dataclass(frozen=True)
class Ending:
    """How a case ended. worth, optimum: of minimization. proven: by whom.

    outcome: "optimal", the optimum is found and proven; "found", it is found; "missed", a worse
    tree is; "none", there is no tree and the answer has none; "unfound", there is one and the
    answer has none; "not verified", where a tolerance cannot tell values apart; "false claim of" a
    solver; "refused", with the code.
    """

    formulation: str
    outcome: str
    code: str = ""
    proven: str = ""
    worth: float = np.inf
    optimum: float = np.inf

    @property
    def counted(self) -> Mapping[str, int]:
        name = self.formulation
        said = " ".join(part for part in (name, self.outcome, self.code) if part)
        return {said: 1, **({f"{name} proven by {self.proven}": 1} if self.proven else {})}


def judged(model: Model, result: Result, in_part: bool = False) -> Ending:
    """How the answer compares with the reference. Raises `Fault`. in_part: whether the spec has
    variables without a meaning, so that its trees can be verified in part only."""
    try:
        return _judged(model, result, in_part)
    except Fault as fault:
        claims = fault.kind == WRONG_OPTIMUM and result.answer.solver not in ("engine", "search")
        who = disproving(result) if claims else None
        if who is None:
            raise
        said = f"false claim of {result.answer.solver}, disproved by {who}"
        worth = np.inf if result.objective is None else model.sign * result.objective
        return Ending(model.formulation, said, worth=worth)


def _judged(model: Model, result: Result, in_part: bool) -> Ending:
    low, high = model.reference()
    name, near = model.formulation, model.tolerance * max(1.0, abs(high) if high < np.inf else 1.0)
    if result.bound is not None and np.inf > model.sign * result.bound > high + near:
        text = f"the bound {result.bound} is beyond {model.sign * (high + near)} by hand"
        raise Fault(WRONG_OPTIMUM, text, f"{name}: bound")
    if result.tree is None:
        if result.status == "infeasible" and np.isfinite(high):
            raise Fault(WRONG_OPTIMUM, f"infeasible, but {high} by hand", f"{name}: infeasible")
        return Ending(name, "unfound" if np.isfinite(high) else "none", optimum=high)
    if not result.verified and not (in_part and result.verdict == "verified in part"):
        if not model.table.plain or low == np.inf:
            return Ending(name, "not verified")
        raise Fault(WRONG_VERDICT, f"{result.verdict}: {result.problems}", f"{name}: not verified")
    worth = own_worth(model, result)
    if worth < low - near and result.status != "optimal":
        # OCT-H may use a feature with the coefficient 0. The tree has no split there, and a split
        # below: it is none of the formulation's, and what is claimed is its solution's objective.
        assert result.objective is not None
        worth = model.sign * result.objective
    if worth < low - near:
        text = f"{worth} of a verified tree, but nothing is better than {low} by hand"
        raise Fault(WRONG_VERDICT, text, f"{name}: better than possible")
    reached = worth <= high + near
    if result.status != "optimal":
        return Ending(name, "found" if reached else "missed", "", "", worth, high)
    if not reached:
        text = f"optimal {worth}, but {high} by hand (minimized)"
        raise Fault(WRONG_OPTIMUM, text, f"{name}: optimal on a table '{model.table.kind}'")
    assert result.optimality is not None
    return Ending(name, "optimal", "", result.optimality.by, worth, high)


def own_worth(model: Model, result: Result) -> float:
    """What the tree is worth by hand, of minimization; it keeps the rows and its claim. What is
    claimed, where only the report says it."""
    assert result.objective is not None and result.tree is not None
    claimed = model.sign * result.objective
    if model.worth is None:
        return claimed
    answers = None
    if result.tree.answer.kind != "class":
        answers = leaf_answers(result.tree, model.table.columns)
    tree = Trees.one(decoded(model, result), model.table, model.feature_of, answers)
    for row in model.rows:
        if not row.keeps(tree).all():
            text = f"the tree breaks `{row.text}`"
            raise Fault(WRONG_VERDICT, text, f"{model.formulation}: {row.text.split()[0]}")
    own = float(model.worth(tree)[0])
    off, near = own - claimed, model.tolerance * max(1.0, abs(own))
    # A solver that is out of time may not have counted all that its tree is better by.
    if off > near or (off < -near and result.status == "optimal"):
        text = f"{claimed} is claimed of a tree that has {own}"
        kind = WRONG_VERDICT if off > 0 else WRONG_OPTIMUM
        raise Fault(kind, text, f"{model.formulation}: objective")
    return own


def leaf_answers(tree: Tree, columns: Mapping[str, list[object]]) -> np.ndarray:
    """What the leaf of each point answers: values (N,) or shares of the classes (N, K)."""
    given = tree.predict if tree.answer.kind == "value" else tree.predict_proba
    return np.asarray(given(columns), float)


def decoded(model: Model, result: Result) -> Candidate:
    """The tree of a result as its terms see it, each point routed without rounding."""
    tree = result.tree
    assert tree is not None
    topology, answer = tree.topology, tree.answer
    branches, leaves = in_order(topology)
    passed_right = np.zeros(topology.size, bool)
    ends = []
    for row in model.encoded.tolist():
        at = 0
        while not topology.is_leaf[at]:
            weights = tree.weights[at].tolist()
            value = sum(Fraction(w) * Fraction(v) for w, v in zip(weights, row, strict=True))
            left = value < tree.threshold[at] if tree.strict else value <= tree.threshold[at]
            passed_right[at] |= not left
            at = int((topology.left if left else topology.right)[at])
        ends.append(leaves.index(at))
    labels = np.zeros(len(leaves), np.int64) if answer.kind == "value" else tree.leaf_class[leaves]
    weighted = [frozenset(np.flatnonzero(tree.weights[t]).tolist()) for t in branches]
    active = [bool(w) for w in weighted]
    if model.formulation == "soct":
        active = passed_right[branches].tolist()
    uses = tuple(w if a else frozenset() for w, a in zip(weighted, active, strict=True))
    return Candidate(np.array(ends), labels, uses, tuple(active))


def in_order(topology: Forest) -> tuple[list[int], list[int]]:
    """The branches, each before those below it, and the leaves, both from left to right: the order
    of `Trees`. The topology's own numbers go by level."""
    waiting, branches, leaves = [0], list[int](), list[int]()
    while waiting:
        at = waiting.pop()
        (leaves if topology.is_leaf[at] else branches).append(at)
        if not topology.is_leaf[at]:
            waiting += [int(topology.right[at]), int(topology.left[at])]
    return branches, leaves


def shown(result: Result) -> str:
    """The answer as a file that is saved with a fault."""
    lines = [f"{result.status} {result.objective} bound {result.bound} by {result.answer.solver}"]
    lines += [f"{result.verdict} {result.problems}", *(w.message for w in result.warnings)]
    if result.tree is not None:
        lines += [str(result.tree.weights), str(result.tree.threshold), str(result.tree.answer)]
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------- false claims


def disproving(result: Result) -> str | None:
    """Who finds a better solution of the very model whose optimum a solver then claims falsely:
    the same solver without its presolve, or another one. None where nobody does: then the model
    itself has no better one, which is our fault."""
    compiled, claimed = result.compiled, result.objective
    sign = 1.0 if compiled.model.objective.sense == "minimize" else -1.0
    for who, best in (
        ("its own search without presolve", lambda: _unpresolved(compiled, result.answer.solver)),
        *((other, lambda other=other: _solved(compiled, other)) for other in OTHERS),
    ):
        try:
            found = best()
        except TreemipError:  # such as a solver that does not take indicators
            continue
        if found is None:
            continue
        if claimed is None or sign * (claimed - found) > FINDS * max(1.0, abs(claimed)):
            return who
    return None


def _solved(compiled: Compiled, solver: str) -> float | None:
    result = compiled.solve(solver, start="none", time_limit=SECONDS)
    return result.objective if result.verified else None


def _unpresolved(compiled: Compiled, solver: str) -> float | None:
    if solver == "highs":
        highs = compiled.to_highs()
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("output_flag", False)
        highs.run()
        return float(highs.getObjectiveValue())
    if solver == "scip":
        from pyscipopt import SCIP_PARAMSETTING

        scip = compiled.to_scip()
        scip.setPresolve(SCIP_PARAMSETTING.OFF)
        scip.hideOutput()
        scip.optimize()
        return float(scip.getObjVal()) if scip.getNSols() else None
    return None
