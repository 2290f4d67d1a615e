"""A program compiled again gives the same model from the data it bound once."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (np.float64(0.01), "0.01"),
        (np.float32(0.5), "0.5"),
        (np.int64(3), "3"),
        (1e-7, "1e-07"),
        ("1 / 3", "1 / 3"),
    ],
)
def test_a_parameter_of_any_kind_of_number(given, text):
    program = treemip.loads(SPEC, TABLE, eps=given)
    assert program.spec.overrides == (("eps", text),)
    assert program.instance.values["eps"].values == (1 / 3 if text == "1 / 3" else float(text))


@pytest.mark.parametrize("given", [None, float("nan"), float("inf"), True, [1]])
def test_a_parameter_that_is_no_number(given):
    with pytest.raises(treemip.TreemipError) as caught:
        treemip.loads(SPEC, TABLE, eps=given)
    (found,) = caught.value.diagnostics
    assert found.code == "E902"
    assert found.message == f"the parameter 'eps' is {given!r}, which is no finite number"


@pytest.mark.parametrize("option", ["names", "cuts"])
def test_a_way_of_writing_that_means_nothing(tmp_path, option):
    path = tmp_path / "m.mps"
    with pytest.raises(treemip.TreemipError, match=f"'{option}' is 'bad', which means nothing"):
        treemip.loads(SPEC, TABLE).compile().write(path, **{option: "bad"})
    assert not path.exists()
