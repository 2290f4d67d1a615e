"""What a model is reformulated for, in one object from the compiler to the passes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from treemip.model.blocks import Method
from treemip.source.diagnostic import fail
from treemip.source.suggest import listed


class Takes(Protocol):
    """What a target has of what passes can leave in a model; `files.profiles.Caps` is one."""

    @property
    def indicators(self) -> bool: ...

    @property
    def sos(self) -> bool: ...


class Target(NamedTuple):
    """What the target of a reformulation takes, and how the user wants implications stated.

    `indicators`: implications whose guard is a binary column, so those that ask for it stay, and
    so do those without a proven big-M. `sos`: special ordered sets, so implications that ask for
    them become such. `method`: how all implications are stated, if not AUTO, whatever they ask for
    and the target takes.
    """

    indicators: bool = False
    sos: bool = False
    method: Method = Method.AUTO

    @classmethod
    def of(cls, takes: Takes, method: Method = Method.AUTO) -> Target:
        return cls(takes.indicators, takes.sos, method)


PLAIN = Target()
"""A target that takes linear and quadratic rows only."""


def method_named(word: str | None) -> Method:
    """How all implications are stated, a word that `by` has; AUTO for None. Raises E902."""
    named = {method.value: method for method in Method if method is not Method.AUTO}
    if word is None:
        return Method.AUTO
    if word not in named:
        message = f"unknown way '{word}' to state implications"
        fail("E902", message, remedy=f"the ways are {listed(named)}")
    return named[word]
