"""compile, stats, explain: what they write agrees with the model."""

from __future__ import annotations

import json

import pytest

import treemip
from treemip.core.files.model_files import FORMATS


def test_compile_writes_the_model_and_says_its_size(run, spec, tmp_path):
    target, names = tmp_path / "m.mps", tmp_path / "names.json"
    said = run("compile", spec, "-o", target, "--map", names, "--json")
    assert said.code == 0
    model = treemip.load(spec).compile().model
    found = json.loads(said.out)
    assert (found["rows"], found["columns"]) == (model.row_count, model.column_count)
    assert found["bytes"] == target.stat().st_size
    assert target.read_text().rstrip().endswith("ENDATA")
    json.loads(names.read_text())


def test_a_parameter_reaches_the_model(run, spec, tmp_path):
    for eps in ("0.01", "0.25"):
        run("compile", spec, "-p", f"eps={eps}", "-o", tmp_path / f"{eps}.mps")
    with_option = (tmp_path / "0.25.mps").read_text()
    assert with_option != (tmp_path / "0.01.mps").read_text()
    spec.write_text(spec.read_text().replace("0.01", "0.25"))
    run("compile", spec, "-o", tmp_path / "text.mps")
    assert (tmp_path / "text.mps").read_text() == with_option


@pytest.mark.parametrize(
    ("stage", "lines"),
    [
        ("parse", ["topology complete(depth = 1);", "split oblique by soct(eps = 0.01);"]),
        (
            "resolve",
            [
                "oblique splits by soct",
                "maximize accuracy_count (1a): sum {i in points} correct[i]",
            ],
        ),
        ("bind", ["points    24", "parameter  eps   0.01"]),
        ("lower", ["  one_label(2): label(2,1) + label(2,2) = 1", "  binary active(1)"]),
        ("reform", ["  one_label(2): label(2,1) + label(2,2) = 1", "  binary active(1)"]),
    ],
)
def test_stages_are_shown_and_no_model_written(run, spec, tmp_path, stage, lines):
    said = run("compile", spec, "--stop-after", stage)
    assert said.code == 0
    assert set(lines) <= set(said.out.splitlines())
    assert {p.name for p in tmp_path.iterdir()} == {"small.csv", "small.tree"}


def test_big_m_rows_appear_after_reform_only(run, spec):
    assert "==>" in run("compile", spec, "--stop-after", "lower").out
    assert "==>" not in run("compile", spec, "--stop-after", "reform").out


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["-o", "m.xls"], "error[E902]: the suffix of 'm.xls' is not that of a file format"),
        (["-o", "none/m.mps"], "error[E603]: 'none/m.mps' cannot be written"),
        (["-o", "m.mps", "--cuts", "kut"], "error[E902]: there is no cut 'kut'"),
        (["-o", "m.mps", "--cuts", "few,few"], "error[E902]: the cut 'few' is listed twice"),
        (["-o", "m.mps", "-p", "eps=x"], "error["),
    ],
)
def test_bad_compile_leaves_no_file(run, spec, tmp_path, monkeypatch, extra, message):
    monkeypatch.chdir(tmp_path)
    spec.write_text(spec.read_text() + "cut few {t in branches}: active[t] <= 1;\n")
    before = set(tmp_path.iterdir())
    said = run("compile", spec, *extra)
    assert said.code == 2
    assert said.err.startswith(message)
    assert set(tmp_path.iterdir()) == before


def test_a_cut_of_a_spec_without_cuts(run, spec, tmp_path):
    said = run("compile", spec, "-o", tmp_path / "m.mps", "--cuts", "purity")
    assert said.err == "error[E902]: there is no cut 'purity'\n  = help: the spec has no cuts\n"


