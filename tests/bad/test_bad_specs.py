"""Specs that are wrong, one folder for each stage that must say so, with all that is said.

A first line `# -p name=value` is an option of the command line. Modules are in resolve/modules.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treemip.core.instance.table import load_table
from treemip.core.lower.bind import bind
from treemip.core.lower.error_context import traced
from treemip.core.lower.lower import lower
from treemip.core.reform.reform import reform
from treemip.core.resolve.module_files import ModuleFolders
from treemip.core.resolve.resolve import resolve
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse
from treemip.methods.separation.separated_model import require_fits

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "specs" / "data"
MODULES = HERE / "resolve" / "modules"
BAD = sorted(HERE.glob("*/*.tree"))


def stopped(path: Path) -> tuple[str, TreemipError]:
    """The stage that refuses a spec, and the error."""
    text = path.read_text(encoding="utf-8")
    options = re.findall(r"\A# -p (\w+)=(.*)\n", text)
    file = parse(Source(path.name, text))
    stage = "resolve"
    try:
        spec = resolve(file, options, texts=ModuleFolders(MODULES))
        stage = "bind"
        instance = bind(spec, load_table(spec.data, DATA) if spec.data else None)
        stage = "lower"
        model = lower(instance, spec.cuts)
        stage = "separation"
        require_fits(instance, model)
        stage = "reform"
        with traced(spec):
            reform(model)
    except TreemipError as error:
        return stage, error
    raise AssertionError(f"{path.name} is taken as a good spec")


@pytest.mark.parametrize("path", BAD, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_what_is_said(path: Path, golden, monkeypatch) -> None:
    monkeypatch.chdir(HERE)  # messages name folders from the current one
    stage, error = stopped(path)
    assert stage == path.parent.name
    golden(path.with_suffix(".expected"), str(error) + "\n")


def test_nothing_is_left_over() -> None:
    expected = sorted(HERE.glob("*/*.expected"))
    assert [p.with_suffix("") for p in expected] == [p.with_suffix("") for p in BAD]
