"""Names: safe in every reader, never twice, the same in every run."""

from __future__ import annotations

import re

import numpy as np
import pytest
from file_models import Builder, index, objective
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.core.files.names import count_tokens, label_tokens, labels_of, name_model, spell
from treemip.core.model.blocks import Index
from treemip.core.model.model import Model

SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_.(),]*")


def rows_and_columns(blocks: list[tuple[str, Index]]) -> Model:
    b = Builder()
    for name, at in blocks:
        b.var(name, at)
        b.row(name, [{}] * at.length, at=at)
    return b.model(objective(name="obj"))


def columns(*blocks: tuple[str, Index]) -> list[str]:
    return [n.decode() for n in name_model(rows_and_columns(list(blocks))).columns().tolist()]


def test_long_names_end_in_a_hash() -> None:
    b = columns(("a" * 97, index("i", [10, -10])), ("b" * 96, index("i j", [1], [100])))
    assert [len(name) for name in b] == [95, 96, 96]
    one, two, fits = spell(["a" * 97, "a" * 98, "a" * 96], [96] * 3)
    assert fits == "a" * 96
    assert one != two
    assert all(re.fullmatch(r"a{87}_[0-9a-f]{8}", base) for base in (one, two))


def test_labels_stand_in_brackets() -> None:
    assert columns(("go", index("i t", [1, 10, 4601], [7, -2, 0])), ("bare", Index())) == [
        "go(1,7)",
        "go(10,m2)",
        "go(4601,0)",
        "bare",
    ]


def test_far_apart_labels() -> None:
    far = [0, 2**62, -(2**62), 5]
    assert columns(("a", index("i", far))) == [
        "a(0)",
        "a(4611686018427387904)",
        "a(m4611686018427387904)",
        "a(5)",
    ]


def test_digits_do_not_run_together() -> None:
    """a(1,12), a(11,2), a_1(12), a1(12) and a_1_12 are five names."""
    found = columns(
        ("a", index("i j", [1, 11], [12, 2])),
        ("a_1", index("i", [12])),
        ("a1", index("i", [12])),
        ("a_1_12", Index()),
    )
    assert found == ["a(1,12)", "a(11,2)", "a_1(12)", "a1(12)", "a_1_12"]


def test_a_running_number_where_tuples_occur_twice() -> None:
    assert columns(("a", index("i", [3, 1, 3]))) == ["a(3,1)", "a(1,2)", "a(3,3)"]
    assert columns(("a", index("i", [3, 1, 2]))) == ["a(3)", "a(1)", "a(2)"]
    assert columns(("a", Index(length=2))) == ["a(1)", "a(2)"]
    assert columns(("a", Index((), (), (), 0)), ("b", index("i", []))) == []


def test_only_a_running_number_where_labels_are_too_long() -> None:
    far = [2**62, 2**62 + 1]
    assert columns(("a", index("i j k", far, far, far))) == ["a(1)", "a(2)"]


NAMES = st.text(st.sampled_from("aAe_1.é变(,δ "), max_size=4) | st.text(max_size=100)
TUPLES = st.lists(st.tuples(st.integers(-3, 13), st.integers(-(10**6), 10**15)), max_size=5)


@given(st.lists(st.tuples(NAMES, st.sampled_from([0, 1, 2]), TUPLES), max_size=5))
def test_names_are_safe_and_never_collide(blocks: list) -> None:
    made = []
    for name, width, tuples in blocks:
        arrays = [[t[k] for t in tuples] for k in range(width)]
        made.append((name, index("i j"[: 2 * width - 1], *arrays) if width else Index()))
    names = name_model(rows_and_columns(made))
    rows = [names.objective.encode(), *names.rows().tolist()]
    cols = [b"objective_constant", *names.columns().tolist()]
    for found in (rows, cols):
        assert len(set(found)) == len(found)
        assert all(SAFE.fullmatch(n.decode()) and len(n) <= 96 for n in found)
    again = name_model(rows_and_columns(made))
    assert again.columns().tolist() == names.columns().tolist()


