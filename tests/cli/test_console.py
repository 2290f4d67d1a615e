"""No command ends by destroying what it read."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_cli import CSV


@pytest.mark.parametrize("output", ["the spec", "its data", "a link to the spec"])
@pytest.mark.parametrize("command", ["solve", "decode", "compile", "explain"])
def test_an_output_is_no_input(run, spec, tmp_path, command, output):
    link = tmp_path / "link.tree"
    link.symlink_to(spec)
    path = {"the spec": spec, "its data": next(tmp_path.glob("*.csv"))}.get(output, link)
    before = path.read_bytes()
    more = [spec] if command == "decode" else []
    said = run(command, spec, *more, "-o", path)
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines() == [
        f"error[E603]: '{path}' cannot be written: the command reads it",
        "  = help: choose another name",
    ]
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["small.json", "new.csv"])
def test_predictions_spare_the_tree_and_the_rows(run, solved, name):
    new = solved.with_name("new.csv")
    new.write_text(CSV)
    said = run("predict", solved, new, "-o", solved.with_name(name))
    assert (said.code, said.out) == (2, "")
    assert "cannot be written: the command reads it" in said.err
    assert new.read_text() == CSV
    assert run("show", solved).code == 0


def test_an_older_result_may_be_replaced(run, spec, tmp_path: Path):
    path = tmp_path / "m.mps"
    path.write_text("old")
    assert run("compile", spec, "-o", path).code == 0
    assert path.read_text() != "old"


@pytest.mark.parametrize("other", ["--map", "--start-file", "--priorities"])
def test_no_output_replaces_another(run, spec, other):
    model = spec.with_name("m.mps")
    start = ("--start", "cart") if other == "--start-file" else ()
    again = spec.parent / "link.mps"
    again.symlink_to(model)
    said = run("compile", spec, "-o", model, "--for", "gurobi", other, again, *start)
    assert (said.code, said.out, model.exists()) == (2, "", False)
    assert said.err == (
        f"error[E603]: '{model}' and '{again}' are one file\n"
        "  = help: give each output a name of its own\n"
    )
