"""The whole: what a Spec has of its text and the library, and all errors of a text at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec_texts import HEAD, faults, resolved, said

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


@pytest.mark.parametrize("file", sorted(library_path().rglob("*.tree")), ids=lambda file: file.stem)
def test_no_text_of_the_library_is_a_spec(file: Path) -> None:
    assert "E208" in {fault.code for fault in faults(file.read_text() + "\n# split ")}


def test_a_text_may_be_without_trees() -> None:
    spec = resolved("var a >= 0;\nminimize a;\nsubject to r: a >= 2;\n# split ")
    assert [c.name for c in spec.constraints] == ["r"]
    assert spec.data is None
    assert spec.topology is None
