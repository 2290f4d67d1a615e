"""The fast frozen dataclasses say and do what the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field

import numpy as np
import pytest

from treemip import frozen
from treemip.frozen import _SHARED


def twins(define):
    """The same classes by either decorator."""

    @define(frozen=True)
    class Base:
        place: int = field(compare=False, repr=False)
        name: str = "x"

    @define(frozen=True, kw_only=True)
    class Record(Base):
        """With a docstring."""

        value: object
        parts: list[int] = field(default_factory=list)

        def __post_init__(self) -> None:
            if self.value == "wrong":
                raise ValueError(self.value)

    @define(frozen=True)
    class One:
        value: object

    @define(frozen=True)
    class Nothing:
        pass

    return Base, Record, One, Nothing


SLOW, FAST = twins(dataclasses.dataclass), twins(frozen.dataclass)
NAN, ARRAY = float("nan"), np.arange(3)


def outcome(task):
    """What comes of it; of an error its kind only, the words differ."""
    try:
        return task()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize(
    "make",
    [
        lambda base, record, one, nothing: base(1),
        lambda base, record, one, nothing: base(1, "y"),
        lambda base, record, one, nothing: base(place=1, name="y"),
        lambda base, record, one, nothing: record(1, value=2),
        lambda base, record, one, nothing: record(1, "y", value=2, parts=[3]),
        lambda base, record, one, nothing: record(1, value="wrong"),
        lambda base, record, one, nothing: one(NAN),
        lambda base, record, one, nothing: one(ARRAY),
        lambda base, record, one, nothing: nothing(),
        # Wrong calls.
        lambda base, record, one, nothing: base(),
        lambda base, record, one, nothing: base(1, "y", 3),
        lambda base, record, one, nothing: base(1, place=2),
        lambda base, record, one, nothing: base(1, nome="y"),
        lambda base, record, one, nothing: base(name="y", plaice=1),
        lambda base, record, one, nothing: record(1, "y", 2),
    ],
)
def test_made_alike(make):
    slow, fast = outcome(lambda: make(*SLOW)), outcome(lambda: make(*FAST))
    if isinstance(slow, type):
        assert fast is slow
        return
    assert repr(fast) == repr(slow)
    assert vars(fast) == vars(slow)
    assert repr(dataclasses.asdict(fast)) == repr(dataclasses.asdict(slow))
    assert type(fast).__match_args__ == type(slow).__match_args__
    assert outcome(lambda: hash(fast)) == outcome(lambda: hash(slow))


@pytest.mark.parametrize("classes", [SLOW, FAST])
def test_equality(classes):
    base, record, one, nothing = classes
    assert base(1) == base(2) and hash(base(1)) == hash(base(2))  # a place is not compared
    assert base(1) != base(1, "y")
    assert base(1) != record(1, value=2) and base(1) != 1
    assert record(1, value=2) == record(5, value=2) != record(1, value=3)
    assert one(NAN) == one(NAN) and one(ARRAY) == one(ARRAY)  # the very same value
    assert nothing() == nothing()
    with pytest.raises(TypeError, match="unhashable"):
        hash(record(1, value=2))


@pytest.mark.parametrize("classes", [SLOW, FAST])
def test_frozen(classes):
    made = classes[0](1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        made.name = "y"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del made.name
    assert made.name == "x"


@pytest.mark.parametrize("classes", [SLOW, FAST])
def test_copies(classes):
    made = classes[1](1, value=[2])
    other = dataclasses.replace(made, value=3)
    assert (other.place, other.name, other.value) == (1, "x", 3)
    assert copy.deepcopy(made) == made == copy.copy(made)
    assert [f.name for f in dataclasses.fields(made)] == ["place", "name", "value", "parts"]


def test_pickled():
    from treemip.source.span import Source, Span
    from treemip.syntax.nodes import String

    node = String(span=Span(Source("a", "b"), 0, 1), value="b")
    assert pickle.loads(pickle.dumps(node)) == node


def test_own_methods_stay():
    @frozen.dataclass(frozen=True)
    class Told:
        value: int

        def __repr__(self) -> str:
            return "told"

    assert repr(Told(1)) == "told" and Told(1) == Told(1)


def test_nothing_is_compiled():
    for cls in FAST:
        for method in _SHARED:
            assert vars(cls)[method.__name__] is method


def test_only_frozen_ones():
    with pytest.raises(TypeError, match="frozen"):
        frozen.dataclass(frozen=False)