def test_stats_agree_with_the_model(run, spec):
    found = json.loads(run("stats", spec, "--json").out)
    model = treemip.load(spec).compile().model
    assert found["rows"] == model.row_count
    assert found["rows"] == sum(each["rows"] for each in found["constraints"].values())
    assert found["columns"] == model.column_count
    assert found["columns"] == sum(each["columns"] for each in found["variables"].values())
    assert found["points"] == 24
    shown = run("stats", spec).out.splitlines()
    assert f"rows             {model.row_count}" in shown
    assert "big-m" in shown
    assert "  reach   72  binary" in shown
    assert "  go_left    24  big_m" in shown
    assert "  eps   0.01  least distance of a right-going point from the hyperplane" in shown
    assert "  at least  3" in shown and "  source    Amaldi" in "\n".join(shown)


def test_stats_say_why_there_is_no_bound(run, spec):
    spec.write_text(spec.read_text().replace("depth = 1", "depth = 2"))
    assert run("stats", spec).out.endswith(
        "VC dimension\n"
        "  at least  none\n"
        "  at most   none\n"
        "  source    Amaldi, Consolo, Manno (2023), Proposition 2\n"
        "  note      the lower bound needs a depth below the number of features\n"
    )


def test_stats_leave_families_without_members_out(run, spec):
    """SVM1-ODT has families for categorical features, which this data has none of."""
    text = spec.read_text()
    spec.write_text(
        text.replace(text[text.index("split") :].split(";")[0], "split oblique by svm1_odt")
    )
    found = json.loads(run("stats", spec, "--json").out)
    assert found["variables"]["tested"]["columns"] == 0
    shown = run("stats", spec).out
    assert "  mccormick_1  " in shown
    assert "  tested" not in shown


def test_bound_of_the_relaxation(run, spec):
    pytest.importorskip("highspy", reason="a solver is needed")
    assert json.loads(run("stats", spec, "--bound", "--json").out)["lp_bound"] == pytest.approx(24)


def test_explain_names_equations_and_reformulations(run, spec, tmp_path):
    said = run("explain", spec).out
    assert "maximize accuracy_count (1a):" in said
    assert "**abs** became rows for |a|" in said.split("## Reformulations")[1]
    assert run("explain", spec, "-o", tmp_path / "e.txt").code == 0
    assert (tmp_path / "e.txt").read_text().strip() == said.strip()


@pytest.mark.parametrize(
    ("suffix", "sign"),
    [("md", r"\tag{1a}"), ("html", "<math "), ("tex", r"\tag{1a}\end{equation*}")],
)
def test_explain_writes_mathematics_by_suffix(run, spec, tmp_path, suffix, sign):
    pytest.importorskip("latex2mathml", reason="MathML is made by latex2mathml")
    assert run("explain", spec, "-o", tmp_path / f"e.{suffix}").code == 0
    text = (tmp_path / f"e.{suffix}").read_text()
    assert sign in text
    same = {"md": "md", "html": "html", "tex": "latex"}[suffix]
    assert run("explain", spec, "--format", same).out.strip() == text.strip()


def test_explain_refuses_a_suffix_of_no_format(run, spec, tmp_path):
    output = tmp_path / "e.pdf"
    said = run("explain", spec, "-o", output)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"error[E902]: no format is known by the suffix of '{output}'\n"
        "  = help: use one of .txt, .md, .html, .htm, .tex, or set --format\n"
    )
    assert not output.exists()
    assert run("explain", spec, "--format", "text", "-o", output).code == 0
    assert output.read_text().strip() == run("explain", spec).out.strip()
    assert run("explain", spec, "-o", tmp_path / "bare").code == 0


def test_explain_knows_its_formats(run, spec):
    said = run("explain", spec, "--format", "word")
    assert said.code == 2
    assert "unknown format 'word'" in said.err
    assert "one of text, md, html, latex" in said.err


def test_help_names_every_format(run):
    text = run("compile", "--help").out
    assert [suffix for suffix in FORMATS if suffix not in text] == []


CUTS = """
cut few "late": sum {t in branches} active[t] <= card(branches);
strategy { priority active root_first; }
"""


