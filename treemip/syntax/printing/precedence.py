"""How tightly the forms of an expression bind, and so where one needs brackets."""

from __future__ import annotations

from treemip.syntax import nodes as n
from treemip.syntax.printing.literals import number_text

CHOICE, ANY, ALL, NOT, TEST, SUM, TERM, PRODUCT, UNARY, POWER, ATOM = range(11)
"""How tightly the forms of the grammar bind, loosest first."""

_LEVELS: dict[type, int] = {
    n.Choice: CHOICE, n.AnyOf: ANY, n.AllOf: ALL, n.Negated: NOT, n.Comparison: TEST,
    n.Member: TEST, n.Reduction: TERM, n.Negative: UNARY,
}  # fmt: skip
OPERATORS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "^": POWER}


def level(node: n.Expr) -> int:
    match node:
        case n.Binary(op="*" | "/", right=n.Reduction()):
            return TERM
        case n.Binary():
            return OPERATORS[node.op]
        case n.Number() if number_text(node).startswith("-"):
            return UNARY
    return _LEVELS.get(type(node), ATOM)


def is_open(node: n.Expr) -> bool:
    """Ends in a reduction, whose body would take in a '*' written after it."""
    while True:
        match node:
            case n.Reduction():
                return True
            case n.Negative():
                node = node.operand
            case n.Binary():
                node = node.right
            case _:
                return False


def begins_with_brace(node: n.Expr) -> bool:
    while True:
        match node:
            case n.AnyOf() | n.AllOf():
                node = node.parts[0]
            case n.Comparison() | n.Binary():
                node = node.left
            case n.Member():
                node = node.item
            case _:
                return isinstance(node, n.Comprehension)
