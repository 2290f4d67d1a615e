"""A data block and a small CSV, for the tests of this folder."""

from pathlib import Path

import pytest

from treemip.core.instance.encoded_table import Data
from treemip.core.instance.table import load_table
from treemip.core.resolve.settings.data_block import read_settings
from treemip.core.resolve.settings.data_spec import DataSpec
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse


def spec_of(settings: str, path: str = "small.csv") -> DataSpec:
    report = Report()
    (node,) = parse(Source("small.tree", f'data "{path}" {{ {settings} }}')).statements
    spec = read_settings(node, report)
    report.raise_errors()
    return spec


def load(folder: Path, text: str, settings: str) -> Data:
    (folder / "small.csv").write_text(text, encoding="utf-8")
    return load_table(spec_of(settings), folder)


def fault(folder: Path, text: str, settings: str) -> Diagnostic:
    """The one diagnostic that loading ends with."""
    with pytest.raises(TreemipError) as caught:
        load(folder, text, settings)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def spanned(diagnostic: Diagnostic) -> str:
    assert diagnostic.span is not None
    return diagnostic.span.text
