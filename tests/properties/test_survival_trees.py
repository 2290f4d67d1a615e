"""OST, exact and over a list of hazards, against every tree of tiny data with censored times."""

from __future__ import annotations

import numpy as np
import pytest
from reference.leaf_losses import Columns, hazards
from reference.leaf_sums import tiny

import treemip
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.score import ValueScore

DATA = 'data "t.csv" { label none; number time, event; scale minmax; }'


def table(seed: int) -> tuple[Columns, np.ndarray, int]:
    """Columns with ties of times, of events and censored points alike; x (N, p); a depth."""
    rng, x, depth = tiny(seed)
    time = rng.integers(1, 6, len(x)).astype(float)
    event = rng.integers(0, 2, len(x)).astype(float)
    event[int(rng.integers(len(x)))] = 1
    features = {f"a{j}": column for j, column in enumerate(x.T)}
    return {**features, "time": time, "event": event}, x, depth


def test_the_hazards_of_all_points_add_up_to_the_events() -> None:
    """Nelson and Aalen's estimate has this property, and the module's is the test's."""
    columns, *_ = table(7)
    made = treemip.loads(
        f"{DATA} topology complete(depth = 1); split univariate by ost;", columns
    ).compile()
    given = made.instance.values["Lambda"].values
    assert given == pytest.approx(hazards(columns))
    assert given.sum() == pytest.approx(columns["event"].sum())


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ([0.0, 0.0, 0.0], "every point is censored: a survival tree needs an event"),
        ([1.0, 2.0, 0.0], "`event` has to be 1 (the event happened at `time`) or 0 (censored)"),
    ],
)
def test_what_the_events_have_to_be(event: list[float], message: str) -> None:
    columns = {"a": [0.0, 1.0, 2.0], "time": [1.0, 2.0, 3.0], "event": event}
    text = f"{DATA} topology complete(depth = 1); split univariate by ost;"
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, columns).compile()
    assert message in str(caught.value)


def test_columns_with_other_names() -> None:
    columns, *_ = table(4)
    renamed = {
        {"time": "months", "event": "died"}.get(name, name): v for name, v in columns.items()
    }
    text = (
        'data "t.csv" { label none; number months, died; scale minmax; } '
        "topology complete(depth = 1); split univariate by ost; "
        "param time {i in points} = months[i]; param event {i in points} = died[i];"
    )
    made = treemip.loads(text, renamed).compile()
    assert made.instance.values["Lambda"].values == pytest.approx(hazards(columns))


def test_the_concordance_of_a_tree_is_harrell_s() -> None:
    """Pair by pair: of the point that has its event first, is the hazard the higher one?"""
    columns, *_ = table(4)
    text = f"{DATA} topology complete(depth = 1); split univariate by ost_grid(steps = 4);"
    result = treemip.loads(f"{text} let harrell_c = concordance;", columns).compile().solve("highs")
    given, time, event = result.tree.predict(columns), columns["time"], columns["event"]
    pairs = [
        (given[i], given[k])
        for i in range(len(time))
        for k in range(len(time))
        if event[i] and time[i] < time[k]
    ]
    higher = sum(1.0 if first > second else 0.5 * (first == second) for first, second in pairs)
    score = result.train_score
    assert isinstance(score, ValueScore) and len(set(given)) == 2
    assert score.measures == {"harrell_c": pytest.approx(higher / len(pairs))}
