"""Slack that buys what no split does: said with its price, and what is advised leads on."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.api.compiled import Compiled
from treemip.api.pipeline import result
from treemip.api.result import Result
from treemip.api.unverified import misses
from treemip.core.solving.solution_values import answer_from
from treemip.core.source.diagnostic import Diagnostic
from treemip.core.strategy.settings import Settings

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
    made = treemip.loads(HEAD + text, data=(X, CLASSES), **parameters).compile()
    return made.solve("highs", start="none")


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
        f"{count} points go against the solution's own splits, which the model allows at "
        f"a price: their 'slack' accounts for {10 * count} of the objective 100"
    )
    assert note.span is not None and note.span.text == "alpha1 * total_slack"
    assert note.remedy.startswith(
        "ask for less in 'others'; or raise the price; or forbid it, with "
        "subject to no_slack {i in points, t in branches}: slack[i,t] = 0;  where no tree is left, "
        "treemip diagnose names the rows that rule it out"
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
    assert note.remedy.startswith(
        "search longer, since a better solution may not need to pay; or ask for"
    )


def test_gains_and_whole_numbers_are_no_price(bought: Result) -> None:
    """The same solution where the spec's objective leaves slack to a row of its own."""
    text = BOTH + "  some: total_slack <= 1;\nmaximize hits: sum {i in points} correct[i];"
    found = solved(text)
    assert not found.verified and notes(found) == []


# ------------------- Told apart: what a tighter tolerance would mend, and a solution that is wrong

SPEC = """data "memory" { label class; scale minmax; }
topology complete(depth = 1);
split oblique by svm1_odt;
"""
FREE_FILE = "have the solver keep rows within 1e-9 and write all digits of the values"


@pytest.fixture(scope="module")
def made() -> Compiled:
    """A price of 1000 on slack makes much of what a row is missed by."""
    rng = np.random.default_rng(16)
    x, classes = rng.random((12, 3)), np.where(rng.random(12) < 0.5, "a", "b")
    return treemip.loads(SPEC, data=(x, classes)).compile()


@pytest.fixture(scope="module")
def exact(made: Compiled) -> np.ndarray:
    found = made.solve("highs", start="none", feasibility=1e-9)
    assert found.verified and found.answer.values is not None
    return found.answer.values


def rounded(values: np.ndarray, digits: int) -> np.ndarray:
    """As a file with so many digits has them."""
    return np.array([float(f"{v:.{digits}g}") for v in values])


def said(found: Result) -> list[tuple[str, str]]:
    return [(w.code, w.remedy) for w in found.warnings if w.code == "W702"]


def test_the_remedy_is_that_of_who_found_the_values(made: Compiled, exact: np.ndarray) -> None:
    near = rounded(exact, 7)
    assert 1e-9 < misses(made.model, near) < 1e-6
    assert not made.tree_of(near).verified
    assert said(made.tree_of(near)) == [("W702", FREE_FILE)]
    answer = answer_from(made.model, near, "")
    own = f"command:{sys.executable} {{model}}"
    for asked, remedy in (
        (Settings("scip"), "solve again with --feasibility 1e-9"),
        (Settings("auto", feasibility=1e-6), "solve again with --feasibility 1e-9"),
        (Settings(f"{own} {{feasibility}}"), "solve again with --feasibility 1e-9"),
        (
            Settings(own),
            f"{sys.executable.rsplit('/', 1)[-1]} has no tolerance setting: "
            "choose scip or highs with --feasibility 1e-9",
        ),
    ):
        assert said(result(made, answer, {}, [], asked)) == [("W702", remedy)]
    assert said(result(made, answer, {}, [], Settings("scip", feasibility=1e-9))) == []


def test_the_message_says_how_far_the_values_are_off(made: Compiled, exact: np.ndarray) -> None:
    (warning,) = (w for w in made.tree_of(rounded(exact, 7)).warnings if w.code == "W702")
    missed = misses(made.model, rounded(exact, 7))
    assert warning.message == (
        f"the solver's values violate a row, a bound or integrality by {missed:.2g}, "
        "which its tolerance allows; that alone may be what verification found"
    )
    assert warning.severity.value == "warning"


def test_a_verified_tree_has_no_such_warning(made: Compiled, exact: np.ndarray) -> None:
    found = made.tree_of(exact)
    assert (found.verified, said(found)) == (True, [])


def test_a_wrong_solution_is_not_laid_to_the_tolerance(made: Compiled, exact: np.ndarray) -> None:
    """The weights turned round: rows are missed by more than any tolerance."""
    wrong = exact.copy()
    block = next(b for b in made.model.variables if b.name == "coef")
    wrong[block.start : block.stop] *= -1
    found = made.tree_of(wrong)
    assert (found.verified, said(found)) == (False, [])


def test_nor_a_model_that_promises_too_much() -> None:
    """At these prices the model buys wrong routings, whatever the tolerance: the gap is 2."""
    xor = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    text = SPEC.replace("svm1_odt", "svm1_odt(alpha1 = 30, eps = 0.0008)")
    made = treemip.loads(text, data=(xor, ["a", "b", "b", "a"])).compile()
    answer = made.solve("highs", start="none", feasibility=1e-9).answer
    assert answer.values is not None
    found = result(made, answer_from(made.model, rounded(answer.values, 7), ""), {}, [])
    assert (found.verified, said(found)) == (False, [])


def test_whole_numbers_and_implications_count_as_rows(made: Compiled, exact: np.ndarray) -> None:
    values = exact.copy()
    first = int(np.flatnonzero(made.model.integer)[0])
    values[first] += 1e-4 if values[first] < 0.5 else -1e-4
    assert misses(made.model, values) >= 1e-4 - 1e-9
    text = SPEC.replace("svm1_odt", "soct") + (
        "subject to off: active[root] = 1 ==> bias[root] <= 0.25 by indicator;"
    )
    rng = np.random.default_rng(1)
    table = (rng.random((6, 2)), ["a", "b"] * 3)
    live = treemip.loads(text, data=table).compile(target="scip").model
    (block,) = (b for b in live.variables if b.name == "bias")
    (active,) = (b for b in live.variables if b.name == "active")
    values = np.zeros(live.column_count)
    values[active.start], values[block.start] = 1.0, 0.25
    without = misses(live.with_(rows=()), values)
    values[block.start] = 0.75
    assert (without, misses(live.with_(rows=()), values)) == (0.0, 0.5)
