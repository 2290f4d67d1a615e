"""What tree.json records beside the tree, held against the tree and against itself."""

from __future__ import annotations

from math import isnan
from typing import Any, get_args

import numpy as np

from treemip.api.optimality import Optimality, closed, disproved, own_bound, titled, tree_gap
from treemip.api.store import is_by_point, spec_digest
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.answer import PROVEN_STATUSES, WITHOUT_SOLUTION, Status
from treemip.core.model.tolerances import RECOMPUTED, VERIFIED
from treemip.core.resolve.modules import own_cuts
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Symbol
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.meaning import Recomputed, leaf_variables, meaning_of, split_variables
from treemip.core.tree.saved import is_number
from treemip.core.tree.score import AnyScore, Score, Sparsity
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import better_by, verdict_of

Document = dict[str, Any]

KEYS = (
    *("verdict", "verified", "problems", "not_recomputed", "status", "objective", "tree_objective"),
    *("bound", "gap", "optimality", "sense", "solver", "solver_version", "message", "seconds"),
    *("points", "train_errors", "test_points", "test_errors", "scores", "sparsity", "repaired"),
    *("terms", "warnings", "tree", "spec", "values", "checksum"),
)
PROOF = {"proven", "by", "gap", "local", "false_bound"}
LISTS = ("problems", "not_recomputed", "repaired", "terms", "warnings")


def require_whole(document: Document, path: object) -> None:
    """Raise E701 for a file that lacks a field, or has no list where one is."""
    for name in KEYS:
        if name not in document or (name in LISTS and not isinstance(document[name], list)):
            message = f"'{path}' cannot be verified: it does not record '{name}'"
            raise TreemipError(Diagnostic.outside("E701", message, "solve again with -o"))


# ------------------------------------------------------------- against the tree


def counts(document: Document, points: int, errors: int | None) -> list[str]:
    found = []
    if not agree(document["points"], points):
        found.append(f"there are {points} points; its file says {document['points']!r}")
    if not agree(document["train_errors"], errors):
        own = "predicts no classes" if errors is None else f"makes {errors} errors"
        found.append(f"the tree {own}; its file says {document['train_errors']!r}")
    return found


def on_all(document: Document, score: AnyScore | None) -> list[str]:
    """Where points were selected, the tree on all of them; a selection that the spec asks for."""
    recorded = document.get("selection")
    if score is None or not isinstance(recorded, dict):
        return []
    found = []
    if isinstance(score, Score) and not agree(recorded.get("errors_of_all"), score.errors):
        stated = recorded.get("errors_of_all")
        found.append(
            f"the tree makes {score.errors} errors on all {score.points} points; its file says"
            f" {stated!r}"
        )
    if _other_measures(recorded.get("score_of_all"), score):
        found.append("the scores on all points that its file records are not the tree's")
    return found


def objective(document: Document, found: Recomputed, instance: Instance) -> list[str]:
    """Where the tree's own objective is not the recorded one, or is worse than the solution's."""
    own, stated = found.objective, instance.spec.objective
    wrong = []
    if stated is not None and document["sense"] != stated.sense:
        wrong.append(f"the objective is to be {stated.sense}d; its file says {document['sense']!r}")
    if own is None or stated is None or isnan(own):
        return wrong
    claimed = document["objective"]
    if not is_number(claimed):
        wrong.append(f"the tree's objective is {own:.9g}; its file says {claimed!r}")
    elif not better_by(stated.sense, claimed, own) <= VERIFIED * max(1.0, abs(claimed)):
        wrong.append(f"the tree's objective is {own:.9g}; its file says {claimed:.9g}")
    elif not close(document["tree_objective"], own, RECOMPUTED):
        wrong.append(f"the tree's own objective is {own:.9g}; its file says {own_of(document)}")
    if is_number(document["bound"]) and disproved(document["bound"], own, stated.sense):
        bound = f"{document['bound']:.9g}"
        wrong.append(
            f"the tree's objective is {own:.9g}, better than the bound {bound} of its file"
        )
    return wrong


