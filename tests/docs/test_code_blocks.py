"""The code of README and docs runs: Python from top to bottom of each page, commands as far as
their options, specs and parts of them until their names are resolved. Tutorials and
docs/coming_from are followed by test_walkthroughs.

A block behind `<!-- not run: why -->`, which no reader sees, is left out.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from walkthrough import Block, blocks

import treemip
from treemip.cli.options import COMMANDS
from treemip.cli.parser import values_of
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

ROOT = Path(__file__).parents[2]
PAGES = {
    path.name: path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if path.name != "index.md"
}  # which has lists for the site alone
SHOWN = re.compile(r"(?:\$ )?(treemip .*?)(?:  +#.*)?")
FORM = re.compile(r"\[|\||\b[A-Z]{4,}\b|[<>…]|\\$| \.\.\.")
"""What makes a line the form of a command, or part of a longer one for a shell."""

WHOLE = r'(?m)\A(?:#.*\n)*data "[^%]*topology'
COMMANDS_OF = ("", "bash", "console")
READ: dict[str, Callable[[str], object]] = {"json": json.loads, "toml": tomllib.loads}
NOT_RUN = {
    "lua": "a setting of an editor that is not installed",
    "elisp": "a setting of an editor that is not installed",
    "js": "tests of editors/ build such a page",
}
"""Languages whose blocks are not run, and why."""

CREDIT = (
    'data "data/credit-24.csv" { label class positive "good"; group %s; '
    "number age; scale minmax; }\n"
)
BASE = {
    "data": CREDIT % "sex",
    "topology": "topology complete(depth = 2);\n",
    "split": "split univariate by oct;\n",
}
"""What stands before a part of a spec, as far as the part does not say it itself."""

FAIRNESS = {"use": "use fairness; set groups = values(sex);\n"}
PAIRS = "set neighbours = {i in points, k in points : ord(i) < ord(k)};\n"
BESIDE: dict[str, dict[str, str]] = {
    "minimize misclassified; subject to fair: opp": FAIRNESS,
    "minimize misclassified + 10 * demographic_disparity;": FAIRNESS,
    "minimize worst_group_error then": FAIRNESS,
    "set strata = values(region);": {"data": CREDIT % "sex, region"},
    "param price {j in features} = table(": {"set": 'set doses = {"none", "low"};\n'},
    "var apart {(i, k) in neighbours} binary;": {"set": PAIRS},
    "strategy { separate conserve,": {"split": "split univariate by flow_oct;\n"},
    "strategy { decompose single": {"split": "split randomized by mrct;\n"},
}
"""By what a block begins with: what else it takes for granted."""

PARSED = {
    'formulation ordinal splits univariate "Who: A title (year)"': "a module of the reader's",
    'formulation ordinal splits univariate "An example of': "specs/own/ordinal.tree, see below",
    "formulation ordinal splits univariate; use": "test_summary solves it",
    'param class = "a class"': "a module with arguments",
    'var active "d"': "declarations of several formulations",
    "let correct {i in points}": "declarations of the vocabulary",
    'subject to one_leaf "(1b)"': "rows of several formulations",
    "route left with probability go_left[i,t];": "the rule of a formulation",
    'data "houses.csv" { label price number; scale minmax; } var leaf_value': "without splits",
    "strategy { start cart; solver highs; cuts purity;": "cuts of several formulations",
    "strategy { cuts shattering(rounds = 3);": "rows of several formulations",
}
"""Blocks that are parsed only, and why."""

SLOW = {"python.md", "sweeps.md", "comparison.md", "tuning.md"}
"""Pages whose Python takes more than a few seconds; tests/sklearn runs that of sklearn.md."""

GIVEN = {
    "convert.md": """
import pandas, treemip
frame = pandas.read_csv("specs/data/iris.csv")
tree = treemip.load("specs/iris_binoct.tree", depth=1).compile().solve().tree
open("tree.onnx", "wb").write(tree.to_onnx().SerializeToString())
""",
    "data.md": """
import pandas, treemip
spec = treemip.load("specs/iris.tree").spec
frame = new_rows = pandas.read_csv("specs/data/iris.csv")
frame.to_csv("new.csv", index=False)
""",
    "pictures.md": """
import pandas, treemip
frame = pandas.read_csv("specs/data/iris.csv")
compiled = treemip.load("specs/iris_binoct.tree", depth=1).compile()
result = compiled.solve()
""",
    "privacy.md": """
import treemip
result = treemip.load("specs/credit.tree").compile().solve()
""",
}
"""What a page takes for granted: the reader's own tree and table."""


