"""Tuning: the folds, the path of prices, the rule, and the tree of all rows."""

from __future__ import annotations

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import treemip
from treemip.cli.sweeping import without_score
from treemip.core.instance.raw_table import read_table
from treemip.core.source.diagnostic import TreemipError
from treemip.study.sweeps import along, choice
from treemip.study.sweeps.drawn_rows import Drawn, drawn
from treemip.study.sweeps.fold_rows import group_folds, row_folds, time_blocks
from treemip.study.sweeps.price_path import depth_of, price_of
from treemip.study.sweeps.run import MEASURED
from treemip.study.sweeps.table import Sweep
from treemip.study.sweeps.tuning import parts_asked, tuning_plan

KEY = np.arange(60)
COLUMNS = {
    "a": KEY % 11,
    "b": (KEY * 7) % 13,
    "who": KEY % 6,
    "day": np.array([f"2024-{1 + k // 20:02d}-{1 + k % 20:02d}" for k in KEY]),
    "class": np.where((KEY % 11 > 5) ^ (KEY % 9 == 0), "yes", "no"),
}
SPEC = """data "memory" { label class; use a, b; scale minmax; train 0.75 seed 1; }
topology complete(depth = 2);
split univariate by oct;
"""


def program(text=SPEC, **columns):
    return treemip.loads(text, data={**COLUMNS, **columns})


@pytest.mark.parametrize(
    ("text", "price", "depth"),
    [
        (SPEC, "alpha", "depth"),
        (SPEC + "param p = 1; minimize misclassified + p * splits;", "p", "depth"),
        (SPEC + "param p = 1; minimize misclassified + splits * p;", "p", "depth"),
        (SPEC + "minimize misclassified;", None, "depth"),
        (SPEC + "param p = 1; minimize misclassified * p + p * splits;", None, "depth"),
        (
            SPEC + "param p = 1; minimize misclassified + p * splits; subject to r: splits >= p;",
            None,
            "depth",
        ),
        (SPEC.replace("depth = 2", "depth = d") + "param d = 2;", "alpha", "d"),
    ],
)
def test_what_can_be_tuned(text, price, depth):
    one = program(text)
    assert (price_of(one.spec), depth_of(one.file)) == (price, depth)


def test_a_group_is_in_one_fold_and_classes_are_spread():
    group = np.repeat(np.arange(20), 6)
    strata = (np.arange(120) % 3 == 0).astype(int)
    fold = group_folds(group, strata, 4, 0, "who")
    assert all(len(set(fold[group == one])) == 1 for one in range(20))
    assert np.bincount(fold)[1:].tolist() == [30] * 4
    assert [int(strata[fold == k].sum()) for k in (1, 2, 3, 4)] == [10] * 4
    assert (group_folds(group, strata, 4, 0, "who") == fold).all()
    assert (group_folds(group, strata, 4, 1, "who") != fold).any()


def test_time_goes_forward_and_moments_stay_together():
    moment = np.array([5, 1, 1, 1, 1, 1, 2, 3, 4, 4])
    block = time_blocks(moment, 3, "day")
    assert sorted(set(block.tolist())) == [0, 1, 2]
    assert all(len(set(block[moment == one])) == 1 for one in moment)
    assert (np.diff(block[np.argsort(moment, kind="stable")]) >= 0).all()


