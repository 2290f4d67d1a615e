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
    assert found.message == f"the parameter 'eps' is {given!r}, which is not a finite number"


@pytest.mark.parametrize("option", ["names", "cuts"])
def test_a_way_of_writing_that_means_nothing(tmp_path, option):
    path = tmp_path / "m.mps"
    with pytest.raises(treemip.TreemipError, match=f"'{option}' cannot be 'bad'"):
        treemip.loads(SPEC, TABLE).compile().write(path, **{option: "bad"})
    assert not path.exists()


LAMBDA = (
    SPEC + "param lambda = 0.1; param base = 2; minimize misclassified + lambda * base * splits;"
)


def test_parameters_whose_names_python_or_load_takes():
    program = treemip.loads(LAMBDA, TABLE, parameters={"lambda": 0.25, "base": 3}, eps=0.01)
    values = program.instance.values
    assert [float(values[k].values[0]) for k in ("lambda", "base", "eps")] == [0.25, 3, 0.01]


def test_parameters_from_a_mapping_for_a_file(tmp_path):
    path = tmp_path / "a.tree"
    path.write_text(LAMBDA)
    program = treemip.load(path, TABLE, {"lambda": "1 / 4"})
    assert program.spec.overrides == (("lambda", "1 / 4"),)


@pytest.mark.parametrize(
    ("given", "message", "remedy"),
    [
        (
            {"parameters": {"eps": 1}, "eps": 2},
            "the parameter 'eps' is given twice",
            "give it once",
        ),
        (
            {"parameters": 0.1},
            "parameters is float, not a mapping of names to values",
            'such as parameters={"lambda": 0.1}',
        ),
        (
            {"parameters": {1: 0.1}},
            "the parameter 1 has a name that is not a string",
            "give its name",
        ),
        (
            {"base": 0.5},
            "base=0.5 is a number",
            'a parameter of that name goes into parameters={"base": 0.5}',
        ),
    ],
)
def test_parameters_that_cannot_be(given, message, remedy):
    with pytest.raises(treemip.TreemipError) as caught:
        treemip.loads(LAMBDA, TABLE, **given)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.remedy) == ("E902", message, remedy)