def in_turn(
    document: Document, instance: Instance, tree: Tree, values: dict[str, np.ndarray]
) -> list[str]:
    """Objectives before the last one that are worse on the tree than the file says, and recorded
    objectives that do not match the rows which keep them."""
    saved = document.get("objectives", [])
    if not (isinstance(saved, list) and all(isinstance(one, dict) for one in saved)):
        return ["its file does not record its objectives as a list"]
    if not saved:
        return []
    wrong = []
    if not agree(saved[-1].get("value"), document["objective"]):
        wrong.append("the last of the objectives that its file records has another value")
    source = instance.spec.file.span.source
    rows = [c for c in instance.spec.constraints if c.span.source == source]
    rows.sort(key=lambda c: c.span.start)  # the rows that keep an objective end the text
    rows = rows[max(0, len(rows) - len(saved) + 1) :]
    if len(rows) != len(saved) - 1 or any(row.domain.binders for row in rows):
        return [*wrong, "its spec does not keep the earlier objectives that its file records"]
    means = [
        Evaluator(instance, meaning_of(instance, tree, values, tolerant))
        for tolerant in (False, True)
    ]
    for number, (one, row) in enumerate(zip(saved, rows, strict=False), 1):
        left = row.relation.left
        own = [float(each.known(left, Frame.empty())[0]) for each in means]
        sense = "minimize" if row.relation.op == "<=" else "maximize"
        wrong += _worse(number, one, sense, own)
    return wrong


def _worse(number: int, one: Document, sense: str, own: list[float]) -> list[str]:
    """own: an earlier objective on the tree, exactly and with tolerant comparisons."""
    value = one.get("value")
    if not is_number(value):
        return [f"its file says {value!r} for objective {number}"]
    if one.get("sense") != sense:
        return [f"objective {number} is to be {sense}d; its file says {one.get('sense')!r}"]
    if any(not better_by(sense, value, v) > VERIFIED * max(1.0, abs(value)) for v in own):
        return []  # NaN: a variable without a meaning, which is a reservation
    return [f"objective {number} is {own[0]:.9g} on the tree; its file says {value:.9g}"]


def own_of(document: Document) -> str:
    own = document["tree_objective"]
    return f"{own:.9g}" if is_number(own) else repr(own)


def terms(document: Document, found: Recomputed) -> list[str]:
    """Terms of the objective that the file records otherwise."""
    saved = document["terms"]
    texts = [t.get("term") if isinstance(t, dict) else None for t in saved]
    if texts != [t.text for t in found.terms]:
        return ["the terms of the objective are not those that its file records"]
    return [
        f"the term '{t.text}' is {t.value:.9g} on the tree; its file says {each.get('tree')!r}"
        for t, each in zip(found.terms, saved, strict=True)
        if not isnan(t.value) and not close(each.get("tree"), t.value, RECOMPUTED)
    ]


def scores(document: Document, training: AnyScore, test: AnyScore | None) -> list[str]:
    """Measures that the file records otherwise; `test` is None without such a part."""
    saved = document["scores"]
    if not (isinstance(saved, dict) and saved.keys() == {"training", "test"}):
        return ["its file does not record the scores of both parts"]
    found = []
    for part, own in (("training", training), ("test", test)):
        recorded = saved[part]
        if own is None or not isinstance(recorded, dict):
            right = own is None and recorded is None
            found += [] if right else [f"its file records no scores of the {part} part"]
            continue
        other = _other_measures(recorded, own)
        names = ", ".join(name.replace("_", " ") for name in other)
        found += [f"its file records another {names} on the {part} part"] if other else []
    size = None if test is None else test.points
    errors = test.errors if isinstance(test, Score) else None
    if not (agree(document["test_points"], size) and agree(document["test_errors"], errors)):
        found.append("its file records a different number of test points or of errors on them")
    return found


LATER = ("left_out", "terms", "objective", "measures")
"""What files of earlier versions do not have in scores; the first two where leaves predict no
classes of the label."""


def _other_measures(recorded: Any, own: AnyScore) -> list[str]:
    """The names of measures that a file records otherwise."""
    measured = own.to_json()
    if not isinstance(recorded, dict):
        return list(measured)
    later = LATER if "confusion" in recorded else LATER[:2]
    known = [name for name in measured if name in recorded or name not in later]
    other = [n for n in known if n not in recorded or not agree(recorded[n], measured[n])]
    return other + [name for name in recorded if name not in measured]


