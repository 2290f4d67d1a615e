"""Formulations by the names that users give them outside of a spec."""

from __future__ import annotations

import pytest

from treemip.core.resolve.formulations import formulation_named, is_file, written
from treemip.core.source.diagnostic import TreemipError

OWN = 'formulation own splits univariate "Mine";\nuse univariate_routing;\nparam mine = 1;\n'


def test_one_of_the_library_has_the_parameters_of_what_it_uses():
    found = formulation_named("oct")
    assert (found.written, found.splits, found.texts) == ("oct", "univariate", ())
    assert found.parameters == ("alpha", "majority", "min_leaf", "gap", "least", "most")


@pytest.mark.parametrize("name", ["own/own.tree", "own"])
def test_a_file_from_the_current_folder_or_another(tmp_path, monkeypatch, name):
    (tmp_path / "own").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "own" / "own.tree").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    found = formulation_named(name, tmp_path / "data", ["own"])
    assert found.written == '"../own/own.tree"'
    assert found.parameters[0] == "mine"
    assert [text.reference for text in found.texts] == ["../own/own.tree"]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("octt", "did you mean 'oct'?"), ("octt.tree", "the path is from this folder")],
)
def test_one_that_is_not_there(name, remedy):
    with pytest.raises(TreemipError) as error:
        formulation_named(name)
    (only,) = error.value.diagnostics
    assert (only.code, only.message, only.remedy) == (
        "E902",
        f"there is no formulation '{name}'",
        remedy,
    )


def test_a_path_is_written_in_quotes():
    assert is_file('a"b.tree')
    assert written('a"b.tree') == '"a\\"b.tree"'
    assert written("oct") == "oct"
