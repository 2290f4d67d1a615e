"""What each answer has to keep, its objective, and the best that is known of it.

`best` was proven by an exact engine or a solver; those of trees on credit-24 are found again by
going through all trees (tests/benchmarks/test_requirements.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.requirements.graders.answer import Answer

Holds = Callable[[Answer], bool]
Value = Callable[[Answer], float]

NEAR = 1e-6


@dataclass(frozen=True)
class Task:
    """best: of the objective; None where no tree has all that is asked. value: the objective on
    an answer. keeps: each requirement by a name."""

    best: float | None
    value: Value = Answer.errors
    keeps: dict[str, Holds] = field(default_factory=dict)
    greater: bool = False
    then: tuple[Value, float] | None = None


def depth(most: int) -> dict[str, Holds]:
    return {f"depth {most}": lambda a: int(a.leaf.max()).bit_length() - 1 <= most}


def blind(*names: str) -> dict[str, Holds]:
    return {
        f"nothing about {name}": lambda a, n=name: all(n not in f for f in a.columns.values())
        for name in names
    }


CREDIT = {
    **depth(2),
    **blind("sex"),
    "one column a question": lambda a: all(len(f) <= 1 for f in a.used.values()),
}


def credit(
    best: float | None,
    value: Value = Answer.errors,
    greater: bool = False,
    then: tuple[Value, float] | None = None,
    **keeps: Holds,
) -> Task:
    """A tree on credit-24.csv with what all of them keep."""
    return Task(best, value, {**CREDIT, **keeps}, greater, then)


def one_question(a: Answer) -> bool:
    return a.splits <= 1


def sexes(a: Answer) -> tuple[np.ndarray, np.ndarray]:
    return a.column("sex") == "female", a.column("sex") == "male"


def called_good(a: Answer) -> tuple[float, float]:
    women, men = sexes(a)
    return a.rate("good", women), a.rate("good", men)


def chances(a: Answer) -> tuple[float, float]:
    women, men = (one & (a.label == "good") for one in sexes(a))
    return a.rate("good", women), a.rate("good", men)


def f1(a: Answer) -> float:
    hits, missed, false = a.count("bad", "bad"), a.count("bad", "good"), a.count("good", "bad")
    return 2 * hits / (2 * hits + missed + false)


def worst_group(a: Answer) -> float:
    return max(float(a.wrong[one].mean()) for one in sexes(a))


def parted(a: Answer) -> bool:
    return a.leaf[0] == a.leaf[8] and a.leaf[1] != a.leaf[3]


def once(a: Answer) -> bool:
    """No split about the amount is below another."""
    about = [t for t, f in a.columns.items() if "amount" in f]
    return not any(
        s != t and s >> (s.bit_length() - t.bit_length()) == t
        for s in about
        for t in about
        if s > t
    )


def monotone(a: Answer) -> bool:
    """At each split by amount: all reached leaves of larger values bad, or of smaller ones good."""
    for t, columns in a.columns.items():
        if "amount" in columns:
            below = [x >> max(0, x.bit_length() - t.bit_length() - 1) for x in a.leaf.tolist()]
            low, high = (np.array(below) == 2 * t), (np.array(below) == 2 * t + 1)
            if (a.given[low] == "bad").any() and (a.given[high] == "good").any():
                return False
    return True


def housed(a: Answer) -> bool:
    kinds = a.column("housing")
    return all(a.wrong[kinds == kind].mean() <= 0.2 + NEAR for kind in np.unique(kinds))


def off(a: Answer) -> np.ndarray:
    return a.given - a.numbers("months")


def absolute(a: Answer) -> float:
    return float(np.abs(off(a)).sum())


def policy(a: Answer) -> float:
    received = a.column("treatment") == a.given
    return float((a.numbers("outcome") / a.numbers("propensity") * received).mean())


def shares_of_treated(a: Answer) -> float:
    city = a.column("region") == "city"
    return abs(a.rate("treated", city) - a.rate("treated", ~city))


def grades_apart(a: Answer) -> float:
    order = np.array(["a", "b", "c"])
    return float(np.abs(np.searchsorted(order, a.given) - np.searchsorted(order, a.label)).sum())


def half_deviance(a: Answer) -> float:
    """Of LeBlanc and Crowley: hazards are the leaves' multiples of the Nelson-Aalen estimate."""
    times, failed = a.numbers("months"), a.numbers("failed")
    order = np.unique(times[failed == 1])
    steps = [(failed[times == s]).sum() / (times >= s).sum() for s in order]
    hazard = np.array([sum(h for s, h in zip(order, steps, strict=True) if s <= t) for t in times])
    expected = hazard * a.given
    logs = np.log(np.where(failed == 1, expected, 1.0))
    return float((expected - failed * (1 + logs)).sum())


ONE_SPLIT = {"one split": one_question}

