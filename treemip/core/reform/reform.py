"""Model + what a target can take -> Model', and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from treemip.core.model.model import Model
from treemip.core.model.values import function_values, slot_values
from treemip.core.reform.editing import Note
from treemip.core.reform.functions import rewrite_functions
from treemip.core.reform.implications import open_implications, rewrite_implications
from treemip.core.reform.products import has_products, has_products_in_functions, rewrite_products
from treemip.core.reform.target import PLAIN, Target


def has_functions(model: Model) -> bool:
    return bool(model.functions)


class Construct(Enum):
    """What passes take out of a model, in such an order that a pass leaves only later ones; each
    has a test for whether a model has one that no target takes as it is."""

    PRODUCTS_IN_FUNCTIONS = (
        "products with a binary in arguments of functions",
        has_products_in_functions,
    )
    FUNCTIONS = "functions", has_functions
    PRODUCTS = "products with a binary", has_products
    IMPLICATIONS = "implications", open_implications

    def __init__(self, title: str, is_in: Callable[[Model], bool]) -> None:
        self.title = title
        self.is_in = is_in


@dataclass(frozen=True)
class Pass:
    """A rewriting that takes all of some constructs out of a model.

    It may leave constructs of `produces` behind, each of which stands behind one of `consumes` in
    `Construct`, and has to wait until the model has none of `after`.
    """

    consumes: tuple[Construct, ...]
    produces: tuple[Construct, ...]
    after: tuple[Construct, ...]
    rewrite: Callable[[Model, Target], tuple[Model, list[Note]]]


FUNCTIONS = Pass((Construct.FUNCTIONS,), (), (Construct.PRODUCTS_IN_FUNCTIONS,), rewrite_functions)
PRODUCTS = Pass(
    (Construct.PRODUCTS_IN_FUNCTIONS, Construct.PRODUCTS),
    (Construct.FUNCTIONS,),
    (),
    rewrite_products,
)
IMPLICATIONS = Pass(
    (Construct.IMPLICATIONS,),
    (),
    (Construct.PRODUCTS_IN_FUNCTIONS, Construct.FUNCTIONS, Construct.PRODUCTS),
    rewrite_implications,  # whose bodies and guards are linear and bounded by then
)
PASSES = (FUNCTIONS, PRODUCTS, IMPLICATIONS)
"""All of them; the first that can run runs first."""

BEFORE_IMPLICATIONS = tuple(one for one in PASSES if {*one.consumes} & {*IMPLICATIONS.after})
"""Those that `IMPLICATIONS` waits for: what is done where a target states implications itself."""


@dataclass(frozen=True)
class Reformed:
    """The reformed model, the original, and what was done.

    Passes only append columns, so the original's columns are the first ones of the new model.
    """

    original: Model
    model: Model
    notes: tuple[Note, ...]

    def invert(self, values: np.ndarray) -> np.ndarray:
        """Values of the original model, float64, from those of the reformed one.

        Results of functions are recomputed from their arguments: where a pass states them as
        inequalities, the solver's value may be beyond them.
        """
        original = self.original
        inverted = np.array(values[: original.column_count], float)
        for block in original.functions:
            slots = None if block.slots is None else slot_values(original.tape, inverted)
            inverted[block.result : block.result + block.length] = function_values(
                block, inverted, slots
            )
        return inverted


def reform(model: Model, target: Target = PLAIN) -> Reformed:
    """Apply passes until nothing is left that the target lacks. Raises E5xx."""
    current, notes = apply(model, PASSES, target)
    return Reformed(model, current, notes)


def apply(
    model: Model, passes: Iterable[Pass], target: Target = PLAIN
) -> tuple[Model, tuple[Note, ...]]:
    """The passes in the order that the model needs, and what they did.

    The next one is the first that has something to take out and nothing to wait for. This ends:
    write the constructs that are left as a binary number, the first of `Construct` as its highest
    digit. A pass clears the digits of what it consumes and sets only lower ones than the highest
    of them, so the number falls.
    """
    notes: list[Note] = []
    passes = tuple(passes)
    wanted = {construct for one in passes for construct in one.consumes}
    while left := {construct for construct in wanted if construct.is_in(model)}:
        one = next(p for p in passes if left & {*p.consumes} and not left & {*p.after})
        model, done = one.rewrite(model, target)
        notes += done
    return model, tuple(notes)
