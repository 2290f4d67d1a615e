"""Requirements of one line: the optimum with each is the best of all trees that keep it as a user
means it, by the default and by a solver, and verification finds a tree that breaks it."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import treemip
from treemip.api.store import checksum, result_json
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError

A = [0, 0, 1, 1, 2, 2, 3, 3, 0, 3, 1, 2]
B = [0, 2, 0, 1, 2, 0, 1, 2, 1, 0, 2, 1]
ANSWER = [0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0]
GROUP = [1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1]
DATA = {
    "a": A,
    "b": B,
    "sex": [("f", "m")[g] for g in GROUP],
    "c": [("no", "yes")[k] for k in ANSWER],
}
TEXT = """data "d.csv" {{ label c positive "yes"; group sex; scale minmax; }}
topology complete(depth = 2);
split {split};
minimize misclassified;
subject to
  wish: {wish};
"""
GRID = [
    sorted({*v, *(u + d for u in v[:-1] for d in (0.4, 0.6))}) for v in ([0, 1, 2, 3], [0, 1, 2])
]


class Shape(NamedTuple):
    """A tree of depth 2: splits (feature, threshold) or None, and four answers."""

    root: tuple[int, float]
    left: tuple[int, float] | None
    right: tuple[int, float] | None
    answers: tuple[int, ...]

    def answer(self, point: Sequence[float]) -> int:
        right = point[self.root[0]] > self.root[1]
        below = self.right if right else self.left
        return self.answers[2 * right + (below is not None and point[below[0]] > below[1])]

    def splits(self) -> list[tuple[int, float]]:
        return [s for s in (self.root, self.left, self.right) if s is not None]


def shapes() -> list[Shape]:
    cuts = [(j, t + 0.5) for j, values in enumerate((A, B)) for t in range(max(values))]
    two = [(0, 0), (0, 1), (1, 0), (1, 1)]
    found = []
    for root, left, right in itertools.product(cuts, [None, *cuts], [None, *cuts]):
        for one, other in itertools.product(two, two):
            if (left or one[0] == one[1]) and (right or other[0] == other[1]):
                found.append(Shape(root, left, right, (*one, *other)))
    return found


POINTS = [*zip(A, B, strict=True)]


def errors(shape: Shape) -> int:
    return sum(shape.answer(p) != k for p, k in zip(POINTS, ANSWER, strict=True))


SHAPES = sorted(shapes(), key=errors)


def rises(answer: Callable[[Sequence[float]], int], column: int) -> bool:
    """Whether the answer rises along one column, for each value of the other one."""
    for held in GRID[1 - column]:
        along = [answer((v, held) if column == 0 else (held, v)) for v in GRID[column]]
        if along != sorted(along):
            return False
    return True


def share(shape: Shape, group: int, of: Callable[[int], bool] = lambda i: True) -> float:
    some = [i for i in range(12) if GROUP[i] == group and of(i)]
    return sum(shape.answer(POINTS[i]) for i in some) / len(some)


def right(shape: Shape, group: int) -> float:
    some = [i for i in range(12) if GROUP[i] == group]
    return sum(shape.answer(POINTS[i]) == ANSWER[i] for i in some) / len(some)


def is_positive(i: int) -> bool:
    return ANSWER[i] == 1


WISHES: dict[str, Callable[[Shape], bool]] = {
    "monotone(a, up)": lambda s: rises(s.answer, 0),
    "monotone(b, down)": lambda s: rises(lambda p: 1 - s.answer(p), 1),
    "first_split(b)": lambda s: s.root[0] == 1,
    "at_most_features(1)": lambda s: len({j for j, _ in s.splits()}) <= 1,
    "parity(sex, 0.1)": lambda s: abs(share(s, 0) - share(s, 1)) <= 0.1 + 1e-9,
    "equal_opportunity(sex, limit = 0.05)": lambda s: (
        abs(share(s, 0, is_positive) - share(s, 1, is_positive)) <= 0.05 + 1e-9
    ),
    "same_answer(point(1), point(3))": lambda s: s.answer(POINTS[0]) == s.answer(POINTS[2]),
    "accuracy_at_least(sex, 0.7)": lambda s: min(right(s, 0), right(s, 1)) >= 0.7 - 1e-9,
}


def best(wish: Callable[[Shape], bool]) -> int:
    return errors(next(s for s in SHAPES if wish(s)))


def program(wish: str, split: str = "univariate by oct", **data: Any) -> treemip.Program:
    return treemip.loads(TEXT.format(split=split, wish=wish), data={**DATA, **data})


QUICK = ("first_split", "same_answer", "accuracy_at_least", "monotone(a")
"""Wishes of which every run solves one by a solver, and these by default."""


def cases() -> list[Any]:
    found = []
    for wish in WISHES:
        quick = wish.startswith(QUICK)
        found.append(pytest.param(wish, None, marks=() if quick else pytest.mark.truth))
        some = () if wish.startswith("same_answer") else pytest.mark.truth
        found.append(pytest.param(wish, "highs", marks=some))
    return found


@pytest.mark.parametrize(("wish", "solver"), cases())
def test_the_optimum_is_the_best_of_all_trees(wish: str, solver: str | None) -> None:
    result = program(wish).compile().solve(time_limit=120, solver=solver)
    assert (result.status, result.verified) == ("optimal", True)
    assert result.objective == best(WISHES[wish])
    if wish.startswith("monotone"):
        column, up = (0, True) if "(a" in wish else (1, False)
        found = answers_of(result)
        assert rises(lambda p: found[tuple(p)] if up else 1 - found[tuple(p)], column)


def answers_of(result: Any) -> dict[tuple[float, float], int]:
    grid = [*itertools.product(*GRID)]
    columns = {"a": [p[0] for p in grid], "b": [p[1] for p in grid]}
    return {p: int(k == "yes") for p, k in zip(grid, result.tree.predict(columns), strict=True)}


def test_the_wishes_cost_something() -> None:
    free = errors(SHAPES[0])
    assert sum(best(wish) > free for wish in WISHES.values()) >= 6


def test_verification_finds_a_tree_that_breaks_a_requirement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file of the best of all trees, with the spec of one that keeps the requirement."""
    with (tmp_path / "d.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(DATA)
        rows.writerows(zip(*DATA.values(), strict=True))

    def solved(wish: str) -> dict[str, Any]:
        text = TEXT.format(split="univariate by oct", wish=wish)
        return result_json(treemip.loads(text, base=tmp_path).compile().solve(time_limit=120))

    best_of_all = solved("splits <= 3")
    for wish in ("monotone(a, up)", "first_split(b)"):
        said = {**best_of_all, "spec": solved(wish)["spec"]}
        said["checksum"] = checksum(said)
        (tmp_path / "t.json").write_text(json.dumps(said))
        assert main(["verify", str(tmp_path / "t.json")]) == 1
        assert "the tree violates 'wish'" in capsys.readouterr().out


FORMULATIONS = {
    "univariate by binoct": "",
    "univariate by oct": "",
    "univariate by flow_oct": "bin thresholds;",
    "univariate by roct": "",
    "univariate by categorical_odt": "bin thresholds;",
    "univariate by share_trees": "",
    "oblique by soct": "",
    "oblique by octh": "",
    "oblique by svm1_odt": "",
    "margin by margot(UB = 24)": "",
    "margin by mm_svm_oct": "",
}
REFUSED = {
    ("oblique by svm1_odt", "monotone"): "E501",
    ("margin by margot(UB = 24)", "monotone"): "E501",
    ("margin by mm_svm_oct", "monotone"): "E501",
    ("oblique by svm1_odt", "first_split"): "E501",
    ("oblique by svm1_odt", "at_most_features"): "E501",
}


@pytest.mark.parametrize("split", FORMULATIONS)
def test_every_formulation_states_each_or_says_what_is_missing(split: str) -> None:
    for wish in WISHES:
        bins = FORMULATIONS[split]
        text = TEXT.format(split=split, wish=wish).replace("scale minmax;", bins or "scale minmax;")
        try:
            model = treemip.loads(text, data=DATA).compile().model
        except TreemipError as error:
            assert REFUSED.get((split, wish.partition("(")[0])) == error.diagnostics[0].code, str(
                error
            )
            assert error.diagnostics[0].remedy
        else:
            assert (split, wish.partition("(")[0]) not in REFUSED
            assert any(block.name == "wish" for block in model.rows)
