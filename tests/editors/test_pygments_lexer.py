"""Pygments finds the lexer by its entry point, and loads little for it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from colour_readers import ROOT

pytest.importorskip("pygments")

SAID = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULE, CLASS = SAID["project"]["entry-points"]["pygments.lexers"]["treemip"].split(":")


def test_the_entry_point_is_a_lexer_for_tree_files() -> None:
    lexer = getattr(import_module(MODULE), CLASS)()
    assert {"treemip", "tree"} <= set(lexer.aliases)
    assert lexer.filenames == ["*.tree"]


@pytest.mark.parametrize("text", ["", "§ <&", '"never closed', "a\tb\n\n# last", "let x² = 2x;"])
def test_tokens_are_the_whole_text(text: str) -> None:
    lexer = getattr(import_module(MODULE), CLASS)()
    assert "".join(piece for _, _, piece in lexer.get_tokens_unprocessed(text)) == text


def test_it_loads_nothing_heavy() -> None:
    code = (
        f"import sys; from {MODULE} import {CLASS}; list({CLASS}().get_tokens('let a = 1;'));"
        "print(*sorted({'lark', 'numpy', 'scipy', 'jinja2'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == ""
