"""treemip convert on the command line; and that a saved tree needs nothing but numpy."""

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

TREE = {
    "name": "tree",
    "left_when": "<=",
    "features": ["age", "income", "colour=red"],
    "classes": ["no", "yes"],
    "nodes": [
        {"node": 1, "weights": {"age": 1.0}, "threshold": 0.5},
        {"node": 2, "class": "no"},
        {"node": 3, "weights": {"colour=red": 1.0}, "threshold": 0.5},
        {"node": 6, "class": "yes"},
        {"node": 7, "class": "no"},
    ],
    "encoder": {
        "features": [
            {
                "column": "age",
                "levels": None,
                "fill": None,
                "finish": {"kind": "minmax", "low": 20.0, "high": 70.0, "lower": 0.0, "upper": 1.0},
            },
            {"column": "income", "levels": None, "fill": 3.0, "finish": {"kind": "none"}},
            {
                "column": "colour",
                "levels": {"names": ["blue", "red"], "numeric": False},
                "fill": None,
                "finish": {"kind": "onehot", "kept": [1], "unseen_zero": False},
            },
        ],
        "kept": [],
        "label": "class",
        "classes": {"names": ["no", "yes"], "numeric": False},
        "marks": [],
    },
}
RULES = """if age <= 45 then no
if age > 45 and colour is blue then yes
if age > 45 and colour is red then no
"""
QUERY = """-- A decision tree, written by treemip: the rows of a table with the class of each.
-- A missing value is NULL. A row that the tree refuses has the class NULL.
SELECT t.*,
  CASE
    WHEN CAST(t."age" AS DOUBLE PRECISION) IS NULL
      OR NULLIF(TRIM(t."colour"), '') IS NULL
      OR NULLIF(TRIM(t."colour"), '') NOT IN ('blue', 'red')
    THEN NULL
    ELSE
      CASE WHEN CAST(t."age" AS DOUBLE PRECISION) <= 45e0 THEN
        'no'
      ELSE
        CASE WHEN NULLIF(TRIM(t."colour"), '') = 'blue' THEN
          'yes'
        ELSE
          'no'
        END
      END
  END AS prediction
FROM "shop"."people" AS t;
"""
ROWS = "age,income,colour\n45,1,red\n45.1,,blue\n70,2,red\n"


@pytest.fixture
def convert(run):
    """convert(tree, …) -> (code, out, err)."""

    def called(*arguments: object) -> tuple[int, str, str]:
        said = run("convert", *arguments)
        return said.code, said.out, said.err

    return called


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.json"
    path.write_text(json.dumps({"format": "treemip tree 3", "tree": TREE}))
    return path


def test_rules_go_to_stdout(convert, tree) -> None:
    assert convert(tree) == (0, RULES, "")


def test_the_suffix_says_the_language(convert, tree, tmp_path) -> None:
    begins = {".py": '"""A de', ".h": "/* A de", ".sql": "-- A de", ".txt": "if "}
    for suffix, begin in begins.items():
        output = tmp_path / f"out{suffix}"
        assert convert(tree, "-o", output) == (0, "", "")
        assert output.read_text().startswith(begin)