def test_the_parts_of_a_fold_are_those_of_its_column():
    one = program()
    parts = row_folds(one, 3, None, "who", None)
    for mask in parts.values():
        tested = np.frombuffer(mask, np.uint8) == 2
        assert not set(COLUMNS["who"][tested]) & set(COLUMNS["who"][~tested])
    plan = tuning_plan(Drawn(one), {"depth": [1]}, {}, row_folds(one, 3, None, None, "day"), None)
    for run in plan.runs:
        data = run.program().data
        days = COLUMNS["day"]
        assert max(days[data.train.row_numbers - 1]) < min(days[data.test.row_numbers - 1])
    assert len({run.key for run in plan.runs}) == 3


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"groups": "wh"}, "the table has no column 'wh'"),
        ({"groups": "who", "folds": 7}, "the column 'who' has 6 values, and each is in one of 7"),
        ({"groups": "who", "time": "day"}, "folds are either by --groups or by --time"),
        ({"time": "class"}, "the column 'class' has 'yes', which is no number and no date"),
        ({"time": "who", "folds": 9}, "the column 'who' has 6 moments for 10 blocks"),
        ({"rule": "2se"}, "the rule is '2se'"),
        ({"folds": 1}, "the number of folds is 1"),
        ({"time_limit": 0}, "the time limit is 0"),
        ({"vary": {"data": ["a.csv"]}}, "'data' cannot be tuned"),
        ({"vary": {"alhpa": [1]}}, "there is no parameter 'alhpa'"),
    ],
)
def test_what_is_wrong_is_said_before_any_run(how, message, monkeypatch):
    monkeypatch.setattr(along, "executed", None)
    with pytest.raises(TreemipError) as caught:
        treemip.tune(program(), **{"vary": {"depth": [1]}, **how})
    assert message in caught.value.diagnostics[0].message


def test_missing_groups_are_refused():
    gaps = np.where(KEY == 3, None, "g").astype(object)
    with pytest.raises(TreemipError, match="1 missing value"):
        row_folds(program(who=gaps), 2, None, "who", None)


def swept(*scores):
    """Configurations of three runs each: (depth, accuracies, splits)."""
    rows = []
    for depth, accuracies, splits in scores:
        for fold, accuracy in enumerate(accuracies):
            row = dict.fromkeys(MEASURED) | {"depth": depth, "fold": str(fold), "splits": splits}
            row |= {"seconds": 0.0, "features": splits, "train_accuracy": 1.0}
            rows.append(row | {"test_accuracy": accuracy})
    return Sweep(tuple(rows), ("depth", "fold"), frozenset({"fold"}))


@pytest.mark.parametrize(
    ("scores", "by_error", "by_best"),
    [
        ([("1", (0.8, 0.9, 0.75), 1), ("2", (0.8, 0.9, 0.82), 3)], "1", "2"),
        ([("1", (0.5, 0.5, 0.5), 1), ("2", (0.8, 0.81, 0.82), 3)], "2", "2"),
        ([("1", (0.8, 0.8, 0.8), 1), ("2", (0.8, 0.8, 0.8), 1)], "1", "1"),
        ([("1", (0.9, None, 0.9), 1), ("2", (0.8, 0.8, 0.8), 3)], "2", "2"),
    ],
)
def test_the_rules(scores, by_error, by_best):
    candidates = choice.candidates_of(swept(*scores))
    chosen = {rule: choice.chosen_of(candidates, rule).values["depth"] for rule in choice.RULES}
    assert chosen == {"1se": by_error, "best": by_best}


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        (SPEC.replace("scale minmax;", ""), "need features in [0, 1]", "correct the spec"),
        (SPEC + "subject to r: splits >= 9;", "infeasible", "loosen the constraints"),
    ],
)
def test_without_any_tree_the_remedy_is_that_of_the_reason(text, message, remedy):
    with pytest.raises(TreemipError) as caught:
        treemip.tune(program(text), {"depth": [1]}, folds=2)
    said = caught.value.diagnostics[0]
    assert said.code == "E605" and message in said.message and remedy in said.remedy


def test_a_path_of_prices_has_the_optima_of_single_solves():
    """What is concluded from two prices is what a solve at each price between them gives."""
    one, prices = program(), [0.001, 0.02, 0.03, 0.04, 0.3]
    vary = {"depth": [2], "alpha": prices}
    plan = tuning_plan(Drawn(one), vary, {}, parts_asked(one, 2, 0, None, None), None)
    assert plan.along == "alpha"
    paths = along.paths_of(plan.runs, plan.along)
    rows = {(row["fold"], row["alpha"]): row for row in along.rows_along(paths)}
    assert sum(row["seconds"] == 0 for row in rows.values()) >= 1
    for single in (along.executed(run)[0] for path in paths for run in path.runs):
        found = rows[single["fold"], single["alpha"]]
        assert found["objective"] == pytest.approx(single["objective"])
        assert found["train_objective"] == pytest.approx(single["train_objective"])
        assert found["proven_by"] and found["key"] == single["key"]


