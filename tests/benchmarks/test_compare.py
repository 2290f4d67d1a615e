"""The comparison overlooks what does not change a model, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest


def rewritten(folder: Path, name: str, change) -> Path:
    target = folder / name
    target.write_text(change((folder / "arrays.soct.mps").read_text()))
    return target


def renamed(text: str) -> str:
    return text.replace("reach(", "w(").replace("go_left(", "r(")


def reordered(text: str) -> str:
    """The same file with its rows declared backwards."""
    head, _, rest = text.partition("ROWS\n N obj\n")
    rows, _, columns = rest.partition("COLUMNS\n")
    backwards = "\n".join(reversed(rows.splitlines())) + "\n"
    return f"{head}ROWS\n N obj\n{backwards}COLUMNS\n{columns}"


@pytest.mark.parametrize("change", [renamed, reordered], ids=["names", "order"])
def test_comparison_overlooks_names_and_order(folder, compare, change):
    first = compare.read(folder / "arrays.soct.mps")
    second = compare.read(rewritten(folder, "alike.mps", change))
    assert compare.difference(first, second) is None


def swapped(text: str) -> str:
    """Two unequal coefficients of one row exchanged."""
    lines = text.splitlines(keepends=True)
    ends = [" coef(1,1) go_left(5,1) ", " coef(1,2) go_left(5,1) "]
    at = [k for k, line in enumerate(lines) for end in ends if line.startswith(end)]
    values = [lines[k].split()[2] for k in at]
    assert values[0] != values[1]
    for k, end, value in zip(at, ends, reversed(values), strict=True):
        lines[k] = f"{end}{value}\n"
    return "".join(lines)


def relaxed(text: str) -> str:
    """No column integral."""
    return "".join(line for line in text.splitlines(keepends=True) if "'MARKER'" not in line)


UNLIKE = {
    "coefficient": swapped,
    "kind": relaxed,
    "bound": (" UP BND bias(2) 1.0", " UP BND bias(2) 1.1"),
    "sense": ("OBJSENSE\n    MAX", "OBJSENSE\n    MIN"),
    "row kind": (" L no_split(4,2)", " E no_split(4,2)"),
    "right side": (" RHS unit_norm(3) 1.0", " RHS unit_norm(3) 2.0"),
    "cost": (" hit(3,5) obj 1\n", ""),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_comparison_sees_a_single_difference(folder, compare, case):
    def change(text: str) -> str:
        if callable(UNLIKE[case]):
            return UNLIKE[case](text)
        before, after = UNLIKE[case]
        assert before in text
        return text.replace(before, after, 1)

    first = compare.read(folder / "arrays.soct.mps")
    second = compare.read(rewritten(folder, "unlike.mps", change))
    assert compare.difference(first, second) is not None


def test_comparison_matches_a_row_and_its_negative(compare, tmp_path):
    text = (
        "NAME m\nROWS\n N obj\n {kind} r\n E e\nCOLUMNS\n x obj 1 r {a}\n x e {c}\n"
        " y r {b} e {d}\nRHS\n RHS r {side}\nENDATA\n"
    )
    one, other = tmp_path / "one.mps", tmp_path / "other.mps"
    one.write_text(text.format(kind="L", a=1, b=-2, c=1, d=-3, side=4))
    other.write_text(text.format(kind="G", a=-1, b=2, c=-1, d=3, side=-4))
    assert compare.difference(compare.read(one), compare.read(other)) is None
    other.write_text(text.format(kind="G", a=-1, b=2, c=-1, d=-3, side=-4))
    assert compare.difference(compare.read(one), compare.read(other)) is not None
