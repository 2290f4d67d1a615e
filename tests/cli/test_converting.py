"""treemip convert writes files by their suffixes; and a saved tree needs nothing but numpy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from treemip.cli.options import COMMANDS
from treemip.core.source.extras import pip_install
from treemip.core.tree.tree import Tree
from treemip.writers.convert.targets import TARGETS, Target


def test_the_suffix_says_the_language(run, here) -> None:
    begins = {".py": '"""A de', ".h": "/* A de", ".sql": "-- A de", ".txt": "if "}
    for suffix, begin in begins.items():
        said = run("convert", "tree.json", "-o", f"out{suffix}")
        assert (said.code, said.out, said.err) == (0, "", "")
        assert Path(f"out{suffix}").read_text().startswith(begin)


@pytest.mark.parametrize(
    ("module", "extra", "arguments"),
    [
        ("onnx", "onnx", ["-o", "tree.onnx"]),
        ("sqlglot", "sql", ["--to", "sql", "--dialect", "duckdb"]),
    ],
)
def test_a_missing_package_is_named(run, here, monkeypatch, module, extra, arguments) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = run("convert", "tree.json", *arguments)
    assert (said.code, said.out, Path("tree.onnx").exists()) == (2, "", False)
    missing = f"error[E602]: the package '{module}' is not installed or does not load: "
    assert said.err.startswith(missing)
    assert said.err.endswith(f"\n  = help: {pip_install(extra)}\n")


def test_an_onnx_model_goes_to_a_file(run, here) -> None:
    onnx = pytest.importorskip("onnx", reason="ONNX is not installed")
    assert run("convert", "tree.json", "-o", "tree.onnx").code == 0
    graph = onnx.load("tree.onnx").graph
    assert [each.name for each in graph.input] == ["age", "colour"]
    assert [each.name for each in graph.output] == ["prediction", "probabilities", "refused"]


ONLY_NUMPY = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {*sys.stdlib_module_names, "numpy", "treemip"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from treemip.cli.main import main
sys.exit(main(["predict", "tree.json", "rows.csv"]) or main(["convert", "tree.json"]))
"""


def test_a_saved_tree_needs_nothing_but_numpy(here) -> None:
    call = [sys.executable, "-c", ONLY_NUMPY]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("class\nno\nyes\nno\nif age <= 45 then no  (3 points: no 1)\n")


def test_a_language_is_written_by_its_own_entry(here, monkeypatch) -> None:
    """Nothing but the entry says what is written: no other language stands in for one."""
    module = SimpleNamespace(counted=lambda raw: f"{len(raw.features)} columns\n")
    monkeypatch.setitem(sys.modules, "treemip.writers.convert.counted", module)
    monkeypatch.setitem(TARGETS, "counted", Target(".txt2", "counted", "how many columns it asks"))
    tree = Tree.from_json(json.loads(Path("tree.json").read_text())["tree"])
    assert tree.to_text("counted") == "2 columns\n"


def test_help_names_all_languages() -> None:
    output, to, *_ = COMMANDS["convert"].all_options
    assert to.value == "|".join(TARGETS)
    assert output.complete == " ".join(f"*{target.suffix}" for target in TARGETS.values())
