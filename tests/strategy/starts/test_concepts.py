"""Concepts put behind a model for a start."""

from __future__ import annotations

import pytest

import treemip
from treemip.answers.starts.concepts import with_concept
from treemip.api.compiled import Compiled
from treemip.core.source.diagnostic import TreemipError

TABLE = {"a": [0.0, 1.0, 0.0, 1.0], "b": [0.0, 0.0, 1.0, 1.0], "c": ["n", "y", "y", "n"]}


def compiled(rest: str = "") -> Compiled:
    text = (
        f'data "t" {{ label c; }} topology complete(depth = 1);split univariate by flow_oct; {rest}'
    )
    return treemip.loads(text, data=TABLE).compile()


def test_the_default_stands_behind_all_columns_and_rows() -> None:
    made = compiled()
    instance, model = with_concept(made.instance, made.model, "reach")
    assert "reach" in instance.spec.concepts
    assert model.variables[:-1] == made.model.variables
    assert model.rows[: len(made.model.rows)] == made.model.rows
    block = model.variables[-1]
    assert (block.name, block.start, block.length) == ("reach", made.model.column_count, 12)
    added = {rows.name: rows.length for rows in model.rows[len(made.model.rows) :]}
    assert added == {"reach_root": 4, "reach_flow": 4, "reach_left": 4, "reach_right": 4}
    assert model.objective == made.model.objective


def test_a_spec_that_mentions_it_has_it() -> None:
    made = compiled("subject to size {l in leaves}: sum {i in points} reach[i,l] >= 1;")
    instance, model = with_concept(made.instance, made.model, "reach")
    assert instance is made.instance
    assert model is made.model


def test_parameters_given_from_outside_stay() -> None:
    text = (
        'data "t" { label c; } topology complete(depth = 1);'
        "split univariate by flow_oct; param least = 1;"
    )
    made = treemip.loads(text, data=TABLE, least=3).compile()
    instance, _ = with_concept(made.instance, made.model, "reach")
    assert instance.spec.overrides == (("least", "3"),)


def test_a_default_that_would_be_reformulated_is_refused() -> None:
    made = compiled()
    with pytest.raises(TreemipError) as caught:
        with_concept(made.instance, made.model, "uses")
    (found,) = caught.value.diagnostics
    assert found.code == "E205"
    assert found.message == "the default of the concept 'uses' has to be reformulated"