@pytest.mark.parametrize("suffix", ["lp", "lp.gz", "mof.json", "nl"])
def test_the_suffix_is_the_format(run, spec, tmp_path, suffix):
    target = tmp_path / f"m.{suffix}"
    said = run("compile", spec, "-o", target, "--json")
    assert said.code == 0
    assert json.loads(said.out)["bytes"] == target.stat().st_size


def test_cuts_stand_in_the_section_asked_for(run, spec, tmp_path):
    spec.write_text(spec.read_text() + CUTS)
    target = tmp_path / "m.lp"
    run("compile", spec, "-o", target, "--cuts", "few")
    assert "Lazy" not in target.read_text()
    said = run("compile", spec, "-o", target, "--cuts", "few", "--cuts-as", "lazy", "--for", "scip")
    assert said.code == 0
    assert "\nLazy Constraints\n few: active(1) <= 1\nBounds" in target.read_text()
    assert "1 rows are in the section of cuts" in said.err
    target.unlink()
    said = run("compile", spec, "-o", target, "--cuts", "few", "--cuts-as", "user", "--for", "scip")
    assert said.code == 2
    assert said.err.startswith("error[E601]: SCIP's LP reader has no section of user cuts")
    assert not target.exists()


def test_indicators_become_big_m_with_a_note(run, spec, tmp_path):
    text = (
        spec.read_text() + "\nsubject to off: active[root] = 0 ==> bias[root] <= 0.5 by indicator;"
    )
    spec.write_text(text)
    target = tmp_path / "m.lp"
    said = run("compile", spec, "-o", target)
    assert said.code == 0
    assert "'off' is stated with big-M, in place of indicators" in said.err
    said = run("compile", spec, "-o", target, "--for", "scip")
    assert said.code == 0
    assert "big-M" not in said.err
    assert "\n off: active(1) = 0 -> bias(1) <= 0.5\n" in target.read_text()


def test_an_unknown_solver_has_no_profile(run, spec, tmp_path):
    said = run("compile", spec, "-o", tmp_path / "m.lp", "--for", "guroby")
    assert said.code == 2
    assert said.err.startswith("error[E902]: there is no profile for a solver 'guroby'")


def test_indicators_over_sums_are_solved_and_decoded(run, spec, tmp_path):
    """The binaries that stand for sums are columns of the file, and of no portable one."""
    pyscipopt = pytest.importorskip("pyscipopt")
    row = "off {i in points}: reach[i,left(root)] + reach[i,right(root)] = 1 ==> bias[root] <= 0.9"
    spec.write_text(f"{spec.read_text()}\nsubject to {row} by indicator;")
    model, solution = tmp_path / "m.lp", tmp_path / "m.sol"
    assert run("compile", spec, "-o", model, "--for", "scip").code == 0
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(model))
    scip.optimize()
    scip.writeBestSol(str(solution))
    said = run("decode", spec, solution, "--for", "scip", "--json")
    assert said.code == 0, said.err
    decoded = json.loads(said.out)["objective"]
    assert run("decode", spec, solution).err.startswith("error[E607]")
    for solver in ("scip", "highs"):
        solved = json.loads(run("solve", spec, "--solver", solver, "--json").out)
        assert solved["objective"] == pytest.approx(decoded)


