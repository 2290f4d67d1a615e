"""The progress of a solve as JSON lines."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import treemip
from treemip.api import solving
from treemip.api.progress_log import ProgressLog
from treemip.core.model.answer import Progress
from treemip.core.source.diagnostic import TreemipError

COLUMNS = {
    "a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    "b": [1.0, 0.0, 2.0, 1.0, 0.0, 3.0],
    "c": ["n", "y", "y", "n", "y", "n"],
}
TEXT = 'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by soct;'


def compiled() -> treemip.Compiled:
    return treemip.loads(TEXT, data=COLUMNS).compile()


def events(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_stages_improvements_and_the_outcome(tmp_path: Path) -> None:
    path, heard = tmp_path / "log.jsonl", list[Progress]()
    result = compiled().solve(
        "highs", start=["cart", "search"], time_limit=2, log_json=path, on_progress=heard.append
    )
    *told, last = events(path)
    stages = [event["stage"] for event in told if event["event"] == "stage"]
    assert stages[:2] == ["start", "search"]
    assert len(heard) >= len(told)
    assert [e["seconds"] for e in told] == sorted(e["seconds"] for e in told)
    assert last["event"] == "end"
    assert last["seconds"] >= told[-1]["seconds"]
    assert (last["status"], last["objective"]) == (result.status, result.objective)
    assert last["verdict"] == "verified"


def test_one_line_a_second_unless_something_is_new() -> None:
    file = io.StringIO()
    log = ProgressLog(file, None)
    for seconds, objective, stage in (
        (0.0, None, "search"),
        (0.1, None, "search"),
        (0.2, 3.0, "search"),
        (0.3, 3.0, "search"),
        (1.3, 3.0, "search"),
        (1.4, 3.0, "scip"),
        (1.5, 3.0 + 1e-12, "scip"),
        (1.6, float("inf"), "scip"),
    ):
        log(Progress(seconds, objective, None, None, 0, stage))
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [(e["event"], e["seconds"]) for e in lines] == [
        ("stage", 0.0),
        ("incumbent", 0.2),
        ("progress", 1.3),
        ("stage", 1.4),
        ("incumbent", 1.6),
    ]
    assert lines[-1]["objective"] is None


def test_an_error_is_the_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(solving, "solve_with", failing)
    path = tmp_path / "log.jsonl"
    with pytest.raises(MemoryError):
        compiled().solve("highs", start="none", log_json=path)
    assert events(path)[-1] == {"event": "end", "status": "error", "message": "MemoryError"}


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TreemipError) as caught:
        compiled().solve("highs", log_json=tmp_path / "no" / "log.jsonl")
    (d,) = caught.value.diagnostics
    assert d.code == "E603" and d.message.endswith("cannot be written: no such file or directory")


def test_a_full_disk_ends_the_log_and_not_the_solve() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    result = compiled().solve("highs", start="cart", time_limit=1, log_json=full)
    assert result.verified
    (error,) = result.unwritten
    assert error.code == "E603"
    assert error.message == "'/dev/full' cannot be written: no space left on device"


def test_nodes_are_those_of_the_solver_or_unknown(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by binoct;'
    data = {"a": [0, 1, 2, 3], "c": list("nnyy")}
    treemip.loads(text, data=data).compile().solve(log_json=path)
    *before, end = events(path)
    assert (end["solver"], end["nodes"]) == ("engine", None)
    assert {e["nodes"] for e in before if e["stage"] in ("engine", "start")} == {None}
    result = treemip.loads(text, data=data).compile().solve("highs", start="none", log_json=path)
    assert events(path)[-1]["nodes"] == result.answer.nodes is not None


def test_an_engines_proof_is_no_solvers(tmp_path: Path) -> None:
    text = TEXT.replace("oblique by soct", "univariate by binoct")
    columns = {"a": [0.0, 1, 2, 3, 4, 5, 6], "c": list("nnyyyny")}
    result = treemip.loads(text, data=columns).compile().solve(log_json=tmp_path / "log")
    assert result.answer.solver == "engine"
    assert events(tmp_path / "log")[-1]["proven_by"] == "engine"
