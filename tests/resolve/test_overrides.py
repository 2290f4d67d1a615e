"""A parameter's value: the formulation's, by the `by` argument, by the spec, by -p."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, faults, resolved, said, value

BY = HEAD + "split oblique by soct(eps = 0.02);\n"


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", [], "0.005"),
        (BY, [], "0.02"),
        ("param eps = 0.03;", [], "0.03"),
        (BY + "param eps = 0.03;", [], "0.03"),
        (BY, [("eps", "0.04")], "0.04"),
        (BY + "param eps = 0.03;", [("eps", "0.04")], "0.04"),
        ("", [("eps", "0.04"), ("eps", "0.05")], "0.05"),
        ("", [("eps", "1 / card(points)")], "1 / card(points)"),
    ],
)
def test_the_last_one_counts(text, options, expected) -> None:
    assert value(resolved(text, *options), "eps") == expected


def test_a_parameter_keeps_its_indices_and_documentation() -> None:
    spec = resolved("", ("M", "3"))
    (big_m,) = (p for p in spec.parameters if p.name == "M")
    assert big_m.domain.names == ("i",)
    assert big_m.tag == "(7)"
    (eps,) = (p for p in resolved("param eps = 1;").parameters if p.name == "eps")
    assert eps.doc == "least distance of a right-going point from the hyperplane"


def test_a_parameter_of_the_spec_alone_can_be_given_too() -> None:
    assert value(resolved("param price = 1;", ("price", "2")), "price") == "2"


def test_values_mention_other_parameters() -> None:
    spec = resolved("param few = 2;\nparam beta = few + 1;")
    assert value(spec, "beta") == "few + 1"


@pytest.mark.parametrize("text", ["", " ", "1;drop budget", "1; param beta = 2", "1 +", "{", '"'])
def test_an_option_is_one_value(text) -> None:
    (fault,) = faults("", ("eps", text))
    assert fault.code == "E902"
    assert fault.span is None


def test_an_option_ending_in_a_comment_is_refused() -> None:
    assert [d.code for d in faults("", ("eps", "1 # one"))] == ["E902"]


def test_an_option_for_nothing_is_refused_whatever_its_name() -> None:
    for name in ("esp", "reach", "1x", "", "eps {i in points}", "misclassified"):
        assert [d.code for d in faults("", (name, "1"))] == ["E211"]


def test_arguments_name_parameters_once() -> None:
    assert said(HEAD + "split oblique by soct(reach = 1);") == [("E211", "reach")]
    assert said(HEAD + "split oblique by soct(0.1);") == [("E211", "0.1")]
    assert said(HEAD + "split oblique by soct(eps = 1, eps = 2);") == [("E209", "eps")]
