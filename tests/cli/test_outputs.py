"""Outputs on devices, descriptors and full disks, and files that appear together or not at all.
What is refused since a command reads it is in transcripts/outputs.txt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from treemip.core.resources import library_path

NEEDS_CBC = pytest.mark.skipif(shutil.which("cbc") is None, reason="CBC is not installed")
NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")


def test_the_library_is_not_written_on(run, spec):
    module = library_path() / "soct.tree"
    before = module.read_bytes()
    said = run("compile", spec, "--stop-after", "bind", "-o", module)
    assert (said.code, module.read_bytes()) == (2, before)
    assert said.err.startswith(f"error[E603]: '{module}' cannot be written: the command reads it\n")


@pytest.mark.parametrize("other", ["--map", "--start-file", "--priorities"])
def test_no_output_replaces_another_by_a_link(run, here, other):
    Path("link.mps").symlink_to("m.mps")
    start = ("--start", "cart") if other == "--start-file" else ()
    words = ("-o", "m.mps", "--for", "gurobi", other, "link.mps", *start)
    said = run("compile", "cuts.tree", *words)
    assert (said.code, said.out, Path("m.mps").exists()) == (2, "", False)
    assert said.err == (
        "error[E603]: 'm.mps' and 'link.mps' are the same file\n"
        "  = help: give each output its own name\n"
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


@NEEDS_FULL
def test_what_cannot_be_written_is_said_and_what_was_found_is_shown(run, here):
    said = run("compile", "small.tree", "--stop-after", "parse", "-o", "/dev/full")
    no_room = "error[E603]: '/dev/full' cannot be written: No space left on device\n"
    no_room += "  = help: choose another name\n"
    assert (said.code, said.out, said.err) == (2, "", no_room)
    ended = run("solve", "binoct.tree", "--json", "-o", "/dev/full")
    assert (ended.code, json.loads(ended.out)["verdict"], ended.err) == (2, "verified", no_room)
    ended = run("solve", "binoct.tree", "--log-json", "/dev/full", "-o", "/dev/full")
    assert (ended.code, "verified" in ended.out) == (2, True)
    no_log = "error[E603]: '/dev/full' cannot be written: no space left on device\n"
    assert ended.err == f"{no_log}  = help: choose another place\n\n{no_room}"


def test_a_name_that_no_file_can_have(run, spec):
    said = run("explain", spec, "-o", spec.with_name("n" * 300 + ".md"))
    assert said.code == 2
    told = "n.md' cannot be written: file name too long\n  = help: choose another name\n"
    assert said.err.endswith(told)
    name = "f" * 300
    spec.write_text(spec.read_text().replace("soct(eps = 0.01)", name))
    said = run("check", spec)
    assert said.code == 2
    assert said.err.startswith(f"error[E210]: unknown formulation '{name}'\n")


# ------------------------------------------------------------------------------ a full disk


@pytest.mark.skipif(os.name != "posix", reason="the size of files is limited by the system")
@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "-o", "m.mps", "--map", "m.json"),
        pytest.param(("compile", "-o", "m.lp", "--map", "m.json"), marks=pytest.mark.truth),
        pytest.param(("compile", "-o", "m.mps.gz"), marks=pytest.mark.truth),
        ("export", "--to", "pyomo", "-o", "m.py"),
        pytest.param(("explain", "-o", "m.md"), marks=pytest.mark.truth),
        ("solve", "--solver", "highs", "-o", "m.json"),
        ("solve", "--start", "none", "--solver", "cbc"),
    ],
    ids=" ".join,
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


def test_the_second_file_takes_the_first_with_it(run, here, monkeypatch):
    """A failure in the last file of a command leaves none of them."""
    from treemip.core.files import search_hints as order_file

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(order_file, "Lines", broken)
    before = set(here.iterdir())
    words = ("-o", "m.mps", "--for", "gurobi", "--map", "m.json", "--priorities", "m.ord")
    said = run("compile", "cuts.tree", *words)
    assert (said.code, set(here.iterdir())) == (2, before)
    assert "m.ord' cannot be written: No space left on device" in said.err


@NEEDS_CBC
def test_nothing_is_left_among_the_temporary_files(run, here, monkeypatch):
    temporary = here / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    solve = ("solve", "small.tree", "--start", "none", "--solver")
    assert run(*solve, "cbc").code == 0
    assert run(*solve, "command:false {model} {solution}").code == 2
    assert os.listdir(temporary) == []
    monkeypatch.setattr("tempfile.tempdir", str(here / "nowhere"))
    said = run(*solve, "cbc")
    assert said.code == 2
    assert said.err == (
        "error[E603]: there is no folder for temporary files: No such file or directory\n"
        "  = help: set TMPDIR to one with room, or name one with --keep\n"
    )
