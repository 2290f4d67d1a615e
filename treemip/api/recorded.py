"""What tree.json records beside the tree, and where the tree says otherwise."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.resolve.typed import At, Bound
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.tree.score import Score
from treemip.tree.strict_json import is_number
from treemip.tree.tree import Tree
from treemip.tree.verify import TOLERANCE, TermReport, meaning_of


def recorded(
    said: dict[str, Any], errors: int, objective: float | None, instance: Instance
) -> list[str]:
    """What the file says and the tree does not keep."""
    found = []
    if said.get("train_errors") != errors:
        found.append(f"the tree makes {errors} errors; its file says {said.get('train_errors')}")
    claimed, sense = said.get("objective"), instance.spec.objective
    if objective is None or sense is None:
        return found
    if not is_number(claimed):
        found.append(f"the tree's objective is {objective:.9g}; its file says {claimed!r}")
        return found
    worse = objective - claimed if sense.sense == "minimize" else claimed - objective
    if not worse <= TOLERANCE * max(1.0, abs(claimed)):
        found.append(f"the tree's objective is {objective:.9g}; its file says {claimed:.9g}")
    return found


def terms(said: dict[str, Any], found: tuple[TermReport, ...]) -> list[str]:
    """Terms of the objective whose value on the tree the file records otherwise."""
    saved = said.get("terms")
    if not isinstance(saved, list):
        return []
    known = [t for t in saved if isinstance(t, dict) and isinstance(t.get("term"), str)]
    values = {t["term"]: t.get("tree") for t in known}
    return [
        f"the term '{t.text}' is {t.tree:.9g} on the tree; its file says {values.get(t.text)!r}"
        for t in found
        if np.isfinite(t.tree) and not _close(values.get(t.text), t.tree)
    ]


def _close(said: Any, value: float) -> bool:
    return is_number(said) and abs(said - value) <= TOLERANCE * max(1.0, abs(value))


def scores(said: dict[str, Any], found: Score) -> list[str]:
    """Measures on the training part that the file records otherwise."""
    saved = said.get("scores")
    training = saved.get("training") if isinstance(saved, dict) else None
    if not isinstance(training, dict):
        return []
    own = json.loads(json.dumps(found.to_json()))
    other = [name.replace("_", " ") for name, value in own.items() if training.get(name) != value]
    return [f"its file records another {', '.join(other)} on the training part"] if other else []


def saved_values(said: dict[str, Any], instance: Instance) -> dict[str, np.ndarray]:
    """Raises E701 for anything but lists of finite numbers."""
    saved = said.get("values", {})
    lists = saved.values() if isinstance(saved, dict) else [None]
    if not all(isinstance(v, list) and all(map(is_number, v)) for v in lists):
        message = "the saved values are not lists of numbers"
        raise TreemipError(Diagnostic.outside("E701", message, "solve again with -o tree.json"))
    return {name: np.array(values, float) for name, values in saved.items()}


def complete(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """All variables of the spec: those given, others by their meaning on the tree, else nan."""
    meaning = meaning_of(instance, tree, values)
    evaluator = Evaluator(instance, meaning)
    found = dict(values)
    for symbol in instance.spec.variables:
        frame = evaluator.places.domain_frame(symbol)
        if symbol.name in values:
            if len(values[symbol.name]) != frame.size:
                message = f"{len(values[symbol.name])} values are saved for '{symbol.name}'"
                raise TreemipError(Diagnostic.outside("E701", f"{message}, which has {frame.size}"))
            continue
        assert symbol.span is not None
        names = symbol.domain.names
        indices = tuple(
            Bound(name=n, of=s, span=symbol.span) for n, s in zip(names, symbol.sorts, strict=True)
        )
        at = At(symbol=symbol, arguments=indices, span=symbol.span)
        found[symbol.name] = np.asarray(evaluator.known(at, frame), float)
    return found
