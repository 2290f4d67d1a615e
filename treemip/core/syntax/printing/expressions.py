"""Expressions, conditions and sets as documents, in brackets only where their place needs them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar

from treemip.core.source.span import Source, Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.layout import LINE, SOFT, Comment, Doc, Fit, Line, Nest, joined
from treemip.core.syntax.scan import Lexeme


def quoted(text: str) -> str:
    """A string of the language. Raises ValueError for a line break, which it cannot hold."""
    if "\n" in text:
        raise ValueError("a string of the language cannot hold a line break")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number_text(node: n.Number) -> str:
    return node.text or plain_number(node.value)


def plain_number(value: float) -> str:
    """The shortest text that reads back as the same number. Raises ValueError for inf and nan."""
    if not math.isfinite(value):
        raise ValueError(f"the language has no number {value}")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value).replace("e-0", "e-").replace("e+", "e")


# -------------------------------------------------------------------------------------- precedence


CHOICE, ANY, ALL, NOT, TEST, SUM, TERM, PRODUCT, UNARY, POWER, ATOM = range(11)
"""How tightly the forms of the grammar bind, loosest first."""

_PRECEDENCE: dict[type, int] = {
    n.Choice: CHOICE, n.AnyOf: ANY, n.AllOf: ALL, n.Negated: NOT, n.Comparison: TEST,
    n.Member: TEST, n.Reduction: TERM, n.Negative: UNARY,
}  # fmt: skip

OPERATORS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "^": POWER}


def precedence(node: n.Expr) -> int:
    match node:
        case n.Binary(op="*" | "/", right=n.Reduction()):
            return TERM
        case n.Binary():
            return OPERATORS[node.op]
        case n.Number() if number_text(node).startswith("-"):
            return UNARY
    return _PRECEDENCE.get(type(node), ATOM)


def is_open(node: n.Expr) -> bool:
    """Ends in a reduction, whose body would absorb a '*' written after it."""
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
                return isinstance(node, n.Comprehension | n.Texts)


class Expressions:
    """Documents of expressions; comments are put before the first leaf that follows them."""

    def __init__(self, source: Source | None = None, comments: Sequence[Lexeme] = ()) -> None:
        self.source = source
        self.comments = list(reversed(comments))

    def before(self, span: Span) -> tuple[Doc, ...]:
        """The comments not yet printed that stand before a place."""
        docs: list[Doc] = []
        while self.comments and self.comments[-1].start < span.start:
            comment = self.comments.pop()
            docs.append(Comment(comment.text.rstrip(), self.is_trailing(comment)))
        return tuple(docs)

    def is_trailing(self, comment: Lexeme) -> bool:
        assert self.source is not None
        line = self.source.text[: comment.start].rpartition("\n")[2]
        return bool(line.strip())

    # ------------------------------------------------------------------- levels

    def expr(self, node: n.Expr, least: int = CHOICE, closed: bool = False) -> Doc:
        """An expression, in brackets where it binds more loosely than its place allows."""
        if precedence(node) < least or (closed and is_open(node)):
            return ("(", self._bare(node), ")")
        return self._bare(node)

    def led(self, node: n.Expr, mark: str, least: int = CHOICE) -> tuple[Doc, ...]:
        """A break, a mark and an expression; comments between stand before the break."""
        return (*self.before(node.span), LINE, mark, self.expr(node, least))

    def set(self, node: n.Expr) -> Doc:
        if isinstance(node, n.Range):
            return (self.expr(node.lower, SUM), "..", self.expr(node.upper, SUM))
        return self.expr(node, SUM)

    def _bare(self, node: n.Expr) -> Doc:
        return self._FORMS[type(node)](self, node)

    # ------------------------------------------------------------------- leaves

    def _number(self, node: n.Number) -> Doc:
        return (*self.before(node.span), number_text(node))

    def _string(self, node: n.String) -> Doc:
        return (*self.before(node.span), quoted(node.value))

    def _all(self, node: n.All) -> Doc:
        return (*self.before(node.span), "*")

    def _name(self, node: n.Name) -> Doc:
        doc: tuple[Doc, ...] = (*self.before(node.span), node.name)
        if node.arguments is not None:
            doc = (*doc, self.arguments(node.arguments))
        if node.indices is not None:
            indices = joined([self.expr(i) for i in node.indices], (",", SOFT))
            doc = (*doc, Fit(("[", Nest(2, indices), "]")))
        return doc

    def arguments(self, arguments: tuple[n.Argument, ...]) -> Doc:
        return Fit(("(", Nest(2, joined([self.argument(a) for a in arguments], (",", LINE))), ")"))

    def argument(self, node: n.Argument) -> Doc:
        lead = self.before(node.span)
        if node.name is not None:
            return (*lead, node.name, " = ", self.expr(node.value))
        if node.key is not None:
            return (*lead, self.expr(node.key), ": ", self.expr(node.value))
        return (*lead, self.expr(node.value))

    def _group(self, node: n.Group) -> Doc:
        return (*self.before(node.span), "(", Nest(1, self._bare(node.inner)), ")")

    # --------------------------------------------------------------- arithmetic

    def _negative(self, node: n.Negative) -> Doc:
        lead = self.before(node.span)
        least = TERM if isinstance(node.operand, n.Reduction) else UNARY
        return (*lead, "-", self.expr(node.operand, least))

    def _binary(self, node: n.Binary) -> Doc:
        if node.op == "^":
            return (self.expr(node.left, ATOM), "^", self.expr(node.right, UNARY))
        terms, ops = [node.right], [node.op]
        first = node.left
        here = OPERATORS[node.op]
        while (
            isinstance(first, n.Binary)
            and precedence(first) == here
            and not self._stops(first, here)
        ):
            terms.append(first.right)
            ops.append(first.op)
            first = first.left
        docs = [self.expr(first, here, closed=here == PRODUCT)]
        for at in range(len(ops) - 1, -1, -1):
            least = self._least(terms[at], here, last=at == 0)
            docs.append(self.led(terms[at], f"{ops[at]} ", least))
        return Fit((Nest(2, docs[0]), Nest(2, tuple(docs[1:]))))

    @staticmethod
    def _stops(left: n.Binary, here: int) -> bool:
        """The left part of a product must not end in a reduction; if it does, it gets brackets."""
        return here == PRODUCT and is_open(left)

    @staticmethod
    def _least(right: n.Expr, here: int, last: bool) -> int:
        """A reduction may end a product but not occur inside it."""
        return TERM if here == SUM or (last and isinstance(right, n.Reduction)) else UNARY

    def _reduction(self, node: n.Reduction) -> Doc:
        lead = (*self.before(node.span), node.op, " ", self.domain(node.domain))
        return (*lead, Fit(Nest(2, (LINE, self.expr(node.body, TERM)))))

    def _choice(self, node: n.Choice) -> Doc:
        """A chain of `else if` has its cases one below the other."""
        docs: tuple[Doc, ...] = (self._case(node),)
        last = node.otherwise
        while isinstance(last, n.Choice):
            docs = (*docs, *self.before(last.span), LINE, "else ", self._case(last))
            last = last.otherwise
        return Fit(Nest(2, (*docs, *self.led(last, "else "))))

    def _case(self, node: n.Choice) -> Doc:
        lead = (*self.before(node.span), "if ", self.expr(node.condition, ANY))
        return Fit((*lead, Nest(2, self.led(node.then, "then "))))

    # ----------------------------------------------------------- sets, conditions

    def domain(self, node: n.Domain) -> Doc:
        lead = self.before(node.span)
        parts: list[Doc] = []
        for binder in node.binders:
            parts += [(",", LINE), self.binder(binder)] if parts else [self.binder(binder)]
        if node.condition is not None:
            parts += [LINE if parts else Line(" "), ": ", self.expr(node.condition, ANY)]
        return (*lead, Fit(("{", Nest(1, tuple(parts)), "}")))

    def binder(self, node: n.Binder) -> Doc:
        names = ", ".join(node.names)
        head = f"({names}) in " if len(node.names) > 1 else f"{names} in "
        return (*self.before(node.span), head, self.set(node.set))

    def _comprehension(self, node: n.Comprehension) -> Doc:
        return self.domain(node.domain)

    def _texts(self, node: n.Texts) -> Doc:
        texts = joined([self.expr(text) for text in node.texts], (",", LINE))
        return (*self.before(node.span), Fit(("{", Nest(1, texts), "}")))

    def _tuple(self, node: n.Tuple) -> Doc:
        parts = joined([self.expr(part) for part in node.parts], (",", LINE))
        return (*self.before(node.span), Fit(("(", Nest(1, parts), ")")))

    def _comparison(self, node: n.Comparison) -> Doc:
        doc: tuple[Doc, ...] = (
            self.expr(node.left, SUM),
            f" {node.op} ",
            self.expr(node.right, SUM),
        )
        if node.op2 is not None and node.right2 is not None:
            doc = (*doc, f" {node.op2} ", self.expr(node.right2, SUM))
        return doc

    def _member(self, node: n.Member) -> Doc:
        word = " not in " if node.negated else " in "
        return (self.expr(node.item, SUM), word, self.set(node.set))

    def _any_of(self, node: n.AnyOf) -> Doc:
        return self._connected(node.parts, "or ", ALL)

    def _all_of(self, node: n.AllOf) -> Doc:
        return self._connected(node.parts, "and ", NOT)

    def _connected(self, parts: tuple[n.Expr, ...], word: str, least: int) -> Doc:
        first = self.expr(parts[0], least)
        return Fit(Nest(2, (first, *(self.led(part, word, least) for part in parts[1:]))))

    def _negated(self, node: n.Negated) -> Doc:
        return (*self.before(node.span), "not ", self.expr(node.operand, NOT))

    _FORMS: ClassVar[dict[type, Callable[..., Doc]]] = {
        n.Number: _number,
        n.String: _string,
        n.All: _all,
        n.Name: _name,
        n.Group: _group,
        n.Negative: _negative,
        n.Binary: _binary,
        n.Reduction: _reduction,
        n.Choice: _choice,
        n.Comprehension: _comprehension,
        n.Texts: _texts,
        n.Tuple: _tuple,
        n.Comparison: _comparison,
        n.Member: _member,
        n.AnyOf: _any_of,
        n.AllOf: _all_of,
        n.Negated: _negated,
    }