def blocks_of(name: str) -> list[Block]:
    return [b for b in blocks(PAGES[name].read_text(encoding="utf-8")) if not b.left_out]


def begins(block: Block, known: Iterable[str]) -> str:
    """Which of these a block begins with, apart from white space; "" for none."""
    text = " ".join(block.text.split())
    return next((one for one in known if text.startswith(one)), "")


WITH_PYTHON = [
    pytest.param(name, marks=pytest.mark.truth if name in SLOW else ())
    for name in PAGES
    if any(block.language == "python" for block in blocks_of(name))
    and name not in ("README.md", "sklearn.md")
]


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_python_runs_from_top_to_bottom(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(GIVEN.get(name, ""), names)
    for block in blocks_of(name):
        if block.language == "python":
            moved = "\n" * (block.line - 1) + block.text
            exec(compile(moved, str(PAGES[name]), "exec"), names)


@pytest.mark.parametrize(
    ("name", "block"),
    [
        pytest.param(name, block, id=f"{name}:{block.line}")
        for name in PAGES
        for block in blocks_of(name)
        if block.language == "tree" or (not block.language and re.search(WHOLE, block.text))
    ],
)
def test_specs_and_parts_of_them_are_resolved(name: str, block: Block) -> None:
    if begins(block, PARSED):
        parse(Source(f"{name}:{block.line}", block.text))
        return
    parts = BASE | BESIDE.get(begins(block, BESIDE), {})
    lacking = [p for word, p in parts.items() if not re.search(rf"^{word}\b", block.text, re.M)]
    treemip.loads("".join(lacking) + block.text, base=ROOT / "specs")


@pytest.mark.parametrize("name", PAGES)
def test_commands_have_the_options_that_are_shown(name: str) -> None:
    for block in blocks_of(name):
        if block.language not in COMMANDS_OF:
            continue
        for line in block.text.splitlines():
            match = SHOWN.fullmatch(line.rstrip())
            command = match[1].split()[1] if match else "COMMAND"
            if match is None or command == "COMMAND":
                continue
            assert command in COMMANDS, (name, line)
            if not FORM.search(match[1]):
                values_of(command, shlex.split(match[1], comments=True)[2:])
                continue
            known = {one for o in COMMANDS[command].all_options for one in o.names.split()}
            own = re.split(r" \d?>", match[1])[0]  # before what is for the shell
            assert set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", own)) <= known, (name, line)


@pytest.mark.parametrize("name", PAGES)
def test_no_block_is_of_a_language_that_nothing_reads(name: str) -> None:
    for block in blocks_of(name):
        if block.language in READ:
            READ[block.language](block.text)
        else:
            assert block.language in {"python", "tree", *COMMANDS_OF, *NOT_RUN}, block.line


def test_few_blocks_are_not_run() -> None:
    left_out = [
        (n, b.line) for n, path in PAGES.items() for b in blocks(path.read_text()) if b.left_out
    ]
    parsed = [begins(b, PARSED) for n in PAGES for b in blocks_of(n) if begins(b, PARSED)]
    assert len(left_out) <= 4, left_out
    assert sorted(parsed) == sorted(PARSED), "the table has a block that no page has, or one twice"


README = {
    "pip install .": "not run: an installation; .github/workflows runs it",
    "treemip fit": "test_the_commands_for_a_table_of_ones_own_run",
    'data "data/credit-24.csv"': "test_the_spec_is_the_shipped_one",
    "$ treemip solve specs/credit.tree": "test_the_answer_is_the_one_shown",
    "import treemip": "test_the_python_lines_run",
    "# A regression tree; by": "test_specs_and_parts_of_them_are_resolved",
    "error[E210]": "test_the_error_shown_is_the_one_given",
    "$ treemip solve specs/own/wine_ordinal.tree": "test_the_answer_is_the_one_shown",
}
"""What README's blocks begin with, and the test that runs each, here or in tests/cli."""


def test_every_block_of_the_readme_is_run() -> None:
    tests = Path(__file__).read_text() + (ROOT / "tests" / "cli" / "test_readme.py").read_text()
    texts = [block.text for block in blocks(PAGES["README.md"].read_text(encoding="utf-8"))]
    assert [next((r for r in README if t.startswith(r)), t) for t in texts] == list(README)
    runs = [run for run in README.values() if not run.startswith("not run: ")]
    assert [run for run in runs if f"def {run}(" not in tests] == []


def test_the_formulation_of_the_language_page_is_the_shipped_one() -> None:
    shipped = (ROOT / "specs" / "own" / "ordinal.tree").read_text(encoding="utf-8")
    assert shipped in [block.text for block in blocks_of("language.md")]
