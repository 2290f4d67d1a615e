"""What is indexed by a point's category, as a sum over categories.

`side[t,c,category[i,c]]` is one entry of a table where the point is known. Where the point is left
free, to read a split out of a solution, it is the sum over v in categories(c) of side[t,c,v] times
1 where the point has category v: affine in indicators, as x is in features.
"""

from __future__ import annotations

from dataclasses import replace

from treemip.resolve import typed as t
from treemip.resolve.sorts import CATEGORY, NUMBER, POINT, SetOf
from treemip.resolve.symbols import Role, Symbol

NAME = "*category"  # no text can bind it
INDICATOR = Symbol(NAME, Role.DATA, (POINT, CATEGORY), NUMBER)


def is_category(e: t.Typed) -> bool:
    """Whether e is category[i,c], of whatever point and feature."""
    return isinstance(e, t.At) and e.symbol.role is Role.DATA and e.symbol.name == "category"


def over_categories(e: t.At) -> t.Typed | None:
    """The sum for a table with category[i,c] among its indices; None where there is none."""
    place = next((k for k, argument in enumerate(e.arguments) if is_category(argument)), None)
    if place is None:
        return None
    own = e.arguments[place]
    assert isinstance(own, t.At)
    point, feature = own.arguments
    one = t.Bound(name=NAME, of=CATEGORY, span=own.span)
    categories = t.Call(
        function="categories", arguments=(feature,), of=SetOf(CATEGORY), span=own.span
    )
    entry = replace(e, arguments=(*e.arguments[:place], one, *e.arguments[place + 1 :]))
    has = t.At(symbol=INDICATOR, arguments=(point, one), span=own.span)
    body = t.Arithmetic(op="*", left=entry, right=has, span=e.span)
    return t.Reduction(op="sum", binders=(t.Binder(NAME, categories),), body=body, span=e.span)
