"""depth="auto": depth and price of a split by cross-validation inside of a fit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from treemip.api.program import Program
from treemip.study.sklearn.errors import invalid
from treemip.study.sklearn.parameters import splits_of
from treemip.study.sklearn.programs import CLASSES, Target
from treemip.study.sweeps.axes import FOLD
from treemip.study.sweeps.choice import demand_rule
from treemip.study.sweeps.drawn_rows import ROWS, Drawn, over, some_of
from treemip.study.sweeps.fold_rows import parts_of, raw_table
from treemip.study.sweeps.price_path import price_of
from treemip.study.sweeps.sweep import carry_out
from treemip.study.sweeps.tuning import finished, tuning_plan

if TYPE_CHECKING:
    from treemip.api.result import Result
    from treemip.core.instance.encoded_table import Table
    from treemip.study.sklearn.base import OptimalTree
    from treemip.study.sweeps.tuning import Tuned

AUTO = "auto"
PRICE = "price_of_a_split"
OBJECTIVE = "misclassified / (sum {i in points} weight[i]) + " + PRICE + " * splits"
"""Of class trees by single features where none is given: the share of the errors, and a price."""


def is_auto(depth: Any) -> bool:
    """Whether the depth is to be chosen. Raises E902 for another text."""
    if isinstance(depth, str) and depth != AUTO:
        raise invalid("E902", f"depth is {depth!r}", 'give a whole number, or "auto"')
    return isinstance(depth, str)


def demand_no_positions(estimator: OptimalTree) -> None:
    """Raises E902 where `cv` is pairs of positions, which would count points of weight 0 that are
    left out."""
    cv = getattr(estimator, "cv", None)
    if is_auto(estimator.depth) and isinstance(cv, Iterable) and not hasattr(cv, "split"):
        message = "cv has positions of rows, and rows of weight 0 are left out"
        raise invalid("E902", message, "leave these rows out of X and cv, or give a splitter")


def untuned(given: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """The parameters for a program whose depth and price of a split may vary."""
    stated = {**given, "depth": None}
    plain = given.get("objective") is None and given.get("spec") is None
    named = isinstance(given.get("formulation"), str)
    if target is CLASSES and plain and named and splits_of(given["formulation"]) == "univariate":
        stated["objective"] = OBJECTIVE
        stated["params"] = {**(given.get("params") or {}), PRICE: 0}
    return stated


def solve_auto(estimator: OptimalTree, program: Program, settings: dict[str, Any]) -> Result:
    """Chooses, keeps what came of it in the estimator's attributes, and solves all rows.

    settings: of each solve; its time limit is that of all together.
    """
    began = time.perf_counter()
    demand_rule(estimator.rule)
    limit = settings.pop("time_limit", None)
    chosen = {name: value for name, value in settings.items() if value is not None}
    few, folds = _folds(estimator, program)
    plan = tuning_plan(few, (), chosen, folds, limit)
    tuned = finished(plan, carry_out(plan), estimator.rule, limit, began, few=few)
    _keep(estimator, tuned)
    return tuned.result


def _folds(estimator: OptimalTree, program: Program) -> tuple[Drawn, dict[str, bytes]]:
    """The spec over what depth and price are chosen on, and the parts of its rows by the splitter
    `cv`, which has all points, and the groups of the fit if it asks."""
    data = program.data
    assert data is not None
    table = data.whole
    rows = table.row_numbers - 1
    groups = next((codes for codes, _ in table.groups.values()), None)
    classes = table.label_kind == "class"
    cv = 5 if estimator.cv is None else estimator.cv
    try:
        splitter = check_cv(cv, table.y, classifier=classes)
        if hasattr(splitter, "shuffle") and not hasattr(estimator.cv, "split"):
            seed = check_random_state(estimator.random_state or 0).randint(2**31 - 1)
            splitter.shuffle, splitter.random_state = True, seed
        asks = groups is not None and _asks_for_groups(splitter)
        found = splitter.split(np.zeros((len(rows), 1)), table.y, groups if asks else None)
        every = np.arange(len(rows))
        parts = [(every[np.asarray(train)], every[np.asarray(test)]) for train, test in found]
    except (ValueError, IndexError) as error:
        raise invalid("E902", f"cv: {error}", "give fewer folds, or a splitter") from None
    few, place = Drawn(program), rows
    chosen = _few(estimator, program, table)
    if not chosen.all():
        raw = raw_table(program)
        few = Drawn(over(program, raw.take(rows[chosen])), program, raw.count)
        place = np.cumsum(chosen) - 1
        parts = [(train[chosen[train]], test[chosen[test]]) for train, test in parts]
    count = int(place.max()) + 1
    named = enumerate(parts, start=1)
    return few, {str(k): parts_of(count, place[train], place[test]) for k, (train, test) in named}


def _few(estimator: OptimalTree, program: Program, table: Table) -> np.ndarray:
    """Which points depth and price are chosen on, bool (N,): ROWS of many, where the price of a
    split is the same for fewer."""
    few = np.ones(len(table.y), bool)
    if len(few) > ROWS and price_of(program.spec) in (PRICE, None):
        seed = check_random_state(estimator.random_state or 0).randint(2**31 - 1)
        classes = table.y if table.label_kind == "class" else np.zeros(len(few), np.int64)
        few[:] = False
        few[some_of(classes, ROWS, seed)] = True
    return few


def _asks_for_groups(splitter: Any) -> bool:
    """Whether a splitter uses groups; scikit-learn's others warn that they ignore them."""
    get = getattr(splitter, "get_metadata_routing", None)
    if get is None:  # of the user's own
        return True
    request = getattr(get(), "split", None)
    return bool(request is not None and request.requests.get("groups"))


def _keep(estimator: OptimalTree, tuned: Tuned) -> None:
    """best_depth_, best_params_, best_score_, best_index_ and cv_results_."""
    table = tuned.runs.configurations
    index = table.index(tuned.chosen)
    numbers = [{name: _number(text) for name, text in one.values.items()} for one in table]
    estimator.best_params_ = numbers[index]
    depth = numbers[index].get("depth")
    estimator.best_depth_ = None if depth is None else int(depth)
    estimator.best_index_ = index
    sign = tuned.runs.measure.sign
    means = np.array([np.nan if one.score is None else sign * one.score for one in table])
    estimator.best_score_ = float(means[index])
    spread = [
        np.nan if one.deviation is None else one.deviation * np.sqrt((one.runs - 1) / one.runs)
        for one in table
    ]
    column = f"test_{tuned.runs.measure.column}"
    results: dict[str, Any] = {"params": numbers}
    for name in tuned.chosen.values:
        results[f"param_{name}"] = np.ma.array([one.get(name) for one in numbers])
    for fold in dict.fromkeys(row[FOLD] for row in tuned.runs.rows):
        found = [row[column] for row in tuned.runs.rows if row[FOLD] == fold]
        split = f"split{int(fold) - 1}_test_score"
        results[split] = np.array([np.nan if one is None else sign * one for one in found])
    order = np.where(np.isnan(means), -np.inf, means.round(12))
    ranks = np.array([1 + int((order > own).sum()) for own in order], np.int32)
    estimator.cv_results_ = results | {
        "mean_test_score": means,
        "std_test_score": np.array(spread),
        "rank_test_score": ranks,
        "mean_fit_time": np.array([one.seconds for one in table]),
        "mean_splits": np.array([np.nan if one.splits is None else one.splits for one in table]),
    }


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value
