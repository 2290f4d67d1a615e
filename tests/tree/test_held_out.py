"""Objectives, their terms and measures of every shipped spec on rows that its tree was not learned
from, against numpy on these rows."""

from __future__ import annotations

import copy
import csv
import json
import pickle
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from held_out_formulas import OTHERS, SHIPPED, Formula, Rows, deviance
from json_schema import faults

import treemip
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.saved_scores import score_file
from treemip.api.store import checksum, load_tree
from treemip.core.resources import specs_path
from treemip.core.tree.measures import OBJECTIVE
from treemip.core.tree.objective_on import numbers_on
from treemip.core.tree.score import ChoiceScore, Score, ValueScore, score_of_json
from treemip.study.report.report import report
from treemip.study.sweeps.measures import scored

NO_DATA = ("own/cut_trees", "own/ordinal")
INFINITE = (
    "it is infinite there: 'likelihood' is, as where a row has an outcome to "
    "which the tree gives no chance, the logarithm of 0; larger leaves or more training rows may "
    "give it one"
)
LEFT_OUT = {
    "own/walk_policy": {OBJECTIVE: "'visits' has no meaning on the tree"},
    # An event comes before the first one of the training part, where the hazard is still 0.
    "pumps_survival late": {OBJECTIVE: INFINITE},
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
    """A tree of a spec that has a test part, found in half a second, or in more on a busy machine.
    call: another formulation, with its own objective. setting: of the data block."""
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
    compiled = treemip.load(written).compile()
    results = (compiled.solve(time_limit=seconds) for seconds in (0.5, 5, 30))
    return next(one for one in results if one.tree is not None)


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
    order of columns, of these rows in memory, by the tree that was solved and the one that was
    saved, in a sweep, on the page."""
    test = result.test_score
    assert test is not None and result.tree is not None
    result.save(folder / "tree.json")
    rows = rows_file(result, folder / "rows.csv")
    frame = columns_of(rows)
    found = score_file(folder / "tree.json", rows)
    again = load_tree(folder / "tree.json").score(frame)
    solved_ = result.tree.score(frame)
    assert again.to_json() == found.to_json()
    for score in (test, found, solved_):
        numbers = {OBJECTIVE: score.objective, **score.measures}
        assert {k: v for k, v in numbers.items() if v is not None} == pytest.approx(expected)
        assert score.left_out == test.left_out
        if score.terms:
            assert sum(value for _, value in score.terms) == pytest.approx(score.objective)
        assert [text for text, _ in score.terms] == [text for text, _ in test.terms]
    assert scored(None, test)["test_objective"] == test.objective
    page, _ = report(folder / "tree.json")
    for value in expected.values():
        assert f"{value:.10g}"[:6] in page


def columns_of(path: Path) -> dict[str, list[str]]:
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


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


FIRST = {formula: name for name, formula in reversed(SHIPPED.items())}
OF_THE_SUITE = [
    name if FIRST[formula] == name else pytest.param(name, marks=pytest.mark.truth)
    for name, formula in SHIPPED.items()
]
"""A spec for each formula; `make truth` has the others."""


@pytest.mark.parametrize("name", OF_THE_SUITE)
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
    assert result.test_score is not None and result.test_score.left_out == unknown


# ------------------------------------------------------------------------- rows of other files


@pytest.fixture(scope="module")
def trial(specs: Path) -> tuple[Result, Path]:
    result = solved(specs, "trial")
    result.save(specs / "trial.json")
    return result, specs / "trial.json"


def chosen_rows(specs: Path, name: str, keep: Callable[[dict[str, str]], bool]) -> Path:
    """The rows of a shipped table that are kept, as a file."""
    with (specs / "data" / f"{name}.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if keep(row)]
    path = specs / f"{name}_rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def true_value(result: Result, path: Path) -> float:
    """What the treatments that the tree chooses lead to, from the file alone."""
    assert result.tree is not None
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    given = result.tree.predict({name: [row[name] for row in rows] for name in rows[0]})
    ends = [
        row["true_1" if k == "treated" else "true_0"] for row, k in zip(rows, given, strict=True)
    ]
    return float(np.mean(np.array(ends, float)))


def test_reasons_are_the_same_in_memory_and_of_a_file(
    trial: tuple[Result, Path], specs: Path
) -> None:
    result, saved = trial
    rows = chosen_rows(specs, "trial", lambda row: row["region"] == "city")
    columns = {name: each for name, each in columns_of(rows).items() if name != "propensity"}
    assert result.tree is not None
    for tree in (result.tree, load_tree(saved), copy.deepcopy(result.tree)):
        found = tree.score(columns)
        why = set(found.left_out.values())
        assert why == {"the data lack the column 'propensity'"} and OBJECTIVE in found.left_out


def test_a_pickled_tree_is_without_its_spec(trial: tuple[Result, Path], specs: Path) -> None:
    """A pickle has no rows of the data and no paths."""
    result, saved = trial
    rows = columns_of(specs / "data" / "trial.csv")
    for tree in (result.tree, load_tree(saved)):
        again = pickle.loads(pickle.dumps(tree))
        assert again.spec is None
        assert again.score(rows).left_out == {OBJECTIVE: "the tree is without its spec here"}


def test_a_number_may_be_left_out_for_the_reason_of_another() -> None:
    counts = ("yes", "no"), np.eye(2, dtype=np.int64)
    structure = {"effective_splits": 1, "leaves_used": 2, "features": {1: ("x",)}}
    left_out = {"first": "a division by zero", "second": "a division by zero"}
    terms = (("a", 1.0), ("a", 1.0))
    found = Score(*counts, **structure, objective=2.0, terms=terms, left_out=left_out)
    assert score_of_json(json.loads(json.dumps(found.to_json()))).to_json() == found.to_json()


def changed(document: dict[str, Any], where: str, value: object) -> dict[str, Any]:
    """With another value among the scores of the test part; without it for None."""
    test = {**document["scores"]["test"], where: value}
    if value is None:
        del test[where]
    made = {**document, "scores": {**document["scores"], "test": test}}
    return {**made, "checksum": checksum(made)}


def test_other_numbers_than_the_tree_s_are_found_at_their_place(
    specs: Path, tmp_path: Path
) -> None:
    solved(specs, "own/wine_ordinal").save(tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    assert list(faults(document)) == []
    test = document["scores"]["test"]
    terms, objective = copy.deepcopy(test["terms"]), test["objective"]
    assert sum(term["value"] for term in terms) == pytest.approx(objective)
    terms[0]["value"] += 1
    for where, value, problem in (
        ("objective", objective + 1, "scores.test.objective is "),
        ("terms", terms, "scores.test.terms[0].value is "),
        ("terms", None, "its file lacks scores.test.terms"),
    ):
        text = json.dumps(changed(document, where, value))
        (tmp_path / "changed.json").write_text(text)
        (found,) = reverify(tmp_path / "changed.json").problems
        assert found.startswith(problem)


@pytest.mark.parametrize("had", ["control", "treated"])
def test_treatments_keep_their_numbers_in_a_file_that_lacks_one(
    had: str, trial: tuple[Result, Path], specs: Path
) -> None:
    result, saved = trial
    rows = chosen_rows(specs, "trial", lambda row: row["treatment"] == had)
    found = score_file(saved, rows)
    assert isinstance(found, ChoiceScore)
    assert found.measures["true_value"] == pytest.approx(true_value(result, rows))
    assert found.left_out == {} and found.objective is not None


def test_a_treatment_that_the_tree_does_not_know(trial: tuple[Result, Path], specs: Path) -> None:
    """It has an outcome under the known ones, and no estimate of what it does itself."""
    result, saved = trial
    rows = chosen_rows(specs, "trial", lambda row: float(row["x2"]) > 0)
    rows.write_text(rows.read_text().replace("control", "another"))
    found = score_file(saved, rows)
    assert isinstance(found, ChoiceScore)
    assert found.measures["true_value"] == pytest.approx(true_value(result, rows))
    (why,) = found.left_out.items()
    assert why[0] == "ipw_value" and why[1].startswith("'prescribed' is not declared for point")


def test_a_column_that_the_rows_lack(trial: tuple[Result, Path], specs: Path) -> None:
    rows = chosen_rows(specs, "trial", lambda row: row["region"] == "city")
    rows.write_text(rows.read_text().replace("propensity", "chance"))
    with pytest.raises(treemip.TreemipError, match="propensity"):
        treemip.load(specs / "trial.tree", rows).compile()
    found = score_file(trial[1], rows)
    assert not isinstance(found, Score) and found.points > 0
    assert (found.objective, found.measures) == (None, {})
    assert set(found.left_out.values()) == {"trial_rows.csv lacks the column 'propensity'"}


def test_without_the_training_part_what_rests_on_it_is_left_out(
    specs: Path, tmp_path: Path
) -> None:
    """The hazards are the training part's; which of two pumps fails first is the rows' own."""
    result = solved(specs, "pumps_survival")
    result.save(tmp_path / "tree.json")
    rows = rows_file(result, tmp_path / "rows.csv")
    whole = score_file(tmp_path / "tree.json", rows)
    pumps = specs / "data" / "pumps.csv"
    pumps.rename(tmp_path / "away.csv")
    try:
        found = score_file(tmp_path / "tree.json", rows)
    finally:
        (tmp_path / "away.csv").rename(pumps)
    assert isinstance(whole, ValueScore) and isinstance(found, ValueScore)
    assert (found.measures, found.objective) == (whole.measures, None)
    assert list(found.left_out) == [OBJECTIVE]
    assert found.left_out[OBJECTIVE].startswith("it needs the training part, and 'data/pumps.csv'")


def test_one_row(specs: Path, tmp_path: Path) -> None:
    result = solved(specs, "pumps_survival")
    result.save(tmp_path / "tree.json")
    lines = rows_file(result, tmp_path / "rows.csv").read_text().splitlines(keepends=True)
    (tmp_path / "one.csv").write_text("".join(lines[:2]))
    found = score_file(tmp_path / "tree.json", tmp_path / "one.csv")
    test = result.compiled.instance.data.test  # type: ignore[union-attr]
    assert isinstance(found, ValueScore) and test is not None
    plain, logs = deviance(Rows(result, test.take(np.array([0]))))
    splits = Rows(result, test).splits
    assert found.objective == pytest.approx(float(plain[0] - logs[0]) + 0.5 * splits)
    assert found.left_out == {"harrell_c": "a division by zero"}


def test_another_reason_than_the_tree_s_is_found(specs: Path, tmp_path: Path) -> None:
    result = solved(specs, "pumps_survival", seed=1)
    result.save(tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    assert list(faults(document)) == []
    assert document["scores"]["test"]["left_out"] == {OBJECTIVE: INFINITE}
    (tmp_path / "changed.json").write_text(json.dumps(changed(document, "left_out", {})))
    (problem,) = reverify(tmp_path / "changed.json").problems
    assert problem == f"its file lacks scores.test.left_out.{OBJECTIVE}"
