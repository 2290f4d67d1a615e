"""Objectives in turn: each is solved among the trees that are as good in those before it."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.api.in_turn import held_at, solve_in_turn, takes_whole_values
from treemip.api.one_objective import stage_source
from treemip.api.program import Program, load, loads
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.store import checksum
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.strategy.settings import Settings
from treemip.core.syntax.parse import parse

WEIGHTS = st.lists(st.integers(-3, 3), min_size=4, max_size=4)
ROWS = WEIGHTS.filter(any)
SENSES = st.sampled_from(["minimize", "maximize"])


def stage_text(text: str, stage: int, *earlier: float) -> str:
    source = Source("spec.tree", text)
    return stage_source(source, parse(source), stage, earlier).text


TEXT = """\
var a binary; var b binary;
minimize errors "(1)": a + b   # minimize then a
  then size:
    2 * a then maximize b;
subject to one: a + b >= 1;
"""


def test_the_first_stage() -> None:
    assert stage_text(TEXT, 1).splitlines() == [
        "var a binary; var b binary;",
        'minimize errors "(1)": a + b   ' + " " * 17,
        "  " + " " * 10,
        "    " + " " * 21 + ";",
        "subject to one: a + b >= 1;",
    ]


def test_a_later_stage_has_rows_for_those_before_it() -> None:
    text = stage_text(TEXT, 3, 1, 2.5)
    assert [" ".join(line.split()) for line in text.splitlines() if line.strip()] == [
        "var a binary; var b binary;",
        "maximize",
        "b;",
        "subject to one: a + b >= 1;",
        "subject to",
        "objective_1: a + b <= 1;",
        "objective_2: 2 * a <= 2.5;",
    ]


REFUSED = """\
var a binary; var b binary; var c >= 0, <= 9; var d >= 0;
minimize a + b then SECOND
  then maximize b;
subject to one: a + b >= 1;
"""


@pytest.mark.parametrize(
    ("second", "message", "place"),
    [
        (
            "size: (a - c) ^ 2",
            "a quadratic objective beside integer variables; HiGHS cannot take it",
            "(a - c) ^ 2",
        ),
        ("log(a - 2)", "the logarithm is undefined", "log(a - 2)"),
        ("a then maximize abs(d - 4)", "bound", "abs(d - 4)"),
    ],
)
def test_errors_of_later_objectives_come_before_the_first_solve(second, message, place) -> None:
    stages = []
    with pytest.raises(TreemipError) as caught:
        loads(REFUSED.replace("SECOND", second)).compile().solve("highs", on_progress=stages.append)
    (error,) = caught.value.diagnostics
    assert message in error.message and error.span is not None
    assert (error.span.text, stages) == (place, [])


def test_a_row_that_a_solver_refuses_is_told_at_its_objective() -> None:
    """HiGHS takes the first objective's square, not the row that keeps it."""
    text = "var c >= 0, <= 9; minimize gap: (c - 4) ^ 2 then maximize c then c;"
    with pytest.raises(TreemipError) as caught:
        loads(text).compile().solve("highs")
    (error,) = caught.value.diagnostics
    assert "quadratic rows" in error.message and error.span.text == "(c - 4) ^ 2"


def test_warnings_show_the_lines_of_the_text_each_once() -> None:
    empty = "sum {k in 1..2 : k > 2} a"
    text = f"var a binary;\nminimize a + {empty}\n  then {empty} then maximize a;"
    warnings = loads(text).compile().solve("highs").warnings
    found = [str(TreemipError(w)).splitlines()[3] for w in warnings if w.code == "W401"]
    assert found == [f"2 | minimize a + {empty}", f"3 |   then {empty} then maximize a;"]


def test_rows_get_names_that_the_text_does_not_have() -> None:
    text = "var objective_1 binary; maximize objective_1 then objective_1;"
    assert "objective__1: objective_1 >= 1;" in stage_text(text, 2, 1)


def test_a_later_objective_may_mention_an_earlier_one_by_name() -> None:
    text = TEXT.replace("maximize b", "maximize b - errors + size")
    kept = "let errors = a + b;", "let size = 2 * a;"
    assert stage_text(text, 1).splitlines()[-1] == kept[1]
    assert stage_text(text, 3, 1, 0).splitlines()[-5:-3] == [*kept]
    solved = loads(text + "subject to few: size <= 3;").compile().solve()
    assert [one.value for one in solved.objectives] == [1, 0, 0]


