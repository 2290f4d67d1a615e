"""Requirements that exclude each other, held against a solve of every subset of them, and how far
each must give, held against solves on either side of that limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.api.diagnosis import Diagnosis, DiagnosisInterrupted
from treemip.api.diagnosis_text import (
    ADVICE,
    best_in_words,
    in_words,
    tried_as_json,
    tried_in_words,
)
from treemip.api.giving import rounded
from treemip.api.trials import NOTHING_TRIED, Trials
from treemip.cli.main import main
from treemip.core.resolve.spec import Constraint
from treemip.core.resources import specs_path

pytest.importorskip("highspy", reason="a solver is needed")

ROWS = {
    "found": 'found: recall["y"] >= 0.9;',
    "few": "few: splits <= 1;",
    "calm": 'calm: recall["n"] >= 0.9;',
    "sizes": "sizes {l in leaves}: points_in[l] >= 4 * occupied[l];",
    "idle": "idle: misclassified <= 30;",
    "one": "one: splits = 1;",
    "three": "three: splits = 3;",
}
SPLITS = {"oct": "scale minmax;", "binoct": "", "flow_oct": "bin thresholds;"}


def table(seed: int) -> dict[str, list]:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (30, 2))
    y = (x.sum(axis=1) + draw.integers(0, 4, 30)) % 7 > 3
    return {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": ["ny"[int(k)] for k in y]}


def text(by: str, rows: list[str]) -> str:
    data = f'data "t" {{ label c positive "y"; {SPLITS[by]} }} topology complete(depth = 2); '
    rows = ["subject to", *rows] if rows else []
    return "\n".join([f"{data}split univariate by {by}; minimize misclassified;", *rows])


def has_solution(by: str, rows: list[str], seed: int = 0) -> bool:
    solved = treemip.loads(text(by, rows), data=table(seed)).compile().solve(time_limit=60)
    assert solved.status in ("optimal", "infeasible")
    return solved.status == "optimal"


def diagnosed(by: str, rows: list[str], seed: int = 0) -> Diagnosis:
    return treemip.loads(text(by, rows), data=table(seed)).compile().diagnose()


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("oct", ["found", "few", "calm", "idle"]),
        pytest.param("oct", ["idle", "one", "three", "sizes"], marks=pytest.mark.truth),
        pytest.param("binoct", ["idle", "found", "sizes", "calm"], marks=pytest.mark.truth),
        pytest.param("flow_oct", ["found", "few", "calm"], marks=pytest.mark.truth),
    ],
)
def test_the_conflict_is_minimal_among_all_subsets(by: str, names: list[str]) -> None:
    found = diagnosed(by, [ROWS[name] for name in names])
    kept = [needed.requirement.name for needed in found.requirements]
    assert (found.feasible, found.minimal, found.rows) == (False, True, None)
    assert kept and not has_solution(by, [ROWS[name] for name in kept])
    for fewer in combinations(kept, len(kept) - 1):
        assert has_solution(by, [ROWS[name] for name in fewer])


@pytest.mark.parametrize("by", one_in(3, ["flow_oct", "oct", "binoct"]))
def test_a_requirement_holds_where_it_gives_as_far_as_is_said_and_no_less(by: str) -> None:
    rows = [ROWS["found"], ROWS["idle"], ROWS["calm"]]
    found = diagnosed(by, rows)
    assert {needed.requirement.name for needed in found.requirements} == {"found", "calm"}
    for needed in found.requirements:
        name, limit = needed.requirement.name, needed.give.limit
        assert needed.give.proven and limit is not None
        others = [row for row in rows if row != ROWS[name]]
        for change, holds in ((-1e-6, True), (1e-6, False)):
            row = ROWS[name].replace("0.9", repr(limit + change))
            assert has_solution(by, [*others, row]) is holds


def test_what_each_must_give_in_words() -> None:
    (needed,) = diagnosed("oct", ["many: leaves_used >= 6;", ROWS["idle"]]).requirements
    assert in_words(needed) == "would have to fall to 4"
    one, three = diagnosed("oct", [ROWS["one"], ROWS["three"]]).requirements
    assert in_words(one) == in_words(three) == "would have to give by 2"
    apart = [ROWS["one"], ROWS["three"], "many: leaves_used >= 6;"]
    for needed in diagnosed("oct", apart).requirements:
        assert in_words(needed) == "the other requirements exclude each other without it as well"


@pytest.mark.parametrize("words", ["accuracy_at_least(a, {})", "accuracy_at_least(a, least = {})"])
def test_a_requirement_of_one_line_gives_by_its_number(words: str) -> None:
    def spec(number: float) -> str:
        rows = [ROWS["found"].replace("0.9", "0.7"), f"each: {words.format(number)};"]
        return text("oct", rows).replace("label c", "group a; label c")

    found = treemip.loads(spec(0.95), data=table(0)).compile().diagnose()
    (give,) = [n for n in found.requirements if n.requirement.name == "each"]
    assert give.give.proven and give.give.limit is not None
    said = words.format(rounded(give.give.limit, True))
    assert in_words(give) == f"would have to fall to {said}" and give.best is not None
    for change, status in ((-1e-5, "optimal"), (1e-5, "infeasible")):
        again = treemip.loads(spec(round(give.give.limit + change, 9)), data=table(0))
        assert again.compile().solve().status == status


def test_rows_of_one_variable_are_requirements_as_well() -> None:
    rows = ["wanted: active[root] = 1;", "few: splits + 0 * misclassified <= 0.5;"]
    found = diagnosed("oct", rows)
    assert [needed.requirement.name for needed in found.requirements] == ["wanted", "few"]


def test_requirements_of_a_module_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "house.tree").write_text("subject to\n  few: splits <= 1;\n")
    path = tmp_path / "s.tree"
    path.write_text(text("oct", [ROWS["three"]]).replace("minimize", "use house; minimize"))
    found = treemip.load(path, table(0)).compile().diagnose()
    assert {needed.requirement.name for needed in found.requirements} == {"three", "few"}
    assert found.minimal


def test_without_requirements_the_rows_that_exclude_each_other() -> None:
    program = text("oct", [ROWS["idle"]]).replace("by oct", "by oct(min_leaf = 40)")
    found = treemip.loads(program, data=table(0)).compile().diagnose()
    assert (found.feasible, found.requirements) == (False, ())
    assert found.rows is not None and found.rows.irreducible
    assert "leaf_size" in {block.name for block, _ in found.rows.rows}


def test_a_solution_and_no_time() -> None:
    found = diagnosed("oct", [ROWS["idle"]])
    assert replace(found, tried=NOTHING_TRIED) == Diagnosis(True)
    assert named(found.tried.together) == [["idle"]] and not found.tried.undecided
    compiled = treemip.loads(text("oct", [ROWS["found"], ROWS["calm"]]), data=table(0)).compile()
    found = compiled.diagnose(0.0)
    assert replace(found, tried=NOTHING_TRIED) == Diagnosis(None)
    (one,) = found.tried.undecided
    assert named([one.requirements]) == [["found", "calm"]] and one.seconds == 0
    assert "  found, calm  (not tried)" in tried_in_words(found)


def test_what_is_open_is_said_with_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs of sets of two are withheld: the whole stays open, and the trees that were seen
    answer for the sets that were not tried."""
    asked = []

    def only_trees(trials: Trials, program, seconds, keeps=(), start=None):
        asked.append(set(keeps))
        found = solved(trials, program, seconds, keeps, start)
        if found is not None and found.status == "infeasible":
            late = replace(found.answer, status="time_limit")
            return replace(found, answer=late)
        return found

    solved = Trials.solved
    monkeypatch.setattr(Trials, "solved", only_trees)
    rows = [ROWS["found"], ROWS["calm"], ROWS["idle"]]
    found = treemip.loads(text("oct", rows), data=table(0)).compile().diagnose(200)
    tried = found.tried
    assert found.feasible is None and not found.requirements and not tried.conflicting
    assert named(tried.together) == [["found", "idle"], ["calm", "idle"]]
    undecided = named(one.requirements for one in tried.undecided)
    assert undecided == [["found", "calm", "idle"], ["found", "calm"]]
    assert all(one.seconds > 0 for one in tried.undecided)
    assert {"idle"} not in asked and {"found", "idle"} not in asked
    lines = tried_in_words(found)
    assert lines[0].startswith("not decided in ") and lines[-1] == ADVICE
    assert "  calm, idle" in lines
    assert tried_as_json(tried)["together"] == [["found", "idle"], ["calm", "idle"]]


