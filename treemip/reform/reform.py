"""Model + what a target can take -> Model', and the way back."""

from __future__ import annotations

from functools import partial

import numpy as np

from treemip.frozen import dataclass
from treemip.model.blocks import Function, Functions, Method
from treemip.model.model import Model
from treemip.reform.editing import Note, subject_index
from treemip.reform.functions import rewrite_functions
from treemip.reform.implications import rewrite_implications
from treemip.reform.products import rewrite_products
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import listed

# The value over no arguments at all; of these, lowering lets only that of norminf happen.
START = {Function.ABS: 0.0, Function.NORMINF: 0.0, Function.MAX: -np.inf, Function.MIN: np.inf}

PASSES = (rewrite_functions, rewrite_products)
"""Those that every target needs; implications come after them."""


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
        found = np.array(values[: self.original.column_count], float)
        for block in self.original.functions:
            found[block.result : block.result + block.length] = evaluate(block, found)
        return found


def reform(
    model: Model, indicators: bool = False, sets: bool = False, way: Method = Method.AUTO
) -> Reformed:
    """Apply the passes in order: functions, products, implications. Raises E5xx.

    `indicators`: the target takes implications whose guard is a binary column, so those that ask
    for it stay, and so do those without a proven big-M. `sets`: it takes special ordered sets, so
    implications that ask for them become such. `way`: how all implications are stated, if not
    AUTO, whatever they ask for and the target takes.
    """
    notes: list[Note] = []
    current = model
    last = partial(rewrite_implications, indicators=indicators, sets=sets, way=way)
    for one in (*PASSES, last):
        current, said = one(current)
        notes += said
    return Reformed(model, current, tuple(notes))


def method_named(word: str | None) -> Method:
    """How all implications are stated, a word that `by` has; AUTO for None. Raises E902."""
    named = {method.value: method for method in Method if method is not Method.AUTO}
    if word is None:
        return Method.AUTO
    if word not in named:
        message = f"there is no way '{word}' to state implications"
        raise TreemipError(Diagnostic.outside("E902", message, f"there are {listed(named)}"))
    return named[word]


def evaluate(block: Functions, values: np.ndarray) -> np.ndarray:
    """The function's exact value at given variables, float64 (results,)."""
    matrix = block.arguments
    products = matrix.data * values[matrix.indices]
    arguments = np.bincount(matrix.row_of, products, matrix.count) + block.constants
    if block.function in (Function.ABS, Function.NORMINF):
        arguments = np.abs(arguments)
    least = block.function is Function.MIN
    found = np.full(block.length, START[block.function])
    (np.minimum if least else np.maximum).at(found, subject_index(block), arguments)
    return found
