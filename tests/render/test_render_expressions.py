"""Every dialect brackets what its place would otherwise read as something else."""

from __future__ import annotations

from functools import cache

import pytest
from exported import FORMULATIONS, compiled
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.resolve import typed as t
from treemip.core.source.span import Source
from treemip.writers.render.ampl.dialect import AmplDialect
from treemip.writers.render.mathematics.latex import Latex
from treemip.writers.render.mathematics.notation import Notation
from treemip.writers.render.names import AMPL, Names
from treemip.writers.render.python.dialect import PythonDialect
from treemip.writers.render.tables import ScriptData

SPAN = Source("none", "").span(0, 0)
NUMBERS = st.sampled_from([2.0, 3.0, 5.0, -7.0, 0.5]).map(lambda v: t.Const(value=v, span=SPAN))
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.builds(lambda e: t.Negation(operand=e, span=SPAN), inner),
        st.builds(
            lambda op, a, b: t.Arithmetic(op=op, left=a, right=b, span=SPAN),
            st.sampled_from("+-*/"),
            inner,
            inner,
        ),
    ),
    max_leaves=8,
)
CONDITIONS = st.recursive(
    st.builds(
        lambda op, a, b: t.Comparison(op=op, left=a, right=b, span=SPAN),
        st.sampled_from(["<=", "<", "=", "!="]),
        EXPRESSIONS,
        EXPRESSIONS,
    ),
    lambda inner: st.one_of(
        st.builds(lambda e: t.Logic(op="not", operands=(e,), span=SPAN), inner),
        st.builds(
            lambda op, a, b: t.Logic(op=op, operands=(a, b), span=SPAN),
            st.sampled_from(["and", "or"]),
            inner,
            inner,
        ),
    ),
    max_leaves=4,
)


def value(e: t.Typed) -> float:
    if isinstance(e, t.Const):
        return e.value
    if isinstance(e, t.Negation):
        return -value(e.operand)
    assert isinstance(e, t.Arithmetic)
    left, right = value(e.left), value(e.right)
    return {"+": left + right, "-": left - right, "*": left * right}.get(
        e.op, left / right if e.op == "/" and right else float("nan")
    )


def truth(e: t.Typed) -> bool:
    if isinstance(e, t.Comparison):
        left, right = value(e.left), value(e.right)
        return {"<=": left <= right, "<": left < right, "=": left == right, "!=": left != right}[
            e.op
        ]
    assert isinstance(e, t.Logic)
    parts = [truth(p) for p in e.operands]
    return not parts[0] if e.op == "not" else all(parts) if e.op == "and" else any(parts)


@cache
def dialects() -> tuple[PythonDialect, AmplDialect]:
    data = ScriptData(compiled(FORMULATIONS["oct"]).instance)
    return PythonDialect(data, Names()), AmplDialect(data, Names(AMPL))


def evaluated(text: str) -> float | None:
    try:
        return eval(text)
    except ZeroDivisionError:
        return None


@given(EXPRESSIONS)
def test_the_text_of_an_expression_has_its_value(e):
    wanted = value(e)
    for dialect in dialects():
        result = evaluated(dialect.text(e))
        assert result is None or result == wanted


@given(EXPRESSIONS)
def test_latex_has_the_same_value_once_its_signs_are_those_of_python(e):
    text = Latex(Notation([])).text(e)
    text = text.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\cdot", "*")
    text = text.replace(r"\,", "*").replace("}{", ")/(").replace(r"\frac{", "((")
    result = evaluated(text.replace("}", "))"))
    assert result is None or result == pytest.approx(value(e))  # a (b c) stands as a b c


@given(CONDITIONS)
def test_the_text_of_a_condition_has_its_truth(e):
    python, ampl = dialects()
    wanted = truth(e)
    for text in (python.text(e), _as_python(ampl.text(e))):
        result = evaluated(text)
        assert result is None or result == wanted


def _as_python(text: str) -> str:
    return text.replace("<>", "!=").replace(" = ", " == ")


def test_what_is_no_form_is_refused():
    python, _ = dialects()
    with pytest.raises(TypeError, match="no dialect writes Typed"):
        python.text(t.Typed(span=SPAN))
