"""Each kind of fault is noticed by the processes, and harm in files and documents."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from . import files, symbols
from .cases import HANG, OTHER, TRACEBACK, Campaign, Case, Fault
from .runner import Tally, run


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
