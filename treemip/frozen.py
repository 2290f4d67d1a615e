"""Frozen dataclasses that cost next to nothing to define.

For each class `dataclasses.dataclass` writes six methods as text and compiles them, 0.4 ms in
all, so that defining the two hundred of treemip took longer than a small check. Here the standard
library only collects the fields, in 0.03 ms, and all classes share the methods below, which mean
the same. `fields`, `replace`, `asdict` and pattern matching work as ever, and type checkers see
the standard decorator. A class that is made by the thousand from positional arguments, such as
Span, keeps that one: its `__init__` takes two thirds of the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, kw_only: bool = False) -> Callable[[type], type]:
        """`dataclasses.dataclass(frozen=True, kw_only=…)`; for one that changes take that."""
        if not frozen:
            raise TypeError("treemip.frozen is for frozen dataclasses")

        def define(cls: type) -> type:
            # Without a docstring the standard library would work out a signature to make one.
            cls.__doc__ = cls.__doc__ or cls.__name__
            dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
            cls._shape = _Shape(cls)
            for method in _SHARED:
                if method.__name__ not in cls.__dict__:
                    setattr(cls, method.__name__, method)
            return cls

        return define


class _Shape:
    """What the shared methods need to know of a class."""

    def __init__(self, cls: Any) -> None:
        fields = dataclasses.fields(cls)
        self.names = {f.name: None for f in fields}.keys()
        self.positional = tuple(f.name for f in fields if not f.kw_only)
        self.shown = tuple(f.name for f in fields if f.repr)
        self.compared = _values([f.name for f in fields if f.compare])
        self.defaults = {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
        factories = [f for f in fields if f.default_factory is not dataclasses.MISSING]
        self.factories: dict[str, Any] = {f.name: f.default_factory for f in factories}
        self.finish = hasattr(cls, "__post_init__")
        # How many values a call gives, all by position, that needs nothing else to be done.
        whole = len(self.positional) == len(fields) and not self.finish
        self.plain = len(fields) if whole else -1


def _values(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """A function that gives these attributes as a tuple; attrgetter does so from two names on."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda record: ()
    value = attrgetter(*names)
    return lambda record: (value(record),)


def __init__(self: Any, /, *given: object, **named: object) -> None:
    shape: _Shape = self._shape
    values = self.__dict__  # `__setattr__` refuses
    if len(given) == shape.plain and not named:
        values.update(zip(shape.positional, given))  # noqa: B905, equally long, and it costs time
        return
    values.update(shape.defaults)
    if given:
        first = dict(zip(shape.positional, given, strict=False))
        if len(first) < len(given) or not first.keys().isdisjoint(named):
            raise TypeError(f"{type(self).__name__}() got too many arguments")
        values.update(first)
    values.update(named)
    for name, factory in shape.factories.items():
        if name not in values:
            values[name] = factory()
    if values.keys() != shape.names:
        wrong = ", ".join(sorted(values.keys() ^ shape.names))
        raise TypeError(f"{type(self).__name__}() lacks or does not know {wrong}")
    if shape.finish:
        self.__post_init__()


def __eq__(self: Any, other: Any) -> bool:
    if other is self:
        return True
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = self._shape.compared
    return bool(compared(self) == compared(other))


def __hash__(self: Any) -> int:
    return hash(self._shape.compared(self))


def __repr__(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shape.shown)
    return f"{self.__class__.__qualname__}({shown})"


def __setattr__(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def __delattr__(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


_SHARED = (__init__, __eq__, __hash__, __repr__, __setattr__, __delattr__)
