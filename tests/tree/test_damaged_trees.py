"""tree.json with anything in it: E701 in words, or a tree that is whole; never a traceback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import solved

import treemip
from treemip.api.reverify import reverify
from treemip.api.saved_scores import recorded_scores, saved_sparsity, score_file
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree import saved as saved_tree
from treemip.core.tree.saved import strict_json

pytest.importorskip("highspy", reason="a solver is needed")

CSV = "a,b,c\n2,x,no\n3,x,no\n0,y,yes\n1,z,no\n"
SPEC = """data "t.csv" { label c; scale minmax; encode onehot; }
topology complete(depth = 1);
split univariate by binoct;
"""
WRONG: list[Any] = [
    None, True, -1, 1.5, 1e308, 10**18, 10**400, "", "x\x1b[31m", "nan", "1e400",
    [], [0], ["a"], [None], [[1]], {}, {"a": 1},
]  # fmt: skip
REMOVED = object()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "t.csv").write_text(CSV)
    (folder / "t.tree").write_text(SPEC)
    treemip.load(folder / "t.tree").compile().solve("highs", start="none").save(
        folder / "tree.json"
    )
    return folder / "tree.json"


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    pairs = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else pairs:
        yield from places(part, (*at, key))


def changed(text: str, at: tuple[Any, ...], new: Any) -> str:
    whole = {"": json.loads(text)}
    *path, last = ("", *at)
    part: Any = whole
    for key in path:
        part = part[key]
    if new is REMOVED:
        del part[last]
    else:
        part[last] = new
    return json.dumps(whole.get("", []))


def used(path: Path) -> None:
    """Whatever can be done with the file; raises TreemipError alone."""
    data = path.parent / "t.csv"
    for use in (
        lambda: str(treemip.load_tree(path)),
        lambda: treemip.load_tree(path).predict({"a": [1, 2], "b": ["x", "z"]}),
        lambda: reverify(path).to_json(),
        lambda: [json.dumps(s.to_json()) for s in recorded_scores(path).values()],
        lambda: score_file(path, data).to_json(),
        lambda: saved_sparsity(path),
    ):
        try:
            use()
        except TreemipError as error:
            assert str(error)


# Of the pairs of a place and a value: one for each place, and in `make truth` two or three.
@pytest.mark.parametrize("step", [19, pytest.param(7, marks=pytest.mark.truth)])
@pytest.mark.parametrize("part", ["tree", "spec", "scores", "values", "terms", ""])
def test_any_value_in_any_place(saved: Path, tmp_path: Path, part: str, step: int) -> None:
    text = saved.read_text()
    (tmp_path / "t.csv").write_text(CSV)
    found = [at for at in places(json.loads(text)) if at[:1] == ((part,) if part else at[:1])]
    found = [at for at in found if part or len(at) < 2]
    assert found
    for number, at in enumerate(found):
        for k, new in enumerate([*WRONG, REMOVED]):
            if (number + k) % step == 0:  # each place and each value, not each pair
                (tmp_path / "tree.json").write_text(changed(text, at, new))
                used(tmp_path / "tree.json")


@pytest.mark.parametrize("new", [*WRONG, REMOVED], ids=[*map(repr, WRONG), "removed"])
def test_a_tree_that_is_read_is_whole(tmp_path: Path, new: object) -> None:
    """Whatever is changed, loading it ends in a tree that predicts or in E701."""
    said = {"format": "treemip tree 3", "status": "", "tree": solved().to_json()["tree"]}
    text, path = json.dumps(said), tmp_path / "tree.json"
    for place in places(said["tree"], ("tree",)):
        path.write_text(changed(text, place, new))
        try:
            tree = treemip.load_tree(path)
        except TreemipError as error:
            assert {d.code for d in error.diagnostics} == {"E701"}, place
            continue
        assert np.isfinite(tree.weights).all() and np.isfinite(tree.threshold).all(), place
        found = tree.predict_numbers(np.zeros((1, len(tree.features))))
        assert found.tolist() in ([0], [1]), place


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not JSON (line 1, column 1)"),
        ('{"a": 1', "it is not JSON (line 1, column 8)"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "it is nested too deeply"),
        ("9" * 5000, "it contains a number with too many digits"),
        ("[NaN]", "it contains NaN, which is not a number"),
        ("[-Infinity]", "it contains -Infinity, which is not a number"),
        ('{"a": 1, "b": 2, "a": 3}', "'a' occurs twice in one object"),
    ],
)
def test_what_json_does_not_have(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        strict_json(text)
    assert str(caught.value) == said


def test_what_would_take_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_tree, "MANY", 10)
    with pytest.raises(ValueError, match="more than 10 lists and objects"):
        strict_json("[" + "{}," * 10 + "1]")
    assert strict_json("[" + "{}," * 9 + "1]")[-1] == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a tree: it is not JSON"),
        (b"[" * 100_000, "is not a tree: it is nested too deeply"),
        ("{}".encode("utf-16"), "is not a tree: it is not UTF-8 text, from byte 0 on"),
        (b'{"format": "treemip tree 3", "gap": NaN}', "is not a tree: it contains NaN"),
        (b"[]", "not a file that"),
        (b'{"format": "treemip tree 0"}', "not a file that"),
    ],
)
def test_files(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "tree.json"
    path.write_bytes(data)
    for use in (treemip.load_tree, reverify, recorded_scores, saved_sparsity):
        with pytest.raises(TreemipError, match=said) as caught:
            use(path)
        assert [d.code for d in caught.value.diagnostics] == ["E701"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"status": "infeasible"}, "the solver's status was infeasible"),
        ({"tree": []}, "is not a tree: it has no tree"),
        ({"tree": [1]}, "its tree is damaged"),
    ],
)
def test_files_without_a_tree(tmp_path: Path, more: dict[str, object], said: str) -> None:
    (tmp_path / "tree.json").write_text(json.dumps({"format": "treemip tree 3"} | more))
    with pytest.raises(TreemipError, match=said) as caught:
        treemip.load_tree(tmp_path / "tree.json")
    assert caught.value.diagnostics[0].code == "E701"


def test_a_sparse_file_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "tree.json", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TreemipError, match="it has 1 099 512 MB, and at most 64 MB can be read"):
        treemip.load_tree(tmp_path / "tree.json")


@pytest.mark.parametrize("value", [None, "1", True, float("1e400"), 10**30, [1.0], -1])
def test_counts_and_numbers_are_what_they_are(value: object) -> None:
    assert saved_tree.is_number(value) == (value == -1)
    with pytest.raises(ValueError):
        saved_tree.whole(value)


def test_a_fill_in_is_a_number(saved: Path, tmp_path: Path) -> None:
    """A fill-in that is none would send rows right without a word."""
    text = changed(saved.read_text(), ("tree", "encoder", "features", 0, "fill"), "nan")
    (tmp_path / "tree.json").write_text(text)
    with pytest.raises(TreemipError, match="the encoder is not one that treemip wrote"):
        treemip.load_tree(tmp_path / "tree.json")
