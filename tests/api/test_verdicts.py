"""What a verdict says: of variables without a meaning, of proofs, of ties, of what fails."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from suite import one_in

import treemip
from treemip.api.compare_saved import optimality_of
from treemip.api.compiled import Compiled
from treemip.api.reverify import reverify
from treemip.cli.main import main
from treemip.core.model.answer import Answer
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.from_values import tree_from_values
from treemip.core.tree.readout import routed_by_solution
from treemip.core.tree.verify import verify

pytest.importorskip("highspy", reason="a solver is needed")

CSV = "a,b,class\n" + "".join(f"{k},{k % 3},{'yes' if k > 3 else 'no'}\n" for k in range(8))
HEAD = 'data "t.csv" { label class; scale minmax; } topology complete(depth = 1); '
SOCT = HEAD + "split oblique by soct; "


@pytest.fixture
def base(tmp_path) -> Path:
    (tmp_path / "t.csv").write_text(CSV)
    return tmp_path


def compiled(base: Path, text: str) -> Compiled:
    return treemip.loads(text, base=base).compile()


def solved_by_command(base: Path, text: str) -> tuple[int, Path]:
    """The exit code of `treemip solve`, and the path of its tree.json."""
    (base / "s.tree").write_text(text)
    path = base / "tree.json"
    line = ["solve", str(base / "s.tree"), "--solver", "highs", "--start", "none", "-o", str(path)]
    return main(line), path


def answer_of(made: Compiled, **changes: object) -> Answer:
    answer = made.solve("highs", start="none").answer
    assert answer.values is not None
    return replace(answer, **changes)  # type: ignore[arg-type]


# ------------------------------------------------------------------ in part


def test_a_term_without_meaning_is_named(base):
    """A row is missing: nothing keeps `far` at 7, and the optimum takes 0 for it."""
    text = SOCT + "var far integer >= 0; minimize misclassified + far; subject to least: far >= 0;"
    result = compiled(base, text).solve("highs", start="none")
    assert (result.verdict, result.verified, result.problems) == ("verified in part", False, ())
    assert result.report is not None
    assert [t.text() for t in result.report.taken] == [
        "'far' has no meaning on the tree, so the term 'far' was not recomputed",
        "'far' has no meaning on the tree, so the constraint 'least' was not recomputed",
    ]
    assert [t.taken for t in result.report.terms] == [(), ("far",)]


def test_what_far_means_settles_it(base):
    text = SOCT + "var far >= 0 means 7; minimize misclassified + far;"
    result = compiled(base, text).solve("highs", start="none")
    assert result.verdict == "not verified"
    assert result.problems == ("the solution's objective is 0, but the tree's own is 7",)


def test_a_variable_that_matters_to_nothing_is_not_missed(base):
    """Its rows are the formulation's business, and hold at the solution."""
    text = SOCT + "var idle {i in points} >= 0, <= 1; minimize misclassified;"
    assert compiled(base, text).solve("highs", start="none").verdict == "verified"


def test_through_a_let_and_by_point(base, capsys):
    text = (
        SOCT + "var off {i in points} >= 0, <= 1; let all = sum {i in points} off[i];"
        "minimize misclassified + all;"
    )
    code, path = solved_by_command(base, text)
    assert code == 4
    shown = capsys.readouterr().out
    line = "'off' has no meaning on the tree, so the term 'all' was not recomputed"
    assert f"verified in part: {line}" in shown
    assert "proven optimal by HiGHS" in shown
    assert main(["verify", str(path)]) == 4
    again = capsys.readouterr().out
    assert line in again and "term    unknown = all" in again
    assert "proven optimal by HiGHS" in again and "as recorded in its file" in again
    said = json.loads(path.read_text())
    assert said["verdict"] == "verified in part"
    assert said["not_recomputed"] == [
        {"variable": "off", "place": "term", "what": "all", "of_split": False}
    ]


def test_a_split_that_was_repaired_by_more_than_tolerance_speaks_for_itself(base):
    """The values' threshold sends points elsewhere; terms of coefficients are not the tree's."""
    made = compiled(base, SOCT + "minimize misclassified + 0.001 * l1;")
    sound = made.solve("highs", start="none")
    values = {name: v.copy() for name, v in sound.values.items()}
    end = routed_by_solution(made.instance, values)
    values["bias"] = values["bias"] - 0.2
    tree, repaired, moved = tree_from_values(made.instance, values, end)
    assert (repaired, moved) == ([1], True)
    report = verify(made.instance, None, values, tree, end, tuple(repaired), moved)
    assert [t.text() for t in report.taken] == [
        "'coef' was changed by the repair of a split, so the term '0.001 * l1' was not recomputed"
    ]
    assert report.verdict == "verified in part"


