"""init: what it writes, and what it leaves alone."""

from __future__ import annotations

import shlex

import pytest
from small_cli import CSV


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.csv"
    path.write_text(CSV)
    return path


def test_the_line_that_it_names_solves_the_spec(run, table):
    said = run("init", "small.csv")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "small.tree: label 'class' (2 classes, guessed by its name), formulation oct\n"
        "next: treemip solve small.tree -o small.json\n"
    )
    command = shlex.split(said.err.splitlines()[-1].removeprefix("next: treemip "))
    assert run("check", "--data", "small.tree").code == 0
    assert run("fmt", "--check", "small.tree").code == 0
    assert run(*command).code == 0
    assert run("verify", "small.json").code == 0


def test_the_options_are_kept(run, table):
    line = "init small.csv --label a --formulation binoct --depth 1 -o other.tree"
    assert run(*line.split()).code == 0
    text = (table.parent / "other.tree").read_text()
    assert (
        "label a;" in " ".join(text.split())
        and "by binoct;" in text
        and "complete(depth = 1);" in text
    )
    assert "guessed" not in text


def test_data_are_found_from_another_folder(run, table):
    (table.parent / "specs").mkdir()
    assert run("init", "small.csv", "-o", "specs/a.tree").code == 0
    assert 'data "../small.csv"' in (table.parent / "specs" / "a.tree").read_text()
    assert run("check", "--data", "specs/a.tree").code == 0


def test_a_spec_that_is_there_stays_without_force(run, table):
    (table.parent / "small.tree").write_text("mine")
    said = run("init", "small.csv")
    assert said.code == 2 and said.err == (
        "error[E603]: 'small.tree' cannot be written: it exists\n"
        "  = help: choose another name with -o, or overwrite it with --force\n"
    )
    assert (table.parent / "small.tree").read_text() == "mine"
    assert run("init", "small.csv", "--force").code == 0
    assert (table.parent / "small.tree").read_text().startswith("# A first spec")


