"""Help, lists, and what may be imported."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from treemip import __version__
from treemip.cli.main import COMMANDS
from treemip.core.resolve.modules import formulation_names

ROOT = Path(__file__).resolve().parents[2]


def test_no_command_shows_help_and_ends_with_2(run):
    said = run()
    assert (said.code, said.out) == (2, "")
    assert all(re.search(rf"^  {name} ", said.err, re.M) for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_lists_exit_codes(run, command):
    said = run(command, "--help")
    assert said.code == 0
    assert "130  interrupted before anything was found" in said.out


def test_version(run):
    assert run("--version").out == f"treemip {__version__}\n"


def test_list_has_every_formulation_with_its_paper(run):
    said = json.loads(run("list", "--json").out)
    assert [f["name"] for f in said["formulations"]] == formulation_names()
    assert all(f["paper"] and f["splits"] for f in said["formulations"])
    assert said["modules"][-1] == {
        "name": "univariate_routing",
        "about": "Splits of one feature and the way of the points: Bertsimas and Dunn (2017), "
        "univariate OCT without what its leaves answer",
    }
    assert "reach[i, t]" in [c["name"] for c in said["concepts"]]
    assert "l0_local(alpha = 5)" in [t["name"] for t in said["terms"]]
    assert run("list", "terms").out.startswith("terms\n  misclassified ")


def test_check_imports_nothing_heavy():
    script = (
        "import sys; from treemip.cli.main import main; code = main(['check', sys.argv[1]]);"
        "heavy = {'numpy', 'scipy', 'polars', 'highspy', 'pyscipopt', 'sklearn', 'rich'};"
        "print(sorted(heavy & set(sys.modules))); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(ROOT / "specs" / "iris.tree")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_interrupt_while_compiling_ends_with_130_and_no_file(tmp_path):
    spec = ROOT / "benchmarks" / "specs" / "soct_spambase_depth4.tree"
    process = subprocess.Popen(
        [sys.executable, "-m", "treemip.cli.main", "compile", spec, "-o", tmp_path / "m.mps"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)  # the hidden file is there: writing has begun
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_a_terminal_without_utf_8_still_shows_a_tree(solved):
    done = subprocess.run(
        [sys.executable, "-m", "treemip.cli.main", "show", str(solved)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2514" in done.stdout
