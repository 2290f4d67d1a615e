"""The README is run: its spec, its answer, its commands, its Python, its error."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from small_cli import CSV

from treemip.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
MOVED = ("paper_and_file", "verification", "expectations")
"""Pages whose text was the README's."""


def block(beginning: str) -> str:
    """The one block that begins so."""
    (text,) = [text for _, text in BLOCKS if text.startswith(beginning)]
    return text


@pytest.fixture
def beside(tmp_path, monkeypatch) -> Path:
    """A folder with the shipped specs, where the commands run."""
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_spec_is_the_shipped_one():
    shipped = (ROOT / "specs" / "credit.tree").read_text(encoding="utf-8")
    assert shipped.split("\n", 1)[1] == block('data "data/credit-24.csv"')


@pytest.mark.parametrize("spec", ["credit", "own/wine_ordinal"])
def test_the_answer_is_the_one_shown(run, beside, spec):
    command, shown = block(f"$ treemip solve specs/{spec}.tree").split("\n", 1)
    said = run(*shlex.split(command)[2:])
    seconds = re.compile(r"engine, [\d.]+ s")
    assert said.code == 0
    assert seconds.sub("engine", said.out) == seconds.sub("engine", shown)


def test_the_commands_for_a_table_of_ones_own_run(run, beside):
    (beside / "customers.csv").write_text(CSV)
    (beside / "new.csv").write_text("b,a\n1,2\n3,4\n")
    lines = block("treemip fit").strip().split("\n")
    for line in lines:
        words = shlex.split(line, comments=True)
        said = run(*words[1:])
        assert said.code == 0, (line, said.err)
    assert (beside / "classes.csv").read_text() == "class\nno\nyes\n"
    commands = ["fit", "init", "solve", "show", "report", "score", "predict", "convert"]
    assert [line.split()[1] for line in lines] == commands


def test_the_python_lines_run(beside, capsys):
    exec(block("import treemip"), {})
    out = capsys.readouterr().out
    assert out.startswith("optimal 3 verified\n") and out.endswith("['bad' 'good']\n")
    assert (beside / "credit.json").exists()


def test_the_error_shown_is_the_one_given(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "specs" / "iris.tree").read_text().replace("soct", "sockt")
    Path("iris.tree").write_text(text)
    assert run("check", "iris.tree").err == block("error[")


def test_commands_named_exist():
    shown = set(re.findall(r"\btreemip (\w+)", "\n".join(re.findall(r"`(treemip [^`]+)`", README))))
    assert shown and shown <= set(COMMANDS)


@pytest.mark.parametrize("name", MOVED)
def test_documents_linked_from_a_page_are_there(name):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_documents_linked_are_there():
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]
    assert links and [link for link in links if not (ROOT / link).exists()] == []
