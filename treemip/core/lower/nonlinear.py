"""Expressions beyond quadratic: products of many factors, powers, quotients, smooth functions.

With numbers for the variables they are numbers; in a model they are slots of its tape. A `let`
that is nonlinear is recorded once for each of its indices, however often it is mentioned.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.lower import numbers
from treemip.core.lower.calls import elementwise
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.lower.tape_builder import Memo
from treemip.core.model.arrays import unique
from treemip.core.model.tape import Smooth
from treemip.core.resolve import typed as t
from treemip.core.resolve.typed import Symbol
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail

FUNCTIONS = {"exp": Smooth.EXP, "log": Smooth.LOG, "logistic": Smooth.LOGISTIC}


class Nonlinear:
    def __init__(self, evaluator: EvaluatorParts) -> None:
        self.evaluator = evaluator
        self._lets: dict[Symbol, Memo] = {}

    @property
    def records(self) -> bool:
        """Whether there is a tape for functions of what is not known."""
        return self.evaluator.tape is not None

    def shared(self, symbol: Symbol, positions: np.ndarray, names: dict[str, np.ndarray]) -> Value:
        """A nonlinear `let` at positions of its domain, `names` being its indices there."""
        tape = self.evaluator.tape
        assert tape is not None
        memo = self._lets.setdefault(symbol, Memo())
        missing = memo.missing(positions)
        if len(missing):
            place = np.empty(int(positions.max()) + 1, np.int64)
            place[positions[::-1]] = np.arange(len(positions))[::-1]  # the first one stays
            first = place[missing]
            here = {name: column[first] for name, column in names.items()}
            value = self.evaluator.inline(symbol, here, Frame(len(first)))
            if not isinstance(value, Linear) or not value.slots:
                return self.evaluator.inline(symbol, names, Frame(len(positions)))
            memo.put(missing, tape.slots(value))
        return Linear.of_slots(memo[positions])

    # ------------------------------------------------------------------- functions

    def call(self, e: t.Call, frame: Frame) -> Value:
        """A function of one number, once for each distinct tuple of the names it depends on."""
        distinct, which = frame.project(e.free, e.local)
        values = self._applied(e, distinct)
        return values[which] if isinstance(values, np.ndarray) else values.spread(which)

    def _applied(self, e: t.Call, frame: Frame) -> Value:
        argument = self.evaluator.evaluate(e.arguments[0], frame)
        if isinstance(argument, np.ndarray):
            return elementwise(e, argument)
        if e.function == "sqrt":
            return self._raised(argument, 0.5, e)
        return self._apply(FUNCTIONS[e.function], argument, 1.0, e)

    def _apply(self, function: Smooth, argument: Linear, exponent: float, e: t.Typed) -> Linear:
        tape = self.evaluator.tape
        if tape is None:
            raise no_row(e)
        slots = tape.slots(argument)
        if function is Smooth.LOG or (function is Smooth.POWER and _is_partial(exponent)):
            self._require_defined(function, slots, exponent, e)
        return tape.apply(function, slots, exponent)

    def _require_defined(
        self, function: Smooth, slots: np.ndarray, exponent: float, e: t.Typed
    ) -> None:
        """Refuse a logarithm or power that the variables' bounds prove undefined everywhere."""
        tape = self.evaluator.tape
        assert tape is not None
        low, high = tape.ranges()
        whole = float(exponent).is_integer()
        if function is Smooth.LOG:
            void = high[slots] <= 0
        elif whole:
            void = (high[slots] <= 0) & (low[slots] >= 0)
        else:
            void = high[slots] < 0 if exponent > 0 else high[slots] <= 0
        if void.any():
            least, most = low[slots][np.argmax(void)], high[slots][np.argmax(void)]
            what = "the logarithm" if function is Smooth.LOG else f"the power {exponent:g}"
            if function is Smooth.POWER and exponent == -1:
                what = "the quotient"
            fail(
                "E404",
                f"{what} is undefined: by the variables' bounds, its argument "
                f"is from {least:g} to {most:g}",
                e.span,
            )

    # ------------------------------------------------------------ powers, quotients

    def quotient(self, e: t.Arithmetic, left: Value, right: Linear) -> Value:
        """left / right as left * right^-1."""
        inverse = self._apply(Smooth.POWER, right, -1.0, e)
        return self.times(e, [(left, _all(inverse.size)), (inverse, _all(inverse.size))])

    def power(self, e: t.Arithmetic, left: Value, right: Value) -> Value:
        """left ^ right where at least one is not known."""
        if isinstance(right, np.ndarray):
            assert isinstance(left, Linear)
            parts: list[tuple[np.ndarray, np.ndarray | Linear]] = []
            for exponent in unique(right):
                rows = np.flatnonzero(right == exponent)
                parts.append((rows, self._raised(left.spread(rows), float(exponent), e)))
            return parts[0][1] if len(parts) == 1 else numbers.merge(parts, len(right))
        if isinstance(left, np.ndarray):
            if not (left > 0).all():
                fail(
                    "E404",
                    "only a positive number can have an exponent that is not known",
                    e.left.span,
                )
            return self._apply(Smooth.EXP, right.times(np.log(left)), 1.0, e)
        logarithm = self._apply(Smooth.LOG, left, 1.0, e)
        rows = _all(left.size)
        exponent = self.times(e, [(right, rows), (logarithm, rows)])
        assert isinstance(exponent, Linear)
        return self._apply(Smooth.EXP, exponent, 1.0, e)

    def _raised(self, base: Linear, exponent: float, e: t.Typed) -> Linear:
        if exponent == 0:
            return Linear.known(np.ones(base.size))
        if exponent == 1:
            return base
        if exponent == 2 and base.is_affine:
            return self.evaluator.product(base, base)
        return self._apply(Smooth.POWER, base, exponent, e)

    # -------------------------------------------------------------------- products

    def product(self, e: t.Arithmetic | t.Reduction, frame: Frame) -> Value:
        """All the factors of nested products at once, so that common ones are shared."""
        return self.times(e, list(self._factors(e, frame)), frame.size)

    def _factors(self, e: t.Typed, frame: Frame) -> Iterator[tuple[Value, np.ndarray]]:
        """Factors of the product e, each with the rows of the frame that its rows belong to."""
        if isinstance(e, t.Arithmetic) and e.op == "*":
            yield from self._factors(e.left, frame)
            yield from self._factors(e.right, frame)
        elif isinstance(e, t.Reduction) and e.op == "prod":
            child, rows = self.evaluator.expand(e.binders, e.guard, frame)
            for value, at in self._factors(e.body, child):
                yield value, rows[at]
        else:
            yield self.evaluator.evaluate(e, frame), _all(frame.size)

    def times(
        self, e: t.Typed, factors: list[tuple[Value, np.ndarray]], size: int | None = None
    ) -> Value:
        """The product of factors; quadratic where two of them are affine and no others unknown."""
        size = len(factors[0][1]) if size is None else size
        scale = np.ones(size)
        unknown = []
        for value, rows in factors:
            if isinstance(value, Linear):
                unknown.append((value, rows))
            else:
                np.multiply.at(scale, rows, np.asarray(value, float))
        if not unknown:
            return scale
        plain = all(len(rows) == size and (rows == _all(size)).all() for _, rows in unknown)
        if plain and len(unknown) == 1:
            return unknown[0][0].times(scale)
        if plain and len(unknown) == 2 and all(value.is_affine for value, _ in unknown):
            return self.evaluator.product(unknown[0][0], unknown[1][0]).times(scale)
        tape = self.evaluator.tape
        if tape is None:
            raise no_row(e)
        product = tape.product(unknown, size)
        return product if len(unknown) == len(factors) else product.times(scale)


def _all(size: int) -> np.ndarray:
    return np.arange(size)


def _is_partial(exponent: float) -> bool:
    """Whether a power is undefined somewhere."""
    return exponent < 0 or not float(exponent).is_integer()


def no_row(e: t.Typed) -> TreemipError:
    """E601: an expression that no model can hold."""
    return TreemipError(
        Diagnostic(
            "E601",
            f"this is {e.degree} and cannot be stated exactly here",
            e.span,
            "sums, products, powers, quotients, exp, log, sqrt, logistic, abs, max, min and norms "
            "can be stated",
        )
    )
