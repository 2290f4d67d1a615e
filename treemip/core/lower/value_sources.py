"""Where the evaluator gets the values of variables.

`Nothing` before there are any; `Solution` a solution's values; `Meaning` what the variables mean
on a tree; `FreePoint` a solution with the point left free, whose coefficients are a split.
"""

from __future__ import annotations

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower import numbers
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value
from treemip.core.lower.protocols import SmoothForms
from treemip.core.lower.tape_builder import TapeBuilder
from treemip.core.model.tolerances import VERIFIED
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import is_only_on_a_tree
from treemip.core.resolve.tree_rules import INDICATOR, over_categories
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.source.span import Span


class Nothing:
    """No variables yet: parameters, sets and conditions only."""

    tape: SmoothForms | None = None
    has_gaps = False
    all_known = False

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        return None

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        raise TypeError(f"{span}: variable '{symbol.name}' has no value here")

    def product(self, left: Linear, right: Linear) -> Linear:
        return left.product(right)

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> Value:
        return by_numbers(expression, frame, evaluator)

    def near(
        self,
        e: t.Comparison,
        left: np.ndarray,
        right: np.ndarray,
        frame: Frame,
        evaluator: Evaluator,
    ) -> np.ndarray | None:
        return None


class Solution(Nothing):
    """Variables at the values of a solution: `values` by name, float64 over each domain."""

    all_known = True

    def __init__(self, values: dict[str, np.ndarray]) -> None:
        self.values = values

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        return self.values[symbol.name][positions]


class Meaning(Solution):
    """Meanings on a tree: concepts and variables by their `means`, from `tables`.

    `tables` are flat over the whole sorts of their indices: routed (points x nodes), and what the
    leaves answer, such as given_label (nodes x classes). Variables without a meaning keep the
    values given, or are NaN. `of_tree` names those that are the tree itself, since its splits are
    read from them; `taken` gathers the names of the others that were asked for.

    tolerant: whether comparisons that depend on the solution have the tolerance of rows.
    """

    def __init__(
        self,
        tables: dict[str, np.ndarray],
        values: dict[str, np.ndarray],
        of_tree: frozenset[str] = frozenset(),
        tolerant: bool = False,
    ) -> None:
        super().__init__(values)
        self.tables = tables
        self.of_tree = of_tree
        self.tolerant = tolerant
        self.taken: dict[str, None] = {}
        self._moving: dict[int, bool] = {}

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        if symbol.name in self.tables:
            return self.tables[symbol.name]
        if symbol.means is not None:
            return symbol.means
        return None

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        if symbol.name not in self.of_tree:
            self.taken[symbol.name] = None
        if symbol.name not in self.values:
            self.taken[symbol.name] = None
            self.has_gaps = True
            return np.full(len(positions), np.nan)
        values = self.values[symbol.name][positions]
        self.has_gaps = self.has_gaps or bool(np.isnan(values).any())
        return values

    def near(
        self,
        e: t.Comparison,
        left: np.ndarray,
        right: np.ndarray,
        frame: Frame,
        evaluator: Evaluator,
    ) -> np.ndarray | None:
        """Where the sides differ by no more than rows may be off.

        A model states comparisons as rows: where it says `a <= b`, a solver accepts `a <= b +
        1e-7`, and a sum in another order is another number. So numbers that depend on the solution
        are compared as equal where rows could not tell them apart. Against the number 0 the
        tolerance is relative to the addends alone: `coef[t,j] != 0` asks whether the tree has a
        coefficient, and a tree has those it shows, however small.
        """
        if not self.tolerant or not all(np.issubdtype(a.dtype, np.floating) for a in (left, right)):
            return None
        if id(e) not in self._moving:
            self._moving[id(e)] = depends_on_solution(e)
        if not self._moving[id(e)]:
            return None
        if is_zero(e.left) or is_zero(e.right):
            size = size_of(e.right if is_zero(e.left) else e.left, frame, evaluator)
        else:
            size = np.maximum(1.0, np.fmax(np.abs(left), np.abs(right)))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(left - right) <= VERIFIED * size)


