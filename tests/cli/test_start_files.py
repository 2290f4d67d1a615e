"""solve --start FILE: the file's tree begins the solve, and is not lost when it is ended."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest
from test_signals import HARD, Place

pytest.importorskip("highspy", reason="a solver is needed")

NEVER = f"command:{sys.executable} -c 'import time; time.sleep(60)' {{model}} {{solution}}"
DIES = f"command:{sys.executable} -c 'import os; os.abort()' {{model}} {{solution}}"


def test_a_file_of_ones_own_and_a_named_start(run, solved, tmp_path):
    spec, log = solved.with_name("small.tree"), tmp_path / "log.jsonl"
    said = run(
        *("solve", spec, "--start", solved, "--start", "cart", "--time-limit", 0),
        *("--log-json", log, "-o", tmp_path / "u.json"),
    )
    assert said.code == 0
    best = f"note[W601]: the tree of '{solved}' (start 1), the best of 2 starts, has the objective"
    assert said.err == f"{best} 24\n"
    assert json.loads((tmp_path / "u.json").read_text())["objective"] == 24
    assert json.loads(log.read_text().splitlines()[-1])["objective"] == 24


def test_a_tree_of_other_data_is_refused(run, solved):
    solved.write_text(solved.read_text().replace('"a"', '"age"'))
    said = run("solve", solved.with_name("small.tree"), "--start", solved)
    assert (said.code, said.err) == (
        2,
        f"error[E302]: the tree of '{solved}' splits by 'age', which is no feature of the spec's "
        "data\n  = help: the features are 'a', 'b'\n",
    )


# ---------------------------------------------------------------------- not lost


@pytest.fixture
def place(tmp_path: Path, run) -> Place:
    place = Place(tmp_path)
    (place.folder / "hard.tree").write_text(HARD.replace("0.01", "0.0001"))
    there = place.folder / "cart.json"
    hard = place.folder / "hard.tree"
    assert run("solve", hard, "--start", "cart", "--time-limit", 0, "-o", there).code == 0
    (place.folder / "log.jsonl").write_text("")
    return place


def ended(place: Place, stage: str, number: signal.Signals, *arguments: str) -> dict:
    """The result of a solve that gets a signal in a stage, whose name begins so."""
    outputs = ("m.json", "log.jsonl")
    running = place.start(
        *("solve", "hard.tree", "--start", "cart.json", "-o", "m.json"),
        *("--log-json", "log.jsonl", *arguments),
        outputs=outputs,
    )
    end = time.monotonic() + 60
    while f'"stage": "{stage}' not in place.read("log.jsonl"):
        assert time.monotonic() < end and running.poll() is None
        time.sleep(0.01)
    running.send_signal(number)
    place.demand_end(running, 0)
    assert json.loads(place.read("log.jsonl").splitlines()[-1])["event"] == "end"
    return json.loads(place.read("m.json"))


@pytest.mark.parametrize(
    ("stage", "arguments"),
    [
        ("search", ("--start", "search", "--solver", "highs")),
        pytest.param("highs", ("--solver", "highs"), marks=pytest.mark.truth),
        ("command:", ("--solver", NEVER)),
    ],
)
def test_a_signal_leaves_the_start(place: Place, stage: str, arguments: tuple[str, ...]) -> None:
    first = json.loads(place.read("cart.json"))
    result = ended(place, stage, signal.SIGINT, *arguments)
    assert (result["status"], result["verdict"]) == ("interrupted", "verified")
    assert result["objective"] >= first["objective"]


def test_a_solver_that_dies_leaves_the_start(run, solved, tmp_path) -> None:
    out, spec = tmp_path / "m.json", solved.with_name("small.tree")
    spec.write_text(spec.read_text() + "minimize misclassified + splits;\n")
    said = run("solve", spec, "--start", solved, "--solver", DIES, "-o", out)
    assert said.code == 0
    assert "warning[W603]: the solver failed, so the start is the answer: " in said.err
    assert json.loads(out.read_text())["verdict"] == "verified"