def test_a_query_names_its_table(convert, tree) -> None:
    assert convert(tree, "--to", "sql", "--table", "shop.people") == (0, QUERY, "")


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("onnx", ["-o", "tree.onnx"]), ("sqlglot", ["--to", "sql", "--dialect", "duckdb"])],
)
def test_a_missing_package_is_named(
    convert, tree, tmp_path, monkeypatch, module, arguments
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    extra = "onnx" if module == "onnx" else "sql"
    code, out, err = convert(tree, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(
        f"error[E602]: the package '{module}' is not installed or does not load: "
    )
    assert err.endswith(f"\n  = help: {pip_install(extra)}\n")
    assert [p.name for p in tmp_path.iterdir()] == ["tree.json"]


def test_an_onnx_model_goes_to_a_file(convert, tree, tmp_path) -> None:
    onnx = pytest.importorskip("onnx", reason="ONNX is not installed")
    assert convert(tree, "-o", tmp_path / "tree.onnx") == (0, "", "")
    graph = onnx.load(tmp_path / "tree.onnx").graph
    assert [each.name for each in graph.input] == ["age", "colour"]
    assert [each.name for each in graph.output] == ["prediction", "probabilities", "refused"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-o", "tree.xml"],
            "error[E902]: no format for trees has the suffix of 'tree.xml'\n"
            "  = help: use one of .txt, .py, .mjs, .h, .rs, .sql, .onnx, or set --to\n",
        ),
        (
            ["-o", "tree.pmml"],
            "error[E902]: trees cannot be written as PMML: no maintained package writes it without "
            "Java\n  = help: write it as ONNX: -o tree.onnx\n",
        ),
        (
            ["--to", "onnx"],
            "error[E902]: onnx is not text for the screen\n  = help: give a file: -o tree.onnx\n",
        ),
        (
            ["--dialect", "duckdb"],
            "error[E902]: a dialect is for SQL only\n"
            "  = help: write the tree as SQL, or leave it out\n",
        ),
        (
            ["--to", "python", "--table", "people"],
            "error[E902]: a table is for SQL only\n"
            "  = help: write the tree as SQL, or leave the table out\n",
        ),
    ],
)
def test_what_is_refused(convert, tree, tmp_path, monkeypatch, arguments, message) -> None:
    monkeypatch.chdir(tmp_path)
    assert convert(tree, *arguments) == (2, "", message)
    assert [p.name for p in tmp_path.iterdir()] == ["tree.json"]


def test_a_randomized_tree_has_no_rules(convert, tree) -> None:
    saved = json.loads(tree.read_text())
    leaf = {"node": 1, "distribution": {"no": 0, "yes": 1}}
    saved["tree"] |= {"kind": "randomized", "nodes": [leaf]}
    tree.write_text(json.dumps(saved))
    assert convert(tree) == (
        2,
        "",
        "error[E902]: a randomized tree has no rules: every row reaches every leaf\n"
        "  = help: write it as python, javascript, c, rust, sql or onnx\n",
    )


ONLY_NUMPY = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {*sys.stdlib_module_names, "numpy", "treemip"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from treemip.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["predict", "tree.json", "rows.csv"], "class\nno\nyes\nno\n"),
        (["convert", "tree.json"], RULES),
    ],
)
def test_a_saved_tree_needs_nothing_but_numpy(tree, command, expected) -> None:
    (tree.parent / "rows.csv").write_text(ROWS)
    call = [sys.executable, "-c", ONLY_NUMPY, *command]
    done = subprocess.run(
        call, cwd=tree.parent, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_a_language_is_written_by_its_own_entry(monkeypatch) -> None:
    """Nothing but the entry says what is written: no other language stands in for one."""
    module = SimpleNamespace(counted=lambda raw: f"{len(raw.features)} columns\n")
    monkeypatch.setitem(sys.modules, "treemip.writers.convert.counted", module)
    monkeypatch.setitem(TARGETS, "counted", Target(".txt2", "counted", "how many columns it asks"))
    assert Tree.from_json(TREE).to_text("counted") == "2 columns\n"


def test_help_names_all_languages() -> None:
    output, to, *_ = COMMANDS["convert"].all_options
    assert to.value == "|".join(TARGETS)
    assert output.complete == " ".join(f"*{target.suffix}" for target in TARGETS.values())


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        (("-o", "tree.js"), "did you mean '.mjs'?"),
        (("--to", "javascrpt"), "did you mean 'javascript'?"),
    ],
)
def test_a_language_that_is_nearly_one_is_suggested(convert, tree, asked, near) -> None:
    code, out, said = convert(tree, *asked)
    assert (code, out) == (2, "") and near in said
