"""The texts that are linked, and values for their parameters."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, SOCT, faults, resolved, said, value

from treemip.core.resolve import modules
from treemip.core.resolve.gather import gather
from treemip.core.resolve.modules import objective_as_let
from treemip.core.source.diagnostic import Report
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse


def gathered(text: str, formulation: str = "soct") -> list[str]:
    file = parse(Source("a.tree", text))
    named = n.Reference(text=formulation, span=file.span)
    return [m.name for m in gather(file, named, Report()).modules]


def test_the_order_of_look_up() -> None:
    assert gathered(SOCT) == ["spec", "soct", "vocabulary"]


def test_used_modules_stand_behind_the_formulation(monkeypatch) -> None:
    texts = {"near": "use far;\nparam a = 1;\nparam b = 1;", "far": "param c = 3;"}
    real = modules.library_module
    monkeypatch.setattr(
        modules, "library_module", lambda k: parse(Source(k, texts[k])) if k in texts else real(k)
    )
    text = "use near;\n" + SOCT
    assert gathered(text) == ["spec", "soct", "near", "far", "vocabulary"]
    spec = resolved(text + "param a = 2;")
    values = {s.name: (s.value.span.text, s.module) for s in spec.parameters}
    assert values["a"] == ("2", "spec")
    assert values["b"] == ("1", "spec")
    assert values["c"] == ("3", "spec")
    texts["far"] = "param a = 3;"
    assert said(text) == [("E202", "a")]


def test_a_module_is_taken_once() -> None:
    assert gathered("use soct;\nuse vocabulary;\nuse soct;\n" + SOCT) == [
        "spec",
        "soct",
        "vocabulary",
    ]


def test_a_name_means_what_the_first_module_says() -> None:
    spec = resolved("set heavy = points;\nlet mine = misclassified;")
    modules = {s.name: s.module for s in (*spec.lets, *spec.variables)}
    assert modules["mine"] == "spec"
    assert modules["correct"] == "soct"
    (correct,) = (s for s in spec.lets if s.name == "correct")
    assert correct.value.span.text == "sum {l in leaves} hit[i,l]"


def test_a_spec_may_redeclare_parameters_and_sets_only() -> None:
    binoct = SOCT.replace("oblique by soct", "univariate by binoct")
    spec = resolved(binoct + "set cut_points {f in features} = class_thresholds(f);")
    (cut_points,) = (s for s in spec.sets if s.name == "cut_points")
    assert cut_points.module == "spec"
    assert cut_points.value.span.text == "class_thresholds(f)"
    spec = resolved("param M {i in points} = 3;")
    assert [s.module for s in spec.parameters if s.name == "M"] == ["spec"]
    assert said("let label {l in leaves, k in classes} = 1;") == [("E202", "label")]
    assert said("param reach = 1;") == [("E202", "reach")]
    assert said("let eps = 1;") == [("E202", "eps")]
    assert said("let splits = 1;") == [("E202", "splits")]


@pytest.mark.parametrize(
    "text",
    [
        "minimize m: 1;",
        "minimize minimize_: 1;",
        'maximize # m comes here\n  m "(1)": 2 * m1;',
        "minimize e: e1 + e;",
    ],
)
def test_where_an_objective_has_its_name(text) -> None:
    node = parse(Source("a.tree", text)).statements[0]
    assert isinstance(node, n.Objective)
    let = objective_as_let(node)
    assert let.name_span.text == node.name
    assert text[: let.name_span.start].split("\n")[-1].strip() in ("minimize", "maximize", "")


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


OWN = """split univariate;
use univariate_routing;
var label {l in leaves, k in classes} binary;
minimize splits;
"""


@pytest.mark.parametrize(
    ("text", "remedies"),
    [
        (
            "split univariate by oct;",
            [
                "if that is meant, write  split univariate by oct(min_leaf = …);  else choose "
                "another name"
            ],
        ),
        (OWN, []),
    ],
    ids=["a formulation uses the module", "the spec uses it"],
)
def test_how_else_a_parameter_of_a_module_gets_its_value(text, remedies):
    spec = resolved(HEAD + text + "\nparam min_leaf = 2;")
    assert [d.remedy for d in spec.warnings if d.code == "W202"] == remedies
