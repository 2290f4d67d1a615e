"""Outputs against everything that a command reads, prints or writes beside them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_cli import CSV, SPEC, small_spec

from treemip.cli.main import main
from treemip.core.resources import library_path

NEEDS_CBC = pytest.mark.skipif(shutil.which("cbc") is None, reason="CBC is not installed")
READS_IT = "the command reads it\n  = help: choose another name\n"


def spec_over(data: str, folder: Path) -> Path:
    """The small spec over a data file of that name."""
    (folder / data).write_text(CSV)
    path = folder / "over.tree"
    path.write_text(SPEC.replace("small.csv", data))
    return path


@pytest.mark.parametrize(
    ("data", "arguments"),
    [
        ("t.csv", ["compile", "--stop-after", "parse", "-o", "t.csv"]),
        ("t.csv", ["compile", "--stop-after", "resolve", "-o", "t.csv"]),
        ("t.csv", ["compile", "--stop-after", "reform", "-o", "t.csv"]),
        ("o.col", ["compile", "-o", "o.nl"]),
        ("o.row", ["compile", "-o", "o.nl"]),
        ("m.json", ["compile", "-o", "m.mps", "--map", "m.json"]),
        (
            "m.mst",
            [
                *[
                    "compile",
                    "-o",
                    "m.mps",
                    "--for",
                    "gurobi",
                    "--start",
                    "cart",
                    "--start-file",
                    "m.mst",
                ]
            ],
        ),
        ("m.ord", ["compile", "-o", "m.mps", "--for", "gurobi", "--priorities", "m.ord"]),
        ("m_data.json", ["export", "--to", "pyomo", "-o", "m.py"]),
        ("m.dat", ["export", "--to", "ampl", "-o", "m.mod"]),
        ("m.run", ["export", "--to", "ampl", "-o", "m.mod"]),
        ("over.py", ["export", "--to", "pyomo", "-o", "."]),
        ("t.md", ["explain", "-o", "t.md"]),
        ("t.json", ["solve", "-o", "t.json"]),
    ],
)
@pytest.mark.parametrize("how", ["itself", "symlink", "hard link"])
def test_the_data_file_is_never_written_on(run, tmp_path, monkeypatch, data, arguments, how):
    monkeypatch.chdir(tmp_path)
    path = spec_over("elsewhere.csv" if how != "itself" else data, tmp_path)
    if how == "symlink":
        (tmp_path / data).symlink_to("elsewhere.csv")
    elif how == "hard link":
        os.link("elsewhere.csv", data)
    before = sorted(os.listdir())
    said = run(arguments[0], path.name, *arguments[1:])
    assert (said.code, said.out, sorted(os.listdir())) == (2, "", before)
    assert said.err == f"error[E603]: '{data}' cannot be written: {READS_IT}"
    assert (tmp_path / data).read_text() == CSV


def test_nor_is_the_library(run, spec):
    module = library_path() / "soct.tree"
    before = module.read_bytes()
    said = run("compile", spec, "--stop-after", "bind", "-o", module)
    assert (said.code, said.err) == (2, f"error[E603]: '{module}' cannot be written: {READS_IT}")
    assert module.read_bytes() == before


@pytest.mark.parametrize("name", ["s.sol", "s.sol.saved"])
def test_nor_is_a_solution(run, spec, name):
    for own in ("s.sol", "s.sol.saved"):
        spec.with_name(own).write_text("Infeasible - objective value 0.0\n")
    output = spec.with_name(name)
    said = run("decode", spec, spec.with_name("s.sol"), "-o", output)
    assert (said.code, said.err) == (2, f"error[E603]: '{output}' cannot be written: {READS_IT}")


def test_no_output_is_a_file_beside_another(run, spec):
    model, column = spec.with_name("m.nl"), spec.with_name("m.col")
    said = run("compile", spec, "-o", model, "--map", column)
    assert said.code == 2
    assert said.err == (
        f"error[E603]: the command would write two files named '{column}'\n"
        "  = help: give each output its own name\n"
    )
    assert not model.exists() and not column.exists()


# ------------------------------------------------------------------------------ --keep


@pytest.mark.parametrize("solver", ["cbc", "command:true {model} {solution}"])
@pytest.mark.parametrize("name", ["solution.csv", "model.mps", "log.txt"])
def test_a_folder_with_files_is_refused(run, tmp_path, monkeypatch, solver, name):
    monkeypatch.chdir(tmp_path)
    path = spec_over(name, tmp_path)
    before = sorted(os.listdir())
    said = run("solve", path, "--solver", solver, "--keep", ".")
    assert (said.code, said.out, sorted(os.listdir())) == (2, "", before)
    assert said.err == (
        "error[E603]: cannot keep the solver's files in '.': it is not empty\n"
        "  = help: name a new folder\n"
    )
    assert Path(name).read_text() == CSV


def test_the_result_is_not_written_among_the_solvers_files(run, spec):
    keep = spec.with_name("kept")
    keep.mkdir()
    output = keep / "log.txt"
    said = run("solve", spec, "--solver", "cbc", "--keep", keep, "-o", output)
    assert (said.code, os.listdir(keep)) == (2, [])
    assert said.err == (
        f"error[E603]: '{output}' cannot be written: the folder '{keep}' is for the solver's "
        "files\n  = help: choose a place outside it\n"
    )


# ------------------------------------------------------------------- devices and descriptors


def test_what_is_printed_may_go_to_a_file_by_its_descriptor(spec):
    text = printed(spec, "-o /dev/stdout >> all.txt")
    assert text.startswith('before\ndata "small.csv"')
    assert printed(spec, "-o /dev/stdout | cat >> all.txt") == text
    assert printed(spec, "-o /dev/fd/5 5>> all.txt") == text
    assert printed(spec, "-o /dev/null >> all.txt") == "before\n"


def test_a_file_that_is_printed_to_is_no_output(spec):
    assert printed(spec, "-o all.txt >> all.txt 2> err.txt") == "before\n"
    assert spec.with_name("err.txt").read_text() == (
        "error[E603]: 'all.txt' cannot be written: the command's output is redirected to it\n"
        "  = help: choose another name\n"
    )


def printed(spec: Path, more: str) -> str:
    """What `all.txt` has after a stage of the spec was shown that way."""
    (spec.parent / "all.txt").write_text("before\n")
    line = f"'{sys.executable}' -m treemip compile small.tree --stop-after parse {more}"
    subprocess.run(["bash", "-c", line], cwd=spec.parent, check=False, timeout=60)
    return (spec.parent / "all.txt").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
def test_a_full_device_is_said(run, spec):
    said = run("compile", spec, "--stop-after", "parse", "-o", "/dev/full")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error[E603]: '/dev/full' cannot be written: No space left on device\n"
        "  = help: choose another name\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
@pytest.mark.parametrize(("option", "why"), [("-o", "No"), ("--log-json", "no")])
def test_a_result_that_cannot_be_written_is_shown_once(run, spec, option, why):
    ended = run("solve", spec, "--start", "cart", option, "/dev/full", "--json")
    assert (ended.code, json.loads(ended.out)["verdict"]) == (2, "verified")
    assert f"error[E603]: '/dev/full' cannot be written: {why} space left on device" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
def test_log_and_tree_on_a_full_disk_are_both_named(run, spec):
    ended = run("solve", spec, "--start", "cart", "-o", "/dev/full", "--log-json", "/dev/full")
    assert (ended.code, "verified" in ended.out) == (2, True)
    assert ended.err.endswith(
        "error[E603]: '/dev/full' cannot be written: no space left on device\n"
        "  = help: choose another place\n\n"
        "error[E603]: '/dev/full' cannot be written: No space left on device\n"
        "  = help: choose another name\n"
    )


def test_a_name_that_no_file_can_have(run, spec):
    said = run("explain", spec, "-o", spec.with_name("n" * 300 + ".md"))
    assert said.code == 2
    assert said.err.endswith(
        "n.md' cannot be written: file name too long\n  = help: choose another name\n"
    )


# ------------------------------------------------------------------------------ a full disk


@pytest.mark.skipif(os.name != "posix", reason="the size of files is limited by the system")
@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "-o", "m.mps", "--map", "m.json"),
        ("compile", "-o", "m.lp", "--map", "m.json"),
        ("compile", "-o", "m.mps.gz"),
        ("export", "--to", "pyomo", "-o", "m.py"),
        ("explain", "-o", "m.md"),
        ("solve", "--solver", "highs", "-o", "m.json"),
        ("solve", "--start", "none", "--solver", "cbc"),
    ],
)
def test_a_full_disk_leaves_all_older_files(arguments, spec, tmp_path):
    """Files are limited to 1 kB, so that some fit and others do not."""
    for name in ("m.mps", "m.lp", "m.json", "m.mps.gz", "m.py", "m_data.json", "m.md"):
        (tmp_path / name).write_text("old")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command, *options = arguments
    line = f"ulimit -f 1; '{sys.executable}' -B -m treemip {command} small.tree {' '.join(options)}"
    ended = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ended.returncode == 2, ended
    assert ended.stderr.startswith("error[E60") and "Traceback" not in ended.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    if "m.json" in options and command == "solve":
        assert "verified; proven optimal by" in ended.stdout  # what was found is shown all the same


def test_the_second_file_takes_the_first_with_it(run, spec, monkeypatch, capsys):
    """A failure in the last file of a command leaves none of them."""
    from treemip.core.files import search_hints as order_file

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    spec.write_text(spec.read_text() + "strategy { priority active root_first; }\n")
    monkeypatch.setattr(order_file, "Lines", broken)
    before = set(spec.parent.iterdir())
    beside = ["--map", spec.with_name("m.json"), "--priorities", spec.with_name("m.ord")]
    said = run("compile", spec, "-o", spec.with_name("m.mps"), "--for", "gurobi", *beside)
    assert (said.code, set(spec.parent.iterdir())) == (2, before)
    assert "m.ord' cannot be written: No space left on device" in said.err


def test_an_unknown_formulation_with_a_name_that_no_file_can_have(run, spec):
    name = "f" * 300
    spec.write_text(SPEC.replace("soct(eps = 0.01)", name))
    said = run("check", spec)
    assert said.code == 2
    assert said.err.startswith(f"error[E210]: unknown formulation '{name}'\n")


@NEEDS_CBC
def test_nothing_is_left_among_the_temporary_files(tmp_path, monkeypatch, capsys):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    path = small_spec(tmp_path)
    assert main(["solve", str(path), "--start", "none", "--solver", "cbc"]) == 0
    fails = ["--start", "none", "--solver", "command:false {model} {solution}"]
    assert main(["solve", str(path), *fails]) == 2
    assert os.listdir(temporary) == []


@NEEDS_CBC
def test_no_room_for_temporary_files_is_said(run, spec, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(spec.with_name("nowhere")))
    said = run("solve", spec, "--solver", "cbc", "--start", "none")
    assert said.code == 2
    assert said.err == (
        "error[E603]: there is no folder for temporary files: No such file or directory\n"
        "  = help: set TMPDIR to one with room, or name one with --keep\n"
    )


# ------------------------------------------------------ No command ends by destroying what it read


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
        f"error[E603]: '{model}' and '{again}' are the same file\n"
        "  = help: give each output its own name\n"
    )
