"""Where modules are found, and which texts a spec is linked with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from treemip.core.resolve.gather import routes
from treemip.core.resolve.module_files import KeptTexts, ModuleText, module_folders
from treemip.core.resolve.resolve import resolve
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

HEAD = 'data "iris.csv" { label class; scale minmax; }\ntopology complete(depth = 2);\n'
OWN = (
    'formulation own splits univariate "Nobody (2020)";\nuse univariate_routing;\n'
    "var label {l in leaves, k in classes} binary;\n"
)


def write(folder: Path, **texts: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.tree").write_text(text, encoding="utf-8")


def linked(folder: Path, text: str, *include: Path) -> Spec:
    file = parse(Source("a.tree", HEAD + text))
    return resolve(file, texts=module_folders(folder, include))


def param(spec: Spec, name: str) -> str:
    value = next(s.value for s in spec.parameters if s.name == name)
    assert value is not None
    return value.span.text


# ------------------------------------------------------------------- where modules are


def test_a_formulation_beside_the_spec(tmp_path):
    write(tmp_path, own=OWN)
    spec = linked(tmp_path, "split univariate by own(min_leaf = 3);")
    assert (spec.formulation, spec.paper) == ("own", "Nobody (2020)")
    assert param(spec, "min_leaf") == "3"
    assert {c.module for c in spec.constraints} == {"own"}
    assert spec.modules == (ModuleText("", "own", "own.tree", OWN),)


def test_the_order_of_folders(tmp_path, monkeypatch):
    folders = [tmp_path / name for name in ("spec", "first", "second", "third")]
    for folder in folders:
        write(folder, terms=f"param it = {folders.index(folder)};")
    beside, first, second, third = folders
    monkeypatch.setenv("TREEMIP_PATH", os.pathsep.join(["", str(third), str(tmp_path / "none")]))
    text = "split univariate; use terms;"
    assert param(linked(beside, text, first, second), "it") == "0"
    (beside / "terms.tree").unlink()
    assert param(linked(beside, text, second, first), "it") == "2"
    assert param(linked(beside, text), "it") == "3"
    write(beside, univariate_routing="param it = 4;")
    assert param(linked(beside, "split univariate; use univariate_routing;"), "it") == "4"


def test_a_module_names_others_from_its_own_folder(tmp_path):
    write(tmp_path / "shared", terms='use "more/deep.tree";\nuse near;', near="param b = 2;")
    write(tmp_path / "shared" / "more", deep="param a = 1;")
    spec = linked(tmp_path, 'split univariate; use "shared/terms.tree";')
    assert [(m.named_by, m.reference, m.path) for m in spec.modules] == [
        ("", "shared/terms.tree", "shared/terms.tree"),
        ("shared/terms.tree", "more/deep.tree", "shared/more/deep.tree"),
        ("shared/terms.tree", "near", "shared/near.tree"),
    ]
    assert (param(spec, "a"), param(spec, "b")) == ("1", "2")


def test_kept_texts_need_no_files(tmp_path):
    write(tmp_path, own=OWN + "use more;", more="param mine = 1;")
    spec = linked(tmp_path, "split univariate by own;")
    (tmp_path / "own.tree").unlink()
    again = resolve(spec.file, texts=KeptTexts(spec.modules))
    assert again.modules == spec.modules
    assert [c.name for c in again.constraints] == [c.name for c in spec.constraints]


def test_one_file_by_two_names_is_taken_once(tmp_path):
    write(tmp_path, terms="param it = 1;", more='use "./terms.tree";')
    spec = linked(tmp_path, "split univariate; use terms; use more;")
    assert [s.name for s in spec.parameters if s.name == "it"] == ["it"]
    assert len(spec.modules) == 3


def test_a_library_text_names_the_library_only(tmp_path):
    write(tmp_path, univariate_routing="param it = 1;")
    spec = linked(tmp_path, "split univariate by oct;")
    assert spec.modules == ()
    assert "go_left" in {c.name for c in spec.constraints}


@pytest.mark.parametrize("what", ["data", "topology", "split"])
def test_a_spec_with_the_name_of_its_formulation_is_passed_over(tmp_path, what):
    text = {
        "data": 'data "t.csv";',
        "topology": "topology complete(depth = 1);",
        "split": "split univariate by oct;",
    }[what]
    write(tmp_path, oct=text)
    spec = linked(tmp_path, "split univariate by oct;")
    assert (spec.formulation, spec.modules, spec.warnings) == ("oct", (), ())


def test_a_file_stands_in_for_a_formulation_of_the_library_with_a_warning(tmp_path):
    write(tmp_path, oct=OWN)
    spec = linked(tmp_path, "split univariate by oct;")
    assert spec.formulation == "oct.tree"  # nothing takes it for the library's
    assert [str(TreemipError(w)) for w in spec.warnings] == [
        "warning[W204]: 'oct' is the file 'oct.tree' here, not the library's 'oct'\n"
        " --> a.tree:3:21\n"
        "  |\n"
        "3 | split univariate by oct;\n"
        "  |                     ^^^\n"
        "  = help: rename the file if the library's is meant"
    ]


def test_no_folder_to_look_in(tmp_path):
    with pytest.raises(TreemipError) as error:
        module_folders(tmp_path, ["nowhere"])
    assert str(error.value) == (
        "error[E902]: there is no folder 'nowhere' to look for modules in\n"
        "  = help: -I and include name folders, relative to the current one"
    )


@pytest.mark.parametrize("content", [b"param \xff", None], ids=["not UTF-8", "a folder"])
def test_what_cannot_be_read(tmp_path, content, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if content is None:
        (tmp_path / "bad.tree").mkdir()
    else:
        (tmp_path / "bad.tree").write_bytes(content)
    with pytest.raises(TreemipError) as error:
        linked(tmp_path, 'split univariate; use "bad.tree";')
    (only,) = error.value.diagnostics
    why = "byte 6 is not UTF-8 text" if content else "it is a directory"
    assert (only.code, only.message) == ("E901", f"cannot read 'bad.tree': {why}")
    assert only.span is not None
    assert only.span.text == '"bad.tree"'


# ------------------------------------------------------------------- whose texts they are


def test_values_of_a_modules_parameter(tmp_path):
    """The module's own, the formulation's that uses it, the spec's: the last of these counts."""
    write(tmp_path, own=OWN + "param min_leaf = 4;\nset cared = features;")
    assert param(linked(tmp_path, "split univariate by own;"), "min_leaf") == "4"
    assert param(linked(tmp_path, "split univariate by own(min_leaf = 5);"), "min_leaf") == "5"
    spec = linked(tmp_path, "split univariate by own; param min_leaf = 6;")
    assert param(spec, "min_leaf") == "6"
    file = parse(Source("a.tree", HEAD + "split univariate by own;"))
    texts = module_folders(tmp_path)
    assert param(resolve(file, [("min_leaf", "7")], texts=texts), "min_leaf") == "7"


