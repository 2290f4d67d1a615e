"""Expressions after resolving: names bound, sorts and degrees known, sugar gone.

`dot`, `normsq`, `norm1` and `norminf` over `*` have become reductions with a bound name of
their own, so evaluation meets only the forms below. `free` holds the bound names an expression
depends on; frames use it to evaluate a set or a condition only as often as it can differ.
"""

from treemip.resolve.typed.base import Typed
from treemip.resolve.typed.conditions import Comparison, Logic, Member
from treemip.resolve.typed.sets import (
    BaseSet,
    Binder,
    Comprehension,
    LocalSet,
    RangeSet,
    Reduction,
    free_of_domain,
)
from treemip.resolve.typed.values import (
    Arithmetic,
    At,
    Bound,
    Call,
    Choice,
    Const,
    Literal,
    Negation,
)
