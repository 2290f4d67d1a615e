"""Campaign `scores`: objectives and a spec's own measures on rows that a tree was not learned from.

A random spec of classes, values, shares or treatments is solved on a part of its rows. Its
objective and a `let` of each term are then what the words of `search_words` and `valued_forms` say
of the tree on the other rows, each routed without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from reference.enumeration import Trees, complete

import treemip
from treemip.api.result import Result
from treemip.core.instance.train_test import training_rows
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.objective_on import on_points

from .cases import WRONG_VERDICT, Campaign, Case, Fault
from .judge import decoded, leaf_answers
from .models import FORMS, Model, goal_of, random_table, spec_text
from .promises import require_sound
from .search_words import BASES, Terms, class_counts, distinct_features, features_used, splits
from .tables import Table
from .valued_forms import VALUED, Valued

SECONDS = 0.4
SHARE = 0.6
NEAR = 1e-6
LARGER = 10  # points of a table, at least
OF_TRAINING = {"class_weights"}
"""Words whose parameters are of the training part."""
VALUES = ["ort", "share_trees", "prescriptive_ipw", "prescriptive_dm", "prescriptive_dr"]


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    rng = case.rng()
    name = str(rng.choice([*FORMS, *VALUES]))
    form = FORMS.get(name) or VALUED[name]
    table = (form.table or random_table)(rng, form, 2, 6)
    while len(table.y) < LARGER:
        table = (form.table or random_table)(rng, form, 2, 6)
    bases = [b for b in (BASES if name in FORMS else form.words.bases)
             if b.__name__ not in OF_TRAINING]  # fmt: skip
    priced: list[Terms] = [splits, features_used, distinct_features]
    priced += [class_counts] if name in FORMS else []
    words = [bases[int(rng.integers(len(bases)))], priced[int(rng.integers(len(priced)))]]
    seed, price = int(rng.integers(1 << 30)), rng.choice([0.0625, 0.25], 1)
    text = _text(name, table, words, seed, price)
    files |= {"spec.tree": text, "table.csv": table.csv}
    try:
        result = (
            treemip.loads(text, data=table.columns).compile().solve(time_limit=SECONDS, threads=1)
        )
    except TreemipError as error:
        require_sound(error)
        return {f"{name} refused {error.diagnostics[0].code}": 1}
    if result.tree is None:
        return {f"{name} without a tree": 1}
    return _compared(name, table, words, seed, price, result)


def _text(name: str, table: Table, words: list[Terms], seed: int, price: np.ndarray) -> str:
    form = FORMS.get(name) or VALUED[name]
    first, second = (make(np.random.default_rng(seed), table) for make in words)
    goal, _, _ = goal_of(first, [second], price)
    lets = f"let first = {first.text};\nlet second = {second.text};\n"
    before = "".join(dict.fromkeys(term.before for term in (first, second)))
    text = spec_text(name, form, table, complete(1 + seed % 2), {}, before + lets + goal, ())
    return text.replace("{ label", f"{{ train {SHARE} seed {1 + seed % 9}; label", 1)


def _compared(
    name: str, table: Table, words: list[Terms], seed: int, price: np.ndarray, result: Result
) -> Mapping[str, int]:
    instance, tree = result.compiled.instance, result.tree
    assert instance.data is not None and instance.data.test is not None and tree is not None
    assert instance.spec.data is not None
    rows = ~training_rows(instance.spec.data.train, _strata(table))
    other = table.part(rows)
    if not _like(other, table):
        return {f"{name} with too few rows": 1}
    found = on_points(instance, tree, result.values, instance.data.test)
    seen = instance.data.test.inputs
    model = Model(name, other, "", 1.0, lambda: (0.0, 0.0), seen, table.feature_of)
    answers = None if tree.answer.kind == "class" else leaf_answers(tree, other.columns)
    trees = Trees.one(decoded(model, result), other, table.feature_of, answers)
    terms = [make(np.random.default_rng(seed), other) for make in words]
    _, worth, sign = goal_of(terms[0], [terms[1]], price)
    expected = {"first": terms[0].worth(trees)[0], "second": terms[1].worth(trees)[0]}
    _require(name, "objective", found.objective, sign * worth(trees)[0])
    for let, value in expected.items():
        word = words[("first", "second").index(let)].__name__
        _require(name, f"the measure {word}", found.measures.get(let), value)
    return {f"{name} {'left out' if found.objective is None else 'compared'}": 1}


def _require(name: str, what: str, found: float | None, expected: float) -> None:
    """None is a number that is left out."""
    if found is None or (not np.isfinite(expected) and not np.isfinite(found)):
        return
    if not abs(found - expected) <= NEAR * max(1.0, abs(expected)):
        text = f"{what} on other rows: {found}, by hand {expected}"
        raise Fault(WRONG_VERDICT, text, f"{name}: {what}")


def _strata(table: Table) -> np.ndarray:
    """The numbers of the label's classes; 0 where it has none."""
    if isinstance(table, Valued):
        label = table.more.get("c")
        if label is None or label.dtype.kind == "f":
            return np.zeros(len(table.y), np.int64)
        return np.unique(label, return_inverse=True)[1]
    return table.y


def _like(part: Table, table: Table) -> bool:
    """Whether it has every class, group and treatment, so that no share is of nothing."""
    same = set(part.y.tolist()) == set(table.y.tolist())
    same &= set(part.group.tolist()) == set(table.group.tolist())
    return same and set(_strata(part).tolist()) == set(_strata(table).tolist())


CAMPAIGN = Campaign("scores", "scores", 500, run, cpu=30.0, wall=60.0)
