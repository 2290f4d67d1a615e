"""The prepared parse tables are those of the grammar."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import zlib

import lark
import pytest

from treemip.core.resources import grammar_path
from treemip.core.syntax import tables

SAMPLE = (
    'param a = 1; subject to c {i in points : y[i] = 1}: sum {t in T} x[t] <= 2; data "d" { k v; }'
)


@pytest.fixture(scope="module")
def made() -> lark.Lark:
    """A parser whose tables are worked out, which takes most of a second."""
    return tables.from_grammar(grammar_path().read_bytes())


@pytest.fixture(autouse=True)
def _fresh():
    tables.parser.cache_clear()
    yield
    tables.parser.cache_clear()


def test_the_shipped_tables_are_current(made: lark.Lark) -> None:
    """Else every start costs 0.1 s more: run `make docs`."""
    kept = grammar_path().with_suffix(".tables").read_bytes()
    mark, _, packed = kept.partition(b"\n")
    assert tables.current()
    if mark.split()[1].decode() == lark.__version__:
        data = pickle.loads(zlib.decompress(packed))
        assert len(_states(data)) == len(_states(_saved(made)))


def test_a_parser_from_the_tables_makes_the_same_trees(made: lark.Lark) -> None:
    assert tables.parser().parse(SAMPLE) == made.parse(SAMPLE)


@pytest.mark.parametrize(
    "kept", [pytest.param(b"", marks=pytest.mark.truth), b"lark 0.1 grammar 00\nrubbish", None]
)
def test_without_fitting_tables_the_grammar_is_used(kept, tmp_path, monkeypatch) -> None:
    copy = tmp_path / "tree.lark"
    copy.write_bytes(grammar_path().read_bytes())
    if kept is not None:
        copy.with_suffix(".tables").write_bytes(kept)
    monkeypatch.setattr(tables, "grammar_path", lambda: copy)
    assert tables.parser().parse(SAMPLE).children


def test_tables_of_a_changed_grammar_are_not_used(tmp_path, monkeypatch) -> None:
    copy = tmp_path / "tree.lark"
    copy.write_bytes(grammar_path().read_bytes())
    copy.with_suffix(".tables").write_bytes(grammar_path().with_suffix(".tables").read_bytes())
    copy.write_bytes(copy.read_bytes().replace(b'"param"', b'"parameter"'))
    monkeypatch.setattr(tables, "grammar_path", lambda: copy)
    assert tables.parser().parse("parameter a = 1;").children


@pytest.mark.skipif(
    lark.__version__ not in grammar_path().with_suffix(".tables").read_bytes()[:20].decode(),
    reason="the shipped tables are of another version of lark",
)
def test_loading_works_out_no_tables() -> None:
    code = (
        "from lark.parsers.lalr_analysis import LALR_Analyzer as A\n"
        "def refuse(self): raise AssertionError\n"
        "A.compute_lalr = refuse\n"
        "from treemip.core.syntax.tables import parser\n"
        "parser().parse('param a = 1;')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _saved(made: lark.Lark) -> dict:
    buffer = io.BytesIO()
    made.save(buffer)
    return pickle.loads(buffer.getvalue())


def _states(data: dict) -> dict:
    return data["data"]["parser"]["parser"]["states"]
