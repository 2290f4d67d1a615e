"""Texts that are not in the language, with the whole of what is said about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treemip.core.source.codes import TITLES
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

BAD = sorted((Path(__file__).parent / "bad").glob("*.tree"))


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_what_is_said(path: Path, golden) -> None:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    with pytest.raises(TreemipError) as caught:
        parse(source)
    golden(path.with_suffix(".expected"), str(caught.value) + "\n")


def test_every_code_of_this_stage_has_an_example_and_nothing_is_left_over() -> None:
    expected = sorted(BAD[0].parent.glob("*.expected"))
    assert [p.stem for p in expected] == [p.stem for p in BAD]
    said = "".join(path.read_text(encoding="utf-8") for path in expected)
    codes = {code for code in TITLES if code.startswith("E1")}
    codes -= {"E112"}  # its text is too long for a file: see test_parse.py
    assert codes == set(re.findall(r"error\[(E1\d\d)\]", said))


def test_terminal_names_are_never_shown() -> None:
    from treemip.core.syntax.tables import parser

    hidden = {t.name for t in parser().terminals if len(t.name) > 2}
    for path in BAD:
        said = path.with_suffix(".expected").read_text(encoding="utf-8")
        assert not hidden & set(re.findall(r"\b[A-Z_]{3,}\b", re.sub(r"\(U\+.*?\)", "", said)))