def test_no_force_makes_it_overwrite_the_table(run, table):
    said = run("init", "small.csv", "-o", "small.csv", "--force")
    assert (said.code, table.read_text()) == (2, CSV)
    assert "'small.csv' cannot be written: the command reads it" in said.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("init nowhere.csv", "E301]: 'nowhere.csv': there is no such file"),
        ("init small.csv --separator ab", "E902]: 'ab' is not a separator"),
        ("init small.csv --depth 11", "E902]: the depth is 11"),
        ("init small.csv --label classs", "E902]: there is no column 'classs'"),
        ("init small.csv --formulation cart", "E902]: there is no formulation 'cart'"),
        ("init small.csv --label", "E902]: option '--label' requires an argument"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(run, table, line, message):
    said = run(*line.split())
    assert said.code == 2 and message in said.err
    assert sorted(path.name for path in table.parent.iterdir()) == ["small.csv"]


@pytest.mark.parametrize(
    "line", ["solve {}", "check {}", "fmt {}", "stats {}", "compile {} --stop-after parse"]
)
def test_a_table_in_place_of_a_spec_leads_to_init(run, table, line):
    said = run(*line.format("small.csv").split())
    assert said.code == 2 and said.err == (
        "error[E902]: 'small.csv' is a table, not a spec\n"
        "  = help: write a spec for it first: treemip init small.csv\n"
    )
    assert table.read_text() == CSV


TRIAL = """\
# A first spec for trial.csv, by treemip init.
data "trial.csv" {
  label   none;
  # treatments: drug b (20), none (20)
  group   treatment from "the arm";
  # outcome: larger values are better
  number  outcome from gain;
  # add to drop what is known only after the treatment
  encode  onehot(drop = if_binary, unseen = zero);  # text: a 0/1 column for each value
  bin     quantile(4);  # prescriptive_ipw wants features that are 0 or 1
  missing drop;  # 1 of 40 rows have missing values
  # train 0.75 seed 1;  # keeps a quarter of the rows for a test
}
topology complete(depth = 2);
split univariate by prescriptive_ipw;
# With predicted outcomes of all treatments, prescriptive_dr is another choice.

# Each treatment's probability is its share of the points. This is right for randomized trials only.
param share      {k in treatments} = card({i in points : treatment[i] = k}) / card(points);
param propensity {i in points} = share[treatment[i]];

# A constraint to try: remove the "# " before the next two lines.
# subject to
#   budget: sum {i in points} prescribed[i,"drug b"] <= 0.5 * card(points);

strategy {
  time_limit 60;  # seconds
  seed       1;
}
"""


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """A table of treatments: the drug helps those above 4, one outcome is missing."""
    monkeypatch.chdir(tmp_path)
    rows = [
        (
            k * 7 % 10,
            "mf"[k % 3 == 0],
            ("none", "drug b")[k % 2],
            "" if k == 9 else k * 7 % 10 - 4.5,
        )
        for k in range(40)
    ]
    text = "".join(
        f"{u},{s},{arm},{gain if arm == 'drug b' else 0},0.5\n" for u, s, arm, gain in rows
    )
    path = tmp_path / "trial.csv"
    path.write_text(f"u,kind,the arm,gain,p\n{text}")
    return path


def test_a_randomized_trial_gets_a_spec_that_solves(run, trial):
    trial.write_text("\n".join(line.rsplit(",", 1)[0] for line in trial.read_text().splitlines()))
    said = run("init", "trial.csv", "--treatment", "the arm", "--outcome", "gain", "--randomized")
    assert (said.code, said.err.splitlines()[0]) == (
        0,
        "trial.tree: treatments 'the arm' (drug b, none), formulation prescriptive_ipw",
    )
    text = (trial.parent / "trial.tree").read_text()
    assert text == TRIAL
    (trial.parent / "tried.tree").write_text(
        text.replace("# subject", "subject").replace("#   ", "")
    )
    for name in ("trial", "tried"):
        assert run("fmt", "--check", "trial.tree").code == 0
        solved = run("solve", f"{name}.tree", "-o", f"{name}.json")
        assert solved.code == 0 and "verified; proven optimal" in solved.out
        assert run("verify", f"{name}.json").code == 0
    assert "u < " in solved.out
    assert run("score", "trial.json", "trial.csv", "--json").code == 0
    predicted = run("predict", "trial.json", "trial.csv").out.splitlines()
    assert predicted[0] == "treatment" and set(predicted[1:]) == {"none", "drug b"}


def test_propensities_of_the_table_are_used(run, trial):
    line = ("--treatment", "the arm", "--outcome", "gain", "--propensity", "p", "-o", "a.tree")
    assert run("init", "trial.csv", *line).code == 0
    text = (trial.parent / "a.tree").read_text()
    assert "number  outcome from gain, propensity from p;" in text and "param share" not in text
    assert run("solve", "a.tree").code == 0


@pytest.mark.parametrize(
    ("line", "message", "remedy"),
    [
        ("--outcome gain", "--outcome is for treatments", "name their column: --treatment NAME"),
        (
            "--treatment kind",
            "--treatment needs an outcome column",
            "name it: --outcome NAME",
        ),
        (
            "--treatment kind --outcome gain",
            "nothing says with what probability a point received its treatment",
            "name the column of these probabilities: --propensity NAME; or, if treatments were"
            " given at random, with the same probabilities to all: --randomized",
        ),
        (
            "--treatment kind --outcome gain --propensity p --randomized",
            "--propensity and --randomized exclude each other",
            "leave out one",
        ),
        (
            "--treatment kind --outcome gain --randomized --label u",
            "a spec for treatments has no label",
            "leave out --label; --outcome names a number",
        ),
        (
            "--treatment kin --outcome gain --randomized",
            "there is no column 'kin'",
            "did you mean 'kind'?",
        ),
        (
            "--treatment u --outcome kind --randomized",
            "the column 'kind' holds text, and --outcome needs numbers",
            "name another column: --outcome",
        ),
        (
            "--treatment kind --outcome gain --propensity gain",
            "--treatment, --outcome and --propensity name the same column twice",
            "name a different column for each",
        ),
        (
            "--treatment p --outcome gain --randomized",
            "the column 'p' has a single value",
            "treatments are 2 to 20 values: name another column with --treatment",
        ),
        (
            "--treatment kind --outcome gain --randomized --formulation oct",
            "oct does not choose treatments",
            "take prescriptive_ipw, the default",
        ),
        (
            "--treatment kind --outcome gain --randomized --formulation prescriptive_dr",
            "prescriptive_dr needs predicted outcomes, and a first spec has none",
            "take prescriptive_ipw, and for prescriptive_dr add to its spec a param"
            " predicted_outcome {i in points, k in treatments}",
        ),
        (
            "--label kind --formulation prescriptive_ipw",
            "prescriptive_ipw learns who should be given which treatment",
            "name the columns of treatments and outcomes: --treatment NAME --outcome NAME",
        ),
    ],
)
def test_what_a_spec_for_treatments_needs(run, trial, line, message, remedy):
    said = run("init", "trial.csv", *line.split())
    assert (said.code, said.err) == (2, f"error[E902]: {message}\n  = help: {remedy}\n")
    assert not (trial.parent / "trial.tree").exists()
