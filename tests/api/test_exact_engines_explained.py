"""What exact engines make of a spec, and what of it stands in their way: text in, text out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.engines import registry
from treemip.answers.engines.frontier.cells import Found
from treemip.answers.engines.frontier.engine import FrontierEngine
from treemip.answers.engines.problem import deepest
from treemip.api.engines import engine_note
from treemip.cli.main import main
from treemip.core.compiled.library import unbuilt
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import Diagnostic

EVERY = registry.ENGINES
FOLDER = Path(__file__).parent / "explained"
PLAIN = 'label c positive "y"; use a, b; scale minmax;'


@pytest.fixture(autouse=True)
def two_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one engine refuses is said here, whatever another may take."""
    both = tuple(e for e in registry.ENGINES if e.name in ("univariate", "oblique"))
    monkeypatch.setattr(registry, "ENGINES", both)


@pytest.mark.parametrize("name", ["plain", "coupled", "own", "refused", "oblique"])
def test_what_the_engines_make_of_a_spec(name, golden, monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    assert main(["explain", f"{name}.tree", "--engine"]) == 0
    shown = capsys.readouterr().out
    golden(f"explained/{name}.txt", shown)
    assert (
        treemip.load(f"{name}.tree").compile().explain(engine=True).splitlines()[2:]
        == (shown.rstrip("\n").splitlines()[2:])
    )


def test_a_spec_without_trees_has_no_engine() -> None:
    made = treemip.loads("var z >= 0, <= 4; minimize z;").compile()
    assert engine_note(made.instance, made.stated) is None
    assert "Exact engines are for trees over data" in made.explain(engine=True)


def test_other_formats_than_text_are_refused(monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    assert main(["explain", "plain.tree", "--engine", "--format", "md"]) == 2
    assert "--engine writes text alone" in capsys.readouterr().err


def spec(more: str, shape: str = "complete(depth = 1)", by: str = "oct", data: str = PLAIN) -> str:
    split = by if " " in by else f"univariate by {by}"
    return f'data "t.csv" {{ {data} }}\ntopology {shape};\nsplit {split};\n{more}\n'


ERRORS = "minimize misclassified;"
ROWS = f"{ERRORS}\nsubject to\n  few: splits <= 3;\n"
FIRST = "sum {l in leaves : position(l, leaves) = 1} points_in[l]"
OBSTACLES = {
    "depth": (
        spec(ERRORS, "complete(depth = 6)"),
        f"it takes complete trees of depth 1 to {deepest()}{unbuilt()}",
        "2:1",
        "topology complete(depth = 6);",
    ),
    "shape": (
        spec(ERRORS, 'shape "((. .) .)"'),
        f"it takes complete trees of depth 1 to {deepest()}{unbuilt()}",
        "2:1",
        'topology shape "((. .) .)";',
    ),
    "a row about one leaf": (
        spec(f"{ROWS}  first: {FIRST} >= 2;"),
        "a row of it is about some leaves and not others",
        "7:3",
        f"first: {FIRST} >= 2;",
    ),
    "a term about one leaf": (
        spec(f"minimize misclassified + 0.1 * {FIRST};"),
        "its objective treats leaves differently",
        "4:26",
        f"0.1 * {FIRST}",
    ),
    "a product in a row": (
        spec(f"{ROWS}  both: misclassified * splits <= 20;"),
        "it multiplies counts, or takes squares or other functions of them",
        "7:3",
        "both: misclassified * splits <= 20;",
    ),
    "a square": (
        spec("minimize misclassified ^ 2 + 0.1 * splits;"),
        "it multiplies counts, or takes squares or other functions of them",
        "4:10",
        "misclassified ^ 2",
    ),
    "a variable without a meaning": (
        spec("var z >= 0, <= 4; minimize misclassified + 2 * abs(z - 1);"),
        "'z' does not follow from the tree: say what it `means`, or give it bounds that bound the "
        "objective",
        "4:44",
        "2 * abs(z - 1)",
    ),
    "a limit of one branch": (
        spec(f'{ROWS}  root_of_b: uses[root,"a"] <= 0;', "complete(depth = 2)"),
        "its branches differ in price or limits",
        "7:3",
        'root_of_b: uses[root,"a"] <= 0;',
    ),
    "labels of leaves": (
        spec('minimize misclassified + 0.1 * sum {l in leaves} label[l,"y"];'),
        "its objective counts classes of leaves without points",
        "4:26",
        '0.1 * sum {l in leaves} label[l,"y"]',
    ),
    "a rewarded split": (
        spec(f"{ROWS}  some: splits >= 1;\n  more: 2 * splits >= 1;", "complete(depth = 2)"),
        "it rewards or requires splits, features or leaves",
        "7:3",
        "some: splits >= 1;",
    ),
    "kept columns": (
        spec("", by="categorical_odt", data="label c; use a, k; encode keep k; bin quantile(3);"),
        "it splits a column by sets of its categories",
        "1:35",
        "encode keep k;",
    ),
    "an oblique tree with prices": (
        spec("minimize misclassified + 0.1 * splits;", by="oblique by octh"),
        "its objective has prices of splits or leaves",
        "4:26",
        "0.1 * splits",
    ),
    "a kind of split without an engine": (
        spec("", by="margin by margot"),
        "none is about margin splits",
        "3:1",
        "split margin by margot;",
    ),
}


@pytest.fixture
def made(tmp_path, monkeypatch):
    """made(text): compiled, as spec.tree in the working folder with its data."""
    (tmp_path / "t.csv").write_bytes((FOLDER / "t.csv").read_bytes())
    monkeypatch.chdir(tmp_path)

    def of(text: str) -> treemip.Compiled:
        (tmp_path / "spec.tree").write_text(text)
        return treemip.load("spec.tree").compile()

    return of


def the_note(result: treemip.Result) -> Diagnostic:
    (note,) = [w for w in result.warnings if w.code == "W609"]
    assert note.span is not None
    return note


@pytest.mark.parametrize("name", OBSTACLES)
def test_what_stands_in_the_way_is_said_at_its_place(name, made, capsys):
    text, why, place, quoted = OBSTACLES[name]
    compiled = made(text)
    note = engine_note(compiled.instance, compiled.stated)
    assert note is not None and note.span is not None
    assert (note.code, note.span.text) == ("W609", quoted)
    assert str(note.span).endswith(f"spec.tree:{place}")
    known = "the tree is from a search, the bound from the solver"
    assert note.message == f"no exact engine takes this spec: {why}; {known}"
    if name != "depth":  # the commands say it in one way
        return
    lines = note.message, f"spec.tree:{place}"
    for command in (["check", "--data"], ["stats"]):
        assert main([*command, "spec.tree"]) == 0
        said = capsys.readouterr().err
        assert all(said.count(line) == 1 for line in lines), said


@pytest.mark.parametrize("name", one_in(4, OBSTACLES))
def test_a_solve_says_it_where_nothing_is_settled(name, made, monkeypatch):
    text, why, place, _ = OBSTACLES[name]
    monkeypatch.setattr("treemip.api.solving.SETTLED", ())
    note = the_note(made(text).solve(time_limit=4))
    assert why in note.message and str(note.span).endswith(f"spec.tree:{place}")


def test_a_start_by_name_is_no_reason_to_keep_it_back(made, monkeypatch):
    monkeypatch.setattr("treemip.api.solving.SETTLED", ())
    result = made(OBSTACLES["a row about one leaf"][0]).solve(start="cart", time_limit=4)
    assert [w.code for w in result.warnings if "exact engine" in w.message] == ["W609"]


def test_a_proof_of_the_solver_names_what_keeps_an_engine_away(made):
    text, why, place, _ = OBSTACLES["a term about one leaf"]
    result = made(text).solve(time_limit=30)
    assert result.status == "optimal"
    note = the_note(result)
    assert note.message == f"no exact engine takes this spec: {why}; the solver has the proof"
    assert str(note.span).endswith(f"spec.tree:{place}")


def test_a_proof_of_an_engine_says_nothing(made):
    result = made(spec(ERRORS)).solve(time_limit=30)
    assert result.status == "optimal"
    assert not [w for w in result.warnings if w.code == "W609"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (spec(ERRORS, "complete(depth = 3)"), " trees of depth 1, "),
        (OBSTACLES["a row about one leaf"][0], "it lists about"),
    ],
)
def test_time_that_is_too_short_is_said_beforehand(text, said, made, monkeypatch, capsys):
    monkeypatch.setattr(registry, "ENGINES", EVERY)
    compiled = made(f"{text}\nstrategy {{ time_limit 0.000000001; }}")
    note = engine_note(compiled.instance, compiled.stated)
    assert note is not None and note.code == "W609"
    assert (
        note.message.startswith("the exact engine may prove nothing in ") and said in note.message
    )
    assert "the best tree and bound of engine, search and solver count" in note.message
    assert main(["explain", "spec.tree", "--engine"]) == 0
    assert "It may prove nothing in" in capsys.readouterr().out


def test_an_engine_without_a_proof_names_what_keeps_a_faster_one_away(made, monkeypatch):
    text, why, place, _ = OBSTACLES["a row about one leaf"]
    monkeypatch.setattr("treemip.api.solving.SETTLED", ())
    monkeypatch.setattr(registry, "ENGINES", [e for e in EVERY if not e.bounds_only])
    nothing = Found(np.inf, -np.inf, 0)
    monkeypatch.setattr(FrontierEngine, "_found", lambda self, until, reports: nothing)
    note = the_note(made(text).solve(time_limit=4))
    assert "0 trees have been evaluated" in note.message
    assert note.message.endswith(
        "; the best tree and bound of engine, search and solver count; a faster engine does not "
        f"take the spec: {why}"
    )
    assert str(note.span).endswith(f"spec.tree:{place}")


def test_a_requirement_of_one_line_is_named_where_it_stands_in_the_way(monkeypatch) -> None:
    """Its rows bring the reason together, and none of them is written in the spec."""
    monkeypatch.setattr(registry, "ENGINES", [e for e in EVERY if e.name == "univariate"])
    specs = specs_path()
    rows = "  few: at_most_features(1);\n  longer: monotone(duration, up);\n"
    text = (specs / "credit.tree").read_text(encoding="utf-8") + rows
    compiled = treemip.loads(text, base=specs).compile()
    note = engine_note(compiled.instance, compiled.model)
    assert note is not None and note.span is not None
    assert note.span.text == "at_most_features(1)"
    assert note.message == (
        "no exact engine takes this spec: it rewards or requires splits, features or leaves, in "
        "'few'; the tree is from a search, the bound from the solver"
    )
