"""Declarations: their scope, values by level, concepts and their defaults."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, faults, resolved

from treemip.core.lower.bind import bind, read_topology
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Symbol


def test_level_of_a_node_set_is_another_thing() -> None:
    spec = resolved("set second = level(2);")
    (second,) = (s for s in spec.sets if s.name == "second")
    assert isinstance(second.value, t.Call)


def levels(value: str, depth: int = 2) -> list[float]:
    spec = resolved(
        f"topology complete(depth = {depth});\nvar a free;\nparam C {{t in nodes}} = {value};\n"
        "formulation mine splits oblique;\n# split "
    )
    assert read_topology(spec.topology).size == 2 ** (depth + 1) - 1
    return bind(spec, None).values["C"].values.tolist()


def test_levels_from_the_root_down() -> None:
    assert levels("level(1: 100, 2: 10, 3: 1)") == [100, 10, 10, 1, 1, 1, 1]


def test_levels_in_any_order() -> None:
    assert levels("level(3: 1, 1: 100, 2: 10)") == [100, 10, 10, 1, 1, 1, 1]


def test_the_last_level_holds_below() -> None:
    assert levels("level(1: 100, 2: 10)") == [100, 10, 10, 10, 10, 10, 10]
    assert levels("level(1: 5)", depth=1) == [5, 5, 5]


SVM = HEAD + "split oblique by svm1_odt;\n"


def names(spec: Spec) -> set[str]:
    return {s.name for s in spec.variables}


def rows(spec: Spec) -> set[str]:
    return {c.name for c in spec.constraints}


def variable(spec: Spec, name: str) -> Symbol:
    return next(s for s in spec.variables if s.name == name)


def test_nothing_is_brought_in_unasked() -> None:
    spec = resolved("")
    assert names(spec) == {"active", "reach", "label", "hit", "coef", "bias"}
    assert not {"uses_off", "occupy", "vacant", "uses_any"} & rows(spec)


@pytest.mark.parametrize(
    ("text", "variables", "families"),
    [
        ("minimize features_used;", {"uses"}, {"uses_off"}),
        ("minimize distinct_features;", {"uses", "uses_anywhere"}, {"uses_off", "uses_any"}),
        (
            "subject to some {l in leaves}: occupied[l] >= 1;",
            {"occupied"},
            {"occupy", "vacant", "some"},
        ),
        ("minimize misclassified;", set(), set()),
    ],
)
def test_a_mention_brings_in_the_variable_and_its_rows(text, variables, families) -> None:
    plain, spec = resolved(""), resolved(text)
    assert names(spec) - names(plain) == variables
    assert rows(spec) - rows(plain) == families
    brought = [c for c in spec.constraints if c.name in families - {"some"}]
    assert {c.module for c in brought} <= {"vocabulary"}


def test_a_formulation_that_has_the_concept_keeps_its_own() -> None:
    octh = HEAD + "split oblique by octh;\nminimize features_used + splits;"
    spec = resolved(octh)
    assert variable(spec, "uses").module == "octh"
    assert not {"uses_off", "active_off"} & rows(spec)


def test_reach_of_the_leaves_is_extended_to_branches() -> None:
    binoct = HEAD + "split univariate by binoct;\n"
    reach = variable(resolved(binoct), "reach")
    assert reach.extension is not None
    assert reach.extension.value.span.text == "sum {l in leaves_under(t)} reach[i,l]"
    assert variable(resolved(""), "reach").extension is None


def test_a_condition_leaves_the_rest_to_the_default() -> None:
    own = HEAD + (
        "split oblique; var reach {i in points, t in nodes : t in leaves} binary;"
        "minimize sum {i in points} reach[i,root];"
        "route left when x[i,argmin {j in features} 1] <= 0; predict class 1;"
    )
    reach = variable(resolved(own), "reach")
    assert reach.extension is not None
    assert reach.extension.value.span.text == "sum {l in leaves_under(t)} reach[i,l]"


def test_variables_get_the_meaning_of_their_concept() -> None:
    spec = resolved("")
    assert variable(spec, "reach").means.value.span.text == "routed[i,t]"
    assert variable(spec, "coef").means is None
    assert variable(spec, "hit").means.value.span.text == "reach[i,l] * label[l,y[i]]"


def test_a_formulation_may_say_its_own_default() -> None:
    without, spec = resolved(SVM), resolved(SVM + 'minimize sum {l in leaves} label[l,"setosa"];')
    assert "label" not in names(without)
    assert {"label_one", "label_class"} <= rows(spec)


MARGOT = HEAD + "split margin by margot;\n"


@pytest.mark.parametrize(
    "rest",
    [
        "minimize misclassified;",
        "subject to some {l in leaves}: occupied[l] >= 1;",
        "subject to some {t in branches}: sum {i in points} reach[i,t] >= 1;",
    ],
)
def test_an_extension_by_another_concept_comes_in_when_another_text_needs_it(rest: str) -> None:
    plain, spec = resolved(MARGOT), resolved(MARGOT + rest)
    assert "side" not in names(plain) and plain.concepts["reach"].extension is None
    assert "side" in names(spec)
    assert {"one_side", "side_left", "side_right"} <= rows(spec)
    assert spec.concepts["reach"].extension.value.span.text == "side[i,t]"


def test_one_without_a_default_is_an_error_with_the_way_to_it() -> None:
    (fault,) = faults("minimize total_slack;")
    assert fault.code == "E205"
    assert fault.span.source.name == "library/vocabulary.tree"
    assert [(r.span.source.name, r.span.text) for r in fault.related] == [
        ("library/vocabulary.tree", "slack"),
        ("a.tree", "total_slack"),
    ]


def test_the_spec_may_declare_what_the_formulation_lacks() -> None:
    text = "var slack {i in points, t in branches} >= 0;\nminimize total_slack;"
    assert "slack" in names(resolved(text))


def test_a_concept_of_the_spec_is_one_like_the_others() -> None:
    text = """
    concept tall {t in branches} "1 where t is tall" = default {
      var tall {t in branches} binary;
      subject to tall_on {t in branches}: tall[t] <= active[t];
    };
    """
    assert "tall" not in names(resolved(text))
    spec = resolved(text + "minimize sum {t in branches} tall[t];")
    assert "tall" in names(spec)
    assert "tall_on" in rows(spec)
