"""What works, and what is refused in words, where the label is a number or there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.answers.starts.cart import cart
from treemip.answers.starts.concepts import NoStart
from treemip.api.builder import Builder
from treemip.api.explain import explain
from treemip.api.other_trees import other_trees
from treemip.core.source.diagnostic import TreemipError
from treemip.study.init.first_spec import first_spec

TABLE = {
    "a": [1.0, 2, 3, 4],
    "b": [0.0, 1, 0, 1],
    "price": [3.5, 4.5, -1, 8],
    "mu": [-1.0, 2, 3, 4],
}
NUMBERS = "label price number; number mu;"
NONE = "label none; number price, mu;"
SPEC = """data "memory" {{ {data} }}
topology complete(depth = 1);
var reach {{i in points, l in leaves}} binary;
var beta {{l in leaves}} >= -10, <= 10;
var apart {{i in points}} >= 0;
let gain {{i in points}} = 0.001 * mu[i] * reach[i,root];
minimize deviations: sum {{i in points}} (apart[i] + gain[i]);
subject to
  one {{i in points}}: sum {{l in leaves}} reach[i,l] = 1;
  above {{i in points, l in leaves}}: reach[i,l] = 1 ==> apart[i] >= {number}[i] - beta[l];
  below {{i in points, l in leaves}}: reach[i,l] = 1 ==> apart[i] >= beta[l] - {number}[i];
{more}"""
REASONS = {NUMBERS: "the label is read as numbers", NONE: "there is no label"}


def program(data: str, more: str = "") -> treemip.Program:
    number = "y" if data == NUMBERS else "price"
    made = treemip.loads(SPEC.format(data=data, number=number, more=more))
    made.table = TABLE
    return made


def refused(work: object, *arguments: object, **options: object) -> str:
    with pytest.raises(TreemipError) as caught:
        work(*arguments, **options)  # type: ignore[operator]
    (error,) = caught.value.diagnostics
    return f"{error.code} {error.message}"


@pytest.mark.parametrize("data", [NUMBERS, NONE])
def test_a_solve_without_a_start(data: str) -> None:
    result = program(data).compile().solve(solver="highs", time_limit=30)
    assert (result.status, result.warnings) == ("optimal", [])
    assert result.objective == pytest.approx(4.5 + 0.008, abs=1e-6)
    assert (result.tree, result.errors_of_others) == (None, {})


@pytest.mark.parametrize("data", [NUMBERS, NONE])
@pytest.mark.parametrize("start", ["search", "cart", "local_svm", "svm_tree"])
def test_starts_that_are_not_available(data: str, start: str) -> None:
    message = refused(program(data).compile().solve, solver="highs", start=start)
    why = f"it gives leaves classes, and {REASONS[data]}"
    why = "the spec has no 'split'" if start == "search" else why
    assert message == f"E902 the start '{start}' is not available: {why}"


@pytest.mark.parametrize("data", [NUMBERS, NONE])
def test_the_spec_s_own_start_gives_way_to_the_solver(data: str) -> None:
    result = program(data, "strategy { start search; }").compile().solve(solver="highs")
    assert result.status == "optimal"
    (warning,) = result.warnings
    assert (warning.code, warning.message) == (
        "W601",
        "the spec's start 'search' is ignored: the spec has no 'split'",
    )


def test_values_are_a_start_and_trees_are_none() -> None:
    compiled = program(NUMBERS).compile()
    best = compiled.solve(solver="highs", start="none")
    again = compiled.solve(solver="highs", start=best.values)
    assert again.objective == pytest.approx(best.objective)
    assert any("has the objective" in note.message for note in again.warnings)
    tree = treemip.loads(
        'data "memory" { label c; scale minmax; } topology complete(depth = 1);'
        "split univariate by oct; minimize misclassified;"
    )
    tree.table = {"a": TABLE["a"], "b": TABLE["b"], "c": ["x", "x", "y", "y"]}
    grown = tree.compile().solve(time_limit=20).tree
    assert grown is not None
    message = refused(compiled.solve, solver="highs", start=grown)
    assert message.startswith("E305 ") and message.endswith(
        "predicts classes, and the label is read as numbers"
    )


@pytest.mark.parametrize("data", [NUMBERS, NONE])
def test_cart_has_no_classes_to_give(data: str) -> None:
    compiled = program(data).compile()
    with pytest.raises(NoStart, match=f"it gives leaves classes, and {REASONS[data]}"):
        cart(compiled.instance)
    assert other_trees(compiled.instance, compiled.stated) == ()


def test_numbers_of_a_model() -> None:
    stats = program(NUMBERS).compile().stats(relaxation=False)
    assert (stats["points"], stats["features"], stats["label"]) == (4, 2, "number")
    assert "classes" not in stats
    assert program(NONE).compile().stats(relaxation=False)["label"] == "none"


def test_labels_in_the_mathematics() -> None:
    text = explain(program(NUMBERS).compile(), "latex")
    assert "label of a point" in text and "known number of a point" in text
    assert "class of a point" not in text


def test_a_pair_has_no_labels_where_the_spec_has_none() -> None:
    made = program(NONE)
    made.table = ({name: TABLE[name] for name in "ab"}, TABLE["price"])
    message = refused(made.compile)
    assert message == "E301 the spec says  label none;  but labels are given"
    made = program("label price number; number mu;")
    made.table = ({name: TABLE[name] for name in ("a", "b", "mu")}, TABLE["price"])
    assert made.data.train.y.tolist() == TABLE["price"]


def test_the_builder() -> None:
    def words(**roles: object) -> str:
        return " ".join(Builder().data(TABLE, **roles).text().split())  # type: ignore[arg-type]

    numbers = words(label="price", label_number=True, number=["mu", "all"])
    assert "label price number;" in numbers and 'number mu, "all";' in numbers
    assert "label none;" in words(label=None)
    assert 'label "none";' in words(label="none")


def test_a_first_spec_shows_how_a_quantity_is_read(tmp_path: Path) -> None:
    rows = [f"{k % 7},{k % 3},{100 + 3.25 * k}" for k in range(60)]
    (tmp_path / "t.csv").write_text("a,b,price\n" + "\n".join(rows) + "\n", encoding="utf-8")
    text = first_spec(tmp_path / "t.csv", tmp_path, "price").text
    assert "\n  label price number;\n" in text.replace("label  ", "label ")
    assert "by ort(squared = 1);" in text
    message = refused(first_spec, tmp_path / "t.csv", tmp_path, "price", "oct")
    assert message == "E902 the label 'price' has 60 different values in 60 rows"
    few = first_spec(tmp_path / "t.csv", tmp_path, "b").text
    assert "number;" not in few


def test_a_table_without_classes_has_its_last_number_as_label(tmp_path: Path) -> None:
    rows = [f"{k / 7:.3f},{100 + 3.25 * k}" for k in range(60)]
    (tmp_path / "t.csv").write_text("a,cost\n" + "\n".join(rows) + "\n", encoding="utf-8")
    spec = first_spec(tmp_path / "t.csv", tmp_path)
    assert (spec.label, spec.number) == ("cost", True)
    assert spec.why == "guessed: the last column, a number"


def test_an_estimator_wants_classes() -> None:
    pytest.importorskip("sklearn")
    from treemip.sklearn import EstimatorError, OptimalTreeClassifier

    x = np.array([TABLE["a"], TABLE["b"]]).T
    for label in ("price number", "none"):
        text = f'data "t.csv" {{ label {label}; }} var z {{i in points}} binary; minimize total: z;'
        text = text.replace("total: z", "total: sum {i in points} z[i]")
        with pytest.raises(EstimatorError, match="does not name any"):
            OptimalTreeClassifier(spec=text).fit(x, [0, 1, 0, 1])