def test_a_part_is_proven_where_the_whole_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_whole(trials: Trials, program, seconds, keeps=(), start=None):
        found = solved(trials, program, seconds, keeps, start)
        if len(set(keeps)) == 3 and found is not None and found.status == "infeasible":
            return replace(found, answer=replace(found.answer, status="time_limit"))
        return found

    solved = Trials.solved
    monkeypatch.setattr(Trials, "solved", without_whole)
    rows = [ROWS["found"], ROWS["calm"], ROWS["idle"]]
    found = treemip.loads(text("oct", rows), data=table(0)).compile().diagnose(60)
    assert found.feasible is False and found.minimal
    assert named([[one.requirement for one in found.requirements]]) == [["found", "calm"]]
    assert named(found.tried.conflicting) == [["found", "calm"]] and not found.tried.undecided


def test_a_relaxation_without_a_tree_says_how_long_it_was_looked_for() -> None:
    assert best_in_words(None, 3.0) == "no tree was found then in 3.0 s; more time may find one"


def named(sets: Iterable[Iterable[Constraint]]) -> list[list[str]]:
    return [[row.name for row in rows] for rows in sets]


@pytest.mark.truth
def test_all_smallest_sets_and_what_may_be_given_up() -> None:
    names = ["one", "three", "idle", "sizes"]
    said = {**{name: ROWS[name] for name in names}, "many": "many: leaves_used >= 6;"}
    rows, every = [*said.values()], [*said]
    found = diagnosed("oct", rows)
    first = {needed.requirement.name for needed in found.requirements}
    sets = [first, *({row.name for row in others} for others in found.other_sets)]
    holds = {
        frozenset(some): has_solution("oct", [said[name] for name in some])
        for size in range(len(every) + 1)
        for some in combinations(every, size)
    }
    smallest = [s for s, one in holds.items() if not one and all(holds[s - {k}] for k in s)]
    assert sorted(map(sorted, sets)) == sorted(map(sorted, smallest))
    for few in found.given_up:
        gone = {row.name for row in few.requirements}
        assert holds[frozenset(every) - gone]
        assert few.best is not None and few.best.verified


