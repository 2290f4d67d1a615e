"""What a solve does once its time is used up, counted in steps and rows, not in seconds."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treemip
from treemip.answers.engines import obstacle, own_rows
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.refusal import NO_TIME
from treemip.answers.search import complete as completing
from treemip.answers.search.agreement import reproduces_objective
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.starts import exact, found_tree
from treemip.answers.starts.exact import answered
from treemip.api.compiled import Compiled
from treemip.core.lower.frame import Frame
from treemip.core.registry import solvers
from treemip.core.solving.handover import is_hopeless

POINTS = 60


def compiled(
    by: str, points: int = POINTS, depth: int = 2, scale: str = "scale minmax;"
) -> Compiled:
    draw = np.random.default_rng(3)
    x = draw.random((points, 3)).round(3)
    y = (x[:, 0] + x[:, 1] > 1).astype(int) ^ (draw.random(points) < 0.2)
    columns: dict = {f"f{j}": x[:, j].tolist() for j in range(3)}
    columns["c"] = [f"k{k}" for k in y]
    text = f'data "t" {{ label c; {scale} }} topology complete(depth = {depth}); split {by};'
    return treemip.loads(text, data=columns).compile()


def a_tree(model: Compiled) -> Candidate:
    topology = model.instance.topology
    assert topology is not None
    tree = Candidate.empty(topology, 3)
    tree.weights[0, 0], tree.threshold[0] = 1.0, 0.4
    return tree


@pytest.mark.parametrize("late, most", [(True, 1), (False, 30)])
def test_a_completion_tries_one_form_when_it_is_late(
    late: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, calls, own = compiled("oblique by soct(eps = 0.9)"), [], completing.completion_of
    monkeypatch.setattr(completing, "completion_of", lambda *a: (calls.append(1), own(*a))[1])
    assert complete(model.instance, model.stated, a_tree(model), late=lambda: late).violations
    assert 1 <= len(calls) <= most


def test_fillers_that_mend_nothing_are_not_all_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """S-OCT's eps is missed whatever the other branches split."""
    model, forms, own = compiled("oblique by soct(eps = 0.9)"), [], completing._placed
    monkeypatch.setattr(completing, "_placed", lambda *a: (forms.append(1), own(*a))[1])
    complete(model.instance, model.stated, a_tree(model))
    assert len(forms) == 2


def test_the_agreement_of_sums_ends_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled("oblique by soct")
    x, of_point = np.unique(model.instance.table.inputs, axis=0, return_inverse=True)
    sums, asked = sums_of(model.instance, of_point.ravel()), []
    assert reproduces_objective(model.instance, sums, x, True)
    assert not reproduces_objective(
        model.instance, sums, x, True, late=lambda: len(asked) > 2 or asked.append(1)
    )
    assert len(asked) == 3


@pytest.mark.parametrize("steps, read", [(0, 0), (1, 0), (2, 1)])
def test_an_engine_that_has_no_time_to_check_a_spec_leaves_it(
    steps: int, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the place of the reason looked for, which is no part of the spec: reading a spec as
    sums takes seconds with many points."""
    made, asked, own = compiled("univariate by binoct", scale=""), [], own_rows.provable_sums
    clock = iter([0.0] * (steps + 1))  # the time ends at the step after these
    monkeypatch.setattr(exact.time, "perf_counter", lambda: next(clock, 2.0))
    monkeypatch.setattr(own_rows, "provable_sums", lambda *a: (asked.append(1), own(*a))[1])
    monkeypatch.setattr(obstacle, "provable_sums", lambda *a: (asked.append(1), own(*a))[1])
    answer, refusal = answered(Case(made.instance, made.stated), Effort(1.0))
    assert answer is None and str(refusal) == NO_TIME
    assert refusal.about is not None and refusal.about.text == "split univariate by binoct;"
    assert len(asked) == read


def test_a_signal_ends_the_reading_of_a_spec_for_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made, asked = compiled("univariate by binoct", scale=""), []
    monkeypatch.setattr(exact, "asked_to_stop", lambda: bool(asked) or asked.append(1))
    monkeypatch.delattr(own_rows, "provable_sums")
    answer, refusal = answered(Case(made.instance, made.stated), Effort(100.0))
    assert answer is None and str(refusal) == NO_TIME


def test_a_late_search_stops_at_its_first_solution() -> None:
    model = compiled("oblique by soct")
    search = TreeSearch(model.instance, model.stated, 0.0, 0)
    report = search.run()
    assert report.best is not None and report.starts == 1


def test_what_a_tree_says_of_thresholds_takes_no_more_rows_than_points_times_thresholds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BinOCT's thresholds are read off the points; nothing is evaluated for each pair of a point
    and a threshold, whose number grows with the square of the table."""
    model, sizes, own = compiled("univariate by binoct", 300, scale=""), [0], Frame.grow

    def grow(self: Frame, *arguments: object) -> Frame:
        child = own(self, *arguments)  # type: ignore[arg-type]
        sizes.append(child.size)
        return child

    monkeypatch.setattr(Frame, "grow", grow)
    tree = a_tree(model)
    complete(model.instance, model.stated, tree)
    assert max(sizes) < 300 * 3 * 20


def test_a_solution_that_is_no_start_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of a search keeps the stated model, the solver's is not asked for want of time."""
    model = compiled("univariate by oct", depth=1)
    monkeypatch.setattr(found_tree, "holds", lambda *_: False)
    monkeypatch.setattr(found_tree, "has_time_for", lambda *_: False)
    monkeypatch.setattr("treemip.api.solving.has_time_for", lambda *_: False)
    result = model.solve(start="search", time_limit=1.5)
    assert result.verdict == "verified" and result.tree is not None
    assert result.answer.solver in ("search", "engine")
    (note,) = [w for w in result.warnings if w.code == "W601"]
    assert note.message == (
        "the best tree of the search could not be completed to a start for the solver "
        "(time limit); it remains the answer unless the solver finds a solution"
    )


def test_without_a_start_a_model_that_takes_too_long_to_hand_over_is_not_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = compiled("univariate by oct", depth=1)
    monkeypatch.setattr("treemip.api.solving.is_hopeless", lambda *_: True)
    answer = model.solve(start="none", time_limit=20).answer
    assert (answer.values is None, answer.solver, answer.status) == (True, "none", "time_limit")
    assert re.fullmatch(r"handing [\d,]+ nonzeros to \w+ takes too long for .*", answer.message)


def test_a_named_solver_is_left_out_only_where_handing_over_takes_all_the_time() -> None:
    model = compiled("oblique by soct").model
    enough = sum(len(b.matrix.data) for b in model.rows) / solvers()["scip"].nonzeros_per_second
    assert is_hopeless(model, "scip", enough / 2)
    assert not is_hopeless(model, "scip", enough * 2)
    assert not is_hopeless(model, "highs", enough / 2)
    assert not is_hopeless(model, "scip", None)
