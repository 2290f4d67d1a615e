"""Texts with a mark where the cursor stands, as the tests of the language server write them."""

from __future__ import annotations

from pathlib import Path

from treemip.core.resources import specs_path
from treemip.study.lsp.view import View, look

MARK = "¦"

CREDIT = specs_path() / "credit.tree"

HEAD = """data "data/credit-24.csv" {
  label class positive "good";
  group sex;
  scale minmax;
}
topology complete(depth = 2);
"""
"""The beginning of a spec over the credit data."""

SPEC = HEAD + "split univariate by oct;\n"


def at_mark(text: str, last: str | None = None, path: Path = CREDIT) -> tuple[View, int]:
    """The view of a text and the offset of its mark. last: an earlier text without faults."""
    offset = text.index(MARK)
    before = None if last is None else look(path, last)
    return look(path, text.replace(MARK, ""), last=before), offset
