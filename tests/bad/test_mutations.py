"""Texts with words exchanged are taken, or refused by a diagnostic; never by a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite import class_formulations

from treemip.core.instance.table import load_table
from treemip.core.lower.bind import bind
from treemip.core.lower.lower import lower
from treemip.core.reform.reform import reform
from treemip.core.resolve import modules
from treemip.core.resolve.modules import library_module
from treemip.core.resolve.resolve import resolve
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

DATA = Path(__file__).parents[2] / "specs" / "data"
TOKEN = re.compile(r'#[^\n]*|"[^"\n]*"|\w+(?:\.\d+)?|==>|[<>!]=|\.\.|\s+|.', re.DOTALL)
GROUPS = [
    [
        "points",
        "features",
        "classes",
        "nodes",
        "branches",
        "leaves",
        "last_branches",
        "left_children",
    ],
    ["left", "right", "parent"],
    ["ancestors", "left_ancestors", "right_ancestors", "leaves_under", "last_branches_under"],
    ["sum", "max", "min", "prod", "argmax", "argmin"],
    ["abs", "exp", "log", "sqrt", "floor", "ceil", "round", "logistic", "ord", "card", "depth"],
    ["norm1", "norminf", "normsq"],
    ["+", "-", "*", "/", "^"],
    ["<=", ">=", "="],
    ["0", "1", "2", "0.5", "7", "1000000"],
    ["i", "j", "k", "l", "t", "n", "f", "v", "c", "root", "positive"],
    [
        "reach",
        "label",
        "coef",
        "bias",
        "active",
        "uses",
        "occupied",
        "correct",
        "predicts",
        "slack",
    ],
    ["x", "y", "weight", "class_count", "eps", "beta", "alpha", "M"],
    ["binary", "integer", "free"],
]
SPEC = """data "iris.csv" {{ label class; scale minmax; train 0.1 seed 1; }}
topology complete(depth = 2);
split {kind} by {name};
param C {{t in branches}} = level(1: 2, 2: 3);
let widest {{t in branches}} = max {{j in features}} abs(coef[t,j]);
minimize misclassified + 0.1 * features_used + sum {{t in branches}} C[t] * widest[t];
subject to
  few  {{t in last_branches : t != root}}: sum {{j in features}} uses[t,j] <= 2;
  some {{l in leaves}}: sum {{i in points : weight[i] > 0}} reach[i,l] >= 2 * occupied[l];
  off  {{t in branches}}: active[t] = 0 ==> norm1(coef[t,*]) <= 0;
  both {{t in branches, k in classes}}:
    let own = {{i in points : y[i] = k}} in sum {{i in own}} reach[i,left(t)] <= card(own);
"""


@st.composite
def exchanges(draw: st.DrawFn, text: str) -> str:
    """The text with one to three words exchanged for others of their kind, or left out."""
    tokens = TOKEN.findall(text)
    group_of = {word: group for group in GROUPS for word in group}
    places = [k for k, token in enumerate(tokens) if token in group_of]
    for k in draw(st.lists(st.sampled_from(places), min_size=1, max_size=3)):
        tokens[k] = draw(st.sampled_from(group_of.get(tokens[k], GROUPS[0])))
    return "".join(tokens)


def through(file: n.File) -> None:
    spec = resolve(file)
    assert spec.data is not None
    reform(lower(bind(spec, load_table(spec.data, DATA)), spec.cuts))


@given(data=st.data())
def test_specs(data) -> None:
    name = data.draw(st.sampled_from(class_formulations()))
    text = data.draw(exchanges(SPEC.format(kind=kind_of(name), name=name)))
    taken_or_refused(text)


@pytest.mark.parametrize("which", ["formulation", "vocabulary"])
@given(data=st.data())
def test_library_texts(which, data) -> None:
    name = data.draw(st.sampled_from(class_formulations()))
    changed = name if which == "formulation" else "vocabulary"
    original = library_module(changed)
    assert original is not None
    text = data.draw(exchanges(original.span.source.text))
    try:
        other = parse(Source(f"library/{changed}.tree", text))
    except TreemipError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            modules, "library_module", lambda k: other if k == changed else library_module(k)
        )
        taken_or_refused(SPEC.format(kind=kind_of(name), name=name))


def taken_or_refused(text: str) -> None:
    try:
        through(parse(Source("a.tree", text)))
    except TreemipError as error:
        assert all(d.span is not None or d.code == "E305" for d in error.diagnostics)
        assert "error[E" in str(error)


def kind_of(name: str) -> str:
    file = library_module(name)
    assert file is not None
    return next(s.kind for s in file.statements if isinstance(s, n.Header))
