"""Objectives, their terms and measures of every shipped spec on rows that its tree was not learned
from, against numpy on these rows."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from held_out_formulas import OTHERS, SHIPPED, Formula, Rows

import treemip
from treemip.api.pages.report import report
from treemip.api.result import Result
from treemip.api.score_rows import score_rows
from treemip.resources import specs_path
from treemip.sweeps.measures import scored
from treemip.tree.measures import OBJECTIVE
from treemip.tree.objective_on import numbers_on
from treemip.tree.score import Score

NO_DATA = ("own/ordinal",)
LEFT_OUT = {
    "own/walk_policy": {OBJECTIVE: "'visits' has no meaning on the tree"},
    # An event comes before the first one of the training part, where the hazard is still 0.
    "pumps_survival late": {OBJECTIVE: "it is infinite there"},
}
SEEDS = {
    "pumps_survival": 3,
    "constraints/points_right": 3,  # the points that the text names are in the training part
    "constraints/points_together": 2,
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("held_out") / "specs"
    shutil.copytree(specs_path(), folder)
    return folder


def solved(
    specs: Path, name: str, call: str = "", setting: str = "", seed: int | None = None
) -> Result:
    """A tree of a spec that has a test part, found in a second. call: another formulation, with its
    own objective. setting: of the data block."""
    path = specs / f"{name}.tree"
    text = path.read_text()
    if "train " not in text:
        part = f"train 0.6 seed {SEEDS.get(name, 1) if seed is None else seed};"
        text = re.sub(r'(data "[^"]*" \{)', rf"\1 {part}", text, count=1)
    text = re.sub(r'(data "[^"]*" \{)', rf"\1 {setting}", text, count=1)
    text = re.sub(r"starts\s+10", "starts 1", text)
    if call:
        data, rules = (
            r"data .*?^}|topology .*?;|split \w+ by ",
            r"(?:time|event|predicted_\w+) .*?;",
        )
        parts = re.findall(rf"(?ms)^(?:{data}|param {rules})", text)
        text = "\n".join(f"{part}{call};" if part.startswith("split") else part for part in parts)
    written = path.with_name(f"{path.stem}_held_out{re.sub(r'[^a-z0-9]', '', call + setting)}.tree")
    written.write_text(text)
    return treemip.load(written).compile().solve(time_limit=1.0)


def check(result: Result, formula: Formula) -> dict[str, float]:
    """The numbers on the test part, which are those of the formula; so are those of training."""
    data = result.compiled.instance.data
    assert result.tree is not None and data is not None and data.test is not None
    for table in (data.train, data.test):
        found = formula(Rows(result, table))
        terms, measures = found if isinstance(found, tuple) else (found, {})
        own = numbers_on(result.compiled.instance, result.tree, result.values, table)
        if not np.isfinite(sum(terms)):
            assert own.pop(OBJECTIVE).value is None
        else:
            assert [t.value for t in own[OBJECTIVE].terms] == pytest.approx(terms, abs=1e-6)
            measures = {OBJECTIVE: sum(terms), **measures}
        assert {k: n.value for k, n in own.items()} == pytest.approx(measures, abs=1e-6)
    return measures


def check_scores(result: Result, expected: dict[str, float], folder: Path) -> None:
    """The same numbers wherever they are shown: of the test part, of a file of its rows in another
    order of columns, in a sweep, on the page."""
    test = result.test_score
    assert test is not None
    if isinstance(test, Score):
        return
    result.save(folder / "tree.json")
    found = score_rows(folder / "tree.json", rows_file(result, folder / "rows.csv"))
    assert not isinstance(found, Score)
    for score in (test, found):
        numbers = {OBJECTIVE: score.objective, **score.measures}
        assert {k: v for k, v in numbers.items() if v is not None} == pytest.approx(expected)
    assert scored(None, test)["test_objective"] == test.objective
    page, _ = report(folder / "tree.json")
    for value in expected.values():
        assert f"{value:.6g}"[:6] in page


def rows_file(result: Result, path: Path) -> Path:
    """The rows of the test part as a file whose columns are in the opposite order."""
    spec, data = result.compiled.program.spec.data, result.compiled.instance.data
    assert spec is not None and data is not None and data.test is not None
    source = result.compiled.program.base / spec.path
    with source.open(newline="") as file:
        head, *rows = csv.reader(file)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            row[::-1] for row in (head, *(rows[k - 1] for k in data.test.row_numbers.tolist()))
        )
    return path


def test_every_shipped_spec_has_a_formula() -> None:
    root = specs_path()
    folders = (root, root / "own", root / "constraints")
    shipped = {str(p.relative_to(root))[:-5] for f in folders for p in f.glob("*.tree")}
    assert shipped == SHIPPED.keys() | LEFT_OUT.keys() - {"pumps_survival late"} | {*NO_DATA}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_spec(name: str, specs: Path, tmp_path: Path) -> None:
    result = solved(specs, name)
    check_scores(result, check(result, SHIPPED[name]), tmp_path)


@pytest.mark.parametrize("name", OTHERS)
def test_another_formulation(name: str, specs: Path, tmp_path: Path) -> None:
    spec, call, setting, formula = OTHERS[name]
    result = solved(specs, spec, call, setting)
    check_scores(result, check(result, formula), tmp_path)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_number_that_is_not_known_is_left_out(name: str, specs: Path) -> None:
    spec, _, late = name.partition(" ")
    result = solved(specs, spec, seed=1 if late else None)
    data = result.compiled.instance.data
    assert result.tree is not None and data is not None and data.test is not None
    found = numbers_on(result.compiled.instance, result.tree, result.values, data.test)
    unknown = {k: n.why_not for k, n in found.items() if n.value is None}
    assert unknown == LEFT_OUT[name]
    if not isinstance(result.test_score, Score):
        assert result.test_score is not None and result.test_score.left_out == unknown
