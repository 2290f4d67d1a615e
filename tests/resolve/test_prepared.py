"""The library's prepared nodes are those of its texts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from treemip.resolve import prepared
from treemip.resources import grammar_path, library_path
from treemip.source.span import Source
from treemip.syntax.parse import parse

MODULES = sorted(library_path().glob("*.tree"))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The file of prepared nodes, in a folder of its own."""
    place = tmp_path / "library.nodes"
    monkeypatch.setattr(prepared, "_place", lambda: place)
    prepared._kept.cache_clear()
    yield place
    prepared._kept.cache_clear()


def test_the_shipped_nodes_are_current(kept: Path) -> None:
    """Else every start costs 25 ms more: run `python -m treemip.resolve.prepared`."""
    prepared.write()
    fresh = prepared._kept()
    prepared._kept.cache_clear()
    kept.write_bytes(grammar_path().with_name("library.nodes").read_bytes())
    shipped = prepared._kept()
    assert {name: mark for name, (mark, _) in shipped.items()} == {
        name: mark for name, (mark, _) in fresh.items()
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_prepared_is_parsed(path: Path, kept: Path) -> None:
    prepared.write()
    text = parse(Source(f"library/{path.name}", Source.read(path).text))
    found = prepared.parsed(path)
    assert found == text
    assert repr(found) == repr(text)  # spans as well, which nodes are not compared by


def test_a_changed_text_is_parsed(kept: Path, tmp_path: Path) -> None:
    prepared.write()
    copy = tmp_path / "soct.tree"
    copy.write_text((library_path() / "soct.tree").read_text("utf-8") + "param more = 1;\n")
    assert len(prepared.parsed(copy).statements) == 1 + len(
        prepared.parsed(library_path() / "soct.tree").statements
    )


def test_changed_nodes_are_parsed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared.write()
    monkeypatch.setattr(prepared, "_makers", lambda: b"others")
    said = []
    monkeypatch.setattr(prepared, "parse", lambda source: said.append(source.name) or parse(source))
    prepared.parsed(library_path() / "soct.tree")
    assert said == ["library/soct.tree"]


def test_without_the_file_all_is_parsed(kept: Path) -> None:
    assert prepared.parsed(library_path() / "oct.tree").statements


def test_all_that_the_nodes_come_from_is_marked() -> None:
    """Modules of treemip that parsing a text imports, but for messages, tables and the lexer."""
    code = "import sys, treemip.syntax.parse; print(*(m for m in sys.modules if 'treemip.' in m))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    names = {
        name.removeprefix("treemip.").replace(".", "/") + ".py" for name in loaded.stdout.split()
    }
    others = {
        *("source.py", "syntax.py", "syntax/nodes.py", "resources.py"),  # packages, and paths
        *("syntax/tables.py", "syntax/lexer.py", "syntax/limits.py"),
        *("source/codes.py", "source/columns.py", "source/diagnostic.py", "source/render.py"),
    }
    assert names - others == set(prepared._MAKERS)
