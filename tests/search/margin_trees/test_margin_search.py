"""Margin trees from the search: proven optima, the Local SVM start, constraints of a user."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.search import pool
from treemip.answers.search.margin_trees.margin_search import MarginSearch
from treemip.answers.search.search_report import SearchReport
from treemip.answers.search.start import SECONDS, search
from treemip.answers.starts.warm_start import warm_start
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value, violation

DATA = Path(__file__).parents[2] / "truth" / "data"
USED = "sum {j in features} uses[t,j]"
BUDGET = f"subject to budget {{t in branches}}: {USED} <= B[t];"
CLEVELAND = "margot_cleveland_train.csv"


def compiled(file: str, split: str, rest: str = "", data: str = "") -> Compiled:
    head = f'data "{file}" {{ label class {data}; }} topology complete(depth = 2); '
    return treemip.loads(f"{head} split margin by {split}; {rest}", base=DATA).compile()


def searched(made: Compiled, starts: int, seed: int = 0, goal: float = -np.inf) -> SearchReport:
    return MarginSearch(made.instance, made.stated, 120, seed).run(made.model, starts, goal)


def value(report: SearchReport) -> float:
    assert report.best is not None, report.failed
    return report.best.objective


def known() -> list[dict[str, str]]:
    with (DATA / "margot_small.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "row", one_in(3, known()), ids=lambda r: f"{r['kind']} {r['instance'][6:-4]} C={r['C']}"
)
def test_near_the_proven_optimum_and_never_below(row: dict[str, str]) -> None:
    budget = f"param B {{t in branches}} = {row['B']}; {BUDGET}" if row["B"] else ""
    optimum = float(row["second_objective"] or row["objective"])
    made = compiled(row["instance"], f"margot(C = {row['C']})", budget)
    found = value(searched(made, 12, goal=1.05 * optimum))
    assert optimum * (1 - 1e-6) <= found <= optimum * 1.1


MM_SVM = {
    "small_breast-cancer-wisconsin_30.csv": (1, 1, 5.122643558),
    "small_breast-cancer-wisconsin_40.csv": (10, 0.1, 10.299566690),
    "small_4-partitions_60.csv": (10, 1, 208.577379250),
}
"""c1, c3 and the optimum that mm_svm_program.py in tests/truth proves."""


@pytest.mark.parametrize("file", MM_SVM)
def test_mm_svm_oct_near_the_proven_optimum(file: str) -> None:
    c1, c3, optimum = MM_SVM[file]
    made = compiled(file, f"mm_svm_oct(c1 = {c1}, c3 = {c3})")
    found = value(searched(made, 12, goal=1.05 * optimum))
    assert optimum * (1 - 1e-6) <= found <= optimum * 1.1


TABLE_11 = {
    "MARGOT": ("margot(C = 0.1)", "", 18.48),
    "HFS-MARGOT": (
        "margot(C = level(1: 10, 2: 1000))",
        f"param B {{t in branches}} = level(1: 1, 2: 2); {BUDGET}",
        98193.89,
    ),
    "SFS-MARGOT": (
        "margot(C = 1)",
        f"minimize svm + 4 * sum {{t in branches}} max(0, {USED} - 1);",
        215.00,
    ),
}
"""f0 with Local SVM for Heart Disease C. in D'Onofrio et al. (2023)."""


@pytest.mark.parametrize(("split", "rest", "local"), TABLE_11.values(), ids=list(TABLE_11))
def test_no_worse_than_local_svm(split: str, rest: str, local: float) -> None:
    made = compiled(CLEVELAND, split, rest, "positive 1")
    assert value(searched(made, 1, goal=local + 0.005)) <= local + 0.005


def test_the_values_are_a_solution_of_the_solver_s_model() -> None:
    split, rest, _ = TABLE_11["HFS-MARGOT"]
    made = compiled(CLEVELAND, split, rest, "positive 1")
    begun = warm_start("search", made.instance, made.model, "scip", Limits(time=1), made.stated)
    assert begun.values is not None, begun.notes
    assert violation(made.model, begun.values) <= 1e-7
    uses = begun.values[slice(made.model.block("uses").start, made.model.block("uses").stop)]
    assert (uses.reshape(3, -1).sum(axis=1) <= [1, 2, 2]).all()


