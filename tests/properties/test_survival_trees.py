"""OST, exact and over a list of hazards, against every tree of tiny data with censored times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference.leaf_losses import Columns, closed_form, hazards, over_list
from reference.leaf_sums import least_cost, tiny
from saved_trees import changed_leaf
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.score import ValueScore

STEPS = 6
DATA = 'data "t.csv" { label none; number time, event; scale minmax; }'
ALPHAS = (0.0, 0.3)


def table(seed: int) -> tuple[Columns, np.ndarray, int]:
    """Columns with ties of times, of events and censored points alike; x (N, p); a depth."""
    rng, x, depth = tiny(seed)
    time = rng.integers(1, 6, len(x)).astype(float)
    event = rng.integers(0, 2, len(x)).astype(float)
    event[int(rng.integers(len(x)))] = 1
    features = {f"a{j}": column for j, column in enumerate(x.T)}
    return {**features, "time": time, "event": event}, x, depth


def problem(formulation: str, seed: int) -> tuple[Compiled, float]:
    """A model, and the objective of the best of all trees."""
    columns, x, depth = table(seed)
    alpha, size = ALPHAS[seed // 2 % 2], 1 + seed % 3
    own = f", steps = {STEPS}" if formulation == "ost_grid" else ""
    text = (
        f"{DATA} topology complete(depth = {depth}); split univariate by "
        f"{formulation}(alpha = {alpha}, min_leaf = {size}{own});"
    )

    def leaf(points: np.ndarray) -> float:
        return over_list(columns, points, STEPS) if own else closed_form(columns, points)

    best = least_cost(x, depth, alpha, size, leaf)
    return treemip.loads(text, columns).compile(), best


def check(formulation: str, seed: int, solver: str) -> None:
    made, best = problem(formulation, seed)
    result = made.solve(solver, time_limit=300)
    assert result.objective == pytest.approx(best, abs=1e-5)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
    assert result.report is not None and result.report.taken == ()
    assert result.report.tree_objective == pytest.approx(best, abs=1e-5)


WAYS = [("ost", "scip"), ("ost_grid", "scip"), ("ost_grid", "highs")]


@pytest.mark.parametrize(("formulation", "solver"), WAYS)
@pytest.mark.parametrize("seed", one_in(2, [4, 1]))
def test_the_optimum_is_that_of_all_trees(formulation: str, seed: int, solver: str) -> None:
    if solver == "scip":
        pytest.importorskip("pyscipopt")
    check(formulation, seed, solver)


@pytest.mark.truth
@pytest.mark.parametrize(("formulation", "solver"), WAYS)
def test_the_optimum_is_that_of_all_trees_on_50_tables(formulation: str, solver: str) -> None:
    for seed in range(100, 150):
        check(formulation, seed, solver)


def test_the_hazards_of_all_points_add_up_to_the_events() -> None:
    """Nelson and Aalen's estimate has this property, and the module's is the test's."""
    columns, *_ = table(7)
    made = treemip.loads(
        f"{DATA} topology complete(depth = 1); split univariate by ost;", columns
    ).compile()
    given = made.instance.values["Lambda"].values
    assert given == pytest.approx(hazards(columns))
    assert given.sum() == pytest.approx(columns["event"].sum())


@pytest.mark.parametrize("leaf", [2, 3])
def test_a_changed_hazard_is_found(
    leaf: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, *_ = table(4)
    rows = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    text = f"{DATA} topology complete(depth = 1); split univariate by ost_grid(steps = 4);"
    (tmp_path / "t.tree").write_text(text)
    result = treemip.load(tmp_path / "t.tree").compile().solve("highs")
    assert result.status == "optimal"

    def change(node: dict) -> None:
        node["value"] += 0.01

    path = changed_leaf(result, tmp_path, change, leaf)
    assert main(["verify", str(path)]) == 1
    assert (
        f"node {leaf} of the tree does not follow from the saved values" in capsys.readouterr().out
    )


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
