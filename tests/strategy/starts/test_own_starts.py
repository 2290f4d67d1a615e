"""Starts of one's own: what is given becomes a solution, or a message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.answers.engines import registry
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.starts import from_tree
from treemip.api import solving
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Answer
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree

FORMS = {
    "univariate by oct": "scale minmax;",
    "univariate by binoct": "",
    "univariate by flow_oct": "bin thresholds;",
    "oblique by soct": "scale minmax;",
    "oblique by octh": "scale minmax;",
    "oblique by svm1_odt": "scale minmax;",
}


def table(points: int = 40) -> dict[str, Any]:
    draw = np.random.default_rng(3)
    x = draw.integers(0, 20, (points, 3)) * 1.5
    y = (x[:, 0] > 14) ^ (x[:, 1] > 20)
    columns: dict[str, Any] = {name: x[:, j].tolist() for j, name in enumerate("abd")}
    return columns | {"c": np.where(y, "y", "n").tolist()}


def compiled(
    by: str = "oblique by soct", more: str = "", depth: int = 2, columns: Any = None
) -> Compiled:
    text = f'data "t" {{ label c; {FORMS.get(by, "")} }} topology complete(depth = {depth}); '
    return treemip.loads(f"{text} split {by}; {more}", data=columns or table()).compile()


def sklearn_tree(x: Any, y: Any, depth: int = 2) -> Any:
    tree = pytest.importorskip("sklearn.tree")
    return tree.DecisionTreeClassifier(max_depth=depth, random_state=0).fit(x, y)


def raw() -> tuple[np.ndarray, np.ndarray]:
    columns = table()
    return np.array([columns[name] for name in "abd"]).T, np.array(columns["c"])


def codes(warnings: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(w.code, w.message) for w in warnings if w.code in ("W601", "W603")]


# ----------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("by", FORMS)
def test_a_sklearn_tree_of_raw_columns_starts_every_formulation(by: str, depth: int) -> None:
    x, y = raw()
    given = sklearn_tree(x, y)
    result = compiled(by, depth=depth).solve(start=given, time_limit=0)
    assert result.verified, result.report
    assert result.train_errors == int((given.predict(x) != y).sum())


@pytest.mark.parametrize("numbers", [True, False])
def test_a_sklearn_tree_of_the_encoded_inputs(numbers: bool) -> None:
    made = compiled()
    inputs, y = made.instance.table.inputs, raw()[1]
    answers = made.instance.table.y if numbers else y
    given = sklearn_tree(inputs, answers)
    result = made.solve(start=given, time_limit=0)
    assert result.train_errors == int((given.predict(inputs) != answers).sum())


def test_columns_of_pandas_are_found_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    columns = table() | {"colour": [["red", "blue", "green"][i % 3] for i in range(40)]}
    columns["c"] = ["y" if v == "red" else "n" for v in columns["colour"]]
    made = treemip.loads(
        'data "t" { label c; scale minmax; } topology complete(depth = 2); split oblique by soct;',
        data=columns,
    ).compile()
    frame = pandas.get_dummies(pandas.DataFrame(columns).drop(columns="c"))[
        ["colour_red", "d", "colour_blue", "a"]
    ]
    result = made.solve(start=sklearn_tree(frame, columns["c"]), time_limit=0)
    assert (result.train_errors, result.verified) == (0, True)


# ------------------------------------------------------------ starts that are none


def close_columns() -> dict[str, Any]:
    """Classes that CART parts between values which S-OCT's gap does not fit in."""
    a = [*np.linspace(0, 1, 20), 1.00001, *np.linspace(1.1, 2, 19)]
    return {"a": a, "b": [k % 7 for k in range(40)], "c": ["n"] * 20 + ["y"] * 20}