# ------------------------------------------------------------------- proofs


def test_a_gap_stands_beside_the_verdict(base):
    made = compiled(base, SOCT)
    result = made.result(answer_of(made, status="time_limit", bound=9.0, gap=1 / 8), {}, [])
    assert result.verified and result.optimality is not None
    assert result.optimality.text("verified") == "optimality not proven (gap 12.5 %)"


def counting_too_much(base: Path) -> tuple[Compiled, Answer]:
    """The solution counts a feature as used that no split uses, which its rows allow; the tree is
    better by that."""
    made = compiled(base, SOCT + "minimize misclassified + 0.25 * distinct_features;")
    sound = answer_of(made)
    assert sound.objective == pytest.approx(0.25) and sound.values is not None
    values = sound.values.copy()
    (block,) = [b for b in made.model.variables if b.name == "uses_anywhere"]
    values[block.start : block.stop] = 1
    return made, replace(sound, values=values, objective=0.5)


def test_the_gap_is_that_of_the_tree_which_is_shown(base):
    made, answer = counting_too_much(base)
    loose = replace(answer, status="time_limit", bound=0.2, gap=0.6)
    result = made.result(loose, {}, [])
    assert result.verified and result.optimality is not None
    assert result.optimality.text("verified") == "optimality not proven (gap 20 %)"
    assert result.gap == pytest.approx(0.2)
    result.save(base / "tree.json")
    assert reverify(base / "tree.json").problems == ()


def test_the_proof_of_a_tree_that_is_not_verified_is_not_the_trees(base):
    made = compiled(base, SOCT)
    optimality = made.result(answer_of(made), {}, []).optimality
    assert optimality is not None
    assert optimality.text("not verified") == (
        f"the solution, not the tree, is proven optimal by {optimality.by}"
    )


@pytest.mark.parametrize("status", ["optimal", "gap_limit", "time_limit"])
def test_a_false_bound_is_withdrawn(base, status):
    made, answer = counting_too_much(base)
    false = replace(answer, status=status, bound=0.5, gap=0.0)
    result = made.result(replace(false, solver="scip", solver_version="10.0.2"), {}, [])
    assert result.status == ("time_limit" if status == "time_limit" else "feasible")
    assert (result.bound, result.gap, result.verdict) == (None, None, "verified")
    assert result.optimality is not None and not result.optimality.proven
    assert result.optimality.text("verified") == (
        "optimality not proven: SCIP 10.0.2's bound 0.5 is false"
    )
    (warning,) = [w for w in result.warnings if w.code == "W704"]
    claim = (
        "called 0.5 the optimum" if status == "optimal" else "gave 0.5 as a bound on the objective"
    )
    assert warning.message == (
        f"SCIP 10.0.2 {claim}, but the tree's own objective is 0.25, which is better: "
        "the bound is false, and the tree may not be the best"
    )
    result.save(base / "tree.json")
    said = json.loads((base / "tree.json").read_text())
    assert said["optimality"] == {"proven": False, "by": "SCIP 10.0.2", "false_bound": 0.5}
    assert (said["objective"], said["tree_objective"], said["bound"]) == (0.25, 0.25, None)
    assert reverify(base / "tree.json").problems == ()


def test_verify_finds_a_false_bound_in_a_file(base):
    made = compiled(base, SOCT + "minimize misclassified + 0.25 * distinct_features;")
    made.solve("highs", start="none").save(base / "tree.json")
    said = json.loads((base / "tree.json").read_text())
    said.update(objective=2.0, bound=2.0)
    (base / "tree.json").write_text(json.dumps(said))
    found = reverify(base / "tree.json")
    assert found.verdict == "not verified"
    assert "the tree's objective is 0.25, better than the bound 2 of its file" in found.problems


def test_a_bound_holds_where_part_of_the_objective_is_unknown(base):
    """Without a meaning for `far`, the tree's value is no value of the model."""
    text = SOCT + "var far binary; minimize misclassified + far; subject to f: far >= 0.5;"
    made = compiled(base, text)
    result = made.result(answer_of(made, objective=2.0, bound=2.0), {}, [])
    assert (result.status, result.bound) == ("optimal", 2.0)


# --------------------------------------------------------------------- ties


