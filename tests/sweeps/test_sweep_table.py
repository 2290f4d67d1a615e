"""Means over repetitions, and the two choices, on tables made by hand."""

from __future__ import annotations

import pytest

from treemip.study.sweeps.measures import MSE
from treemip.study.sweeps.run import MEASURED
from treemip.study.sweeps.table import Sweep


def row(accuracy, features, **values):
    measured = dict.fromkeys(MEASURED)
    measured |= {"train_accuracy": accuracy, "test_accuracy": accuracy, "features": features}
    return {**measured, **values, "seconds": 1.0, "status": "optimal"}


def sweep(rows, *names, repeats=("seed",)):
    return Sweep(tuple(rows), names, frozenset(repeats))


def test_means_and_deviations_over_repetitions():
    rows = [
        row(0.8, 3, c="1", seed="1"),
        row(0.9, 5, c="1", seed="2"),
        row(0.7, 1, c="2", seed="1"),
    ]
    first, second = sweep(rows, "c", "seed").configurations
    assert (first.values, first.runs, first.features) == ({"c": "1"}, 2, 4)
    assert first.accuracy == pytest.approx(0.85)
    assert first.deviation == pytest.approx(0.05 * 2**0.5)
    assert second.deviation is None


def test_fewest_features_within_a_share_of_the_best():
    rows = [
        row(1.0, 9, c="1"),
        row(0.98, 4, c="2"),
        row(0.976, 4, c="3"),
        row(0.974, 1, c="4"),
    ]
    table = sweep(rows, "c")
    assert table.best()[""].values == {"c": "1"}
    assert table.sparsest()[""].values == {"c": "2"}
    assert table.sparsest(within=0.97)[""].values == {"c": "4"}
    assert table.sparsest(within=1.0)[""].values == {"c": "1"}


def test_exactly_the_share_is_within():
    rows = [row(0.8, 9, c="1"), row(0.8 * 0.975, 1, c="2")]
    assert sweep(rows, "c").sparsest()[""].values == {"c": "2"}


def test_equal_accuracy_goes_to_fewer_features():
    rows = [row(0.9, 3, c="1"), row(0.9, 2, c="2"), row(0.9, 2, c="3")]
    assert sweep(rows, "c").best()[""].values == {"c": "2"}


def test_each_data_set_has_its_own_choice():
    rows = [
        row(0.9, 3, data="a", c="1"),
        row(0.8, 2, data="a", c="2"),
        row(0.5, 3, data="b", c="1"),
        row(0.7, 2, data="b", c="2"),
    ]
    best = sweep(rows, "data", "c").best()
    assert {name: each.values["c"] for name, each in best.items()} == {"a": "1", "b": "2"}


def test_a_configuration_with_a_run_without_a_tree_is_not_chosen():
    rows = [row(0.9, 3, c="1", seed="1"), row(None, None, c="1", seed="2")]
    rows += [row(0.5, 3, c="2", seed="1"), row(0.5, 3, c="2", seed="2")]
    table = sweep(rows, "c", "seed")
    assert (table.configurations[0].trees, table.configurations[0].accuracy) == (1, None)
    assert table.best()[""].values == {"c": "2"}


def test_a_sweep_without_any_tree_chooses_nothing():
    table = sweep([row(None, None, c="1")], "c")
    assert (table.best(), table.sparsest()) == ({}, {})


def of_values(mse, features, **values):
    measured = dict.fromkeys(MEASURED) | {"features": features, "sense": "minimize"}
    measured |= {"train_mse": mse, "test_mse": mse, "test_mae": 1.0, "test_r2": 0.5}
    return {**measured, "test_objective": 3.0, "train_objective": 3.0, **values, "seconds": 1.0}


def test_trees_of_values_are_chosen_by_their_squared_error():
    rows = [of_values(4.0, 9, c="1"), of_values(4.1, 3, c="2"), of_values(4.11, 1, c="3")]
    table = sweep(rows, "c")
    first = table.configurations[0]
    assert (first.measure, first.score, first.accuracy) == (MSE, 4.0, None)
    assert first.beside == {"MAE": 1.0, "R2": 0.5}
    assert table.best()[""].values == {"c": "1"}
    assert table.sparsest()[""].values == {"c": "2"}
    assert table.sparsest(within=0.97)[""].values == {"c": "3"}


@pytest.mark.parametrize(("sense", "best", "sparsest"), [("maximize", 3, 2), ("minimize", 1, 1)])
def test_decisions_are_chosen_by_the_objective_in_its_sense(sense, best, sparsest):
    """Negative ones too: the second is within 0.975 of the third."""
    rows = [
        dict.fromkeys(MEASURED)
        | {"train_objective": 0.0, "test_objective": worth, "sense": sense, "features": features}
        | {"c": str(k), "seconds": 1.0}
        for k, (worth, features) in enumerate([(-9.0, 1), (-4.09, 2), (-4.0, 3)], start=1)
    ]
    table = sweep(rows, "c")
    assert table.best()[""].values == {"c": str(best)}
    assert table.sparsest()[""].values == {"c": str(sparsest)}


def test_a_single_test_point_has_no_r2_and_still_counts():
    rows = [of_values(4.0, 1, c="1") | {"test_r2": None}]
    (only,) = sweep(rows, "c").configurations
    assert (only.score, only.beside["R2"]) == (4.0, None)


def test_without_test_parts_training_accuracy_decides():
    rows = [{**row(0.9, 3, c="1"), "test_accuracy": None}]
    (only,) = sweep(rows, "c").configurations
    assert (only.tested, only.accuracy) == (False, 0.9)
