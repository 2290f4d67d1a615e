"""compile, stats, explain and export: what they write agrees with the model. What they refuse and
show is in transcripts/compile.txt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treemip
from treemip.core.files.model_files import FORMATS
from treemip.core.source.diagnostic import TreemipError


def test_compile_writes_the_model_and_says_its_size(run, here):
    said = run("compile", "small.tree", "-o", "m.mps", "--map", "names.json", "--json")
    assert said.code == 0
    model, found = treemip.load("small.tree").compile().model, json.loads(said.out)
    assert (found["rows"], found["columns"]) == (model.row_count, model.column_count)
    assert found["bytes"] == Path("m.mps").stat().st_size
    assert Path("m.mps").read_text().rstrip().endswith("ENDATA")
    json.loads(Path("names.json").read_text())


@pytest.mark.parametrize("suffix", ["lp", "lp.gz", "mof.json", "nl"])
def test_the_suffix_is_the_format(run, here, suffix):
    said = run("compile", "small.tree", "-o", f"m.{suffix}", "--json")
    assert said.code == 0
    assert json.loads(said.out)["bytes"] == Path(f"m.{suffix}").stat().st_size


def test_help_names_every_format(run):
    text = run("compile", "--help").out
    assert [suffix for suffix in FORMATS if suffix not in text] == []


def test_a_parameter_reaches_the_model(run, here, spec):
    spec.write_text(spec.read_text().replace("0.01", "0.25"))
    run("compile", spec, "-o", "text.mps")
    for eps in ("0.01", "0.25"):
        run("compile", spec, "-p", f"eps={eps}", "-o", f"{eps}.mps")
    assert Path("0.25.mps").read_text() == Path("text.mps").read_text()
    assert Path("0.25.mps").read_text() != Path("0.01.mps").read_text()


def test_an_older_result_may_be_replaced(run, here):
    Path("m.mps").write_text("old")
    assert run("compile", "small.tree", "-o", "m.mps").code == 0
    assert Path("m.mps").read_text() != "old"


def test_a_stage_takes_what_it_depends_on(run, here):
    options = {"-p": "eps=0.125", "--cuts": "few", "--implications": "sos1"}
    takes = {"bind": ["-p"], "lower": ["-p", "--cuts"], "reform": list(options)}
    shown = {}
    for stage, own in takes.items():
        shown[stage] = run("compile", "cuts.tree", "--stop-after", stage).out
        for option in own:
            said = run("compile", "cuts.tree", "--stop-after", stage, option, options[option])
            assert (said.code, said.err) == (0, "")
            assert said.out != shown[stage]
            sets = "\nspecial ordered sets\n" in said.out
            assert sets == (option == "--implications")
    assert "==>" in shown["lower"] and "==>" not in shown["reform"]


# ------------------------------------------------------------------- cuts, starts, implications


def test_cuts_stand_in_the_section_asked_for(run, here):
    run("compile", "cuts.tree", "-o", "m.lp", "--cuts", "few")
    assert "Lazy" not in Path("m.lp").read_text()
    lazy = ("--cuts", "few", "--cuts-as", "lazy", "--for", "scip")
    said = run("compile", "cuts.tree", "-o", "m.lp", *lazy)
    assert said.code == 0
    assert "\nLazy Constraints\n few: active(1) <= 1\nBounds" in Path("m.lp").read_text()
    assert "1 rows are in the section of cuts" in said.err


def test_starts_and_priorities_stand_beside_the_model(run, here):
    pytest.importorskip("sklearn")
    beside = ("--start", "cart", "--start-file", "m.mst", "--priorities", "m.ord")
    said = run("compile", "cuts.tree", "-o", "m.lp", "--for", "gurobi", *beside)
    assert said.code == 0, said.err
    compiled = treemip.load("cuts.tree").compile(target="gurobi")
    values = dict(line.split() for line in Path("m.mst").read_text().splitlines()[1:])
    assert len(values) == compiled.model.column_count
    assert values["active(1)"] in ("0", "1")
    assert Path("m.ord").read_text().startswith("# branching priorities\nactive(1) ")
    with pytest.raises(TreemipError, match=r"E902.*the start 'none' has no values to write"):
        compiled.write_start("none.mst", "none")
    assert not Path("none.mst").exists()


def test_a_start_that_is_not_named_is_that_of_the_search(run, here):
    pytest.importorskip("highspy", reason="a solver completes the start")
    said = run("compile", "small.tree", "-o", "m.mps", "--for", "gurobi", "--start-file", "m.mst")
    assert said.code == 0, said.err
    values = [float(line.split()[1]) for line in Path("m.mst").read_text().splitlines()[1:]]
    compiled = treemip.load("small.tree").compile(target="gurobi")
    assert compiled.tree_of(values).train_errors == 0


def test_indicators_become_big_m_with_a_note(run, here, spec):
    off = "\nsubject to off: active[root] = 0 ==> bias[root] <= 0.5 by indicator;"
    spec.write_text(spec.read_text() + off)
    said = run("compile", spec, "-o", "m.lp")
    assert said.code == 0
    assert "'off' is stated with big-M, in place of indicators" in said.err
    said = run("compile", spec, "-o", "m.lp", "--for", "scip")
    assert said.code == 0
    assert "big-M" not in said.err
    assert "\n off: active(1) = 0 -> bias(1) <= 0.5\n" in Path("m.lp").read_text()


OVER_SUMS = """
subject to off {i in points}:
  reach[i,left(root)] + reach[i,right(root)] = 1 ==> bias[root] <= 0.9 by indicator;