ROBUST = """data "t.csv" { label class; } topology complete(depth = 1); split univariate;
requires {i in points, j in features} 0 <= x[i,j] else "between 0 and 1";
param rho = 0.1;
var coef {t in branches, j in features} binary;
var bias {t in branches} >= -1, <= 2;
var label {l in leaves, k in classes} binary;
var low {i in points} binary means if sum {j in features} coef[root,j] * x[i,j] - rho <= bias[root]
  then 1 else 0;
let sum_of {i in points} = sum {j in features} coef[root,j] * x[i,j];
minimize all: sum {i in points} low[i];
subject to
  one: sum {j in features} coef[root,j] = 1;
  told {l in leaves}: sum {k in classes} label[l,k] = 1;
  low_on {i in points}: low[i] = 1 ==> sum_of[i] - rho <= bias[root];
  low_off {i in points}: low[i] = 0 ==> sum_of[i] - rho >= bias[root] + 0.05;
  some: sum {i in points} low[i] >= 3;
route left when sum {j in features} coef[t,j] * x[i,j] <= bias[t];
"""


@pytest.mark.parametrize(
    ("bias", "verdict"),
    [
        (0.38, "verified"),
        (0.37999999999999995, "verified"),
        (0.38 - 5e-6, "verified"),  # within the tolerance of rows
        (0.38 - 5e-5, "not verified"),
    ],
)
def test_a_tie_has_the_tolerance_of_rows(tmp_path, bias, verdict):
    """Point 3 is reached at 0.48 - 0.1 <= 0.38, and that is no double."""
    rows = "0.1,no\n0.2,no\n0.48,yes\n0.9,yes\n"
    (tmp_path / "t.csv").write_text("a,class\n" + rows)
    made = compiled(tmp_path, ROBUST)
    values = made.solve("highs", start="none").answer.values
    assert values is not None
    place = {b.name: slice(b.start, b.stop) for b in made.model.variables}
    values = values.copy()
    values[place["bias"]] = bias
    values[place["low"]] = [1, 1, 1, 0]
    result = made.tree_of(values, "hand")
    assert result.verdict == verdict, result.problems
    if verdict == "verified":
        result.save(tmp_path / "tree.json")
        assert reverify(tmp_path / "tree.json").verdict == "verified"


@pytest.mark.parametrize("weight", [5e-6, 1e-3])
def test_a_small_coefficient_is_one(base, weight):
    """A tree that shows a feature uses it: against 0 nothing is near.

    Rows fix the split halfway between the classes, so that the weight moves no point.
    """
    rows = 'subject to only {j in features: j = "a"}: coef[root,j] = 1; midway: bias[root] = 0.5;'
    made = compiled(base, SOCT + f"minimize misclassified + 0.25 * features_used; {rows}")
    result = made.solve("highs", start="none")
    values = {name: v.copy() for name, v in result.values.items()}
    assert values["coef"].tolist() == [1, 0]
    values["coef"][1] = weight
    tree = tree_from_values(made.instance, values, None).tree
    report = verify(made.instance, made.reformed.original, values, tree, None)
    assert report.tree_objective == pytest.approx(0.5)
    assert any("the tree's own is 0.5" in p for p in report.problems)


# ------------------------------------------------------ what a solver found is kept


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("boom"), "no tree can be read out of the solution: ValueError: boom"),
        (MemoryError(), "not enough memory to verify the solution"),
        (KeyboardInterrupt(), "interrupted before the solution was verified"),
    ],
)
@pytest.mark.parametrize("where", one_in(2, ["verify", "tree_from_values", "routed_by_solution"]))
def test_nothing_that_fails_later_loses_the_solution(
    base, monkeypatch, capsys, where, error, message
):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(f"treemip.api.verified_tree.{where}", fail)
    code, path = solved_by_command(base, SOCT)
    assert code == 1
    seen = capsys.readouterr()
    assert message in seen.err and "Traceback" not in seen.err
    assert "not verified; the solution, not the tree" in seen.out
    said = json.loads(path.read_text())
    assert (said["status"], said["verdict"], said["tree"]) == ("optimal", "not verified", None)
    assert said["problems"] == [message]
    assert len(said["values"]["reach"]) == 24 and said["objective"] == 8
    assert main(["show", str(path)]) == 2
    assert f"it has no tree; {message}" in capsys.readouterr().err


def test_scores_that_fail_lose_the_tree_alone(base, monkeypatch, capsys):
    monkeypatch.setattr("treemip.api.result.score_of_training", lambda *_: 1 / 0)
    code, path = solved_by_command(base, SOCT)
    assert code == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert len(json.loads(path.read_text())["values"]["reach"]) == 24


def test_values_that_cannot_be_brought_back_are_the_solvers(base, monkeypatch):
    made = compiled(base, SOCT)
    answer = answer_of(made)
    monkeypatch.setattr("treemip.core.tree.readout.by_name", lambda *_: 1 / 0)
    result = made.result(answer, {}, [])
    assert isinstance(result.error, ZeroDivisionError)
    assert result.tree is None and result.verdict == "not verified"
    assert answer.values is not None
    assert sum(len(v) for v in result.values.values()) == made.model.column_count


