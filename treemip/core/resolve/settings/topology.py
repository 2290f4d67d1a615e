"""The topology statement: a depth, or a drawn shape, read without building the tree."""

from __future__ import annotations

from typing import NoReturn

from treemip.core.source.diagnostic import Fix, Report, TreemipError, fail
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span

KINDS = {"complete": "topology complete(depth = 2);", "shape": 'topology shape "((. .) .)";'}
"""The topologies, each with an example."""

MAX_DEPTH = 16
DEEPEST_SHAPE = 40
EITHER = " or ".join(KINDS.values())


def check_topology(node: n.Topology | None, report: Report) -> None:
    """Report what is wrong with a topology statement (E310)."""
    try:
        if node is not None:
            heap_numbers(node)
    except TreemipError as error:
        for diagnostic in error.diagnostics:
            report.add(diagnostic)


def heap_numbers(node: n.Topology) -> range | list[int]:
    """Heap numbers of the nodes, ascending: the root is 1, the children of h are 2h and 2h + 1.

    Raises TreemipError (E310).
    """
    if node.kind not in KINDS:
        hint = did_you_mean(node.kind, KINDS)
        message = f"unknown topology '{node.kind}'"
        place = word_span(node.span, node.kind, 1)
        fail(
            "E310", message, place, f"write {EITHER}", hint, fix=None if hint else _whole_fix(node)
        )
    if node.kind == "shape":
        if node.text is None or node.arguments:
            message = "a shape is drawn as a string of dots and brackets"
            fix = Fix.write(node.span, KINDS["shape"])
            fail("E310", message, node.span, f"write {KINDS['shape']}", fix=fix)
        return drawn(node.text, node.span)
    depth, span = _depth(node)
    return of_depth(depth, span)


def of_depth(depth: int, span: Span) -> range:
    """The nodes of a complete tree. Raises TreemipError (E310)."""
    if not 1 <= depth <= MAX_DEPTH:
        fail("E310", f"a complete tree has depth 1 to {MAX_DEPTH}, not {depth}", span)
    return range(1, 2 ** (depth + 1))


def _whole_fix(node: n.Topology) -> Fix:
    """The statement as it is usually written."""
    return Fix.write(node.span, KINDS["complete"])


def _depth(node: n.Topology) -> tuple[int, Span]:
    """The depth of a complete tree and its span."""
    remedy, fix = f"write {KINDS['complete']}", _whole_fix(node)
    if node.text is not None:
        message = "a complete tree is given by its depth, not drawn"
        fail("E310", message, node.span, f"write {EITHER}", fix=fix)
    for argument in node.arguments:
        if argument.key is not None:
            fail("E310", "a complete tree has one depth", argument.span, remedy, fix=fix)
        if argument.name not in (None, "depth"):
            message = f"'complete' has no argument '{argument.name}'"
            hint = did_you_mean(argument.name, ("depth",))
            fail("E310", message, argument.span, remedy, hint, fix=None if hint else fix)
    if not node.arguments:
        fail("E310", "a complete tree needs a depth", node.span, remedy, fix=fix)
    if len(node.arguments) > 1:
        fail("E310", "a complete tree has one depth", node.arguments[1].span, remedy, fix=fix)
    value = node.arguments[0].value
    return _whole(value), value.span


def _whole(value: n.Expr) -> int:
    """A whole number, perhaps with a sign; parameters have their values by now."""
    sign, literal = 1, value
    if isinstance(value, n.Negative):
        sign, literal = -1, value.operand
    if not isinstance(literal, n.Number):
        remedy = "for example depth = 2, or depth = d with a parameter: param d = 2;"
        fail("E310", "the depth must be a number", value.span, remedy)
    if not literal.value.is_integer():
        fail("E310", "the depth must be a whole number", value.span, "for example depth = 2")
    return sign * int(literal.value)


def drawn(text: str, span: Span) -> list[int]:
    """The nodes of a tree drawn with brackets: `.` is a leaf, `(left right)` a branch.

    Raises TreemipError (E310).
    """
    heaps: list[int] = []
    rest = _read(text, 0, 1, heaps, span)
    if text[rest:].strip():
        _badly_drawn(f"the tree ends before '{text[rest:].strip()}'", span)
    if len(heaps) == 1:
        _badly_drawn("a tree has at least one branch", span)
    return sorted(heaps)


def _read(text: str, at: int, heap: int, heaps: list[int], span: Span) -> int:
    at = _skip(text, at)
    if heap.bit_length() > DEEPEST_SHAPE:
        _badly_drawn(f"the tree is deeper than {DEEPEST_SHAPE} levels", span)
    heaps.append(heap)
    if text[at : at + 1] == ".":
        return at + 1
    if text[at : at + 1] != "(":
        stands = f"'{text[at]}'" if at < len(text) else "the end"
        message = f"expected '.' or '(' at character {at + 1}, but there is {stands}"
        _badly_drawn(message, span)
    at = _read(text, at + 1, 2 * heap, heaps, span)
    at = _skip(text, _read(text, at, 2 * heap + 1, heaps, span))
    if text[at : at + 1] != ")":
        _badly_drawn(f"expected ')' at character {at + 1}: a branch has two children", span)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _badly_drawn(message: str, span: Span) -> NoReturn:
    remedy = 'draw a leaf as . and a branch as (left right), such as "((. .) .)"'
    fail("E310", message, span, remedy)
