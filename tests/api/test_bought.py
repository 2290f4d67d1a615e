"""Slack that buys what no split does: said with its price, and what is advised leads on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.api.pipeline import result
from treemip.api.result import Result
from treemip.source.diagnostic import Diagnostic

pytest.importorskip("highspy", reason="a solver is needed")

# Two points of each class stand where two of the other do, so that no tree is right everywhere.
X = np.array([[0, 0], [1, 4], [3, 2], [5, 5], [5, 5], [3, 2], [8, 7], [9, 9], [2, 9], [7, 1]])
CLASSES = np.array(["no", "no", "no", "no", "yes", "yes", "yes", "yes", "no", "no"])
HEAD = """data "memory" { label class; scale minmax; }
topology complete(depth = 1);
split oblique by svm1_odt;
"""
BOTH = """subject to
  found: recall["yes"] >= 1;
  others: recall["no"] >= 0.9;
"""


def solved(text: str, **parameters: Any) -> Result:
    return treemip.loads(HEAD + text, data=(X, CLASSES), **parameters).compile().solve("highs")


def notes(found: Result) -> list[Diagnostic]:
    return [w for w in found.warnings if w.code in ("W702", "W703")]


@pytest.fixture(scope="module")
def bought() -> Result:
    return solved(BOTH)


def test_the_family_its_points_and_its_price_are_named(bought: Result) -> None:
    assert (bought.status, bought.verified) == ("optimal", False)
    assert bought.objective == pytest.approx(100)
    assert bought.report is not None
    (note,) = notes(bought)
    count = len(bought.report.misrouted)
    assert 0 < count < len(X)
    assert note.message == (
        f"{count} points go otherwise than by the solution's own splits, which the model allows at "
        f"a price: {10 * count} of the objective's 100 is for their 'slack'"
    )
    assert note.span is not None and note.span.text == "alpha1 * total_slack"
    assert note.remedy.startswith(
        "ask for less in 'others'; or raise the price; or forbid it, with "
        "subject to no_slack {i in points, t in branches}: slack[i,t] = 0;  treemip diagnose "
    )


def test_what_forbids_it_shows_that_there_is_no_tree(bought: Result) -> None:
    (row,) = re.findall("subject to .*?;", notes(bought)[0].remedy)
    assert solved(BOTH + row).status == "infeasible"


def test_asking_for_less_leads_to_a_tree() -> None:
    found = solved(BOTH.replace("0.9", "0.5"))
    assert (found.verified, notes(found)) == (True, [])


def test_a_price_that_is_raised_leads_to_a_tree() -> None:
    """At 0.1 a point, going anywhere costs 1 at most, and the best tree has two errors or more."""
    text = 'subject to found: recall["yes"] >= 0.75;'
    cheap, dear = solved(text, alpha1=10), solved(text, alpha1=1000)
    assert not cheap.verified and [n.code for n in notes(cheap)] == ["W703"]
    assert dear.verified and notes(dear) == []


def test_a_search_that_was_cut_short_may_go_on(bought: Result) -> None:
    cut = replace(bought.answer, status="time_limit")
    (note,) = notes(result(bought.compiled, cut, {}, []))
    assert note.remedy.startswith("search longer, since a better solution may not pay; or ask for")


def test_gains_and_whole_numbers_are_no_price(bought: Result) -> None:
    """The same solution where the spec's objective leaves slack to a row of its own."""
    text = BOTH + "  some: total_slack <= 1;\nmaximize hits: sum {i in points} correct[i];"
    found = solved(text)
    assert not found.verified and notes(found) == []
