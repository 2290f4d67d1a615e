"""check, fmt, list on texts good and bad."""

from __future__ import annotations

import json

from treemip.core.resolve.modules import formulation_names


def test_check_goes_on_after_a_bad_file(run, spec):
    bad = spec.with_name("bad.tree")
    bad.write_text(spec.read_text().replace("soct", "sockt"))
    said = run("check", bad, spec)
    assert said.code == 2
    assert said.out == f"{spec}: fine\n"
    assert said.err.startswith("error[E210]")
    assert f"{bad}:3:" in said.err
    assert "did you mean 'soct'?" in said.err


def test_check_reads_data_only_when_asked(run, spec):
    spec.with_name("small.csv").unlink()
    assert run("check", spec).code == 0
    said = run("check", "--data", spec)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error[E301]")


def test_check_with_data_gives_sizes(run, spec):
    assert run("check", "--data", spec).out == f"{spec}: fine; 24 points, 2 features, 2 classes\n"


def test_check_with_data_finds_all_names_that_the_data_do_not_have(run, spec):
    spec.write_text(
        spec.read_text()
        + 'param most = card({i in points : y[i] = "ja"});\n'
        + "subject to\n"
        + '  few {t in branches}: uses[t,"x 2%"] + uses[t,"a"] <= 1;\n'
        + '  good {l in leaves}: label[l,"jes"] <= 1;\n'
    )
    assert run("check", spec).code == 0
    said = run("check", "--data", spec)
    assert (said.code, said.out) == (2, "")
    assert [line for line in said.err.splitlines() if line.startswith("error")] == [
        'error[E309]: there is no class "ja"',
        'error[E309]: there is no feature "x 2%"',
        'error[E309]: there is no class "jes"',
    ]


def test_check_takes_parameters(run, spec):
    assert run("check", spec, "-p", "eps=0.5").code == 0
    said = run("check", spec, "-p", "epps=0.5")
    assert said.code == 2
    assert said.err.startswith("error[E211]")


def test_fmt_writes_in_place_and_check_does_not(run, spec):
    messy = "topology   complete( depth=1 ) ;\nsplit oblique by soct; # why\n"
    messy += 'data "small.csv" {label class;}\n'
    spec.write_text(messy)
    assert run("fmt", "--check", spec).code == 1
    assert spec.read_text() == messy
    assert run("fmt", spec).code == 0
    laid_out = spec.read_text()
    assert "topology complete(depth = 1);" in laid_out
    assert "# why" in laid_out
    assert run("fmt", "--check", spec).code == 0
    assert run("fmt", spec).err == ""


def test_fmt_leaves_a_faulty_file_alone(run, spec):
    spec.write_text("topology complete(;\n")
    assert run("fmt", spec).code == 2
    assert spec.read_text() == "topology complete(;\n"


def test_list_has_every_formulation_with_its_paper(run):
    said = json.loads(run("list", "--json").out)
    assert [f["name"] for f in said["formulations"]] == formulation_names()
    assert all(f["paper"] and f["splits"] for f in said["formulations"])
    assert said["modules"][-1] == {
        "name": "univariate_routing",
        "about": "Splits of one feature and the way of the points: Bertsimas and Dunn (2017), "
        "univariate OCT without what its leaves answer",
    }
    assert "reach[i, t]" in [c["name"] for c in said["concepts"]]
    assert "l0_local(alpha = 5)" in [t["name"] for t in said["terms"]]
    assert run("list", "terms").out.startswith("terms\n  misclassified ")


def test_check_with_data_says_what_the_label_is(run, spec):
    for label, said in (("label b number", "a label of numbers"), ("label none", "no label")):
        spec.write_text(
            f'data "small.csv" {{ {label}; number a; }}\n'
            "var z {i in points} binary;\nminimize total: sum {i in points} a[i] * z[i];\n"
        )
        features = 2 if "number" in label else 3
        assert (
            run("check", "--data", spec).out
            == f"{spec}: fine; 24 points, {features} features, {said}\n"
        )


def test_check_with_data_finds_thresholds_that_the_number_of_features_rules_out(run, spec):
    spec.write_text(spec.read_text() + "strategy { select hull eps 0 beta1 0.9 beta2 0.9; }\n")
    assert run("check", spec).code == 0
    said = run("check", "--data", spec)
    assert said.code == 2
    assert said.err.startswith(
        "error[E213]: beta2 must be below (features + 1) * (1 - beta1) = 0.3\n"
    )
