"""Names: safe in every reader, never twice, the same in every run."""

from __future__ import annotations

import re

from emit_models import Builder, index, objective
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.files.names import name_model, spell
from treemip.model.blocks import Index
from treemip.model.model import Model

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
@settings(max_examples=100, deadline=None)
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