def test_objectives_have_names_of_their_own() -> None:
    with pytest.raises(TreemipError) as caught:
        loads(TEXT.replace("size:", "errors:")).compile()
    assert [(d.code, d.message) for d in caught.value.diagnostics] == [
        ("E202", "'errors' is declared twice")
    ]


@pytest.mark.parametrize(
    ("stage", "earlier", "message"),
    [
        (0, (), "there is no objective 0: the spec has 3 objectives"),
        (4, (1, 1, 1), "there is no objective 4: the spec has 3 objectives"),
        (2, (), "objective 2 needs a value for each of the 1 before it, and got 0"),
        (1, (3,), "objective 1 has none before it, and got 1"),
    ],
)
def test_stages_that_there_are_not(stage: int, earlier: tuple[float, ...], message: str) -> None:
    with pytest.raises(TreemipError) as caught:
        stage_text(TEXT, stage, *earlier)
    assert caught.value.diagnostics[0].message == message


@settings(max_examples=12)
@given(st.lists(st.tuples(SENSES, WEIGHTS), min_size=2, max_size=3), ROWS)
def test_against_enumeration(stages: list[tuple[str, list[int]]], row: list[int]) -> None:
    """Of four binaries under one row; the row may have no solution."""
    parts = [f"{sense} {_sum(weights)}" for sense, weights in stages]
    text = "var v {k in 1..4} binary;\n" + " then ".join(parts) + ";\n"
    text += f"subject to r: {_sum(row)} >= 1;"
    points = [p for p in product((0, 1), repeat=4) if np.dot(p, row) >= 1]
    result = loads(text).compile().solve("highs")
    if not points:
        assert result.status == "infeasible" and len(result.objectives) == 1
        return
    wanted = []
    for sense, weights in stages:
        best = (min if sense == "minimize" else max)(int(np.dot(p, weights)) for p in points)
        points = [p for p in points if np.dot(p, weights) == best]
        wanted.append(best)
    assert [one.value for one in result.objectives] == pytest.approx(wanted)
    assert [one.bound for one in result.objectives] == pytest.approx(wanted)
    assert all(one.proven for one in result.objectives)
    assert result.objective == pytest.approx(wanted[-1])


def _sum(weights: list[int]) -> str:
    return " + ".join(f"({w}) * v[{k}]" for k, w in enumerate(weights, 1))


def test_what_is_no_whole_number_is_kept_within_a_tolerance() -> None:
    text = "var a >= 0, <= 1; var b >= 0, <= 1; maximize 0.5 * a then b; subject to r: a + b <= 1;"
    result = loads(text).compile().solve("highs")
    first, second = result.objectives
    assert first.value == pytest.approx(0.5) and first.held == pytest.approx(0.5 - 1e-6, abs=1e-9)
    assert second.value == pytest.approx(2e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("objective", "whole"),
    [
        ("2 * a - b + 3", True),
        ("0.5 * a", False),
        ("v", False),
        ("a * b", True),
        ("a + 0.5", False),
    ],
)
def test_which_objectives_are_whole_numbers(objective: str, whole: bool) -> None:
    text = f"var a binary; var b integer >= 0, <= 3; var v >= 0, <= 1; minimize {objective};"
    compiled = loads(text).compile()
    assert takes_whole_values(compiled.stated) is whole
    assert held_at(compiled.solve("highs")) == pytest.approx(
        compiled.solve("highs").objective, abs=1e-5
    )


TREE = """\
data "none.csv" { label y; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
minimize misclassified then splits then maximize sum {t in branches} uses[t,"b"];
"""


@pytest.fixture(scope="module")
def tree_program() -> Program:
    draws = np.random.default_rng(3)
    a, b = draws.integers(0, 4, 16).astype(float), draws.integers(0, 4, 16).astype(float)
    y = np.where((a > 1) & (b > 1), "yes", "no")
    return loads(TREE, data={"a": a, "b": b, "y": y})