"""


@pytest.mark.parametrize(
    ("more", "suffix", "written", "decoded", "solved"),
    [
        (OVER_SUMS, "lp", (), ("--for", "scip"), [("scip", ()), ("highs", ())]),
        (
            "",
            "mps",
            ("--implications", "sos1"),
            ("--implications", "sos1"),
            [("scip", ("--implications", way)) for way in ("sos1", "big_m", "indicator")],
        ),
    ],
    ids=["indicators over sums", "sets"],
)
def test_columns_of_implications_are_in_the_file(
    run, here, spec, more, suffix, written, decoded, solved
):
    """Binaries for sums and slacks of sets, so that decode needs the options as well."""
    pyscipopt = pytest.importorskip("pyscipopt")
    spec.write_text(spec.read_text() + more)
    model = f"m.{suffix}"
    said = run("compile", spec, "-o", model, "--for", "scip", *written, "--json")
    assert said.code == 0, said.err
    sets = Path(model).read_text().count("\n S1 ")
    assert sets == json.loads(said.out)["special_sets"] and bool(sets) == bool(written)
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(model)
    scip.optimize()
    scip.writeBestSol("m.sol")
    said = run("decode", spec, "m.sol", *decoded, "--json")
    assert said.code == 0, said.err
    assert run("decode", spec, "m.sol").err.startswith("error[E607]")
    best = pytest.approx(json.loads(said.out)["objective"])
    for solver, options in solved:
        told = run("solve", spec, "--solver", solver, *options, "--json").out
        assert json.loads(told)["objective"] == best


# ------------------------------------------------------------------------- stats and bounds


def test_stats_agree_with_the_model(run, here):
    found = json.loads(run("stats", "svm.tree", "--json").out)
    model = treemip.load("svm.tree").compile().model
    assert found["rows"] == model.row_count
    assert found["rows"] == sum(each["rows"] for each in found["constraints"].values())
    assert found["columns"] == model.column_count
    assert found["columns"] == sum(each["columns"] for each in found["variables"].values())
    assert found["points"] == 24
    assert found["variables"]["tested"]["columns"] == 0  # of categorical features, and not shown


def test_bounds_of_the_relaxation(run, here, monkeypatch):
    pytest.importorskip("highspy", reason="a solver is needed")
    found = json.loads(run("stats", "small.tree", "--bound", "--json").out)
    assert found["lp_bound"] == pytest.approx(24)
    shown = run("stats", "svm.tree", "--bound", "--cuts", "leaf_purity, scarce_leaf").out
    lines = shown[shown.index("bounds of the relaxation\n") :].splitlines()
    names = [line[2:].split("  ")[0] for line in lines[1:]]
    assert names == ["cuts", "none", "leaf_purity", "scarce_leaf", "leaf_purity, scarce_leaf"]
    shown = run("stats", "small.tree", "--bound").out
    assert "bounds of the relaxation, implications as big-M rows\n" in shown
    shown = run("stats", "small.tree", "--bound", "--implications", "indicator").out
    assert "implications as indicators, which the relaxation leaves out\n" in shown
    monkeypatch.setattr("treemip.api.bounds.SECONDS", 0.0)
    said = run("stats", "small.tree", "--bound")
    assert (said.code, "time limit" in said.out) == (0, True)
    assert said.err == "a relaxation has no bound where 0 seconds do not suffice to solve it\n"


# ------------------------------------------------------------------------- explain and export


def test_explain_names_equations_and_reformulations(run, here):
    said = run("explain", "small.tree").out
    assert "maximize accuracy_count (1a):" in said
    assert "**abs** became rows for |a|" in said.split("## Reformulations")[1]
    for name, more in (("e.txt", ()), ("bare", ()), ("e.pdf", ("--format", "text"))):
        assert run("explain", "small.tree", "-o", name, *more).code == 0
        assert Path(name).read_text().strip() == said.strip()


@pytest.mark.parametrize(
    ("suffix", "sign"),
    [("md", r"\tag{1a}"), ("html", "<math "), ("tex", r"\tag{1a}\end{equation*}")],
)
def test_explain_writes_mathematics_by_suffix(run, here, suffix, sign):
    pytest.importorskip("latex2mathml", reason="MathML is made by latex2mathml")
    assert run("explain", "small.tree", "-o", f"e.{suffix}").code == 0
    text = Path(f"e.{suffix}").read_text()
    assert sign in text
    same = "latex" if suffix == "tex" else suffix
    assert run("explain", "small.tree", "--format", same).out.strip() == text.strip()


def test_a_script_and_its_data(run, here):
    assert run("export", "small.tree", "--to", "pyomo", "-o", "model.py").code == 0
    assert "import pyomo.environ as pyo" in Path("model.py").read_text()
    assert json.loads(Path("model_data.json").read_text())["points"]
    Path("out").mkdir()
    assert run("export", "small.tree", "--to", "gurobipy", "-o", "out").code == 0
    assert {p.name for p in Path("out").iterdir()} == {"small.py", "small_data.json"}


def test_ampl_has_a_model_its_data_and_a_run_file(run, here):
    said = run("export", "small.tree", "--to", "ampl", "-o", "model.mod")
    assert said.code == 0, said.err
    assert "model.mod" in said.err + said.out
    declared = "var coef {t in branches, j in features} >= -1, <= 1;"
    assert declared in Path("model.mod").read_text()
    assert "set points := 1 2 3" in Path("model.dat").read_text()
    assert "model model.mod;" in Path("model.run").read_text()