def test_a_spec_with_variables_that_a_module_completes(tmp_path):
    text = "split univariate;\nuse univariate_routing;\n"
    spec = linked(tmp_path, text + "var label {l in leaves, k in classes} binary;")
    assert (spec.formulation, spec.warnings) == ("", ())


def test_a_spec_that_is_completed_by_modules_is_its_own_formulation(tmp_path):
    write(tmp_path, answers="var label {l in leaves, k in classes} binary;")
    text = "split univariate;\nuse univariate_routing;\nuse answers;"
    assert routes(parse(Source("a.tree", text)))
    spec = linked(tmp_path, text)
    assert (spec.formulation, spec.warnings) == ("", ())
    assert {c.module for c in spec.constraints} == {"spec"}


def test_rows_of_a_module_are_those_of_who_uses_it(tmp_path):
    write(tmp_path, fair="subject to\n  most {l in leaves}: points_in[l] <= 9;")
    spec = linked(tmp_path, "split univariate by oct; use fair;")
    assert [c.name for c in spec.constraints if c.module == "spec"] == ["most"]
    write(tmp_path, own=OWN + "use fair;")
    spec = linked(tmp_path, "split univariate by own; use fair;")
    assert [c.name for c in spec.constraints if c.module == "spec"] == []


def test_rows_of_a_text_go_before_those_of_what_it_uses():
    spec = resolve(parse(Source("a.tree", HEAD + "split univariate by oct;")))
    names = [c.name for c in (*spec.constraints, *spec.left_out)]
    assert names[:4] == ["loss_low", "loss_high", "one_label", "one_leaf"]
    assert [s.name for s in spec.variables][:6] == [
        *("coef", "bias", "active", "reach", "occupied", "label"),
    ]
