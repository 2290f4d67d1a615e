"""`example` copies shipped specs whole; `formulations` says what each is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treemip.api.program import load
from treemip.core.resolve.examples import about, example_paths
from treemip.core.resolve.modules import formulation_names


def tree(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("name", example_paths())
def test_each_example_is_copied_with_all_that_it_reads(run, tmp_path, name):
    said = run("example", name, "-o", tmp_path, "--json")
    assert said.code == 0, said.err
    files = json.loads(said.out)["files"]
    assert sorted(Path(f).relative_to(tmp_path).as_posix() for f in files) == tree(tmp_path)
    assert load(tmp_path / f"{name}.tree").data is not None


def test_what_is_copied_is_named_with_the_next_command(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("example", "own/wine_ordinal")
    assert said.err.splitlines() == [
        "own/wine_ordinal.tree",
        "data/wine.csv",
        "own/ordinal.tree",
        "next: treemip solve own/wine_ordinal.tree -o own/wine_ordinal.json",
    ]


def test_files_that_differ_are_kept_and_nothing_is_written(run, tmp_path):
    (tmp_path / "data").mkdir()
    mine = tmp_path / "data" / "iris.csv"
    mine.write_text("mine")
    said = run("example", "iris", "-o", tmp_path)
    assert said.code == 2
    assert said.err == (
        f"error[E603]: '{mine}' cannot be written: it exists, and is another file\n"
        "  = help: name another folder with -o, or overwrite with --force\n"
    )
    assert tree(tmp_path) == ["data/iris.csv"] and mine.read_text() == "mine"
    assert run("example", "iris", "-o", tmp_path, "--force").code == 0
    assert run("example", "iris_binoct", "-o", tmp_path).code == 0, "iris.csv is there, the same"


def test_a_folder_that_cannot_be_made(run, tmp_path):
    (tmp_path / "taken").write_text("")
    said = run("example", "iris", "-o", tmp_path / "taken")
    assert said.code == 2 and "taken" in said.err and "name another folder with -o" in said.err


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("credt", "credit"),
        ("recall", "constraints/recall"),
        ("own/wine_ordnal", "own/wine_ordinal"),
    ],
)
def test_an_unknown_example(run, written, meant):
    said = run("example", written)
    expected = f"error[E902]: there is no example '{written}'\n  = help: did you mean '{meant}'?\n"
    assert (said.code, said.err) == (2, expected)


def test_options_without_an_example(run, tmp_path):
    said = run("example", "-o", tmp_path / "there")
    assert said.code == 2 and "no example is named" in said.err
    assert not (tmp_path / "there").exists()


def test_a_folder_where_a_file_goes(run, tmp_path):
    (tmp_path / "credit.tree").mkdir()
    said = run("example", "credit", "-o", tmp_path, "--force")
    assert said.code == 2 and "credit.tree' cannot be written: it is a folder" in said.err


def test_the_list_of_examples(run):
    lines = run("example").out.splitlines()
    assert len(lines) == len(example_paths()) and lines[0].split()[0] == "credit"
    assert about("# One e.g. this,\n# and that. More.\ndata …") == "One e.g. this, and that"


def test_every_formulation_says_what_it_is_for(run):
    said = json.loads(run("formulations", "--json").out)
    assert [one["name"] for one in said] == formulation_names()
    assert all(one["for"] for one in said)
    assert json.loads(run("list", "formulations", "--json").out) == {"formulations": said}
    listed = run("formulations").out
    assert run("list", "formulations").out == listed
    heads = [line for line in listed.splitlines() if line.startswith("leaves")]
    assert heads == [
        "leaves answer a class",
        "leaves answer shares of the classes",
        "leaves answer a number",
        "leaves answer an element of treatments",
    ]


def test_one_formulation(run):
    assert run("formulations", "roct").out == (
        "roct\n"
        "  for       fewest errors where each value may be off by a radius: noisy measurements, "
        "attacks\n"
        "  paper     Vos, Verwer: Robust optimal classification trees against adversarial examples "
        "(2022)\n"
        "  leaves    answer a class\n"
        "  write     split univariate by roct;\n"
        "  examples  iris_robust\n"
        "parameters\n"
        "  eps       0.1       how far an attacker can move a feature, in units of x\n"
        "  radius    eps       how far an attacker can move feature j\n"
        "  farthest  computed\n"
        "  gap       computed  distance of a threshold from all that an attacker can reach\n"
        "  least     computed\n"
        "  most      computed\n"
        "  M         computed\n"
    )


def test_a_formulation_of_ones_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("mine.tree")
    path.write_text('formulation oct splits univariate "Me" "tables like mine";\nuse oct_rows;\n')
    said = run("formulations", path)  # no module oct_rows
    assert said.code == 2 and "<formulation>" not in said.err
    path.write_text('formulation oct splits univariate "Me" "tables like mine";\n')
    assert run("formulations", path).out == (
        f"{path}\n"
        "  for     tables like mine\n"
        "  paper   Me\n"
        "  leaves  answer a class\n"
        f'  write   split univariate by "{path}";\n'
    )
