"""What tree.json records, held against what follows from its tree, its spec and its data.

What the file would say now is built again, and compared place by place (`differences`). Beside that
are the claims of the solver, which are no numbers of the tree: its objective, its bound, the proof.
"""

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
from treemip.core.tree.score import AnyScore
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import better_by, verdict_of

Document = dict[str, Any]

KEYS = (
    *("verdict", "problems", "not_recomputed", "status", "objective", "tree_objective", "bound"),
    *("gap", "optimality", "sense", "solver", "solver_version", "message", "seconds", "points"),
    *("scores", "repaired", "terms", "warnings", "tree", "spec", "values", "checksum"),
)
LISTS = ("problems", "not_recomputed", "repaired", "terms", "warnings")

UNKNOWN = object()
"""What a file would say and cannot be computed: it may say anything."""


def require_whole(document: Document, path: object) -> None:
    """Raise E701 for a file that lacks a field, or has no list where one is."""
    for name in KEYS:
        if name not in document or (name in LISTS and not isinstance(document[name], list)):
            message = f"'{path}' cannot be verified: it does not record '{name}'"
            raise TreemipError(Diagnostic.outside("E701", message, "solve again with -o"))


def differences(recorded: Any, own: Any, place: str) -> list[str]:
    """Where a file says something else than it would now, each by its place in the file."""
    if own is UNKNOWN:
        return []
    if isinstance(own, dict) and isinstance(recorded, dict):
        more = sorted(recorded.keys() - own)
        found = [f"its file has {place}.{key}, which should not be there" for key in more]
        found += [f"its file lacks {place}.{key}" for key in own if key not in recorded]
        places = {key: f"{place}.{key}" for key in own if key in recorded}
        return found + _within(recorded, own, places)
    if isinstance(own, list) and isinstance(recorded, list) and len(own) == len(recorded):
        return _within(recorded, own, {k: f"{place}[{k}]" for k in range(len(own))})
    if isinstance(own, float) and is_number(recorded):
        same = close(recorded, own, RECOMPUTED)  # the last digits of a sum depend on the machine
    else:
        same = isinstance(recorded, bool) is isinstance(own, bool) and recorded == own
    return [] if same else [f"{place} is {_shown(own)}; its file says {_shown(recorded)}"]


def _within(recorded: Any, own: Any, places: dict[Any, str]) -> list[str]:
    return [
        line
        for key, place in places.items()
        for line in differences(recorded[key], own[key], place)
    ]


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else repr(value)


def close(recorded: Any, value: float, tolerance: float = VERIFIED) -> bool:
    return is_number(recorded) and abs(recorded - value) <= tolerance * max(1.0, abs(value))


# ------------------------------------------------------------- against the tree


def on_tree(document: Document, found: Recomputed, instance: Instance) -> list[str]:
    """Where the objective on the tree, or what was not recomputed, is not as recorded."""
    own = found.objective
    terms = [{"term": t.text, "solution": UNKNOWN, "tree": _known(t.value)} for t in found.terms]
    return [
        *_objective(document, own, instance),
        *differences(document["tree_objective"], _known(own), "tree_objective"),
        *differences(document["terms"], terms, "terms"),
        *differences(
            document["not_recomputed"], [taken.to_json() for taken in found.taken], "not_recomputed"
        ),
    ]


def _known(value: float | None) -> Any:
    return UNKNOWN if value is not None and isnan(value) else value


def _objective(document: Document, own: float | None, instance: Instance) -> list[str]:
    """Where the tree's own objective is worse than the solution's, or better than the bound."""
    stated = instance.spec.objective
    if stated is None:
        return []
    wrong = differences(document["sense"], stated.sense, "sense")
    if own is None or isnan(own):
        return wrong
    claimed, bound = document["objective"], document["bound"]
    if not is_number(claimed):
        wrong.append(f"the tree's objective is {own:.9g}; its file says {claimed!r}")
    elif not better_by(stated.sense, claimed, own) <= VERIFIED * max(1.0, abs(claimed)):
        wrong.append(f"the tree's objective is {own:.9g}; its file says {claimed:.9g}")
    if is_number(bound) and disproved(bound, own, stated.sense):
        wrong.append(
            f"the tree's objective is {own:.9g}, better than the bound {bound:.9g} of its file"
        )
    return wrong


def on_data(
    document: Document,
    points: int,
    training: AnyScore,
    test: AnyScore | None,
    whole: AnyScore | None,
) -> list[str]:
    """Where numbers of the tree on data are not as recorded. test: None without such a part;
    whole: on all points where some were selected."""
    scores = {"training": training.to_json(), "test": test.to_json() if test else None}
    found = differences(document["points"], points, "points")
    found += differences(document["scores"], scores, "scores")
    recorded = document.get("selection")
    if whole is not None and isinstance(recorded, dict):
        place = "selection.score_of_all"
        found += differences(recorded.get("score_of_all"), whole.to_json(), place)
    return found


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
    if differences(saved[-1].get("value"), document["objective"], ""):
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
    return found + differences(document["verdict"], own, "verdict")


def proof(document: Document, spec: Spec) -> list[str]:
    """Where `gap` and `optimality` are not what status, bound and objective make of them, or rest
    on cuts that the spec does not have."""
    status, bound, value = document["status"], document["bound"], document["objective"]
    optimality, sense = document["optimality"], str(document["sense"])
    if not (status in get_args(Status) and status not in WITHOUT_SOLUTION):
        return [f"its file records the status {status!r}, which no tree has"]
    if not isinstance(optimality, dict):
        return ["its file does not record its optimality"]
    false_bound = optimality.get("false_bound")
    if not all(v is None or is_number(v) for v in (document["gap"], bound, false_bound, value)):
        return ["its file records a bound or gap that is not a number"]
    cuts = optimality.get("given_cuts", [])
    if not isinstance(cuts, list) or not set(map(str, cuts)) <= own_cuts(spec):
        return ["its file records a proof by cuts that its spec does not have"]
    proven = status == "optimal" and closed(value, bound)
    by = titled(str(document["solver"]), str(document["solver_version"]))
    if proven and optimality.get("by") == own_bound(by):
        by = own_bound(by)
    own = Optimality(proven, by, None, false_bound=false_bound, given=tuple(cuts))
    wrong = _gap(document, proven) + differences(optimality, own.to_json(), "optimality")
    if proven and bound is None and value is not None:
        wrong.append("its file records a proof and no bound")
    if bound is not None and value is not None and disproved(bound, value, sense):
        wrong.append(f"its file records an objective of {value:.9g} and a bound of {bound:.9g}")
    return wrong + _false_bound(document, optimality)


def _gap(document: Document, proven: bool) -> list[str]:
    """A gap that is not the one of objective and bound, or of a verified tree that is better."""
    gap, bound, value = document["gap"], document["bound"], document["objective"]
    tree = document["tree_objective"]
    better = tree if is_number(tree) and document["verdict"] == "verified" and not proven else None
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
        size = places.size(symbols[name])
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
    """What the file records of the proof, with its gap and status; None where that is damaged."""
    try:
        recorded = document["optimality"]
        proven, false_bound = recorded["proven"] is True, recorded["false_bound"]
        gap = 0.0 if proven else document["gap"]
        return Optimality(
            proven,
            str(recorded["by"] or ""),
            None if gap is None else float(gap),
            document["status"] == "locally_optimal",
            None if false_bound is None else float(false_bound),
            tuple(map(str, recorded.get("given_cuts", ()))),
        )
    except (TypeError, KeyError, ValueError, OverflowError):
        return None
