"""What a text may mention where its label is a number, or where it has none."""

from __future__ import annotations

import pytest
from spec_texts import faults, resolved

from treemip.core.resolve.sorts import CLASS, NUMBER
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Role

NUMBERS = 'data "a.csv" { label price number; number mu; }\ntopology complete(depth = 1);\n'
NONE = NUMBERS.replace("label price number", "label none")
ROUTED = """split univariate;
var coef {t in branches, j in features} binary;
var bias {t in branches} free;
route left when dot(coef[t,*], x[i,*]) <= bias[t];
"""
REACH = "var reach {i in points, l in leaves} binary; "


def own(text: str) -> Spec:
    return resolved(text + "# split none")


@pytest.mark.parametrize(("head", "sort"), [(NUMBERS, NUMBER), (NONE.replace("none", "c"), CLASS)])
def test_the_sort_of_a_label(head: str, sort: object) -> None:
    condition = "y[i] >= 1" if sort == NUMBER else 'y[i] = "a"'
    text = (
        f"{head}{REACH}set chosen = {{i in points : {condition}}}; param a {{i in points}} = mu[i];"
    )
    (value,) = [s.value for s in own(text).parameters]
    assert value is not None and value.sort == NUMBER
    label = next(e for e in _inside(own(text).sets[0].value) if getattr(e, "symbol", None))
    assert label.symbol.name == "y" and label.sort == sort


def _inside(expression):  # type: ignore[no-untyped-def]
    yield expression
    for part in expression.inside:
        yield from _inside(part)


def test_a_known_number_is_data() -> None:
    spec = own(f"{NUMBERS}{REACH}param most = max {{i in points}} mu[i];")
    (symbol,) = {e.symbol for e in _inside(spec.parameters[0].value) if getattr(e, "symbol", None)}
    assert (symbol.name, symbol.role, symbol.sort) == ("mu", Role.DATA, NUMBER)
    assert [str(sort) for sort in symbol.sorts] == ["a point"]


@pytest.mark.parametrize("head", [NUMBERS, NONE])
def test_words_that_need_no_classes(head: str) -> None:
    own(
        f"{head}{REACH}minimize leaves_used + sum {{i in points}} weight[i] * mu[i];"
        "subject to small {l in leaves}: points_in[l] <= 3;"
    )


@pytest.mark.parametrize(
    "select", ["hull", "balanced", "hyperplane beta2 0.5", "iterative rounds 2"]
)
@pytest.mark.parametrize("head", [NUMBERS, NONE])
def test_points_are_selected_by_class(head: str, select: str) -> None:
    text = f"{head}{ROUTED}strategy {{ select {select}; }}"
    fault = next(fault for fault in faults(text) if fault.code == "E216")
    assert fault.message == (
        "'select' needs a label of classes: it selects points of a class within a leaf"
    )


def test_each_name_is_reported_once() -> None:
    text = f"{NUMBERS}{REACH}minimize misclassified; subject to r {{k in classes}}: recall[k] >= 1;"
    text += "s {k in classes}: recall[k] <= 2;"
    messages = [fault.message.split(" needs")[0] for fault in faults(text + "# split none")]
    assert messages == ["'misclassified'", "'classes'"]


def test_a_misspelt_number() -> None:
    head = NUMBERS.replace("number mu", "number outcome")
    (fault,) = faults(f"{head}{REACH}param a {{i in points}} = outcom[i];# split none")
    assert (fault.code, fault.caret) == ("E201", "did you mean 'outcome'?")
