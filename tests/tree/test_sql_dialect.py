"""A query in a database's own SQL gives, in that database, the classes that the tree gives."""

from __future__ import annotations

import numpy as np
import pytest
from converted_trees import SCALINGS, random_tree, rows_for
from run_programs import selected

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.randomized import RandomizedTree
from treemip.writers.convert.sql_query import HEAD

pytest.importorskip("sqlglot", reason="sqlglot is not installed")

DIALECTS = ("duckdb", "sqlite")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_database_predicts_as_the_tree_does(dialect: str, kind: str, scaling: str) -> None:
    seed = SCALINGS.index(scaling)
    tree = random_tree(kind, scaling, seed, "numbers" if seed == 1 else "text")
    rows = rows_for(tree, 300, seed)
    found = [row["prediction"] for row in selected(tree, rows, dialect)]
    assert [_number(value) for value in found] == tree.predict(rows).tolist()


def _number(value: object) -> object:
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_database_has_the_probabilities_of_a_randomized_tree(dialect: str) -> None:
    tree = random_tree("randomized", "scale minmax", 3)
    assert isinstance(tree, RandomizedTree)
    rows = rows_for(tree, 300, 3)
    found = selected(tree, rows, dialect)
    chances = np.array([[row[f"P({name})"] for name in tree.classes] for row in found])
    expected = tree.predict_proba(rows)
    assert np.abs(chances - expected).max() < 1e-14
    sure = np.diff(np.sort(expected, axis=1))[:, -1] > 1e-13
    classes = np.array([row["prediction"] for row in found], object)
    assert (classes[sure] == tree.predict(rows)[sure]).all()


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("bigquery", "`colour`"),
        ("mysql", "`colour`"),
        ("tsql", "[colour]"),
        ("snowflake", '"colour"'),
    ],
)
def test_names_and_texts_are_quoted_as_the_dialect_does(dialect: str, name: str) -> None:
    trees = (random_tree("sets", "scale none", seed) for seed in range(60))
    written = next(
        text for text in (t.to_text("sql", dialect=dialect) for t in trees) if "colour" in text
    )
    assert written.startswith(HEAD.replace("{answer}", "class"))
    assert name in written


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(TreemipError) as error:
        random_tree("univariate", "scale none", 0).to_text("sql", dialect="postgre")
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E902"
    assert diagnostic.message == "sqlglot has no dialect 'postgre'"
    assert (diagnostic.remedy or "").startswith("did you mean 'postgres'? there are 'athena', ")
