"""Files beside the model: written with it, or none of them."""

from __future__ import annotations

import pytest

import treemip
from treemip.core.source.diagnostic import TreemipError

CUTS = """
cut few "late": sum {t in branches} active[t] <= card(branches);
strategy { priority active root_first; }
"""


def test_starts_and_priorities_stand_beside_the_model(run, spec, tmp_path):
    pytest.importorskip("sklearn")
    spec.write_text(spec.read_text() + CUTS)
    model, start, order = (tmp_path / name for name in ("m.lp", "m.mst", "m.ord"))
    beside = ["--start", "cart", "--start-file", start, "--priorities", order]
    said = run("compile", spec, "-o", model, "--for", "gurobi", *beside)
    assert said.code == 0, said.err
    compiled = treemip.load(spec).compile(target="gurobi")
    values = dict(line.split() for line in start.read_text().splitlines()[1:])
    assert len(values) == compiled.model.column_count
    assert values["active(1)"] in ("0", "1")
    assert order.read_text().startswith("# branching priorities\nactive(1) ")
    for path in (model, start, order):
        path.unlink()
    said = run(
        "compile", spec, "-o", model, "--for", "glpk", "--start", "cart", "--start-file", start
    )
    assert (said.code, model.exists(), start.exists()) == (2, False, False)
    assert said.err.startswith("error[E601]: there is no start file for GLPK")
    said = run("compile", spec, "-o", model, "--start", "cart")
    assert said.err.startswith("error[E902]: --start needs a file to write to")


def test_a_start_that_is_not_named_is_that_of_the_search(run, spec, tmp_path):
    pytest.importorskip("highspy", reason="a solver completes the start")
    model, start = tmp_path / "m.mps", tmp_path / "m.mst"
    said = run("compile", spec, "-o", model, "--for", "gurobi", "--start-file", start)
    assert said.code == 0, said.err
    values = dict(line.split() for line in start.read_text().splitlines()[1:])
    compiled = treemip.load(spec).compile(target="gurobi")
    assert compiled.tree_of([float(v) for v in values.values()]).train_errors == 0


def test_a_start_that_cannot_be_leaves_no_model(run, spec, tmp_path):
    """The start is found before anything is written."""
    pytest.importorskip("highspy", reason="a solver completes the start")
    spec.write_text(spec.read_text() + CUTS)
    before = set(tmp_path.iterdir())
    beside = ["--for", "gurobi", "--start-file", tmp_path / "m.mst", "--priorities", tmp_path / "o"]
    for kind, message in (
        ("carts", "error[E902]: unknown start 'carts'"),
        ("none", "error[E902]: --start none leaves nothing to write to --start-file"),
        ("local_svm", "error[E902]: the start 'local_svm' is not available: it needs hyperplanes"),
    ):
        said = run("compile", spec, "-o", tmp_path / "m.lp", "--start", kind, *beside)
        assert said.code == 2
        assert said.err.startswith(message)
        assert set(tmp_path.iterdir()) == before


def test_a_model_that_cannot_be_leaves_nothing_beside_it(run, spec, tmp_path):
    spec.write_text(spec.read_text() + CUTS)
    before = set(tmp_path.iterdir())
    cuts = ["--cuts", "few", "--cuts-as", "lazy", "--for", "gurobi"]
    said = run("compile", spec, "-o", tmp_path / "m.nl", "--priorities", tmp_path / "o", *cuts)
    assert said.err.startswith("error[E601]: an NL file has no section of cuts")
    assert (said.code, set(tmp_path.iterdir())) == (2, before)


def test_no_start_is_nothing_to_write(spec, tmp_path):
    compiled = treemip.load(spec).compile(target="gurobi")
    with pytest.raises(TreemipError, match=r"E902.*the start 'none' has no values to write"):
        compiled.write_start(tmp_path / "m.mst", "none")
    assert not (tmp_path / "m.mst").exists()