def is_zero(e: t.Typed) -> bool:
    return isinstance(e, t.Const) and e.value == 0


def size_of(e: t.Typed, frame: Frame, evaluator: Evaluator) -> np.ndarray:
    """The size of a sum: its addends' absolute values added up, float64 (rows,)."""
    if isinstance(e, t.Negation):
        return size_of(e.operand, frame, evaluator)
    if isinstance(e, t.Arithmetic) and e.op in "+-":
        return size_of(e.left, frame, evaluator) + size_of(e.right, frame, evaluator)
    if isinstance(e, t.Reduction) and e.op == "sum":
        child, rows = evaluator.sets.expand(e.binders, e.guard, frame)
        sizes = evaluator.reductions.counted(e, child, size_of(e.body, child, evaluator))
        return numbers.reduce("sum", np.asarray(sizes), rows, frame.size)
    return np.abs(np.asarray(evaluator.known(e, frame), float))


def depends_on_solution(e: t.Typed) -> bool:
    """Whether an expression has another value in another solution of the same model."""
    return any(
        s.role is Role.VARIABLE
        or s.means is not None
        or (s.role is Role.DATA and is_only_on_a_tree(s.name))
        for s in mentioned(e)
    )


def mentioned(*expressions: t.Typed, means: bool = False) -> set[Symbol]:
    """Symbols in expressions and in what defines these; with `means`, in what they mean as well."""
    waiting, seen = list(expressions), set[Symbol]()
    while waiting:
        e = waiting.pop()
        waiting += e.inside
        symbols = [e.symbol] if isinstance(e, t.At) else []
        while symbols:
            symbol = symbols.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            symbols += [symbol.extension] if symbol.extension is not None else []
            symbols += [symbol.means] if means and symbol.means is not None else []
            waiting += [symbol.value] if symbol.value is not None else []
    return seen


def by_numbers(expression: t.Typed, frame: Frame, evaluator: Evaluator) -> np.ndarray:
    """A piecewise expression all of whose variables have values."""
    if isinstance(expression, t.Call):
        return evaluator.calls.call(expression, frame)
    assert isinstance(expression, t.Reduction)
    if evaluator.reductions.has_pieces(expression):
        return evaluator.reductions.in_pieces(expression, frame)
    child, rows = evaluator.sets.expand(expression.binders, expression.guard, frame)
    body = evaluator.known(expression.body, child)
    return numbers.reduce(expression.op, body, rows, frame.size)


class FreePoint(Solution):
    """A solution's values with x[i,j] as the unknown number j, and the indicators after them.

    Points are asked for as point 0, whose positions in x and in the indicators are those of one
    row: the columns of `Table.inputs`. starts: where there is no solution, which unknown the first
    column of each variable is, by name.
    """

    all_known = False

    def __init__(
        self,
        values: dict[str, np.ndarray],
        features: int,
        categories: int,
        starts: dict[str, int] | None = None,
    ) -> None:
        super().__init__(values)
        self.starts = starts
        self.unknowns: dict[str, Linear] = {
            "x": Linear.variables(np.arange(features)),
            INDICATOR.name: Linear.variables(features + np.arange(categories)),
        }

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        return self.unknowns.get(symbol.name)

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        if self.starts is None:
            return super().variable(symbol, positions, span)
        return Linear.variables(self.starts[symbol.name] + positions)


class FreePointEvaluator(Evaluator):
    """The evaluator of a `route` with its point free: each branch's weights and threshold, so that
    no formulation needs a decoder of its own. `tape` takes what is nonlinear in them. starts: as of
    `FreePoint`."""

    def __init__(
        self,
        instance: Instance,
        values: dict[str, np.ndarray],
        tape: TapeBuilder | None = None,
        starts: dict[str, int] | None = None,
    ) -> None:
        table = instance.table
        source = FreePoint(values, len(table.features), len(table.categories.items), starts)
        source.tape = tape
        super().__init__(instance, source)

    def _at(self, e: t.At, frame: Frame) -> Value:
        instead = over_categories(e)
        return super()._at(e, frame) if instead is None else self.evaluate(instead, frame)
