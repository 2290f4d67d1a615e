"""Truth values as words in one table and as 1 and 0 in another: the same answer, or E309."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.core.source.diagnostic import TreemipError

FLAGS, CLASSES = [True, True, False, False, True, False], ["p", "p", "q", "q", "p", "q"]
FILES = {
    "words": ("False", "True"),
    "lower": ("false", "true"),
    "integers": ("0", "1"),
    "doubles": ("0.0", "1.0"),
}
"""How files write 0 and 1."""
MEMORY = {
    "truth": FLAGS,
    "array": np.array(FLAGS),
    "objects": np.array(FLAGS, object),
    "texts": [str(flag) for flag in FLAGS],
    "integers": [int(flag) for flag in FLAGS],
    "doubles": [float(flag) for flag in FLAGS],
}
WORDS, NUMBERS = ("words", "lower", "texts"), ("integers", "doubles")


def file(folder: Path, name: str, how: str, classes: bool) -> Path:
    path, cells = folder / name, [FILES[how][flag] for flag in FLAGS]
    lines = [f"{cell},{c}" if classes else cell for cell, c in zip(cells, CLASSES, strict=True)]
    path.write_text("\n".join(["s,c" if classes else "s", *lines]) + "\n")
    return path


def solved(data: object, more: str = "") -> treemip.Result:
    text = f'data "t.csv" {{ label c; {more} }} topology complete(depth = 1); '
    return treemip.loads(text + "split univariate by binoct;", data=data).compile().solve()


@pytest.mark.parametrize("trained", [*FILES, "memory"])
def test_between_files(trained: str, tmp_path: Path, run) -> None:
    data: object = {"s": FLAGS, "c": CLASSES}
    if trained != "memory":
        data = file(tmp_path, "t.csv", trained, True)
    tree = tmp_path / "tree.json"
    solved(data).save(tree)
    for rows in FILES:
        said = run("predict", tree, file(tmp_path, "rows.csv", rows, False))
        if trained in WORDS and rows in NUMBERS:
            assert said.code == 2
            assert "error[E309]: row 1" in said.err and "'s'" in said.err
        else:
            assert (said.code, said.out.splitlines()) == (0, ["class", *CLASSES])


def flags(label: bool, how: str) -> dict[str, object]:
    """A table with the flags as a feature, or as the label."""
    if label:
        return {"c": MEMORY[how], "a": [0.0, 0.0, 9.0, 9.0, 0.0, 9.0]}
    return {"s": MEMORY[how], "c": CLASSES}


@pytest.mark.parametrize("trained", MEMORY)
@pytest.mark.parametrize("label", [False, True], ids=["feature", "label"])
def test_in_memory(label: bool, trained: str) -> None:
    """As a feature, and as the label of rows that a tree is scored on."""
    tree = solved(flags(label, trained)).tree
    assert tree is not None
    for rows in MEMORY:
        table = flags(label, rows)
        if trained in WORDS and rows in NUMBERS:
            with pytest.raises(TreemipError, match=r"row 1 .* has '1'") as refused:
                tree.score(table)
            assert refused.value.diagnostics[0].code == "E309"
        else:
            assert int(np.trace(tree.score(table).confusion)) == len(FLAGS)


def test_an_order_of_words_makes_a_column_of_truth_values_text() -> None:
    order = 'encode ordinal("False", "True") s;'
    tree = solved(flags(False, "truth"), order).tree
    assert tree is not None
    assert tree.predict({"s": ["TRUE", "false"]}).tolist() == ["p", "q"]
    with pytest.raises(TreemipError, match=r"row 1 .* has '1'"):
        solved(flags(False, "integers"), order)
