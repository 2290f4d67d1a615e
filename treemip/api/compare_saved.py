"""What tree.json records beside the tree, held against the tree and against itself."""

from __future__ import annotations

import json
from math import isnan
from typing import Any, get_args

import numpy as np

from treemip.api.optimality import Optimality, closed, disproved, own_bound, titled, tree_gap
from treemip.api.store import is_by_point, spec_digest
from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import Nothing
from treemip.model.answer import PROVEN_STATUSES, WITHOUT_SOLUTION, Status
from treemip.model.tolerances import RECOMPUTED, VERIFIED
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.tree.meaning import Recomputed, leaf_variables, meaning_of, split_variables
from treemip.tree.saved import is_number
from treemip.tree.score import AnyScore, Score, Sparsity
from treemip.tree.tree import Tree
from treemip.tree.verify import better_by, verdict_of

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
    if not same(document["points"], points):
        found.append(f"there are {points} points; its file says {document['points']!r}")
    if not same(document["train_errors"], errors):
        own = "predicts no classes" if errors is None else f"makes {errors} errors"
        found.append(f"the tree {own}; its file says {document['train_errors']!r}")
    return found


def on_all(document: Document, score: AnyScore | None) -> list[str]:
    """Where points were selected, the tree on all of them; a selection that the spec asks for."""
    recorded = document.get("selection")
    if score is None or not isinstance(recorded, dict):
        return []
    found = []
    if isinstance(score, Score) and not same(recorded.get("errors_of_all"), score.errors):
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
    if not same(saved[-1].get("value"), document["objective"]):
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
    if not (same(document["test_points"], size) and same(document["test_errors"], errors)):
        found.append("its file records a different number of test points or of errors on them")
    return found


ROUNDED = ("mse", "mae", "r2", "mse_of_mean", "log_loss", "brier", "objective")
"""Measures whose last digits depend on the order of summation, and so on the machine."""


def _other_measures(recorded: Any, own: AnyScore) -> list[str]:
    """The names of measures that a file records otherwise."""
    measured = json.loads(json.dumps(own.to_json()))
    if not isinstance(recorded, dict):
        return list(measured)
    return [name for name in {**measured, **recorded} if not _as_saved(name, recorded, measured)]


def _as_saved(name: str, recorded: Document, measured: Document) -> bool:
    if name not in recorded and name in _LATER[: None if "confusion" in recorded else 2]:
        return True  # files of earlier versions do not say it
    if name not in recorded or name not in measured:
        return False
    if name in ROUNDED and is_number(measured[name]):
        return close(recorded[name], measured[name], RECOMPUTED)
    if name == "measures":
        return _same_measures(recorded[name], measured[name])
    if name == "terms":
        return _same_terms(recorded[name], measured[name])
    return same(recorded[name], measured[name])


_LATER = ("left_out", "terms", "objective", "measures")
"""What was not in scores at first; the last two not where leaves predict the label's classes."""


def _same_terms(recorded: Any, measured: list[Document]) -> bool:
    if not isinstance(recorded, list) or not all(isinstance(each, dict) for each in recorded):
        return False
    return [each.get("term") for each in recorded] == [each["term"] for each in measured] and all(
        close(saved.get("value"), own["value"], RECOMPUTED)
        for saved, own in zip(recorded, measured, strict=True)
    )


def _same_measures(recorded: Any, measured: Document) -> bool:
    return (
        isinstance(recorded, dict)
        and recorded.keys() == measured.keys()
        and all(close(recorded[name], value, RECOMPUTED) for name, value in measured.items())
    )


def sparse(document: Document, own: Sparsity | None) -> list[str]:
    if same(document["sparsity"], own.to_json() if own is not None else None):
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


def proof(document: Document) -> list[str]:
    """Status, bound, gap and `optimality`, which say the same thing several times."""
    status, bound, value = document["status"], document["bound"], document["objective"]
    optimality, sense = document["optimality"], document["sense"]
    if not (status in get_args(Status) and status not in WITHOUT_SOLUTION):
        return [f"its file records the status {status!r}, which no tree has"]
    if not isinstance(optimality, dict) or optimality.keys() != PROOF:
        return ["its file does not record its optimality"]
    numbers = [document["gap"], bound, optimality.get("gap"), optimality.get("false_bound")]
    if not all(v is None or is_number(v) for v in (*numbers, value)):
        return ["its file records a bound or gap that is not a number"]
    proven = optimality.get("proven") is True
    wrong = [
        *_gap(document, optimality),
        *_proven(status, value, bound, optimality, document["gap"]),
    ]
    by = titled(str(document["solver"]), str(document["solver_version"]))
    if optimality.get("by") not in ((by or None), *([own_bound(by)] if proven else [])):
        wrong.append(f"its file records {optimality.get('by')!r} for the solver {by!r}")
    if bound is not None and value is not None and disproved(bound, value, str(sense)):
        wrong.append(f"its file records an objective of {value:.9g} and a bound of {bound:.9g}")
    return wrong + _false_bound(document, optimality)


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


def _gap(document: Document, optimality: Document) -> list[str]:
    gap, bound, value = document["gap"], document["bound"], document["objective"]
    if (gap is None) is not (bound is None) and not (gap == 0 and bound is None):
        return ["its file records a gap without a bound, or a bound without a gap"]
    tree = document["tree_objective"]
    better = (
        is_number(tree) and document["verified"] is True and optimality.get("proven") is not True
    )
    own = tree_gap(value, tree if better else None, bound, str(document["sense"]))
    if gap is not None and own is not None and gap != 0 and not close(gap, own):
        return [f"its file records a gap of {gap:.6g}; its objective and bound leave {own:.6g}"]
    if gap == 0 and own != 0 and not closed(value, bound):
        return ["its file records no gap between an objective and another bound"]
    stated = 0.0 if optimality.get("proven") is True else gap
    if not same(optimality.get("gap"), stated):
        return ["its file records two gaps"]
    return []


def _proven(
    status: str, value: float | None, bound: float | None, optimality: Document, gap: float | None
) -> list[str]:
    proven, local = optimality.get("proven"), optimality.get("local")
    if proven is not (status == "optimal" and closed(value, bound)):
        return [f"its file records the status {status!r} and proven {proven!r}"]
    if local is not (status == "locally_optimal"):
        return [f"its file records the status {status!r} and local {local!r}"]
    if proven and bound is None and value is not None:
        return ["its file records a proof and no bound"]
    if proven and gap is not None and gap > VERIFIED and not closed(value, bound):
        return ["its file records a proof and a gap"]
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


def same(recorded: Any, own: Any) -> bool:
    """Equal, where true is not 1 and numbers may be of another type."""
    if isinstance(recorded, bool) is not isinstance(own, bool):
        return False
    if isinstance(own, dict) and isinstance(recorded, dict):
        return recorded.keys() == own.keys() and all(same(recorded[k], own[k]) for k in own)
    if isinstance(own, list) and isinstance(recorded, list):
        pairs = zip(recorded, own, strict=False)
        return len(own) == len(recorded) and all(same(a, b) for a, b in pairs)
    return bool(recorded == own)


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
