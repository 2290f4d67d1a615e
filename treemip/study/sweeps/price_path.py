"""What is tuned where nobody says: the depth of the tree, and the price of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treemip.api.program import Program
from treemip.api.statement_text import number
from treemip.core.lower.value_sources import mentioned
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import refused
from treemip.core.syntax import nodes as n
from treemip.study.sweeps.axes import DATA, Axes

DEPTH = "depth"
DEPTHS = {"univariate": ("1", "2", "3", "4")}
OTHER_DEPTHS = ("1", "2", "3")

SHARES = (0.0005, 0.005, 0.01, 0.02, 0.05)
"""Prices, as shares of what the best tree without a split is worth: a split has to better the
objective by so much of it. The first of them decides between trees that are equally good."""

COMPLEXITY = ("splits", "leaves_used", "features_used", "distinct_features")
"""Terms of the vocabulary that count what a tree has."""

FREE = (1.0, 1e3, 1e6)
"""Prices that are tried until no split pays."""

SECONDS = 5.0
"""For the best tree without a split."""


def default_axes(
    program: Program, settings: dict[str, Any], most_prices: int | None = None
) -> Axes:
    """Depths and prices for a spec. Raises E902 where it has neither.

    settings: arguments of `Compiled.solve`. most_prices: how many of SHARES, None for all.
    """
    fixed = dict(program.overrides)
    axes: Axes = {}
    depth = depth_of(program.file)
    if depth is not None and depth not in fixed:
        axes[depth] = DEPTHS.get(program.spec.split, OTHER_DEPTHS)
    price = price_of(program.spec)
    if price is not None and price not in fixed and _is_scored(program.spec):
        least = {depth: axes[depth][0]} if depth in axes else {}
        prices = _prices(program, price, least, settings, SHARES[:most_prices])
        axes |= {price: prices} if prices else {}
    if not axes:
        message = "the spec has no depth of a complete tree and no price of a split to tune"
        raise refused(message, "name what varies: --vary NAME=VALUES")
    return axes


def demand_tunable(axes: Axes) -> None:
    """E902 for what is no part of a tree: tables."""
    if DATA in axes:
        raise refused("'data' cannot be tuned: the tree is for one table", "leave it out")


def depth_of(file: n.File) -> str | None:
    """What sets the depth of a spec's complete tree: a parameter, or `depth`; else None."""
    for statement in file.statements:
        if isinstance(statement, n.Topology) and statement.kind == "complete":
            value = statement.arguments[0].value if statement.arguments else None
            if isinstance(value, n.Name) and value.indices is None and value.arguments is None:
                return value.name
            return DEPTH if isinstance(value, n.Number) else None
    return None


def price_of(spec: Spec) -> str | None:
    """The parameter that is a price in the one objective, of what COMPLEXITY counts, and that
    nothing else depends on; None where there is none."""
    objective = spec.objective
    if objective is None or objective.then:
        return None
    for part in t.walk(objective.value):
        if isinstance(part, t.Arithmetic) and part.op == "*":
            for price, counted in ((part.left, part.right), (part.right, part.left)):
                symbol = _price_in(price, counted)
                if symbol is not None and _only_there(spec, symbol, objective.value):
                    return symbol.name
    return None


def _price_in(price: t.Typed, counted: t.Typed) -> t.Symbol | None:
    """The parameter, where one side of a product is one and the other counts something."""
    found = (
        isinstance(price, t.At)
        and price.symbol.role is t.Role.PARAMETER
        and not price.arguments
        and isinstance(counted, t.At)
        and counted.symbol.name in COMPLEXITY
    )
    return price.symbol if found and isinstance(price, t.At) else None


def _only_there(spec: Spec, price: t.Symbol, objective: t.Typed) -> bool:
    """Whether the objective mentions the price once, and no row, set or other value does."""
    direct = [e for e in t.walk(objective) if isinstance(e, t.At)]
    if sum(e.symbol is price for e in direct) != 1:
        return False
    through = [e for e in direct if e.symbol is not price]
    sides = [side for row in (*spec.constraints, *spec.cuts) for side in row.sides]
    bounds = [bound for variable in spec.variables for _, bound in variable.bounds]
    return price not in mentioned(*through, *sides, *bounds)


def _is_scored(spec: Spec) -> bool:
    """Whether trees of different prices are compared by something else than their objective."""
    numbers = spec.data is not None and spec.data.label_kind == "number"
    values = spec.predict is not None and spec.predict.kind == "value"
    return not spec.other_answers or (numbers and values) or spec.has_shares


def _prices(
    program: Program,
    price: str,
    depth: dict[str, str],
    settings: dict[str, Any],
    shares: Sequence[float],
) -> tuple[str, ...]:
    """Shares of what the best tree without a split is worth; none where that is nothing."""
    worth = without_splits(program, price, depth, settings)
    return tuple(number(float(f"{share * worth:.4g}")) for share in shares) if worth else ()


def without_splits(
    program: Program, price: str, depth: dict[str, str], settings: dict[str, Any]
) -> float:
    """The size of the objective of the best tree whose splits do not pay; 0 where it has none.

    Over the whole table. Raises TreemipError for a spec that cannot be solved at all.
    """
    from treemip.study.sweeps.along import line_of

    for value in FREE:
        given = {**dict(program.overrides), **depth, price: number(value)}
        one = Program(
            program.source, given, program.base, program.table, program.data_file, program.modules
        )
        if one.spec.data is not None:
            one.spec = replace(one.spec, data=replace(one.spec.data, train=None))
        result = one.compile().solve(**{**settings, "time_limit": SECONDS})
        if result.objective is None:
            return 0.0
        row = {"objective": result.objective}
        line = line_of(result, row, price, value)
        if line is not None and (line.slope == 0 or value == FREE[-1]):
            return abs(line.constant)
    return 0.0