def test_sets_are_chosen_written_solved_and_decoded(run, spec, tmp_path):
    """Slacks are columns of the file, so that decode needs the option as well."""
    pyscipopt = pytest.importorskip("pyscipopt")
    model, solution = tmp_path / "m.mps", tmp_path / "m.sol"
    said = run("compile", spec, "-o", model, "--implications", "sos1")
    assert (said.code, model.exists()) == (2, False)
    assert said.err.startswith("error[E601]: portable MPS has no special ordered sets, by which")
    assert "--implications big_m or indicator in place of sos1" in said.err
    said = run("compile", spec, "-o", model, "--implications", "sos1", "--for", "scip", "--json")
    assert said.code == 0, said.err
    assert model.read_text().count("\n S1 ") == json.loads(said.out)["special_sets"] > 0
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(model))
    scip.optimize()
    scip.writeBestSol(str(solution))
    said = run("decode", spec, solution, "--implications", "sos1", "--json")
    assert said.code == 0, said.err
    decoded = json.loads(said.out)["objective"]
    assert run("decode", spec, solution).err.startswith("error[E607]")
    for way in ("sos1", "big_m", "indicator"):
        given = ("--solver", "scip", "--implications", way, "--json")
        assert json.loads(run("solve", spec, *given).out)["objective"] == pytest.approx(decoded)


def test_the_stage_after_reform_shows_sets(run, spec):
    given = ("compile", spec, "--stop-after", "reform")
    assert "special ordered sets" not in run(*given).out
    assert "\nspecial ordered sets\n" in run(*given, "--implications", "sos1").out


TO_RESOLVE = "; this stage takes -p, --include"
TO_BIND = f"{TO_RESOLVE}, --data"
TO_LOWER = f"{TO_BIND}, --cuts, --stage, --earlier"
TO_REFORM = f"{TO_BIND}, --cuts, --implications, --stage, --earlier"


@pytest.mark.parametrize(
    ("stage", "options", "idle", "remedy"),
    [
        ("parse", ["-p", "eps=0.1"], "-p has", ""),
        ("parse", ["--map", "n.json", "--fixed"], "--map, --fixed have", ""),
        ("resolve", ["--cuts", "a"], "--cuts has", TO_RESOLVE),
        ("bind", ["--implications", "sos1"], "--implications has", TO_BIND),
        ("lower", ["--names", "short"], "--names has", TO_LOWER),
        (
            "lower",
            ["--implications", "sos1"],
            "--implications has",
            TO_LOWER,
        ),
        (
            "reform",
            ["--for", "scip"],
            "--for has",
            TO_REFORM,
        ),
        (
            "reform",
            ["--start", "cart", "--start-file", "m.mst", "--priorities", "o", "--json"],
            "--start, --start-file, --priorities, --json have",
            TO_REFORM,
        ),
        (
            "reform",
            ["--cuts-as", "lazy"],
            "--cuts-as has",
            TO_REFORM,
        ),
    ],
)
def test_a_stage_refuses_options_it_never_comes_to(
    run, spec, tmp_path, monkeypatch, stage, options, idle, remedy
):
    monkeypatch.chdir(tmp_path)
    said = run("compile", spec, "--stop-after", stage, *options, "-o", "shown.txt")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"error[E902]: {idle} no effect with --stop-after {stage}\n"
        f"  = help: leave it out, since no model is written{remedy}\n"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"small.csv", "small.tree"}


def test_a_stage_takes_what_it_depends_on(run, spec):
    spec.write_text(spec.read_text() + CUTS)
    for stage, more in (
        ("bind", ["-p"]),
        ("lower", ["-p", "--cuts"]),
        ("reform", ["-p", "--cuts"]),
    ):
        plain = run("compile", spec, "--stop-after", stage)
        for option in more:
            value = {"-p": "eps=0.125", "--cuts": "few"}[option]
            said = run("compile", spec, "--stop-after", stage, option, value)
            assert (said.code, said.err) == (0, "")
            assert said.out != plain.out


def test_cuts_as_needs_cuts(run, spec, tmp_path):
    target = tmp_path / "m.lp"
    given = ("compile", spec, "-o", target, "--for", "scip", "--cuts-as", "lazy")
    without = "error[E902]: --cuts-as lazy needs cuts\n  = help: "
    assert run(*given).err == without + "leave it out: the spec has no cuts\n"
    spec.write_text(spec.read_text() + CUTS)
    said = run(*given)
    assert (said.code, said.err, target.exists()) == (2, without + "name some: --cuts few\n", False)
