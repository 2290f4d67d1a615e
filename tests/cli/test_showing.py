"""`treemip show` with options: the picture that is asked for, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import treemip
from treemip.core.resources import specs_path


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("showing") / "credit.json"
    treemip.load(specs_path() / "credit.tree").compile().solve().save(path)
    return path


def test_a_picture_has_what_its_options_ask_for(run, saved, tmp_path) -> None:
    path = tmp_path / "tree.svg"
    words = ["--title", "Credit", "--note", "24 customers", "--size", "900x700", "--depth", "1"]
    words += ["--palette", "grey", "--word", "points=customers", "--word", "leaves below=leaves"]
    said = run("show", saved, "-o", path, *words, "--digits", "3")
    assert (said.code, said.err) == (0, "")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text())
    assert {"Credit", "24 customers", "2 leaves", "15 customers"} <= set(texts)


def test_a_text_has_what_its_options_ask_for(run, saved, tmp_path) -> None:
    words = ["--title", "Kredit", "--language", "de", "--depth", "1", "--word", "points=Kunden"]
    said = run("show", saved, *words)
    assert said.out.startswith("Kredit\n\n24 Kunden\n├─ ") and "2 Blätter darunter" in said.out
    assert run("show", saved, *words, "-o", tmp_path / "tree.txt").code == 0
    assert (tmp_path / "tree.txt").read_text() == said.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "t.svg", "--size", "big"], "'big' is no size of a picture"),
        (["-o", "t.svg", "--palette", "red"], "'red' is not one of"),
        (["-o", "t.svg", "--language", "it"], "'it' is not one of"),
        (["-o", "t.svg", "--digits", "0"], "'0' is no number of digits"),
        (["-o", "t.svg", "--digits", "few"], "'few' is not"),
        (["-o", "t.svg", "--depth", "-1"], "'-1' is no number of levels to show"),
        (["-o", "t.svg", "--word", "points"], "'points' is not a word with its text"),
        (["-o", "t.svg", "--word", "spots=x"], "pictures have no word 'spots'"),
        (["--size", "500"], "'size' does not apply to a tree as text"),
        (["-o", "t.txt", "--palette", "grey"], "'palette' does not apply to a tree as text"),
        (["--word", "spots=x"], "pictures have no word 'spots'"),
    ],
)
def test_a_faulty_option_is_refused(run, saved, tmp_path, monkeypatch, words, message) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("show", saved, *words)
    assert said.code == 2 and message in said.err, said.err
    assert "Traceback" not in said.err and not list(tmp_path.iterdir())