def test_short_names() -> None:
    model = rows_and_columns([("a", index("i", range(1001)))])
    names = name_model(model, "short")
    assert names.columns().tolist() == [f"x{k}".encode() for k in range(1, 1002)]
    assert names.rows(" ").tolist() == [f" r{k}".encode() for k in range(1, 1002)]
    assert names.objective == "obj"


# -------------------- Index labels as text, for whole blocks.


@given(st.integers(0, 12345))
def test_decimals(count: int) -> None:
    assert count_tokens(count, "").tolist() == [str(k).encode() for k in range(1, count + 1)]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.booleans())
@settings(deadline=None)
def test_labels_of_any_size(labels: list[int], small: bool) -> None:
    column = np.array([label % 1000 if small else label for label in labels])
    found = label_tokens(labels_of(Index(("i",), ("number",), (column,), len(column))), "a")
    texts = [f"m{-v}" if v < 0 else str(v) for v in column.tolist()]
    if len(set(texts)) < len(texts):
        texts = [f"{t},{k + 1}" for k, t in enumerate(texts)]
    assert found.tolist() == [f"a({t})".encode() for t in texts]


@given(st.lists(st.floats(-1e300, 1e300).map(lambda v: v + 0.0), min_size=1))
@settings(deadline=None)
def test_labels_that_are_not_whole_are_the_numbers(values: list[float]) -> None:
    column = np.array([0.5, *values])
    found = labels_of(Index(("v",), ("number",), (column,), len(column)))
    texts = label_tokens(found, "a").tolist()
    assert len(set(texts)) == len(texts)
    assert found.counted == (len(set(column.tolist())) < len(column))
    assert max(len(text) for text in texts) <= len("a") + found.width
    for text, value in zip(texts, column.tolist(), strict=True):
        said = text.decode()[2:-1].split(",")[0].replace("m", "-")
        assert float(said) == value


def test_a_threshold_in_a_name() -> None:
    columns = (np.array([1, 1, 2]), np.array([0.25, 2.0, -1e-5]))
    found = label_tokens(labels_of(Index(("j", "v"), ("feature", "number"), columns, 3)), "bar")
    assert found.tolist() == [b"bar(1,0.25)", b"bar(1,2)", b"bar(2,m1em05)"]


# -------------------- Block names in safe characters.


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("go_left", "go_left"),
        ("_x.y", "_x.y"),
        ("δ", "delta"),
        ("Ξ_1", "Xi_1"),
        ("ﬁné", "fine"),
        ("λ₂", "lambda2"),
        ("变", "u53d8"),
        ("a[b]", "a_b_"),
        ("a b-c", "a_b_c"),
        ("2x", "_2x"),
        (".x", "_.x"),
        ("", "_"),
        ("e", "_e"),
        ("E12", "_E12"),
        ("e1x", "_e1x"),
        ("error", "error"),
        ("Infinity", "_Infinity"),
        ("info", "_info"),
        ("NaN_share", "_NaN_share"),
        ("confine", "confine"),
        ("ST", "_ST"),
        ("end", "_end"),
    ],
)
def test_spelling(name: str, spelt: str) -> None:
    assert spell([name], [96]) == [spelt]


def test_safe_names_keep_their_place_and_others_add_a_hash() -> None:
    bases = spell(["é_", "e_", "ê_", "e_"], [96] * 4)
    assert bases[1] == "e_"
    assert all(re.fullmatch(r"e__[0-9a-f]{8}", bases[k]) for k in (0, 2, 3))
    assert len(set(bases)) == 4
    assert spell(["a b", "a_b"], [96] * 2)[1] == "a_b"
    assert spell(["ê_", "e_"], [96] * 2)[0] == bases[2]  # its own hash, whatever stands beside it
