"""Each kind of fault is noticed: by the processes, by the references, by the promises."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reference.enumeration import Enumeration, Trees, complete
from reference.leaf_sums import least_errors, thresholds
from reference.ways import Flow, Lines, Oct, Thresholds

import treemip
from treemip.api.result import Result

from . import files, symbols
from .cases import HANG, OTHER, TRACEBACK, WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .models import Model
from .runner import Tally, run
from .solves import judged, require_alone
from .tables import Table, random_table


def fails(_: Case, __: Path, ___: object) -> dict[str, int]:
    raise KeyError("an error")


def crashes(_: Case, __: Path, ___: object) -> dict[str, int]:
    os.abort()


def loops(_: Case, __: Path, ___: object) -> dict[str, int]:
    while True:
        pass


def sleeps(_: Case, __: Path, ___: object) -> dict[str, int]:
    time.sleep(600)
    return {}


def hoards(_: Case, __: Path, ___: object) -> dict[str, int]:
    return {str(len(bytearray(1 << 30))): 1}


def warns(_: Case, __: Path, ___: object) -> dict[str, int]:
    exec(compile("import warnings; warnings.warn('of Python')", "/treemip/x.py", "exec"))
    return {}


def goes_well(_: Case, __: Path, ___: object) -> dict[str, int]:
    return {"well": 1}


RUNS: list[tuple[Callable[..., dict[str, int]], str | None]] = [
    (fails, TRACEBACK),
    (crashes, TRACEBACK),
    (loops, HANG),
    (sleeps, HANG),
    (hoards, HANG),
    (warns, OTHER),
    (goes_well, None),
]


@pytest.mark.parametrize(("case", "fault"), RUNS)
def test_a_case_ends_itself_alone(
    case: Callable[..., dict[str, int]],
    fault: str | None,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Two cases: each is counted, whatever became of the one before."""
    wall = 0.5 if case is sleeps else 20.0
    campaign = Campaign("c", "cases", 2, case, cpu=0.2, wall=wall, memory=1 << 28)
    tally = run([campaign], {"c": 2}, 1, 1.0, 1, lambda: tmp_path)
    assert tally.done["c"] == 2
    assert dict(tally.faults) == ({fault: 2} if fault else {})
    assert tally.summary.startswith("fuzz: 2 cases: ")
    printed = capfd.readouterr().out
    assert ("python -m tests.fuzz --replay c:1.0" in printed) == (fault is not None)


def test_the_last_line() -> None:
    assert Tally([Campaign("c", "cases", 3, goes_well)]).summary == (
        "fuzz: 0 cases: 0 tracebacks, 0 hangs, 0 lost, 0 wrong verdicts, 0 wrong optima, "
        "0 other faults"
    )


@pytest.mark.parametrize("name", ["binoct", "oct", "flow_oct"])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_reference_of_thresholds_is_the_one_of_tests_properties(
    name: str, depth: int, seed: int
) -> None:
    table = random_table(np.random.default_rng(seed), 7, 3, nasty=False)
    ways = {
        "binoct": Thresholds(table.x),
        "oct": Oct(table.scaled()),
        "flow_oct": Flow(table.binned()),
    }
    best = Enumeration(table, ways[name], complete(depth), wrong).best()
    expected = least_errors(thresholds(table.x), table.y, depth)
    assert best == (expected, expected)


def stump() -> tuple[Model, Result]:
    """Three points on a line, the classes alternating: one error is best."""
    table = Table(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]), None,
                  np.array([0, 1, 0]), True, "grid")  # fmt: skip
    text = ('data "t" { label c; group g; scale minmax; } topology complete(depth = 1);\n'
            "split oblique by soct(eps = 0.05);\nminimize misclassified;\n")  # fmt: skip
    result = treemip.loads(text, data=table.columns).compile().solve("highs", start="none")
    reference = Enumeration(table, Lines(table.scaled(), 0.05), complete(1), wrong)
    errors = lambda tree, t: float((tree.predicted() != t.y).sum())  # noqa: E731
    return Model("soct", table, text, 1, True, reference.best, table.scaled(), errors), result


def wrong(t: Trees) -> np.ndarray:
    return (~t.right).sum(axis=1).astype(float)


def test_a_right_answer_is_one() -> None:
    assert judged(*stump()) == {"soct optimal": 1}


@pytest.mark.parametrize(
    ("better", "fault"),
    [
        ({"reference": lambda: (0.0, 0.0)}, WRONG_OPTIMUM),
        ({"reference": lambda: (2.0, 2.0)}, WRONG_VERDICT),
        ({"value": lambda tree, table: 2.0}, WRONG_VERDICT),
        ({"value": lambda tree, table: 0.0}, WRONG_OPTIMUM),
    ],
)
def test_wrong_answers_are_noticed(better: dict[str, object], fault: str) -> None:
    model, result = stump()
    with pytest.raises(Fault) as caught:
        judged(replace(model, **better), result)
    assert caught.value.kind == fault


def test_a_false_infeasibility_is_noticed() -> None:
    model, result = stump()
    none = replace(result, answer=replace(result.answer, status="infeasible"))
    with pytest.raises(Fault, match="infeasible, but 1") as caught:
        judged(model, none)
    assert caught.value.kind == WRONG_OPTIMUM


def test_errors_that_are_counted_wrong_are_noticed() -> None:
    model, result = stump()
    assert result.report is not None
    none = replace(result, report=replace(result.report, errors=0))
    with pytest.raises(Fault, match="0 errors are said, 1 counted"):
        require_alone(model, none)


def test_a_tree_json_is_counted_again() -> None:
    said = json.loads(files.saved_tree())
    rows = files.rows(files.FOLDER / "tiny.csv")
    assert files.own_objective(said["tree"], rows) == files.OPTIMUM
    for node in said["tree"]["nodes"]:
        if "class" in node:
            node["class"] = "ab"[node["class"] == "a"]
    assert files.own_objective(said["tree"], rows) == 2.5 + 1 - 0.25


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("html", "<p><script>x</script></p>"),
        ("html", '<p><a href="javascript:x">x</a></p>'),
        ("html", "<p><b></p>"),
        ("latex", r"$\input{x}$"),
        ("latex", "$^^5cinput$"),
    ],
)
def test_harmful_documents_are_noticed(form: str, said: str) -> None:
    with pytest.raises(Fault):
        symbols.require_harmless(form, said)


def test_harmless_documents_are_taken() -> None:
    symbols.require_harmless("html", "<p>&lt;script&gt;<br></p>")
    symbols.require_harmless("latex", r"\textbackslash{}input")