TASKS: dict[str, Task] = {
    "recall_floor": credit(4, found=lambda a: a.recall("bad") >= 0.9),
    "precision_floor": credit(
        4, reliable=lambda a: a.count("good", "good") >= 0.95 * (a.given == "good").sum()
    ),
    "both_recalls": credit(
        7, one=one_question, both=lambda a: min(a.recall("bad"), a.recall("good")) >= 0.6
    ),
    "costs": credit(4, lambda a: 5 * a.count("bad", "good") + a.count("good", "bad")),
    "balanced": credit(
        0.28125, lambda a: 1 - (a.recall("bad") + a.recall("good")) / 2, one=one_question
    ),
    "f1": credit(7 / 11, f1, greater=True, one=one_question),
    "parity": credit(5, alike=lambda a: abs(np.subtract(*called_good(a))) <= 0.05 + NEAR),
    "equal_opportunity": credit(3, alike=lambda a: abs(np.subtract(*chances(a))) <= 0.05 + NEAR),
    "worst_group": credit(5 / 17, worst_group, then=(Answer.errors, 7), one=one_question),
    "four_fifths": credit(
        4, alike=lambda a: min(called_good(a)) >= 0.8 * max(called_good(a)) - NEAR
    ),
    "leaf_size": credit(4, enough=lambda a: min(a.counts().values()) >= 5),
    "one_column": credit(
        5,
        **blind("amount"),
        single=lambda a: len(set().union(*a.used.values(), set())) <= 1,
    ),
    "one_split": credit(6, one=one_question),
    "three_leaves": credit(4, few=lambda a: len(a.counts()) <= 3),
    "without_amount": credit(4, **blind("amount")),
    "first_question": credit(4, age=lambda a: a.columns.get(1) == {"age"}),
    "named_points": credit(3, named=lambda a: not a.wrong[[0, 18]].any()),
    "same_leaf": credit(3, parted=parted),
    "amount_at_stake": credit(
        9010, lambda a: float(a.numbers("amount")[a.wrong].sum()), **blind("amount")
    ),
    "price_of_a_question": credit(8, lambda a: a.errors() + 2.5 * a.splits),
    "in_turn": credit(8, lambda a: a.count("bad", "bad"), greater=True, then=(Answer.errors, 4)),
    "refusals": credit(
        5,
        lambda a: a.count("bad", "bad"),
        greater=True,
        then=(Answer.errors, 3),
        five=lambda a: (a.given == "bad").sum() <= 5,
    ),
    "all_or_nothing": Task(None),
    "large_leaves": Task(None),
    "not_twice": credit(3, once=once),
    "needs_duration": credit(
        3,
        either=lambda a: {"duration"} in a.columns.values() or {"amount"} not in a.columns.values(),
    ),
    "lopsided": credit(4, answered=lambda a: 2 not in a.columns),
    "housing_groups": credit(3, **blind("housing"), housed=housed),
    "monotone": credit(4, monotone=monotone),
    "no_virginica": Task(
        7, keeps={**depth(2), "never": lambda a: a.count("versicolor", "virginica") == 0}
    ),
    "single_categories": Task(2, keeps=depth(2)),
    "treatment_budget": Task(
        -0.011301803748638095,
        policy,
        {**depth(2), "budget": lambda a: a.rate("treated", a.leaf > 0) <= 0.3 + NEAR},
        greater=True,
    ),
    "treatment_parity": Task(
        -0.042463726427060776,
        policy,
        {**depth(2), "alike": lambda a: shares_of_treated(a) <= 0.02 + NEAR},
        greater=True,
    ),
    "survival": Task(
        10.93414616743692,
        half_deviance,
        {**depth(2), "enough": lambda a: min(a.counts().values()) >= 6},
    ),
    "capped_errors": Task(
        231, absolute, {**ONE_SPLIT, "cap": lambda a: np.abs(off(a)).max() <= 27 + NEAR}
    ),
    "no_overestimates": Task(
        740 / 3,
        absolute,
        {**ONE_SPLIT, "below": lambda a: off(a)[a.column("indoors") == "no"].sum() <= -10 + NEAR},
    ),
    "dear_overestimates": Task(
        321, lambda a: float(np.maximum(3 * off(a), -off(a)).sum()), dict(ONE_SPLIT)
    ),
    "apart_values": Task(
        278,
        absolute,
        {
            **ONE_SPLIT,
            "apart": lambda a: (
                a.given[a.leaf == 2].mean() - a.given[a.leaf == 3].mean() >= 35 - NEAR
            ),
        },
    ),
    "greatest_error": Task(22, lambda a: float(np.abs(off(a)).max()), dict(ONE_SPLIT)),
    "ordinal": Task(11, grades_apart, dict(ONE_SPLIT)),
}


def faults(name: str, answer: Answer) -> list[str]:
    """What is wrong with a tree that is given for a task; nothing where all is as asked."""
    task = TASKS[name]
    found = [f"not kept: {one}" for one, holds in task.keeps.items() if not holds(answer)]
    if task.best is None:
        return ["there is no such tree"]
    for value, best in ((task.value, task.best), *([task.then] if task.then else [])):
        if abs(value(answer) - best) > NEAR * max(1.0, abs(best)):
            found.append(f"objective {value(answer):g}, and {best:g} is possible")
    return found
