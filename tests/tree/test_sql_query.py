"""A tree written as SQL gives, in a database, the classes that the tree gives."""

from __future__ import annotations

import numpy as np
import pytest
from converted_trees import SCALINGS, random_tree, rows_for, tree_asking
from run_programs import DIALECTS, Rows, selected
from suite import one_in

import treemip
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.sql_query import HEAD, sql_query


def in_database(tree: Tree, rows: Rows, dialect: str | None) -> list[dict[str, object]]:
    """What the query of a dialect gives, in any database's SQL without one."""
    if dialect is not None:
        pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    return selected(tree, rows, dialect)


@pytest.mark.parametrize("scaling", one_in(2, SCALINGS))
@pytest.mark.parametrize("dialect", [None, *DIALECTS])
def test_a_query_has_the_probabilities_of_a_randomized_tree(
    dialect: str | None, scaling: str
) -> None:
    tree = random_tree("randomized", scaling, 3)
    assert isinstance(tree, RandomizedTree)
    rows = rows_for(tree, 40, 3)
    found = in_database(tree, rows, dialect)
    chances = np.array([[row[f"P({name})"] for name in tree.classes] for row in found])
    expected = tree.predict_proba(rows)
    assert np.abs(chances - expected).max() < 1e-14
    sure = np.diff(np.sort(expected, axis=1))[:, -1] > 1e-13
    assert sure.sum() > 80
    classes = np.array([row["prediction"] for row in found], object)
    assert (classes[sure] == tree.predict(rows)[sure]).all()


def test_a_row_that_a_randomized_tree_refuses_has_no_class() -> None:
    tree = tree_asking("randomized", "level", "the town")
    rows = {name: values[:4] for name, values in rows_for(tree, 4, 0).items()}
    rows["level"] = np.array([np.nan, -999.0, 1.0, 1.0], object)
    rows["the town"] = np.array(["A", "A", "C", "A"], object)
    classes = [row["prediction"] for row in selected(tree, rows)]
    assert classes[:3] == [None, None, None]
    assert classes[3] in tree.classes


def test_marks_in_columns_of_text_are_no_numbers() -> None:
    """SQLite reads other texts as 0."""
    import sqlite3

    text = (
        'data "t" { label y; missing marks "?", "n/a"; missing side; scale minmax; } '
        "topology complete(depth = 1); split univariate by oct;"
    )
    cells = ["1", "2", "3", "?", "8", "9", "n/a", "7"]
    table = {"a": cells, "y": ["u", "u", "u", "v", "v", "v", "v", "v"]}
    tree = treemip.loads(text, data=table).compile().solve().tree
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE rows (a TEXT)")
        database.executemany("INSERT INTO rows VALUES (?)", [(cell,) for cell in cells])
        database.row_factory = sqlite3.Row
        found = database.execute(sql_query(raw_tree(tree), "rows").rstrip(";\n ")).fetchall()
    assert [row["prediction"] for row in found] == tree.predict({"a": cells}).tolist() == table["y"]


def test_any_name_can_stand_in_a_query() -> None:
    tree = random_tree("univariate", "scale none", 0)
    assert 'FROM "my schema"."a ""table""" AS t;' in sql_query(
        raw_tree(tree), 'my schema.a "table"'
    )


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
    pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    written = next(
        text for text in (t.to_text("sql", dialect=dialect) for t in trees) if "colour" in text
    )
    assert written.startswith(HEAD.replace("{answer}", "class"))
    assert name in written


def test_an_unknown_dialect_is_named() -> None:
    pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    with pytest.raises(TreemipError) as error:
        random_tree("univariate", "scale none", 0).to_text("sql", dialect="postgre")
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E902"
    assert diagnostic.message == "sqlglot has no dialect 'postgre'"
    assert (diagnostic.remedy or "").startswith("did you mean 'postgres'? there are 'athena', ")
