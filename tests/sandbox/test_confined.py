"""Reading confined to folders: everything that a text can name goes through it."""

from pathlib import Path

import pytest

import treemip
from treemip.core.resources import library_path
from treemip.core.source.confined import confined_to, entries, exists, is_confined, permits
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.reading import read_text

SPEC = """\
data "{data}" {{ label y; scale minmax; }}
topology complete(depth = 1);
split univariate by {by};
{more}
"""


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder, outside = tmp_path / "inside", tmp_path / "outside"
    for one in (folder, outside):
        one.mkdir()
        (one / "a.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
        (one / "own.tree").write_text("param own_price = 1;\n")
    (folder / "link.csv").symlink_to(outside / "a.csv")
    return folder


def test_what_lies_outside_is_not_read(inside):
    outside = inside.parent / "outside" / "a.csv"
    with confined_to([inside]):
        assert is_confined()
        assert read_text(inside / "a.csv")
        for path in (outside, inside / "link.csv", inside / ".." / "outside" / "a.csv"):
            assert not permits(path) and not exists(path)
            with pytest.raises(PermissionError, match="outside of the folder"):
                read_text(path)
        assert not permits("a\0b")
        assert [one.name for one in entries(inside)] == ["a.csv", "own.tree"]
        with pytest.raises(PermissionError):
            entries(inside.parent)
    assert not is_confined() and read_text(outside)


@pytest.mark.parametrize(
    "words",
    [
        {"data": "../outside/a.csv"},
        {"data": "link.csv"},
        {"by": '"../outside/own.tree"'},
        {"more": 'use "../outside/own.tree";'},
        {"more": 'param p {i in features} = table(file = "../outside/a.csv");'},
    ],
)
def test_no_statement_reads_beyond_the_folder(inside, words):
    text = SPEC.format(**{"data": "a.csv", "by": "oct", "more": "", **words})
    (inside / "spec.tree").write_text(text)
    with confined_to([inside, library_path()]), pytest.raises(TreemipError) as found:
        treemip.load(inside / "spec.tree").compile()
    assert found.value.diagnostics[0].code in ("E210", "E220", "E301", "E205")


def test_a_spec_of_its_own_folder_is_solved(inside):
    (inside / "spec.tree").write_text(SPEC.format(data="a.csv", by="oct", more="use own;"))
    with confined_to([inside, library_path()]):
        assert treemip.load(inside / "spec.tree").compile().solve().verified
