"""Texts and settings, taken or refused with all that is said: the cases of *.expected."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from golden_cases import remade, told
from spec_texts import resolved

from treemip.core.resolve.settings.data_block import SETTINGS, read_settings
from treemip.core.resolve.settings.data_spec import Ref
from treemip.core.source.diagnostic import Report, TreemipError
from treemip.core.source.span import Source, Span
from treemip.core.syntax.parse import parse

HERE = Path(__file__).parent


def text_taken(text: str) -> str:
    try:
        return told(resolved(text).warnings) or "taken"
    except TreemipError as error:
        return told(error.diagnostics)


def block_taken(text: str) -> str:
    """What the settings of a data block say, or what is said of them."""
    (node,) = parse(Source("small.tree", text)).statements
    report = Report()
    read_settings(node, report)
    if report.diagnostics:
        return told(report.diagnostics)
    said = [made for made in node.settings if made.span.text != "label y;"]
    return "\n".join(plain(SETTINGS[made.key].read(made)) for made in said) or "taken"


def plain(value: Any) -> str:
    """Settings without their places and what stands at its default."""
    if isinstance(value, Ref):
        return f"{value.text!r} as {value.alias}" if value.alias else repr(value.text)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(plain, value)) + ")"
    if not is_dataclass(value):
        return repr(value)
    parts = [
        f"{f.name}={plain(getattr(value, f.name))}"
        for f in fields(value)
        if not isinstance(getattr(value, f.name), Span)
        and (f.default is MISSING or getattr(value, f.name) != f.default)
    ]
    return f"{type(value).__name__}({', '.join(parts)})"


@pytest.mark.parametrize(
    ("file", "outcome"), [("texts.expected", text_taken), ("data_blocks.expected", block_taken)]
)
def test_what_is_said(file: str, outcome: Any, golden: Any) -> None:
    golden(file, remade(HERE / file, outcome))
