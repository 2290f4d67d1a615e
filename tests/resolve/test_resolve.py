"""The whole: what a Spec has of its text and the library, and all errors of a text at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec_texts import HEAD, SOCT, faults, resolved, said

from treemip.core.resolve.typed import Role
from treemip.core.resources import library_path


def test_three_lines_are_a_spec() -> None:
    spec = resolved("")
    assert (spec.name, spec.formulation, spec.split) == ("tree", "soct", "oblique")
    assert spec.objective.name == "accuracy_count"
    assert spec.objective.sense == "maximize"
    assert [c.name for c in spec.constraints][:3] == ["one_leaf", "flow", "one_label"]
    assert spec.route.op == "<="
    assert spec.predict.kind == "class"
    assert len(spec.requirements) == 2  # features in [0, 1], eps above 0


def test_the_objective_is_replaced_and_its_name_stays_a_term() -> None:
    spec = resolved("minimize splits - 0.5 * accuracy_count;")
    assert spec.objective.sense == "minimize"
    assert spec.objective.name == "objective"
    (old,) = (s for s in spec.lets if s.name == "accuracy_count")
    assert old.role is Role.LET
    assert old.tag == "(1a)"
    assert resolved("minimize accuracy_count: splits;").objective.name == "accuracy_count"


def test_an_objective_may_not_mention_itself() -> None:
    assert [d.code for d in faults("minimize mine: 2 * mine;")] == ["E207"]


def test_dropped_families_are_gone_and_the_others_stay() -> None:
    whole, spec = resolved(""), resolved("drop budget, no_split;")
    gone = {c.name for c in whole.constraints} - {c.name for c in spec.constraints}
    assert gone == {"budget", "no_split"}
    assert said("drop nothing_at_all;") == [("E214", "nothing_at_all")]


def test_rows_of_a_default_can_be_dropped() -> None:
    spec = resolved("minimize features_used;\ndrop uses_off;")
    assert "uses_off" not in [c.name for c in spec.constraints]
    assert said("drop uses_off;") == [("E214", "uses_off")]


def test_cuts_stand_apart() -> None:
    spec = resolved(HEAD + "split oblique by svm1_odt;\nstrategy { cuts leaf_purity; }")
    assert [c.name for c in spec.cuts] == [
        "leaf_purity",
        "scarce_leaf",
        "pigeonhole",
        "two_classes",
    ]
    assert not {c.name for c in spec.cuts} & {c.name for c in spec.constraints}


def test_the_default_formulation_of_a_kind() -> None:
    assert resolved(HEAD + "split univariate;").formulation == "binoct"
    assert resolved(HEAD + "split oblique;").formulation == "soct"


def test_a_spec_with_a_route_is_its_own_formulation() -> None:
    own = 'var u {t in branches} binary; predict class 1;\nroute left when u[t] <= x[i,"a"];'
    text = HEAD + "split oblique;\n" + own
    spec = resolved(text)
    assert spec.formulation == ""
    assert [s.name for s in spec.variables] == ["u"]


def test_the_spec_has_the_last_word_on_rules() -> None:
    spec = resolved("predict class 1;\nroute left when bias[t] >= 0;")
    assert spec.predict.value.span.text == "1"
    assert spec.route.op == ">="


def test_all_errors_in_the_order_of_the_text() -> None:
    text = SOCT + (
        "drop budgets;\n"
        "minimize spits;\n"
        "subject to a {t in branchs}: active[t] <= 1;\n"
        "param few = twoo;\n"
        "strategy { tme_limit 3; }\n"
    )
    assert said(text) == [
        ("E214", "budgets"),
        ("E201", "spits"),
        ("E201", "branchs"),
        ("E201", "twoo"),
        ("E212", "tme_limit"),
    ]


def test_an_unknown_formulation_is_all_there_is_to_say() -> None:
    text = HEAD + "split oblique by socct;\nminimize accuracy_count;\ndrop budget;"
    assert said(text) == [("E210", "socct")]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("split oblique by soct;", ["E208", "E208"]),
        ("param a = 1;\n# split ", ["E208"]),
        (HEAD + "topology complete(depth = 1);\nsplit oblique;", ["E209"]),
        (HEAD + "split univariate by soct;", ["E215"]),
        (HEAD + "split sideways;", ["E215"]),
    ],
)
def test_what_a_text_must_have_once(text, codes) -> None:
    assert [d.code for d in faults(text)] == codes


def test_a_formulation_alone_is_no_spec() -> None:
    """`check` called it fine, and `solve` ended at the first point or branch."""
    own = 'formulation own splits univariate "paper";\nuse univariate_routing;\n# split \n'
    (found,) = faults(own)
    assert found.span is not None and found.span.text.startswith("formulation own")
    assert found.code == "E208" and "split univariate by own;" in found.remedy
    messages = [f.message for f in faults(own + "topology complete(depth = 1);")]
    assert messages == ["'features' needs data"]


@pytest.mark.parametrize("file", sorted(library_path().rglob("*.tree")), ids=lambda file: file.stem)
def test_no_text_of_the_library_is_a_spec(file: Path) -> None:
    assert "E208" in {fault.code for fault in faults(file.read_text() + "\n# split ")}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (HEAD[: HEAD.index("topology")] + "var a binary;\nroute left when a <= 0.2;", "a topology"),
        (
            "topology complete(depth = 1);\nvar a {t in branches};\nroute left when a[t] <= 0.2;",
            "data",
        ),
    ],
)
def test_a_route_sends_points_down_a_topology(text: str, missing: str) -> None:
    (found,) = faults(text + "\npredict value 1;\n# split ")
    assert (found.code, found.message) == ("E208", f"'route' needs {missing}")


def test_a_text_may_be_without_trees() -> None:
    spec = resolved("var a >= 0;\nminimize a;\nsubject to r: a >= 2;\n# split ")
    assert [c.name for c in spec.constraints] == ["r"]
    assert spec.data is None
    assert spec.topology is None


def test_a_default_formulation_beside_variables_of_the_spec_is_a_warning() -> None:
    own = "var u {t in branches} binary; minimize sum {t in branches} u[t];"
    (warning,) = resolved(HEAD + "split oblique;\n" + own).warnings
    assert (warning.code, warning.message) == (
        "W201",
        "`split oblique` takes the formulation soct beside the spec's variables",
    )
    assert resolved(own).warnings == ()
    assert resolved(HEAD + "split oblique;").warnings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("param p = 2 ^ 3 - 1 / 4;", []),
        ("param p = 0; param q = if p = 0 then 1 else 1 / p;", []),
        ("param p = 0; param q = if p != 0 then 1 else 1 / p;", [("E404", "1 / p")]),
        ("param p = (-8) ^ (1 / 3);", [("E404", "(-8) ^ (1 / 3)")]),
        ("param p = exp(1000); param q = 10 ^ 400;", []),
        ("var v >= 1; subject to g: v = 1 / (1 - 1);", [("E404", "1 / (1 - 1)")]),
        ('param p = -1; requires p > 0 or card(points) > 3 else "no";', []),
        (
            'param p = -1; requires p > 0 and card(points) > 3 else "no";',
            [("E307", 'requires p > 0 and card(points) > 3 else "no";')],
        ),
        ('param p = 3; var v {i in points : y[i] = "a"} >= p, <= p - 1;', [("E403", "p - 1")]),
    ],
)
def test_numbers_that_the_text_gives(text: str, expected: list[tuple[str, str]]) -> None:
    if expected:
        assert said(text) == expected
    else:
        resolved(text)
