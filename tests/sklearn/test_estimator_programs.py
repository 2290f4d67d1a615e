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


def refused(tree: OptimalTreeClassifier, *data: Any, **more: Any) -> str:
    """The message of the error that a fit ends with."""
    with pytest.raises(EstimatorError) as caught:
        tree.fit(*(data or credit()[:2]), **more)
    return str(caught.value)


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


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"spec": OWN, "formulation": "binoct"},
            "error[E902]: formulation='binoct' is given beside a spec, which states that itself\n"
            "  = help: leave it out, or make it a parameter of the spec and set it in params",
        ),
        (
            {"spec": OWN, "depth": 3, "params": {"depth": 2}},
            "error[E902]: depth=3 and params have two different depths\n"
            "  = help: leave out one of them",
        ),
        (
            {"spec": OWN.replace(" weight w;", "")},
            "error[E311]: sample_weight is given, and the spec's data block names no weights\n"
            "  = help: write  weight w;  there, with any name for w",
        ),
        (
            {"spec": OWN.replace("label risk", "label age")},
            "error[E302]: 'age' is the spec's label and also a column of X\n"
            "  = help: drop the column from X, or rename one of the two",
        ),
        (
            {"spec": 3},
            "error[E902]: spec is int, neither a path nor the text of a spec\n"
            '  = help: such as spec="fair.tree"',
        ),
        (
            {"spec": "nowhere.tree"},
            "error[E901]: cannot read 'nowhere.tree': no such file or directory",
        ),
    ],
    ids=["formulation", "depth", "weights", "label", "number", "path"],
)
def test_what_does_not_fit_a_spec_is_refused(params: dict[str, Any], message: str) -> None:
    x, y, sex = credit()
    weight = np.arange(24) + 1
    tree = OptimalTreeClassifier(**params)
    assert refused(tree, x, y, sample_weight=weight, groups=sex) == message


# ---------------------------------------------------------------------------- faulty parameters


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"constraints": "few: splitss <= 1"},
            "error[E201]: unknown name 'splitss'\n"
            "  --> <spec>:10:8\n"
            "   |\n"
            "10 |   few: splitss <= 1;\n"
            "   |        ^^^^^^^ did you mean 'splits'?",
        ),
        (
            {"params": {"alfa": 1}},
            "error[E211]: params has 'alfa', which is no parameter of oct and is not mentioned by "
            "the objective, a constraint or a definition\n"
            "  = help: did you mean 'alpha'?",
        ),
        (
            {"params": {"alpha": 0.1}},
            "error[E211]: nothing depends on the parameter 'alpha' of oct with this objective\n"
            '  = help: objective="cost" is oct\'s own',
        ),
        (
            {"params": {"most": 0.1}, "constraints": "few: splits <= most"},
            "error[E202]: 'most' in params is a parameter of oct and also in your texts\n"
            "  = help: give the one in your texts another name",
        ),
        (
            {"params": [1]},
            "error[E902]: params is [1], not a dictionary of values by name\n"
            '  = help: such as params={"price": 0.5}',
        ),
        (
            {"objective": 1},
            'error[E902]: objective is 1, not a text\n  = help: such as "misclassified"',
        ),
        (
            {"constraints": 3},
            "error[E902]: constraints is 3, not a text or a list of texts\n"
            '  = help: such as ["few: splits <= 2"]',
        ),
        (
            {"formulation": None},
            'error[E902]: formulation is None, not a name\n  = help: such as "oct"',
        ),
    ],
    ids=lambda p: next(iter(p)) if isinstance(p, dict) else "",
)
def test_faulty_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    assert refused(OptimalTreeClassifier(**params)) == message


def test_weights_that_nothing_depends_on_are_refused() -> None:
    x, y, _ = credit()
    tree = OptimalTreeClassifier(formulation="soct", depth=1)
    assert refused(tree, x, y, sample_weight=np.arange(24) + 1) == (
        "error[E311]: sample_weight is given, and neither objective nor constraints depend on it\n"
        '  = help: objective="misclassified" counts points by their weight'
    )


def test_a_group_that_is_a_feature_too_is_refused() -> None:
    x, y, sex = credit()
    assert refused(OptimalTreeClassifier(), x, y, groups={"age": sex}) == (
        "error[E202]: 'age' is a column of X and also of groups\n"
        '  = help: rename one, or use the column of X: group="age"'
    )


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
