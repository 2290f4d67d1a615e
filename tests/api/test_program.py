"""A program compiled again gives the same model from the data it bound once."""

from __future__ import annotations

import numpy as np

import treemip

SPEC = """
data "unused.csv" { label class; }
topology complete(depth = 1);
split oblique by soct;
"""

TABLE = {"a": [0.1, 0.4, 0.6, 0.9], "b": [0.2, 0.9, 0.1, 0.7], "class": ["n", "n", "y", "y"]}


def test_compiled_again_the_model_is_the_same_and_the_instance_too():
    program = treemip.loads(SPEC, TABLE)
    first, again = program.compile(), program.compile()
    assert again.instance is first.instance
    assert again.model is not first.model
    for one, other in zip(first.model.rows, again.model.rows, strict=True):
        assert one.name == other.name
        assert (one.matrix.indices == other.matrix.indices).all()
        assert (one.matrix.data == other.matrix.data).all()
    assert (first.model.costs == again.model.costs).all()


def test_a_program_with_other_rows_binds_its_own_spec():
    program = treemip.loads(SPEC, TABLE)
    bound = program.instance
    other = program.with_pressed(frozenset())
    assert other.instance is not bound
    assert other.instance.spec is other.spec is not program.spec
    assert program.instance is bound
    assert np.array_equal(other.instance.values["x"].values, bound.values["x"].values)