def test_tuned_kept_and_taken_up_again(tmp_path, monkeypatch):
    how = {"vary": {"depth": [1, 2], "alpha": [0.01, 0.2]}, "folds": 2, "folder": tmp_path}
    tuned = treemip.tune(program(), **how)
    assert tuned.result.verdict == "verified" and tuned.unproven == 0
    assert tuned.result.compiled.instance.data.test is None
    assert len(tuned.result.compiled.instance.table.y) == 60
    assert dict(tuned.result.compiled.program.spec.overrides) == tuned.values
    monkeypatch.setattr(along, "executed", None)  # none is run again
    again = treemip.tune(program(), **how)
    assert (again.runs.kept, again.values) == (8, tuned.values)


@pytest.mark.parametrize(
    ("times", "more", "depths"),
    [(4, 0, 1), (3, 0, 1), (2, 0, 3), (1, 0, 3), (0, 4, 3), (0, 6, 2)],
)
def test_short_of_time_no_fold_is_ahead_of_another(times, more, depths, monkeypatch):
    """Values that some fold has no tree for are lost for all: none is begun with that there is too
    little time for, as runs take longer than they are given."""
    now = [0.0]

    def longer(run, time_limit):
        now[0] += times * time_limit + more
        return run.values | {"limit": time_limit}, None

    monkeypatch.setattr(along.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(along, "executed", longer)
    plan = tuning_plan(Drawn(program()), {"depth": [1, 2, 3]}, {}, (3, 0), 40.0)
    rows = list(along.rows_along(along.paths_of(plan.runs, plan.along)))
    done = [row["depth"] for row in rows if "limit" in row]
    assert done == [depth for depth in "123"[:depths] for _ in range(3)]
    late = [row["depth"] for row in rows if row.get("status") == "not_run"]
    assert late == [depth for depth in "123"[depths:] for _ in range(3)]


def test_deeper_trees_are_no_worse_than_the_shallower_one_of_their_fold(monkeypatch):
    """Whatever is found in too little time, here the tree without a split."""
    executed = along.executed

    def poor(run, time_limit, start="none"):
        deep = run.values["depth"] == "2" and start == "none"
        if deep:
            run = replace(run, text=run.text + "\nsubject to no: splits = 0;\n")
        row, result = executed(
            run, time_limit=20.0, **({} if start == "none" else {"start": start})
        )
        return (row | {"proven_by": None} if deep else row), result

    monkeypatch.setattr(along, "executed", poor)
    vary = {"depth": [1, 2], "alpha": [0.001, 0.02]}
    plan = tuning_plan(Drawn(program()), vary, {}, parts_asked(program(), 2, 0, None, None), 40.0)
    rows = list(along.rows_along(along.paths_of(plan.runs, plan.along)))
    found = {(row["depth"], row["fold"], row["alpha"]): row["objective"] for row in rows}
    assert len(found) == 8
    for (_, fold, alpha), objective in found.items():
        assert objective <= found["1", fold, alpha] + 1e-9


def test_without_time_a_deeper_run_has_the_better_tree_of_the_shallower_one(monkeypatch):
    """It says so at each price, and claims neither bound nor proof."""
    now, executed = [0.0], along.executed  # a clock of its own: solves have theirs

    def poor(run, time_limit):
        if run.values["depth"] == "2":
            now[0] += 100.0
            run = replace(run, text=run.text + "\nsubject to no: splits = 0;\n")
        row, result = executed(run, time_limit=20.0)
        return row | {"proven_by": None, "status": "time_limit"}, result

    monkeypatch.setattr(along, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(along, "executed", poor)
    vary = {"depth": [1, 2], "alpha": [0.001, 0.002, 0.02]}
    plan = tuning_plan(Drawn(program()), vary, {}, parts_asked(program(), 2, 0, None, None), 40.0)
    rows = list(along.rows_along(along.paths_of(plan.runs, plan.along)))
    found = {(row["depth"], row["fold"], row["alpha"]): row for row in rows}
    assert len(found) == 12 and len({row["key"] for row in rows}) == 12
    for (depth, fold, alpha), row in found.items():
        shallow = found["1", fold, alpha]
        assert row["objective"] == pytest.approx(shallow["objective"]) and row["splits"] == 1
        assert row["test_errors"] == shallow["test_errors"]
        assert row["status"] == "time_limit" and row["proven_by"] is None
        assert depth == "1" or row["gap"] is None


def test_without_time_deeper_trees_are_not_run_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(along, "LEAST", 20.0)
    vary = {"depth": [1, 2], "alpha": [0.01, 0.2]}
    tuned = treemip.tune(program(), vary, folds=2, time_limit=1e-3, folder=tmp_path)
    late = [row for row in tuned.runs.rows if row["status"] == "not_run"]
    assert {row["depth"] for row in late} == {"2"} and tuned.values["depth"] == "1"
    assert len(list((tmp_path / "rows").iterdir())) == len(tuned.runs.rows) - len(late)


def test_a_fold_on_which_no_likelihood_is_finite_is_left_out_for_all() -> None:
    """The earliest event is in some fold, and before it the hazard of the other rows is 0."""
    draw = np.random.default_rng(2)
    table = {"x": draw.integers(0, 9, 60), "time": 1.0 + draw.permutation(60), "event": [1] * 60}
    text = """data "t" { label none; number time, event; use x; scale minmax; }
topology complete(depth = 1);
split univariate by ost;
"""
    tuned = treemip.tune(treemip.loads(text, data=table), {"depth": [1, 2]}, folds=3, seed=0)
    (fold,) = tuned.runs.unscored
    rows = [row for row in tuned.runs.rows if row["fold"] == fold]
    assert len(rows) == 2
    assert all(row["verdict"] and row["test_objective"] is None for row in rows)
    assert all(each.runs == 2 and each.score is not None for each in tuned.runs.configurations)
    (line,) = without_score(tuned.runs)
    assert line == f"fold {fold} left out of all means: the objective has no finite value there"


ROWS = np.arange(900)
LARGER = {
    "a": ROWS % 11,
    "b": (ROWS * 7) % 13,
    "class": np.where(ROWS % 11 > 5, "yes", "no"),
}
OF_SHARES = """data "memory" { label class; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
"""
OF_SUMS = OF_SHARES + "param price = 0; minimize misclassified + price * splits;"


def larger(text: str) -> treemip.Program:
    return treemip.loads(
        text, data={**LARGER, "class": np.where(ROWS < 20, "odd", LARGER["class"])}
    )


def test_rows_are_drawn_of_each_class_its_share_and_some_of_the_rare():
    few = drawn(larger(OF_SHARES), 300, 3)
    again, other = drawn(larger(OF_SHARES), 300, 3), drawn(larger(OF_SHARES), 300, 4)
    assert few.count == 900
    labels = [one.program.table["class"].texts for one in (few, again, other)]
    assert np.array_equal(labels[0].codes, labels[1].codes)
    assert few.program.table.digest == again.program.table.digest
    assert few.program.table.digest != other.program.table.digest
    count = dict(zip(labels[0].levels, np.bincount(labels[0].codes).tolist(), strict=True))
    assert count["odd"] == 20  # all there are
    whole = np.unique(larger(OF_SHARES).table["class"], return_counts=True)
    for name, number in zip(*whole, strict=True):
        assert name == "odd" or abs(count[str(name)] - number / 3) <= 1
    table = few.program.data.whole
    assert len(table.y) == few.program.table.count


def test_rows_of_a_file_are_drawn_as_they_stand(tmp_path):
    lines = ["a,b,class"] + [
        f'{k % 11},"x, {k % 3}",{"yes" if k % 2 else "no"}' for k in range(300)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    raw = read_table(tmp_path / "t.csv")
    rows = np.array([0, 7, 299])
    taken = pickle.loads(pickle.dumps(raw.take(rows)))
    for name in raw.names:
        assert taken[name].texts.levels == raw[name].take(rows).texts.levels
        assert taken[name].texts.codes.tolist() == raw[name].take(rows).texts.codes.tolist()
    assert taken["a"].numbers.tolist() == [0, 7, 2]


@pytest.mark.parametrize(("text", "same"), [(OF_SHARES, True), (OF_SUMS, False)])
def test_all_rows_are_taken_where_a_price_is_another_one_for_fewer(text, same):
    few = drawn(larger(text), 300, 0)
    assert (few.count == 900) == same
    assert few.note == ("" if same else NOT_DRAWN)


NOT_DRAWN = (
    "depth and price are chosen on all rows: "
    "with fewer, the price of a split would mean something else"
)


@pytest.mark.parametrize("rows", [None, 0, 900, 5000])
def test_all_rows_are_taken_where_there_are_no_more(rows):
    one = larger(OF_SHARES)
    assert drawn(one, rows, 0).program is one


def test_values_are_chosen_on_some_rows_and_the_tree_is_of_all(monkeypatch):
    tuned = treemip.tune(larger(OF_SHARES), {"depth": [1, 2]}, folds=2, rows=300, time_limit=60)
    few = drawn(larger(OF_SHARES), 300, None).program.table.count
    assert tuned.drawn == (few, 900)
    assert tuned.result.report.points == 900
    assert all(row["verdict"] == "verified" for row in tuned.runs.rows)
    whole = larger(OF_SHARES.replace("depth = 2", f"depth = {tuned.values['depth']}"))
    assert tuned.result.objective == pytest.approx(whole.compile().solve().objective)


def test_few_rows_are_refused():
    with pytest.raises(TreemipError, match="10 rows are too few to choose on"):
        treemip.tune(larger(OF_SHARES), {"depth": [1]}, rows=10)


def test_the_best_mean_is_taken_where_rows_are_drawn() -> None:
    """Deeper trees win less than one standard error of some rows, and more than that of all."""
    noise = np.random.default_rng(0).random(900) < 0.25
    columns = {**LARGER, "class": np.where((LARGER["a"] > 5) ^ noise, "yes", "no")}
    text = 'data "t" { label class; scale minmax; } topology complete(depth = 1); ' \
        "split univariate by oct;"  # fmt: skip
    one = treemip.loads(text, data=columns)
    few = treemip.tune(one, {"depth": [1, 2]}, folds=3, rows=200)
    whole = treemip.tune(one, {"depth": [1, 2]}, folds=3)
    assert (few.rule, whole.rule) == ("best", "1se")
    assert few.chosen == few.best
    asked = treemip.tune(one, {"depth": [1, 2]}, folds=3, rows=200, rule="1se")
    assert asked.rule == "1se"


def test_of_many_rows_the_least_price_alone_is_tried() -> None:
    text = 'data "t" { label class; scale minmax; } topology complete(depth = 1); ' \
        "split univariate by oct;"  # fmt: skip
    one = treemip.loads(text, data=LARGER)
    some, every = (
        tuning_plan(each, (), {}, (3, 0), None) for each in (drawn(one, 200, 0), Drawn(one))
    )
    of = [{run.values["alpha"] for run in plan.runs} for plan in (some, every)]
    assert len(of[0]) == 1 and len(of[1]) == 5
    assert float(*of[0]) == pytest.approx(min(map(float, of[1])), rel=0.1)
