"""The formulations of specs/own, solved as they are, against every tree on their data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

import treemip
from treemip.api.result import Result
from treemip.core.resources import specs_path

pytest.importorskip("pyscipopt")

SPECS = specs_path() / "own"
IN_PART = {"walk_policy"}
"""Specs with a variable that no tree determines by a formula: the solution of linear equations."""


@cache
def solved(name: str) -> Result:
    result = treemip.load(SPECS / f"{name}.tree").compile().solve("scip", time_limit=300)
    assert (result.status, result.problems) == ("optimal", ())
    assert result.verdict == ("verified in part" if name in IN_PART else "verified")
    return result


def columns(name: str) -> dict[str, np.ndarray]:
    """A table of specs/data; numbers where all cells are."""
    with (specs_path() / "data" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    whole = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    return {
        key: cells.astype(float) if all(c.isdigit() for c in cells) else cells
        for key, cells in whole.items()
    }


def halves(features: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Who goes left by a threshold of one feature, bool (N,); at first nobody."""
    yield np.zeros(len(features[0]), bool)
    for column in features:
        for value in np.unique(column)[:-1]:
            yield column <= value


def onehot(column: np.ndarray) -> list[np.ndarray]:
    return [(column == value).astype(float) for value in np.unique(column)]


def misses(kinds: np.ndarray) -> int:
    return len(kinds) - int(np.unique(kinds, return_counts=True)[1].max(initial=0))


def test_an_oblivious_tree() -> None:
    data = columns("credit-24.csv")
    ways = list(halves([data["duration"], data["amount"], data["age"]]))
    best = min(
        sum(misses(data["class"][(first == a) & (second == b)]) for a in (0, 1) for b in (0, 1))
        for first, second in product(ways, ways)
    )
    result = solved("oblivious")
    assert result.objective == pytest.approx(best)
    coef = result.values["coef"].reshape(3, -1)
    assert coef[1] == pytest.approx(coef[2])


def test_clusters_around_centres() -> None:
    data = columns("pumps.csv")
    scaled = [(c - c.min()) / np.ptp(c) for c in (data["age"], data["load"])]

    def apart(side: np.ndarray) -> float:
        return sum(float(np.abs(c[side] - np.median(c[side])).sum()) for c in scaled if side.any())

    best = min(apart(left) + apart(~left) for left in halves(scaled))
    assert solved("clusters").objective == pytest.approx(best, abs=1e-5)


def test_the_sum_of_the_largest_errors() -> None:
    """For two constants on a fixed parting, each in steps of a quarter: values between two points'
    months in the middle, where the largest errors are equal, are among these."""
    data = columns("pumps.csv")
    months = data["months"]
    steps = np.arange(months.min(), months.max() + 0.1, 0.25)

    def largest(left: np.ndarray) -> float:
        low, high = np.abs(steps[:, None] - months[left]), np.abs(steps[:, None] - months[~left])
        ends = [-np.sort(-part, axis=1)[:, :5] for part in (low, high)]
        both = np.concatenate(
            [np.repeat(ends[0], len(steps), axis=0), np.tile(ends[1], (len(steps), 1))], axis=1
        )
        return float((-np.sort(-both, axis=1)[:, :5]).sum(axis=1).min())

    best = min(largest(left) for left in halves([data["age"], data["load"]]))
    assert solved("tail_error").objective == pytest.approx(best, abs=1e-5)


def test_two_labels() -> None:
    data = columns("credit-24.csv")
    features = [data["duration"], data["amount"], data["age"]]
    best = min(
        sum(misses(data[label][side]) for label in ("class", "housing") for side in (left, ~left))
        for left in halves(features)
    )
    result = solved("two_labels")
    assert result.objective == pytest.approx(best)
    assert result.values["other"].reshape(2, -1).sum(axis=1) == pytest.approx(1)


def test_a_policy_of_a_decision_process() -> None:
    data = columns("walk.csv")
    place, wind = data["place"].astype(int), data["wind"].astype(int)
    state = {(p, w): k for k, (p, w) in enumerate(zip(place, wind, strict=True))}
    move, pay = np.zeros((2, 10, 10)), np.zeros((2, 10))
    for (p, w), k in state.items():
        move[0, k, k] = 1
        pay[:, k] = p / 4 * (1 - w), -0.1
        move[1, k, state[min(4, p + 1) if w == 0 else max(0, p - 1), w]] += 0.5
        move[1, k, state[p, 1 - w]] += 0.5

    def worth(goes: np.ndarray) -> float:
        """The mean over the states of the discounted reward of going in these and staying else."""
        chosen = np.where(goes[:, None], move[1], move[0])
        reward = np.where(goes, pay[1], pay[0])
        return float(np.linalg.solve(np.eye(10) - 0.9 * chosen, reward).mean())

    ways = halves([place, wind])
    best = max(worth(goes) for left in ways for goes in (left, ~left))
    assert solved("walk_policy").objective == pytest.approx(best, abs=1e-5)


def test_cuts_of_alston_validi_and_hicks() -> None:
    """The optimum of CUT1 is that of all trees, by hand and by the library's flow formulation."""
    result = solved("credit_cut_trees")
    encoded = result.compiled.instance.data
    assert encoded is not None
    classes = columns("credit-24.csv")["class"]
    ways = [column > 0.5 for column in encoded.train.x.T]

    def fewest(side: np.ndarray) -> int:
        return min(misses(classes[side & way]) + misses(classes[side & ~way]) for way in ways)

    best = min(fewest(way) + fewest(~way) for way in ways)
    assert result.objective == 24 - best
    text = (SPECS / "credit_cut_trees.tree").read_text().replace("by cut_trees", "by flow_oct")
    assert treemip.loads(text, base=SPECS).compile().solve().objective == result.objective