def test_a_file_that_cannot_be_written_keeps_nothing_from_the_screen(base, monkeypatch, capsys):
    from treemip.api import store
    from treemip.core.source.diagnostic import Diagnostic

    def full(*_: object) -> None:
        raise TreemipError(Diagnostic.outside("E603", "no space left on the device"))

    monkeypatch.setattr(store, "save", full)
    assert solved_by_command(base, SOCT)[0] == 2
    seen = capsys.readouterr()
    assert "no space left on the device" in seen.err
    assert "verified; proven optimal" in seen.out and "├─" in seen.out


OWN = (
    HEAD + "split oblique; var coef {t in branches, j in features} >= -1, <= 1; "
    "var bias {t in branches} >= -1, <= 1; minimize z: sum {t in branches} bias[t]; "
)


def test_what_can_be_known_before_is_not_said_after(base):
    text = OWN + "route left when dot(coef[t,*], x[i,*]) <= bias[t];"
    with pytest.raises(TreemipError) as refused:
        compiled(base, text)
    (found,) = refused.value.diagnostics
    assert (found.code, found.span is not None) == ("E208", True)
    assert (
        found.message == "no rule says what a leaf predicts, so no tree can be read from a solution"
    )


def test_predict_without_route(base):
    text = (
        'data "t.csv" { label class; } topology complete(depth = 1); '
        "var lab {l in leaves, k in classes} binary; "
        "maximize z: sum {l in leaves, k in classes} lab[l,k]; "
        "predict class argmax {k in classes} lab[l,k];"
    )
    with pytest.raises(TreemipError, match="no rule says which points go left"):
        compiled(base, text)


# ------------------------------------------------------------------ the spec's own cuts

WRONG = SOCT + "cut wrong {i in points}: reach[i,left(root)] <= 0; strategy { STRATEGY wrong; }"


def test_a_proof_rests_on_the_cuts_of_the_spec(base):
    text = WRONG.replace("STRATEGY", "cuts")
    result = compiled(base, text).solve("highs", start="none")
    assert result.optimality.proven
    assert result.optimality.text(result.verdict) == (
        f"proven optimal by {result.optimality.by}, given the spec's cut 'wrong'"
    )
    saved = result.to_json()
    assert saved["optimality"]["given_cuts"] == ["wrong"]
    assert optimality_of(saved) == result.optimality


def test_a_proof_by_the_spec_s_cuts_is_verified_again(base):
    """Before, `verify` took such a file for one without its optimality."""
    text = WRONG.replace("STRATEGY", "cuts")
    path = base / "tree.json"
    compiled(base, text).solve("highs", start="none").save(path)
    again = reverify(path)
    assert (again.verdict, again.problems) == ("verified", ())
    assert again.optimality is not None and again.optimality.given == ("wrong",)
    said = json.loads(path.read_text())
    said["optimality"]["given_cuts"] = ["other"]
    path.write_text(json.dumps(said))
    assert reverify(path).problems == (
        "its file records a proof by cuts that its spec does not have",
    )


def test_a_proof_does_not_mention_cuts_of_the_library(base):
    text = HEAD + "split oblique by soct; strategy { separate shattering; }"
    result = compiled(base, text).solve("highs", start="none")
    assert result.optimality.proven
    assert result.optimality.given == ()
    assert "given_cuts" not in result.to_json()["optimality"]


@pytest.mark.parametrize(
    ("strategy", "who"),
    [("cuts", "a tree of the search"), ("separate", "the start")],
)
def test_a_cut_that_excludes_a_known_solution_proves_nothing(base, strategy, who):
    text = WRONG.replace("STRATEGY", strategy)
    if strategy == "separate":
        text = text.replace("separate wrong", "separate wrong by enumeration")
    (base / "t.csv").write_text("a,class\n1,x\n2,x\n3,y\n4,y\n5,x\n6,y\n7,y\n")
    result = compiled(base, text).solve("highs", start="search", time_limit=20)
    assert result.verdict == "verified"
    assert not result.optimality.proven
    (note,) = [w for w in result.warnings if "cuts off" in w.message]
    assert note.code == "W601"
    assert note.message == (
        f"the cut 'wrong' cuts off solutions: {who} keeps all other rows and violates 'wrong' for"
        " i = 1 by 1, so no proof that uses it counts"
    )
    assert note.remedy == "check the inequality, or leave 'wrong' out of the strategy"
    assert note.span.text.startswith("wrong {i in points}")
