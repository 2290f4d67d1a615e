"""MARGOT, HFS-MARGOT and MM-SVM-OCT on small instances: optima that other programs proved."""

from __future__ import annotations

import numpy as np
import pytest
from mm_svm_program import least_value
from truth_cases import HERE, compiled, known

from treemip.api.result import Result

pytestmark = pytest.mark.truth

BUDGET = "subject to budget {t in branches}: sum {j in features} uses[t,j] <= B[t];\n"
TWICE = "param M_xi = 100; param M_H = 200; param M_w = 100;\n"


def title(row: dict[str, str]) -> str:
    return f"{row['kind']} {row['instance']} C={row['C']}"


def spec(row: dict[str, str]) -> str:
    budget = f"param B {{t in branches}} = {row['B']};\n{BUDGET}" if row["B"] else ""
    return f"param C = {row['C']};\n{budget}"


def solved(formulation: str, instance: str, rest: str) -> Result:
    result = compiled(formulation, HERE, instance, rest=rest).solve("scip", start="none")
    assert result.status == "optimal"
    assert result.verified, result.report
    return result


def hinge(result: Result) -> float:
    """Hinge losses at all branches that points pass, from the decoded tree alone; prices are C."""
    instance, tree = result.compiled.instance, result.tree
    x, passed = instance.table.x, tree.path(instance.table.x)
    sign = np.where(instance.table.y == 1, 1.0, -1.0)
    price = instance.values["C"].values
    total = 0.0
    for node, c in zip(tree.topology.branches, price, strict=True):
        height = x @ tree.weights[node] - tree.threshold[node]
        total += c * np.maximum(0, 1 - sign * height)[passed[:, node]].sum()
    return total


@pytest.mark.parametrize("row", known("margot_small.csv"), ids=title)
def test_margot(row: dict[str, str]) -> None:
    result = solved("margot", row["instance"], spec(row))
    expected = float(row["second_objective"] or row["objective"])
    assert result.objective == pytest.approx(expected, rel=1e-5)
    model = result.compiled.model
    assert (model.column_count, model.row_count) == (int(row["columns"]), int(row["rows"]))
    terms = {t.text: t for t in result.report.terms}
    assert terms["hinge"].solution == pytest.approx(hinge(result), rel=1e-5, abs=1e-5)


def test_four_partitions_are_learned_without_an_error() -> None:
    """C = 1 at the root lets it part the points across its own margin; the paper's Table 3."""
    result = solved("margot", "small_4-partitions_108.csv", "param C = level(1: 1, 2: 100);")
    assert result.objective == pytest.approx(219.345621, rel=1e-5)
    assert (result.points, result.train_errors) == (108, 0)
    assert hinge(result) == pytest.approx(95.819825, rel=1e-5)


ONCE = [r for r in known("margot_small.csv") if r["instance"] == "small_4-partitions_60.csv"]
ONCE += [r for r in known("margot_small.csv") if "wisconsin_30" in r["instance"]]


@pytest.mark.parametrize("row", ONCE, ids=title)
def test_greater_big_m_change_nothing(row: dict[str, str]) -> None:
    result = solved("margot", row["instance"], spec(row) + TWICE)
    expected = float(row["second_objective"] or row["objective"])
    assert result.objective == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("row", [r for r in ONCE if not r["B"]], ids=title)
def test_a_budget_of_all_features_is_none(row: dict[str, str]) -> None:
    rest = spec(row) + "param B {t in branches} = card(features);\n" + BUDGET
    result = solved("margot", row["instance"], rest)
    expected = float(row["second_objective"] or row["objective"])
    assert result.objective == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("instance", "c1", "c3"),
    [
        ("breast-cancer-wisconsin_30", 1, 1),
        ("breast-cancer-wisconsin_40", 1, 1),
        ("breast-cancer-wisconsin_40", 10, 0.1),
        ("4-partitions_60", 10, 1),
    ],
)
def test_mm_svm_oct_is_what_a_second_program_proves(instance: str, c1: float, c3: float) -> None:
    result = solved("mm_svm_oct", f"small_{instance}.csv", f"param c1 = {c1}; param c3 = {c3};")
    table = result.compiled.instance.table
    expected = least_value(table.x, np.where(table.y == 1, 1.0, -1.0), c1, c3)
    assert result.objective == pytest.approx(expected, rel=1e-5)


def test_mm_svm_oct_with_doubled_big_m() -> None:
    once, twice = (
        solved("mm_svm_oct", "small_breast-cancer-wisconsin_40.csv", rest)
        for rest in ("", "param M = 200;")
    )
    assert once.objective == pytest.approx(twice.objective, rel=1e-5)


@pytest.mark.parametrize("row", known("margot_small.csv"), ids=title)
def test_the_engine_proves_the_same(row: dict[str, str]) -> None:
    result = compiled("margot", HERE, row["instance"], rest=spec(row)).solve(time_limit=60)
    assert (result.status, result.answer.solver, result.verified) == ("optimal", "engine", True)
    expected = float(row["second_objective"] or row["objective"])
    assert result.objective == pytest.approx(expected, rel=1e-5)
