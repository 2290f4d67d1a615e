"""What a text may mention where its label is a number, or where it has none."""

from __future__ import annotations

import pytest
from spec_texts import faults, resolved

from treemip.core.resolve.sorts import CLASS, NUMBER
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Role

NUMBERS = 'data "a.csv" { label price number; number mu; }\ntopology complete(depth = 1);\n'
REACH = "var reach {i in points, l in leaves} binary; "


def own(text: str) -> Spec:
    return resolved(text + "# split none")


CLASSES = NUMBERS.replace("price number", "c")


@pytest.mark.parametrize(("head", "sort"), [(NUMBERS, NUMBER), (CLASSES, CLASS)])
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


def test_a_misspelt_number() -> None:
    head = NUMBERS.replace("number mu", "number outcome")
    (fault,) = faults(f"{head}{REACH}param a {{i in points}} = outcom[i];# split none")
    assert (fault.code, fault.caret) == ("E201", "did you mean 'outcome'?")
