"""The README says what is so: its specs, its error, its table of S-OCT, its commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import treemip
from treemip.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
SPECS = [text for language, text in BLOCKS if text.startswith("data ")]


def squeezed(text: str) -> str:
    return " ".join(re.sub(r'"\([^"]*\)"|#.*', "", text).split())


def test_there_are_two_specs_and_the_first_is_the_shipped_one():
    shipped = (ROOT / "specs" / "iris.tree").read_text()
    assert len(SPECS) == 2
    assert squeezed(SPECS[0]) == squeezed(shipped)


@pytest.mark.parametrize("text", SPECS)
def test_specs_resolve_and_bind(text):
    compiled = treemip.loads(text, base=ROOT / "specs").compile()
    assert compiled.model.row_count > 0


def test_the_table_of_s_oct_is_its_file():
    library = squeezed((ROOT / "specs" / "library" / "soct.tree").read_text())
    rows = re.findall(r"^\| (\(\w+\)) \|.*\| (`.*`) \|$", README, re.M)
    assert [tag for tag, _ in rows] == [
        *(f"(1{letter})" for letter in "abcdefgh"),
        "(5)",
        "(6a)",
        "(6b)",
        "(7)",
    ]
    for tag, cell in rows:
        for statement in re.findall(r"`([^`]+)`", cell):
            code = (
                squeezed(statement).removesuffix(";").replace("accuracy_count:", "accuracy_count :")
            )
            assert code.replace(" :", ":") in library.replace(" :", ":"), tag


def test_the_error_shown_is_the_one_given(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "specs" / "iris.tree").read_text().replace("soct", "sockt")
    Path("iris.tree").write_text(text)
    shown = next(text for _, text in BLOCKS if text.startswith("error["))
    assert run("check", "iris.tree").err == shown


def test_commands_shown_exist():
    code = "\n".join(text for _, text in BLOCKS)
    shown = set(re.findall(r"^treemip (\w+)", code, re.M))
    assert shown and shown <= set(COMMANDS)


def test_documents_linked_are_there():
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]
    assert links and [link for link in links if not (ROOT / link).exists()] == []
