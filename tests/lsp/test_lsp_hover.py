"""What is said of the place under a cursor."""

from __future__ import annotations

import pytest
from cursors import CREDIT, SPEC, at_mark

from treemip.core.resolve.builtins import (
    BASE_SETS,
    CONSTANTS,
    DATA,
    DEFAULT_FORMULATIONS,
    FUNCTION_NAMES,
    NUMBERS,
)
from treemip.core.resolve.settings.topology import KINDS
from treemip.core.syntax.faults.machine import statement_words
from treemip.study.lsp import language_docs
from treemip.study.lsp.hover import hover
from treemip.study.lsp.table import NOTHING, DataFacts, TableCache, data_facts
from treemip.study.lsp.view import look


def said(text: str, facts: DataFacts = NOTHING) -> str:
    view, offset = at_mark(text)
    found = hover(view, offset, facts)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (SPEC + "minimize misclass¦ified;", ["**term** `misclassified`", "vocabulary"]),
        (SPEC + "let a = rea¦ch[point(1),root];", ["`reach[i,l]`", "passes node t"]),
        (SPEC + "let a = lo¦ss[left(left(root))];", ["symbol `L`", "Bertsimas"]),
        (SPEC + "let a = ca¦rd(points);", ["**function** `card(S)`", "set → number"]),
        (SPEC + "let a = card(poi¦nts);", ["**set** `points`"]),
        (SPEC + "let a = sum {i in points} reach[¦i,root];", ["**index** `i`, a point"]),
        (SPEC + 'let a = sum {i in points : se¦x[i] = "male"} 1;', ["**data** `sex`"]),
        (SPEC.replace("by oct", "by o¦ct"), ["**formulation** `oct`", "`alpha = 0`"]),
        (SPEC.replace("scale", "sc¦ale"), ["**setting** `scale`", "minmax"]),
        (SPEC.replace("topology", "topo¦logy"), ["**statement** `topology`"]),
        (SPEC.replace("depth", "de¦pth"), ["**topology** `depth`", "levels of branches"]),
        (SPEC.replace("univariate", "uni¦variate"), ["one feature", "`binoct`"]),
        (SPEC.replace("minmax", "min¦max"), ["**setting** `scale`"]),
        (SPEC + "strategy { priority act¦ive root_first; }", ["**binary variable** `active[t]`"]),
        (SPEC + "strategy { priority active root¦_first; }", ["**setting** `priority`"]),
        (SPEC + "strategy { start search sec¦onds 3; }", ["**setting** `start`"]),
        ("# see E2¦05 there\n" + SPEC, ["**E205** a concept this formulation does not have"]),
        (SPEC + "let a = no¦pe;", ["**E201** unknown name"]),
        (
            SPEC + "subject to fair: pari¦ty(sex, 0.1);",
            ["**requirement** `parity(column, limit = 0.1)`", "`column` — a group"],
        ),
        (SPEC + "drop loss_h¦igh;", ["**constraint** of oct, equation (21)"]),
    ],
)
def test_what_is_said(text: str, parts: list[str]) -> None:
    found = said(text)
    assert [part for part in parts if part not in found] == [], found


def test_a_text_with_an_error_elsewhere() -> None:
    text = SPEC + "let half = sum {i in\nlet a = misclass¦ified;\nlet b = (1;"
    assert "**term** `misclassified`" in said(text)


def test_a_parameter_has_the_value_that_the_data_give() -> None:
    view = look(CREDIT, SPEC)
    facts = data_facts(view, TableCache())
    assert "value: `16`" in said(SPEC.replace("oct;", "oct;\nlet a = major¦ity;"), facts)


def test_columns_are_told_from_the_file() -> None:
    facts = data_facts(look(CREDIT, SPEC), TableCache())
    assert "`female`, `male`" in said(SPEC.replace("group sex", "group s¦ex"), facts)
    assert "24 rows" in said(SPEC.replace("credit-24", "cred¦it-24"), facts)


def test_every_kind_of_splits_and_topology_is_documented() -> None:
    assert set(language_docs.SPLITS) == set(DEFAULT_FORMULATIONS)
    assert set(KINDS) <= set(language_docs.SHAPES)


def test_every_word_of_the_language_is_documented() -> None:
    for name in (*FUNCTION_NAMES, *BASE_SETS, *CONSTANTS, *NUMBERS, *DATA):
        kind, _, doc = language_docs.about(name).partition(" — ")
        assert name in kind and len(doc) > 5, name
    words = {word.split()[0] for word in language_docs.STATEMENTS}
    assert words == set(statement_words())