def test_giving_up_every_requirement_leaves_no_others() -> None:
    found = diagnosed("oct", ["none: splits <= -1;", "many: splits >= 9;"])
    assert [(len(few.requirements), few.all_given_up) for few in found.given_up] == [(2, True)]
    found = diagnosed("oct", ["many: splits >= 9;", "idle: splits >= 0;", "none: splits <= -1;"])
    assert [few.all_given_up for few in found.given_up] == [False]


def test_the_best_tree_where_a_requirement_gives() -> None:
    """It keeps the other requirement, and this one at the limit that is named."""
    for needed in diagnosed("oct", [ROWS["found"], ROWS["calm"]]).requirements:
        assert needed.best is not None and needed.best.verified and needed.give.limit is not None
        name = needed.requirement.name
        other = ROWS["calm" if name == "found" else "found"]
        row = ROWS[name].replace("0.9", repr(needed.give.limit - 1e-6))
        solved = treemip.loads(text("oct", [other, row]), data=table(0)).compile().solve()
        assert needed.best.objective == solved.objective


@pytest.mark.truth
def test_a_module_that_is_asked_for_is_one_requirement(tmp_path: Path) -> None:
    rows = ["start: first_split(a);", "up: monotone(a, up);", "good: misclassified <= 1;"]
    found = treemip.loads(text("oct", rows), data=table(0)).compile().diagnose()
    names = {needed.requirement.name for needed in found.requirements}
    names |= {row.name for others in found.other_sets for row in others}
    assert names <= {"start", "up", "good"} and "good" in names


@pytest.mark.truth
def test_a_module_beside_a_formulation_in_the_spec_is_a_requirement() -> None:
    specs = specs_path()
    text = (specs / "own_formulation.tree").read_text(encoding="utf-8")
    text = text.replace("class;", 'class positive "1"; group holding;', 1)
    text = text.replace("subject to", "subject to never: accuracy_at_least(holding, 1);", 1)
    found = treemip.loads(text, base=specs).compile().diagnose(time_limit=60)
    (needed,) = found.requirements
    assert needed.requirement.name == "never" and needed.give.amount > 0


def test_a_signal_leaves_what_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: Trials) -> bool:
        self.kept.append((frozenset(["few"]), None))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Trials, "decide", interrupted)
    rows = [ROWS["found"], ROWS["few"]]
    one = treemip.loads(text("oct", rows), data=table(0)).compile()
    with pytest.raises(DiagnosisInterrupted) as stopped:
        one.diagnose()
    (kept,) = stopped.value.found.tried.together
    assert [row.name for row in kept] == ["few"]
    columns = table(0)
    lines = [
        ",".join(columns),
        *(",".join(map(str, r)) for r in zip(*columns.values(), strict=True)),
    ]
    Path("t").write_text("\n".join(lines), encoding="utf-8")
    Path("s.tree").write_text(text("oct", rows), encoding="utf-8")
    assert main(["diagnose", "s.tree"]) == 130
    said = capsys.readouterr()
    assert "a tree keeps:\n  few\n" in said.out and "found, few" in said.out
    assert said.err.endswith("interrupted\n")
