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


@pytest.fixture
def tree(run, spec, tmp_path) -> Path:
    path = tmp_path / "t.json"
    assert run("solve", spec, "--solver", "highs", "-o", path).code == 0
    return path


def test_a_file_of_ones_own_and_a_named_start(run, spec, tree, tmp_path):
    log = tmp_path / "log.jsonl"
    said = run(
        *("solve", spec, "--start", tree, "--start", "cart", "--time-limit", 0),
        *("--log-json", log, "-o", tmp_path / "u.json"),
    )
    assert said.code == 0
    assert said.err == (
        f"note[W601]: the tree of '{tree}' (start 1), the best of 2 starts, has the objective 24\n"
    )
    assert json.loads((tmp_path / "u.json").read_text())["objective"] == 24
    assert json.loads(log.read_text().splitlines()[-1])["objective"] == 24


def test_what_is_no_tree_is_refused(run, spec, tmp_path):
    said = run("solve", spec, "--start", "luck")
    assert (said.code, said.err) == (
        2,
        "error[E902]: unknown start 'luck'\n"
        "  = help: there are 'cart', 'local_svm', 'svm_tree', 'search', 'none', "
        "and the path of a tree.json\n",
    )
    none = tmp_path / "none.json"
    said = run("solve", spec, "--start", none)
    assert (said.code, said.err) == (2, f"error[E901]: '{none}': No such file or directory\n")
    said = run("solve", spec, "--start", spec)
    assert said.code == 2
    assert said.err.startswith(f"error[E701]: '{spec}' is not a tree: it is not JSON")


def test_a_tree_of_other_data_is_refused(run, spec, tree, tmp_path):
    text = tree.read_text().replace('"a"', '"age"')
    other = tmp_path / "other.json"
    other.write_text(text)
    said = run("solve", spec, "--start", other)
    assert (said.code, said.err) == (
        2,
        f"error[E302]: the tree of '{other}' splits by 'age', which is no feature of the spec's "
        "data\n  = help: the features are 'a', 'b'\n",
    )


def test_the_log_goes_where_it_can(run, spec, tmp_path):
    said = run("solve", spec, "--log-json", tmp_path / "no" / "log.jsonl")
    assert said.code == 2
    assert "there is no such folder" in said.err
    said = run("solve", spec, "--log-json", spec)
    assert (said.code, "the command reads it" in said.err) == (2, True)


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
        ("highs", ("--solver", "highs")),
        ("command:", ("--solver", NEVER)),
    ],
)
def test_a_signal_leaves_the_start(place: Place, stage: str, arguments: tuple[str, ...]) -> None:
    first = json.loads(place.read("cart.json"))
    result = ended(place, stage, signal.SIGINT, *arguments)
    assert (result["status"], result["verdict"]) == ("interrupted", "verified")
    assert result["objective"] >= first["objective"]


def test_a_solver_that_dies_leaves_the_start(place: Place, run) -> None:
    out = place.folder / "m.json"
    said = run(
        *("solve", place.folder / "hard.tree", "--start", place.folder / "cart.json"),
        *("--solver", DIES, "-o", out),
    )
    assert said.code == 0
    assert "warning[W603]: the solver failed, so the start is the answer: " in said.err
    assert json.loads(out.read_text())["verdict"] == "verified"


@pytest.mark.parametrize("option", ["-o", "--log-json"])
def test_a_start_is_not_written_on(run, spec, tree, tmp_path, option):
    before = tree.read_bytes()
    said = run("solve", spec, "--start", tree, "--start", "cart", option, tree)
    assert (said.code, said.err) == (
        2,
        f"error[E603]: '{tree}' cannot be written: the command reads it\n"
        "  = help: choose another name\n",
    )
    assert tree.read_bytes() == before
