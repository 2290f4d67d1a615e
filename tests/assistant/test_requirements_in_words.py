"""The requirements in words: reference answers are right, and specs without what is asked are not.

The best of trees on the credit table is found again by going through all of them.
"""

from __future__ import annotations

import csv
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.requirements.graders.tasks import TASKS  # noqa: E402
from benchmarks.requirements.run import HERE, asked, grade, put_tables, table  # noqa: E402

NAMES = list(asked())


def answer(name: str) -> str:
    return (HERE / "answers" / f"{name}.tree").read_text(encoding="utf-8")


def without_what_is_asked(spec: str) -> str:
    """Without the lines that say so; `# else:` has what stands there instead."""
    kept = (line for line in spec.splitlines() if not line.endswith("# asked"))
    return "\n".join(line.removeprefix("# else: ") for line in kept) + "\n"


def test_there_are_forty_with_words_grader_and_answer():
    assert len(NAMES) == 40
    assert set(NAMES) == set(TASKS) == {path.stem for path in (HERE / "answers").iterdir()}
    for name, one in asked().items():
        assert len(one["words"]) > 40 and table(one["table"]).is_file(), name
        assert "# asked" in answer(name), name


@pytest.mark.parametrize("name", one_in(4, NAMES))
def test_the_reference_is_right(name, tmp_path):
    put_tables(tmp_path)
    assert grade(name, answer(name), tmp_path).faults == ()


@pytest.mark.parametrize("name", one_in(4, NAMES))
def test_a_tree_without_what_is_asked_is_wrong(name, tmp_path):
    put_tables(tmp_path)
    plain = grade(name, without_what_is_asked(answer(name)), tmp_path)
    assert plain.status == "optimal" and plain.faults, plain


# ------------------------------------------------------------------- all trees of the table


def credit() -> dict[str, np.ndarray]:
    with table("credit-24.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def questions(data: dict[str, np.ndarray], columns: tuple[str, ...]) -> np.ndarray:
    """bool (Q, N): whether a row goes left, for each question; the first is none."""
    found = [np.ones(24, bool)]
    for name in columns:
        if name == "housing":
            found += [data[name] != kind for kind in np.unique(data[name])]
        else:
            values = data[name].astype(float)
            found += [values <= (a + b) / 2 for a, b in pairwise(np.unique(values))]
    return np.array(found)


def codes(masks: np.ndarray) -> np.ndarray:
    """Sets of rows as numbers, bool (M, N) to int64 (M,)."""
    return masks @ (1 << np.arange(masks.shape[1], dtype=np.int64))


def refused(masks: np.ndarray) -> np.ndarray:
    """Each set of rows that some tree of depth 2 calls bad, bool (P, N)."""
    every: set[int] = set()
    for first in masks:
        sides = []
        for side in (first, ~first):
            halves = np.concatenate([masks & side, ~masks & side, [side & False, side]])
            sides.append(np.unique(codes(halves)))
        every.update(np.bitwise_or.outer(*sides).ravel().tolist())
    numbers = np.array(sorted(every), dtype=np.int64)
    return (numbers[:, None] >> np.arange(24)) & 1 == 1


class Every:
    """What all trees of some columns say: counts (P,) of each."""

    def __init__(self, columns: tuple[str, ...], depth: int) -> None:
        self.data = credit()
        masks = questions(self.data, columns)
        both = np.concatenate([masks, ~masks])
        self.bad = np.unique(both, axis=0) if depth == 1 else refused(masks)
        self.is_bad = self.data["class"] == "bad"
        self.wrong = self.bad != self.is_bad
        self.errors = self.wrong.sum(1)
        self.hits = (self.bad & self.is_bad).sum(1)
        self.false = (self.bad & ~self.is_bad).sum(1)

    def good_rates(self, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sexes = [(self.data["sex"] == sex) & among for sex in ("female", "male")]
        women, men = ((~self.bad[:, one]).mean(1) for one in sexes)
        return women, men

    def best(self, name: str) -> float:
        women, men = self.good_rates(np.ones(24, bool))
        chances = self.good_rates(~self.is_bad)
        good, given_good = 16 - self.false, 24 - self.bad.sum(1)
        least = np.minimum(self.hits / 8, good / 16)
        within = {
            "recall_floor": self.hits >= 0.9 * 8,
            "precision_floor": good >= 0.95 * given_good,
            "both_recalls": least >= 0.6,
            "parity": abs(women - men) <= 0.05,
            "equal_opportunity": abs(chances[0] - chances[1]) <= 0.05,
            "four_fifths": np.minimum(women, men) >= 0.8 * np.maximum(women, men),
            "named_points": ~self.wrong[:, 0] & ~self.wrong[:, 18],
            "without_amount": self.errors >= 0,
            "one_split": self.errors >= 0,
            "in_turn": self.hits == self.hits.max(),
            "refusals": self._refusals(),
        }
        if name in within:
            return float(self.errors[within[name]].min())
        values = {
            "costs": 5 * (8 - self.hits) + self.false,
            "balanced": (8 - self.hits) / 16 + self.false / 32,
            "f1": -2 * self.hits / (self.hits + 8 + self.false),
            "amount_at_stake": self.wrong @ self.data["amount"].astype(float),
            "worst_group": self._worst_group(),
        }
        return abs(float(values[name].min()))

    def _refusals(self) -> np.ndarray:
        few = self.bad.sum(1) <= 5
        return few & (self.hits == self.hits[few].max())

    def _worst_group(self) -> np.ndarray:
        sexes = [self.data["sex"] == sex for sex in ("female", "male")]
        return np.maximum(*(self.wrong[:, one].mean(1) for one in sexes))


ALL = ("duration", "amount", "age", "housing")
BLIND = ("duration", "age", "housing")
DEPTH_1 = ("both_recalls", "balanced", "f1", "worst_group", "one_split")
BY_FORCE = {
    **dict.fromkeys(("recall_floor", "precision_floor", "costs", "parity", "four_fifths"), ALL),
    **dict.fromkeys(("equal_opportunity", "named_points", "in_turn", "refusals", *DEPTH_1), ALL),
    **dict.fromkeys(("without_amount", "amount_at_stake"), BLIND),
}


@pytest.mark.parametrize("name", BY_FORCE)
def test_the_best_is_that_of_all_trees(name):
    every = Every(BY_FORCE[name], 1 if name in DEPTH_1 else 2)
    task = TASKS[name]
    known = task.then[1] if name in ("in_turn", "refusals") and task.then else task.best
    assert every.best(name) == pytest.approx(known)


@pytest.mark.parametrize(("good", "is_one"), [(0.8, False), (0.75, True)])
def test_that_no_tree_recognizes_all(good, is_one):
    every = Every(ALL, 2)
    assert ((every.hits == 8) & (every.false <= 16 * (1 - good))).any() == is_one
