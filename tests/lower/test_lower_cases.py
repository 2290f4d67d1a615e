"""Specs with their tables, and what binding and lowering make or say of them: the cases of
values.expected. A line `-- name.csv` begins a file beside the spec, `-- spec` the spec again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from golden_cases import remade, told

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError

CASES = Path(__file__).parent / "values.expected"


def test_values_rows_and_faults(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    def outcome(case: str) -> str:
        spec = ""
        parts = re.split(r"^-- (.*)\n", f"-- spec\n{case}", flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            if name == "spec":
                spec += text
            else:
                (tmp_path / name).write_text(text, encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy says nothing either
            try:
                return "\n".join(written(spec, tmp_path)) or "nothing"
            except TreemipError as error:
                return told(error.diagnostics)

    golden(CASES.name, remade(CASES, outcome))


def written(text: str, folder: Path) -> Iterator[str]:
    """The parameters that the spec declares, or the model's size where there are none; warnings."""
    program = loads(text, base=folder)
    instance = program.instance
    own = [s.name for s in program.spec.parameters if s.module == "spec"]
    for name in own:
        values = instance.values[name].values
        yield f"{name}: {' '.join(f'{v:.12g}' for v in values)}"
    if own and "minimize" not in text:
        return
    compiled = program.compile()
    if not own:
        yield f"{compiled.stated.row_count} rows"
    if compiled.warnings:
        yield told(compiled.warnings)


def test_rows_that_always_hold_are_left_out() -> None:
    text = (
        "var v; minimize v; subject to r {k in 0..2}: (k - 1) * v <= k; none {k in 1..0}: v <= k;"
    )
    (rows,) = loads(text).compile().model.rows
    assert rows.index.columns[0].tolist() == [0, 2]


def test_a_warning_is_said_once_however_often_the_model_is_built() -> None:
    program = loads("var v; set none = 1..0; minimize v + sum {k in none} v;")
    program.compile()
    assert len([w for w in program.compile().warnings if w.code == "W401"]) == 1
