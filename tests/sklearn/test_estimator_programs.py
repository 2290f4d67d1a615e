"""The spec that an estimator's parameters state, the user's own spec, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_credit import ALONE, credit, fair_tree

from treemip.sklearn import EstimatorError, OptimalTreeClassifier, TreemipWarning

SPECS = Path(__file__).parents[2] / "specs"

OWN = """data "credit.csv" { label risk positive "good"; group sex; weight w; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
param price = 1;
minimize misclassified + price * splits;
"""


def test_parameters_are_a_spec() -> None:
    x, y, sex = credit()
    tree = fair_tree("sex", depth=1, group="sex", scale="minmax(0, 1)")
    tree.set_params(params__min_leaf=2).fit(x.assign(sex=sex), y)
    assert tree.program_.source.text == (
        'data "memory" {\n'
        "  label  class positive good;\n"
        "  group  sex;\n"
        "  encode onehot(unseen = zero);\n"
        "  scale  minmax(0, 1);\n"
        "}\n"
        "topology complete(depth = 1);\n"
        "split univariate by oct(min_leaf = 2);\n"
        "param price  = 0.3;\n"
        "param widest = 0.2;\n"
        "let rate {g in values(sex)} =\n"
        "  sum {i in points : sex[i] = g} predicts[i,positive]"
        " / card({i in points : sex[i] = g});\n"
        "minimize misclassified + price * splits;\n"
        "subject to\n"
        "  parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= widest;\n"
    )


def test_columns_of_x_may_have_the_names_that_treemip_gives() -> None:
    x, y, _ = credit()
    x = x.rename(columns={"age": "class", "amount": "sample_weight"})
    tree = OptimalTreeClassifier(depth=1).fit(x, y, sample_weight=np.ones(24))
    assert tree.program_.spec.data.label.text == "class_"
    assert tree.program_.spec.data.weight.text == "sample_weight_"
    assert tree.score(x, y) > 0.7


# ------------------------------------------------------------------------ a spec of one's own


def test_a_spec_of_ones_own_gets_the_data_of_the_fit(tmp_path: Path) -> None:
    x, y, sex = credit()
    weight = np.arange(24) % 4
    stated = OptimalTreeClassifier(depth=1, objective="misclassified + 2 * splits", **ALONE)
    stated.fit(x, y, sample_weight=weight)
    file = tmp_path / "own.tree"
    file.write_text(OWN)
    for spec in (OWN, file, str(file)):
        tree = OptimalTreeClassifier(spec, params={"price": 2}, **ALONE)
        tree.fit(x, y, sample_weight=weight, groups=sex)
        assert tree.to_text() == stated.to_text()
        assert tree.result_.objective == pytest.approx(stated.result_.objective)
    unweighted = OptimalTreeClassifier(OWN, **ALONE).fit(x.assign(sex=sex), y)
    assert unweighted.result_.compiled.instance.table.weight.tolist() == [1.0] * 24


def test_a_shipped_spec_fits_other_data() -> None:
    x, y, _ = credit()
    numbers = x[["duration", "amount", "age"]]
    tree = OptimalTreeClassifier(SPECS / "iris_binoct.tree", time_limit=10).fit(numbers, y)
    assert tree.program_.spec.formulation == "binoct"
    assert tree.feature_names_in_.tolist() == ["duration", "amount", "age"]


@pytest.mark.parametrize(
    "spec",
    [
        OWN,
        OWN.replace("depth = 1)", "depth = D)").replace("param", "param D = 1;\nparam", 1),
    ],
    ids=["number", "parameter"],
)
def test_a_depth_replaces_that_of_the_spec(spec: str) -> None:
    x, y, sex = credit()
    for depth, nodes in ((None, 3), (1, 3), (2, 7)):
        tree = OptimalTreeClassifier(spec, depth=depth, start="cart", time_limit=0)
        tree.fit(x, y, groups=sex, sample_weight=np.arange(24) + 1)
        assert tree.tree_.topology.size == nodes


def test_a_drawn_shape_has_no_depth() -> None:
    spec = OWN.replace("complete(depth = 1)", 'shape "(. .)"')
    x, y, sex = credit()
    with pytest.raises(EstimatorError, match="'depth'"):
        OptimalTreeClassifier(spec, depth=2).fit(x, y, groups=sex)


SEX = credit()[2]
ROWS = {"sample_weight": np.arange(24) + 1, "groups": SEX}
REFUSED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"spec": OWN, "formulation": "binoct"}, ROWS),
    ({"spec": OWN, "depth": 3, "params": {"depth": 2}}, ROWS),
    ({"spec": OWN.replace(" weight w;", "")}, ROWS),
    ({"spec": OWN.replace("label risk", "label age")}, ROWS),
    ({"spec": 3}, ROWS),
    ({"spec": "nowhere.tree"}, ROWS),
    ({"constraints": "few: splitss <= 1"}, {}),
    ({"params": {"alfa": 1}}, {}),
    ({"params": {"alpha": 0.1}}, {}),
    ({"params": {"most": 0.1}, "constraints": "few: splits <= most"}, {}),
    ({"params": [1]}, {}),
    ({"objective": 1}, {}),
    ({"constraints": 3}, {}),
    ({"formulation": None}, {}),
    ({"formulation": "soct", "depth": 1}, {"sample_weight": np.arange(24) + 1}),
    ({}, {"groups": {"age": SEX}}),
]


def test_what_is_refused_of_a_spec_parameters_and_data(golden) -> None:
    """The parameters of an estimator and what else its fit is given, and the message."""
    x, y, _ = credit()
    said = []
    for params, more in REFUSED:
        tree = OptimalTreeClassifier(**params)
        with pytest.raises(EstimatorError) as caught:
            tree.fit(x, y, **more)
        given = {name: str(value)[-60:] for name, value in params.items()}
        said.append(f"== {given} {[*more]}\n{caught.value}\n")
    golden("refused_parameters.expected", "\n".join(said))


def test_the_formulations_own_objective_has_its_name() -> None:
    x, y, _ = credit()
    priced = OptimalTreeClassifier(objective="cost", params={"alpha": 0.3}).fit(x, y)
    assert priced.result_.train_score.effective_splits == 0
    maximized = OptimalTreeClassifier(objective="maximize accuracy", depth=1).fit(x, y)
    assert maximized.result_.objective == pytest.approx(maximized.score(x, y))


def test_advice_is_a_warning() -> None:
    x = np.array([[0.0], [1e-9], [1.0], [2.0]])
    with pytest.warns(TreemipWarning, match=r"^W301: points whose values differ by 1e-5"):
        OptimalTreeClassifier(depth=1).fit(x, [0, 0, 1, 1])


def test_strings_that_are_dates_bring_a_warning() -> None:
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2023-01-01", periods=20)
    X = pandas.DataFrame({"when": days.strftime("%Y-%m-%d"), "a": range(20)})
    y = ["u"] * 9 + ["v"] * 11
    with pytest.warns(TreemipWarning, match=r"20 dates, such as 2023-01-01, .*\.dt\.month"):
        OptimalTreeClassifier(depth=1, time_limit=30).fit(X, y)