@pytest.fixture(scope="module")
def result(tree_program: Program) -> Result:
    return tree_program.compile().solve(time_limit=60)


def test_trees_in_turn(result: Result, tmp_path: Path) -> None:
    assert [(one.value, one.proven) for one in result.objectives] == [
        (pytest.approx(0), True),
        (pytest.approx(2), True),
        (pytest.approx(1), True),
    ]
    assert result.verified and result.train_errors == 0
    result.save(tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    assert [one["objective"] for one in document["objectives"]] == [
        "misclassified",
        "splits",
        'sum {t in branches} uses[t,"b"]',
    ]
    assert "objective_1: misclassified <= 0;" in document["spec"]["text"]


def test_one_model_holds_one_objective(tree_program: Program, tmp_path: Path) -> None:
    compiled = tree_program.compile()
    for hand_over in (
        lambda: compiled.write(tmp_path / "m.mps"),
        lambda: compiled.to_script("pyomo"),
        compiled.to_highs,
        lambda: compiled.decode(tmp_path / "m.sol"),
    ):
        with pytest.raises(TreemipError) as caught:
            hand_over()
        assert caught.value.diagnostics[0].code == "E218"
    tree_program.stage(2, [0]).compile().write(tmp_path / "m.mps")
    assert "objective_1" in (tmp_path / "m.mps").read_text()


def test_what_was_solved_is_not_lost(tree_program: Program) -> None:
    compiled = tree_program.compile()

    def run(one, asked, stage, tell):  # type: ignore[no-untyped-def]
        if stage == 2:
            raise RuntimeError("no licence")
        return one.program.compile().solve(time_limit=30)

    result = solve_in_turn(compiled, Settings(), run, None)
    assert len(result.objectives) == 1 and result.verified
    assert result.objectives[0].proven
    assert (result.status, result.optimality.proven) == ("feasible", False)
    assert [w.message for w in result.warnings if w.code == "W607"] == [
        "objective 2 was not solved: RuntimeError: no licence"
    ]


IMPLIED = """\
data "t" { label y; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
maximize splits then minimize misclassified;
"""


@pytest.mark.parametrize("implications", ["indicator", "sos1", "big_m"])
def test_the_tree_before_is_a_start_in_every_form_of_implications(implications) -> None:
    """Its completion fixes the guards, which solvers take as binaries alone."""
    pytest.importorskip("pyscipopt")
    program = loads(IMPLIED, data={"a": [1.0, 2.0, 3.0, 4.0], "y": ["n", "y", "n", "y"]})
    result = program.compile(implications=implications).solve("scip", start="none")
    assert [(one.value, one.proven) for one in result.objectives] == [(1, True), (1, True)]
    assert (result.status, result.verified) == ("optimal", True)
    assert [w.message for w in result.warnings if w.code == "W607"] == []


def test_an_objective_without_a_proof_is_named(tree_program: Program) -> None:
    compiled = tree_program.compile()

    def run(one, asked, stage, tell):  # type: ignore[no-untyped-def]
        result = one.program.compile().solve(time_limit=30)
        unproven = result.optimality.__class__(stage == 3, "", 0.5)
        return result.__class__(**{**vars(result), "optimality": unproven})

    result = solve_in_turn(compiled, Settings(), run, None)
    assert [one.proven for one in result.objectives] == [False, False, True]
    assert result.optimality.text("verified") == "optimality not proven"
    assert (result.status, result.bound, result.gap) == ("feasible", None, None)
    assert [w.message for w in result.warnings if w.code == "W607"] == [
        "objective 1, 'misclassified', is not proven optimal: it is 0, its bound is 0",
        "objective 2, 'splits', is not proven optimal: it is 2, its bound is 2",
    ]


def test_a_log_names_the_objective(tree_program: Program, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    tree_program.compile().solve(time_limit=60, log_json=log)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    numbers = [event["objective_number"] for event in events[:-1]]
    assert numbers == sorted(numbers) and set(numbers) == {1, 2, 3}
    assert [one["value"] for one in events[-1]["objectives"]] == pytest.approx([0, 2, 1])


def test_every_objective_has_the_modules_of_the_spec(tmp_path: Path) -> None:
    shared, spec = tmp_path / "shared" / "terms.tree", tmp_path / "spec.tree"
    shared.parent.mkdir()
    shared.write_text("subject to one: a + b >= 1;")
    spec.write_text("use terms; var a binary; var b binary; minimize a + b then a;")
    result = load(spec, include=[shared.parent]).compile().solve()
    assert [one.value for one in result.objectives] == [1, 0]


ACTIONS = """\
data "acts.csv" { label none; number c1, c2; scale minmax; }
topology complete(depth = 1);
split univariate;
use univariate_routing;
set actions = {"stay", "go"};
param cost {i in points, a in actions} = if a = "stay" then c1[i] else c2[i];
var act {l in leaves, a in actions} binary means given_actions[l,a];
var does {i in points, a in actions} >= 0, <= 1
  means sum {l in leaves} routed[i,l] * given_actions[l,a];
minimize paid then sum {i in points} does[i,"go"];
subject to
  one {l in leaves}: sum {a in actions} act[l,a] = 1;
  link {i in points, l in leaves, a in actions}: reach[i,l] = 1 ==> does[i,a] = act[l,a];
let paid = sum {i in points, a in actions} cost[i,a] * does[i,a];
predict class argmax {a in actions} act[l,a];
"""
STAY_EVERYWHERE = ACTIONS.replace("} act[l,a];", '} (if a = "stay" then 1 else 0 * act[l,a]);')
ACTS = {"a": [1, 2, 3, 4, 5, 6], "c1": [0, 0, 1, 4, 5, 5], "c2": [3, 3, 2, 1, 0, 0]}


@pytest.fixture
def acts(tmp_path: Path) -> Path:
    rows = zip(*ACTS.values(), strict=True)
    lines = [",".join(ACTS), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "acts.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_no_objective_follows_one_whose_tree_is_not_verified(acts: Path) -> None:
    """Leaves answer another action than the one that the first objective pays for."""
    result = loads(STAY_EVERYWHERE, base=acts).compile().solve("highs", start="none")
    assert (result.verdict, len(result.objectives)) == ("not verified", 1)
    assert result.problems == ("the solution's objective is 2, but the tree's own is 15",)
    assert result.optimality.text("not verified") == "optimality not proven"
    assert [w.message for w in result.warnings if w.code == "W607"] == [
        "objective 2 was not solved: the tree of objective 1 is not verified"
    ]
    result.save(acts / "tree.json")
    assert reverify(acts / "tree.json").problems == (
        "found when it was solved: the solution's objective is 2, but the tree's own is 15",
        "the tree's objective is 15; its file says 2",
    )


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("value", 1, "objective 1 is 2 on the tree; its file says 1"),
        ("value", None, "its file says None for objective 1"),
        ("sense", "maximize", "objective 1 is to be minimized; its file says 'maximize'"),
    ],
)
def test_verify_recomputes_the_earlier_objectives(acts: Path, key, value, problem) -> None:
    result = loads(ACTIONS, base=acts).compile().solve("highs", start="none")
    assert [one.value for one in result.objectives] == pytest.approx([2, 3])
    result.save(acts / "tree.json")
    assert reverify(acts / "tree.json").verified
    document = json.loads((acts / "tree.json").read_text())
    document["objectives"][0][key] = value
    (acts / "tree.json").write_text(json.dumps(document | {"checksum": checksum(document)}))
    assert reverify(acts / "tree.json").problems == (problem,)


def test_a_start_that_the_spec_cannot_have_loses_no_objective(acts: Path) -> None:
    text = ACTIONS + "strategy { start local_svm; solver highs; }"
    result = loads(text, base=acts).compile().solve()
    assert [one.value for one in result.objectives] == pytest.approx([2, 3])
    assert [w.code for w in result.warnings if w.code == "W607"] == []


def test_the_objective_is_that_of_the_verified_tree(acts: Path) -> None:
    """The row that keeps the first objective leaves the second one 1e-6 of a point."""
    result = loads(ACTIONS, base=acts).compile().solve("highs", start="none")
    assert result.answer.values is not None and result.report is not None
    assert result.report.objective == pytest.approx(3, abs=1e-4)
    assert [one.value for one in result.objectives] == [2, 3]
    assert (result.objective, result.verdict) == (3, "verified")