@pytest.fixture
def no_handover(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every model took too long to be handed to the solver that completes a start."""
    monkeypatch.setattr(from_tree, "has_time_for", lambda *_: False)


@pytest.mark.usefixtures("no_handover")
def test_a_search_follows_where_a_start_is_not_completed_in_its_share_of_the_limit() -> None:
    columns = close_columns()
    made = compiled(columns=columns, depth=1)
    x = np.array([columns["a"], columns["b"]]).T
    result = made.solve(start=sklearn_tree(x, columns["c"]), time_limit=2)
    assert result.verified, result.report
    ((_, message),) = codes(result.warnings)
    assert re.sub(r"\d[.\d]* s:", "T s:", message) == (
        "the DecisionTreeClassifier could not be completed to a solution within T s: with its "
        "splits as they are it violates 1 row of 'go_right'; the solve begins with a search"
    )


@pytest.mark.usefixtures("no_handover")
def test_the_rows_that_cart_breaks_are_named_where_no_solver_completes_it() -> None:
    made = compiled(columns=close_columns(), depth=1)
    ((_, message),) = codes(made.solve("scip", start="cart", time_limit=4).warnings)
    assert message == (
        "CART's routing could not be completed to a solution within 1 s: with its splits as "
        "they are it violates 1 row of 'go_right'; solving without a start"
    )


def test_an_oblique_tree_is_no_start_of_a_univariate_spec_and_the_message_says_why() -> None:
    draw = np.random.default_rng(5)
    x = draw.random((40, 2))
    columns = {"a": x[:, 0].tolist(), "b": x[:, 1].tolist()}
    columns["c"] = np.where(x.sum(axis=1) > 1, "y", "n").tolist()
    given = compiled(columns=columns, depth=1).solve("highs", start="search", time_limit=2).tree
    result = compiled("univariate by binoct", columns=columns, depth=1).solve(start=given)
    assert codes(result.warnings) == [
        (
            "W601",
            "the Tree is not feasible for this model: it has oblique splits, and those of the "
            "spec are univariate; the solve begins with a search",
        )
    ]
    assert result.verified


# --------------------------------------------------------------- trees, results, values


@pytest.fixture(scope="module")
def earlier() -> treemip.Result:
    return compiled("univariate by oct").solve("highs", start="search", time_limit=1)


@pytest.fixture(scope="module")
def oblique() -> treemip.Result:
    return compiled().solve("highs", start="search", time_limit=1)


@pytest.mark.parametrize("by", FORMS)
def test_a_tree_of_another_formulation_and_scale(earlier: treemip.Result, by: str) -> None:
    result = compiled(by).solve(start=earlier.tree, time_limit=0)
    assert result.verified, result.report
    assert result.train_errors == earlier.train_errors


@pytest.mark.parametrize("by", ["oblique by soct", "oblique by svm1_odt", "oblique by octh"])
def test_an_oblique_tree_in_another_scale(oblique: treemip.Result, by: str) -> None:
    result = compiled(by).solve("scip", start=oblique.tree, time_limit=1)
    assert result.answer.values is not None
    assert result.train_errors is not None and oblique.train_errors is not None
    assert result.train_errors <= oblique.train_errors or by != "oblique by soct"
    assert "has the objective" in codes(result.warnings)[0][1]


def test_a_result_a_file_and_values_are_the_same_solution(
    earlier: treemip.Result, tmp_path: Path
) -> None:
    path = tmp_path / "tree.json"
    earlier.save(path)
    for given in (earlier, path, str(path), dict(earlier.values)):
        result = compiled("univariate by oct").solve(start=given, time_limit=0)
        assert (result.objective, result.verified) == (pytest.approx(earlier.objective), True)


def test_values_in_part_are_completed(earlier: treemip.Result) -> None:
    some = {name: earlier.values[name] for name in ("a", "b", "d") if name in earlier.values}
    some = some or {k: v for k, v in earlier.values.items() if k in ("coef", "bias", "active")}
    assert some
    values, notes = compiled("univariate by oct").start_values(some)
    assert values is not None, notes


def test_what_is_no_start_is_refused(tmp_path: Path, golden: Callable[..., None]) -> None:
    pandas, (x, y) = pytest.importorskip("pandas"), raw()
    frame = pandas.DataFrame(x, columns=["a", "b", "age"])
    frame["age"] = np.where(y == "y", 1, 0)
    (tmp_path / "a.json").write_text("{}")
    starts = [
        sklearn_tree(frame, y),
        sklearn_tree(x[:, :2], y),
        sklearn_tree(x, np.where(y == "y", "yes", "n")),
        type(sklearn_tree(x, y))(),
        {"coeff": [1.0]},
        {"coef": [1.0]},
        {},
        "serch",
        3.5,
        [],
        ["cart", "none"],
        tmp_path / "none.json",
        tmp_path / "a.json",
    ]
    said, made = [], compiled()
    for start in starts:
        with pytest.raises(TreemipError) as caught:
            made.solve(start=start, time_limit=0)
        said.append(str(caught.value).replace(f"{tmp_path}/", ""))
    golden("refused_starts.expected", "\n\n".join(said) + "\n")


# --------------------------------------------------------------------------- several


def leaf_only(made: Compiled, weight: float = 0.0) -> Tree:
    """All points to one class."""
    topology, table = made.instance.topology, made.instance.table
    assert topology is not None
    size = topology.size
    classes = np.where(topology.is_leaf, 0, -1)
    weights = np.full((size, table.inputs.shape[1]), weight)
    return Tree(
        topology,
        weights,
        np.zeros(size),
        False,
        ClassAnswer(classes, table.classes),
        table.features,
    )


def test_the_best_of_several_is_taken() -> None:
    made, (x, y) = compiled(), raw()
    given = [leaf_only(made), sklearn_tree(x, y), "cart"]
    result = made.solve(start=given, time_limit=0)
    single = made.solve(start=given[1], time_limit=0)
    assert result.objective is not None and single.objective is not None
    assert result.objective >= single.objective


def test_one_that_is_not_feasible_is_a_warning_and_the_others_count() -> None:
    made, (x, y) = compiled(more="subject to some {k in classes}: recall[k] >= 0.01;"), raw()
    starts = [leaf_only(made), sklearn_tree(x, y)]
    result = made.solve("highs", start=starts, time_limit=60, gap=9.0)
    first, second = codes(result.warnings)
    assert first == (
        "W601",
        "the Tree (start 1) is not feasible for this model: it violates 1 row of 'some'",
    )
    assert second[1].startswith("the DecisionTreeClassifier (start 2), the best of 2 starts, has")
    assert result.verified


def test_a_tree_that_is_too_deep_is_a_warning() -> None:
    made, (x, y) = compiled(depth=1), raw()
    result = made.solve(start=sklearn_tree(x, y, 3), time_limit=0)
    assert codes(result.warnings) == [
        (
            "W601",
            "the DecisionTreeClassifier has splits below depth 1, where the spec's tree ends; "
            "solving without a start",
        )
    ]


def test_a_search_takes_the_place_of_a_start_that_is_none() -> None:
    made, (x, y) = compiled(depth=1), raw()
    result = made.solve("highs", start=sklearn_tree(x, y, 3), time_limit=1)
    (note,) = codes(result.warnings)
    assert note[1].endswith("where the spec's tree ends; the solve begins with a search")
    assert "search" in result.seconds
    assert result.verified and result.answer.start_accepted is True


def test_no_search_follows_one_that_was_among_them_or_a_start_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []
    real = solving.warm_start

    def watched(kind: Any, *rest: Any) -> Any:
        begun.append(str(kind))
        return real(kind, *rest)

    monkeypatch.setattr(solving, "warm_start", watched)
    made = compiled(more="subject to never: splits <= -1;", depth=1)
    for start in ("cart", [leaf_only(made), "search"]):
        made.solve("highs", start=start, time_limit=1)
    assert begun == ["cart", "the Tree (start 1), search"]
    made.solve("highs", start=leaf_only(made), time_limit=1)
    assert begun[2:] == ["the Tree", "search"]


# ----------------------------------------------------------------------- never lost


def failing(error: BaseException) -> Callable[..., Answer]:
    def solve_with(*arguments: object, **options: object) -> Answer:
        raise error

    return solve_with


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (TreemipError(Diagnostic.outside("E604", "the solver died", "wait")), "the solver died"),
        (MemoryError(), "not enough memory"),
        (ValueError("no such thing"), "ValueError: no such thing"),
    ],
)
def test_a_solver_that_fails_leaves_the_start(
    monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    monkeypatch.setattr(solving, "solve_with", failing(error))
    x, y = raw()
    result = compiled().solve("highs", start=sklearn_tree(x, y))
    assert (result.status, result.verified) == ("feasible", True)
    assert ("W603", f"the solver failed, so the start is the answer: {why}") in codes(
        result.warnings
    )


def test_without_a_start_a_solver_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "solve_with", failing(MemoryError()))
    with pytest.raises(MemoryError):
        compiled().solve("highs", start="none")


def test_a_signal_in_the_solver_leaves_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "solve_with", failing(KeyboardInterrupt()))
    x, y = raw()
    result = compiled().solve("highs", start=sklearn_tree(x, y), on_interrupt="keep")
    assert (result.status, result.verified) == ("interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        compiled().solve("highs", start=sklearn_tree(x, y))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("odd")])
def test_a_later_start_that_fails_leaves_the_earlier(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    from treemip.answers.search import start as search_start

    monkeypatch.setattr(search_start, "search", failing(error))
    x, y = raw()
    starts = [sklearn_tree(x, y), "search"]
    result = compiled().solve("highs", start=starts, time_limit=0.5, on_interrupt="keep")
    assert result.verified
    interrupted = isinstance(error, KeyboardInterrupt)
    assert (result.status == "interrupted") == interrupted
    if not interrupted:
        assert any("could not be completed" in message for _, message in codes(result.warnings))


def test_a_solver_that_fails_while_it_completes_leaves_what_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The coefficients of SVM1-ODT have a price, so a solver looks for better ones.
    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", failing(MemoryError()))
    x, y = raw()
    values, _ = compiled("oblique by svm1_odt").start_values(sklearn_tree(x, y))
    assert values is not None


def test_an_outside_solver_that_dies_leaves_the_start() -> None:
    x, y = raw()
    command = "command:/bin/sh -c 'kill -9 $$' {model} {solution}"
    result = compiled().solve(command, start=sklearn_tree(x, y))
    assert (result.status, result.verified) == ("feasible", True)
    assert [code for code, _ in codes(result.warnings)][-1] == "W603"


def test_a_search_improves_first_a_tree_that_breaks_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = raw()
    given = sklearn_tree(x, y)
    rows = "subject to least {l in leaves}: points_in[l] >= 18 * occupied[l];"
    tried: list[Candidate] = []
    kept = TreeSearch._tried

    def noted(self: TreeSearch, tree: Candidate, goal: float) -> tuple[float, float, Candidate]:
        tried.append(tree.copy())
        return kept(self, tree, goal)

    monkeypatch.setattr(TreeSearch, "_tried", noted)
    monkeypatch.setattr(registry, "ENGINES", ())
    made = compiled("univariate by oct", rows)
    result = made.solve("highs", start=given, time_limit=6)
    ((_, message),) = codes(result.warnings)
    assert message.endswith("; the solve begins with a search")
    assert result.verified and result.status in ("optimal", "time_limit")
    features = given.tree_.feature[given.tree_.feature >= 0]
    assert tried[0].weights[0].argmax() == features[0]
    assert set(np.flatnonzero(tried[0].weights.any(axis=0))) == set(features)