def sparse(document: Document, own: Sparsity | None) -> list[str]:
    if agree(document["sparsity"], own.to_json() if own is not None else None):
        return []
    return ["the features left unused are not those that its file records under 'sparsity'"]


def not_recomputed(document: Document, found: Recomputed) -> list[str]:
    if document["not_recomputed"] == [taken.to_json() for taken in found.taken]:
        return []
    return ["what was not recomputed is not what its file records under 'not_recomputed'"]


# -------------------------------------------------------------- against itself


def spec(document: Document) -> list[str]:
    recorded = document["spec"]
    if spec_digest(recorded["text"], recorded["parameters"]) == recorded.get("sha256"):
        return []
    return ["the spec's text or parameters are not those that its file was written with (SHA-256)"]


def verdict(document: Document) -> list[str]:
    """Problems that the solve found, and a verdict that is not theirs."""
    problems = document["problems"]
    found = [f"found when it was solved: {problem}" for problem in problems]
    own = verdict_of(problems, document["not_recomputed"])
    if document["verdict"] != own or document["verified"] is not (own == "verified"):
        found.append("its file records a verdict that does not match its problems")
    return found


def proof(document: Document, spec: Spec) -> list[str]:
    """Where `gap` and `optimality` are not what status, bound and objective make of them, or rest
    on cuts that the spec does not have."""
    status, bound, value = document["status"], document["bound"], document["objective"]
    optimality, sense = document["optimality"], str(document["sense"])
    if not (status in get_args(Status) and status not in WITHOUT_SOLUTION):
        return [f"its file records the status {status!r}, which no tree has"]
    if not isinstance(optimality, dict) or optimality.keys() - {"given_cuts"} != PROOF:
        return ["its file does not record its optimality"]
    numbers = (document["gap"], bound, optimality["gap"], optimality["false_bound"], value)
    if not all(v is None or is_number(v) for v in numbers):
        return ["its file records a bound or gap that is not a number"]
    cuts = optimality.get("given_cuts", [])
    if not isinstance(cuts, list) or not set(map(str, cuts)) <= own_cuts(spec):
        return ["its file records a proof by cuts that its spec does not have"]
    proven = status == "optimal" and closed(value, bound)
    wrong = _gap(document, proven)
    by = titled(str(document["solver"]), str(document["solver_version"]))
    if proven and optimality["by"] == own_bound(by):
        by = own_bound(by)
    gap, local = 0.0 if proven else document["gap"], status == "locally_optimal"
    own = {"proven": proven, "by": by or None, "gap": gap, "local": local}
    wrong += [
        f"its file records the status {status!r} and {name} {optimality[name]!r}"
        for name, computed in own.items()
        if not agree(optimality[name], computed)
    ]
    if proven and bound is None and value is not None:
        wrong.append("its file records a proof and no bound")
    if bound is not None and value is not None and disproved(bound, value, sense):
        wrong.append(f"its file records an objective of {value:.9g} and a bound of {bound:.9g}")
    return wrong + _false_bound(document, optimality)


def _gap(document: Document, proven: bool) -> list[str]:
    """A gap that is not the one of objective and bound, or of a verified tree that is better."""
    gap, bound, value = document["gap"], document["bound"], document["objective"]
    tree = document["tree_objective"]
    better = tree if is_number(tree) and document["verified"] is True and not proven else None
    own = tree_gap(value, better, bound, str(document["sense"]))
    if gap == 0:
        right = own == 0 or closed(value, bound)
    elif gap is None or own is None:
        right = (gap is None) is (bound is None)
    else:
        right = close(gap, own)
    return (
        [] if right else [f"its file records a gap of {gap}; its objective and bound leave {own}"]
    )


def _false_bound(document: Document, optimality: Document) -> list[str]:
    """A bound that the tree disproves is out of force, and said in a warning."""
    false, own = optimality.get("false_bound"), document["tree_objective"]
    warned = any(isinstance(w, dict) and w.get("code") == "W704" for w in document["warnings"])
    if (false is not None) is not warned:
        return ["its file records a false bound without the warning, or the other way round"]
    if false is None:
        return []
    in_force = document["bound"] is not None or document["status"] in PROVEN_STATUSES
    if in_force or not is_number(own) or not disproved(false, own, str(document["sense"])):
        return ["its file records a false bound that its tree does not disprove"]
    return []