def test_the_seed_fixes_the_trees() -> None:
    made = compiled("small_parkinsons_30.csv", "margot")
    first, again = (searched(made, 3, seed=7) for _ in range(2))
    assert first.best is not None and again.best is not None
    for name, values in first.best.completion.values.items():
        assert np.array_equal(values, again.best.completion.values[name])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "STARTS", 4)
    monkeypatch.setattr(pool, "WAIT", 0.0)
    monkeypatch.setattr(pool, "PATIENCE", 0.0)


@pytest.mark.usefixtures("impatient")
def test_it_ends_where_nothing_better_turns_up() -> None:
    made = compiled("small_breast-cancer-wisconsin_30.csv", "margot")
    margins = MarginSearch(made.instance, made.stated, 120, 0)
    report = margins.run(made.model, patient=False)
    assert value(report) == pytest.approx(4.1226435858852835, rel=1e-6)
    assert report.starts == margins.stall.start + 4


@pytest.mark.usefixtures("impatient")
def test_all_seconds_that_are_asked_for_are_used() -> None:
    made = compiled("small_breast-cancer-wisconsin_30.csv", "margot")
    models = made.instance, made.stated, made.model
    assert search(*models, None, 0).seconds < SECONDS
    assert search(*models, 1.0, 0, patient=True).seconds >= 1.0


def solved(made: Compiled) -> Result:
    result = made.solve("scip", start="search", time_limit=4)
    assert result.verified, result.report
    return result


def test_a_solve_begins_with_the_tree_of_the_search() -> None:
    result = solved(compiled("small_breast-cancer-wisconsin_30.csv", "margot"))
    assert result.objective == pytest.approx(4.1226435858852835, rel=1e-5)


def recalls(made: Compiled, report: SearchReport) -> list[float]:
    assert report.best is not None, report.failed
    instance, tree = made.instance, report.best.tree
    assert instance.topology is not None
    given = tree.labels[np.searchsorted(instance.topology.leaves, tree.ends(instance.table.x))]
    return [float((given[instance.table.y == one] == one).mean()) for one in (0, 1)]


def test_a_floor_on_recall_is_kept() -> None:
    split, floor = "margot(C = 0.05)", "subject to floor: recall[negative] >= 1;"
    free = compiled("small_parkinsons_40.csv", split)
    assert recalls(free, searched(free, 4))[0] < 1
    bound = compiled("small_parkinsons_40.csv", split, floor)
    report = searched(bound, 8)
    assert recalls(bound, report)[0] == 1
    assert value(report) > 1.515528  # the free tree's


def test_bounds_on_coefficients_are_kept() -> None:
    bound = "subject to most {t in branches, j in features}: -0.5 <= coef[t,j] <= 0.5;"
    report = searched(compiled("small_parkinsons_30.csv", "margot", bound), 2)
    assert value(report) > 13.894791
    assert report.best is not None
    assert np.abs(report.best.completion.values["coef"]).max() <= 0.5 + 1e-9


def test_errors_count_beside_margins() -> None:
    text = "minimize svm + 100 * misclassified;"
    plain = compiled("small_4-partitions_60.csv", "margot(C = 0.05)")
    priced = compiled("small_4-partitions_60.csv", "margot(C = 0.05)", text)
    first, second = searched(plain, 4).best, searched(priced, 6).best
    assert first is not None and second is not None
    y, x = plain.instance.table.y, plain.instance.table.x
    errors = []
    for one in (first, second):
        labels = one.tree.labels[np.searchsorted(one.tree.topology.leaves, one.tree.ends(x))]
        errors.append(int((labels != y).sum()))
    assert errors[1] < errors[0]


@pytest.mark.truth
def test_norms_of_absolute_values() -> None:
    made = compiled("small_breast-cancer-wisconsin_30.csv", "margot", "minimize l1 + hinge;")
    optimum = made.solve("scip", time_limit=60)
    assert optimum.status == "optimal"
    assert optimum.objective is not None
    found = value(searched(made, 4))
    assert optimum.objective * (1 - 1e-6) <= found <= optimum.objective * 1.1


def test_slack_of_svm1_odt_is_no_worse_than_cart_s() -> None:
    for file in ("small_iris_30.csv", "small_balance-scale_20.csv"):
        text = (
            f'data "{file}" {{ label class; }} topology complete(depth = 2);'
            "split oblique by svm1_odt;"
        )
        made = treemip.loads(text, base=DATA).compile()
        worth = []
        for kind in ("cart", "search"):
            begun = warm_start(kind, made.instance, made.model, "scip", Limits(time=1), made.stated)
            assert begun.values is not None
            worth.append(objective_value(made.model, begun.values))
        assert worth[1] <= worth[0] + 1e-9