def solution(document: Document) -> list[str]:
    """The terms in the solution, which add up to its objective; the same on the tree."""
    found = []
    for which, whole in (("solution", document["objective"]), ("tree", document["tree_objective"])):
        parts = [each.get(which) for each in document["terms"] if isinstance(each, dict)]
        if not parts or (whole is None and None in parts):
            continue
        numbers: list[float] = [v for v in parts if is_number(v)]
        if len(numbers) < len(parts) or not close(whole, sum(numbers)):
            found.append(f"the terms that its file records for the {which} do not add up")
    return found


def agree(recorded: Any, own: Any) -> bool:
    """Whether a value is recorded as it is: numbers within RECOMPUTED, since the last digits of a
    sum depend on the machine, and true is not 1."""
    if isinstance(own, dict) and isinstance(recorded, dict):
        return recorded.keys() == own.keys() and all(agree(recorded[k], own[k]) for k in own)
    if isinstance(own, list | tuple) and isinstance(recorded, list):
        return len(own) == len(recorded) and all(map(agree, recorded, own))
    if isinstance(own, float) and is_number(recorded):
        return close(recorded, own, RECOMPUTED)
    return isinstance(recorded, bool) is isinstance(own, bool) and bool(recorded == own)


def close(recorded: Any, value: float, tolerance: float = VERIFIED) -> bool:
    return is_number(recorded) and abs(recorded - value) <= tolerance * max(1.0, abs(value))


# ----------------------------------------------------------------------- values


def saved_values(
    document: Document, instance: Instance, bounded: bool = True
) -> dict[str, np.ndarray]:
    """The saved families by name, float64. Raises E701 for what the spec does not have.

    bounded: whether they have to be within the bounds that the instance has for them.
    """
    saved, places = document["values"], Evaluator(instance, Nothing()).places
    symbols = {s.name: s for s in instance.spec.variables}
    found = {}
    for name, numbers in saved.items() if isinstance(saved, dict) else [("", None)]:
        if not isinstance(numbers, list) or not all(is_number(v) for v in numbers):
            raise _damaged("the saved values are not lists of numbers")
        if name not in symbols:
            raise _damaged(f"values are saved for '{name}', which the spec does not have")
        size = places.domain_frame(symbols[name]).size
        if len(numbers) != size:
            raise _damaged(f"{len(numbers)} values are saved for '{name}', which has {size}")
        found[name] = np.array(numbers, float)
        if bounded:
            _require_possible(symbols[name], found[name], instance)
    needed = split_variables(instance.spec) | leaf_variables(instance.spec)
    for name in sorted(needed):
        if name not in found and not is_by_point(symbols[name]):
            raise _damaged(f"no values are saved for '{name}', which the tree is read from")
    return found


def _require_possible(symbol: Symbol, values: np.ndarray, instance: Instance) -> None:
    """Raise E701 for values outside the variable's bounds, and for integers that are not whole."""
    evaluator = Evaluator(instance, Nothing())
    frame = evaluator.places.domain_frame(symbol)
    off = np.zeros(len(values))
    if symbol.kind in ("binary", "integer"):
        off = np.abs(values - np.round(values))
    if symbol.kind == "binary":
        off = np.maximum(off, np.maximum(-values, values - 1))
    for op, bound in symbol.bounds:
        limit = np.asarray(evaluator.known(bound, frame), float)
        off = np.maximum(off, limit - values if op == ">=" else values - limit)
    if len(off) and not off.max() <= VERIFIED * max(1.0, float(np.abs(values).max())):
        worst = values[int(off.argmax())]
        raise _damaged(f"{worst:.6g} is saved for '{symbol.name}', which cannot be that")


def _damaged(why: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E701", why, "solve again with -o"))


def optimality_of(document: Document) -> Optimality | None:
    """What the file records of the proof; None where that is damaged."""
    recorded = document["optimality"]
    try:
        return Optimality(
            recorded["proven"] is True,
            str(recorded["by"] or ""),
            None if recorded["gap"] is None else float(recorded["gap"]),
            recorded["local"] is True,
            None if recorded["false_bound"] is None else float(recorded["false_bound"]),
            tuple(map(str, recorded.get("given_cuts", ()))),
        )
    except (TypeError, KeyError, ValueError, OverflowError):
        return None
