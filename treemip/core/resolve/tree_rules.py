"""The rules by which a solution is a tree: where a point goes, what a leaf predicts.

`side[t,c,category[i,c]]` is one entry of a table where the point is known. To read a split out of a
solution the point is left free. The entry is then the sum over v in categories(c) of side[t,c,v]
times an indicator of the point's category v: affine in the indicators, as x is in the features
(`over_categories`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from treemip.core.resolve import typed as t
from treemip.core.resolve.link import Scope
from treemip.core.resolve.names import vector
from treemip.core.resolve.resolver import Resolver
from treemip.core.resolve.sorts import (
    CATEGORY,
    CLASS,
    NODE,
    NUMBER,
    POINT,
    Element,
    SetOf,
    Sort,
    is_group,
    is_listed,
)
from treemip.core.resolve.spec import PredictSpec, RouteSpec
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.source.diagnostic import Fault
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import mark_span

# Names that the rules bind themselves: the point, the branch and the leaf.
POINT_NAME, BRANCH_NAME, LEAF_NAME = "i", "t", "l"

DEFAULT_RULE = "<default>"  # the source of a `predict` that nobody wrote

CLASS_NAME = "*class"  # what the `*` of a distribution ranges over

CATEGORY_NAME = "*category"  # no text can bind it

INDICATOR = Symbol(CATEGORY_NAME, Role.DATA, (POINT, CATEGORY), NUMBER)


@dataclass(frozen=True)
class _OfPoint:
    """The names that mean the rule's point, and how a message names the rule: `subject`, with an
    `affine` form of it and an `example`."""

    names: frozenset[str]
    subject: str
    affine: str
    example: str

    def inside(self, names: frozenset[str]) -> _OfPoint:
        """The same in a definition whose indices `names` are the point."""
        return replace(self, names=names)


ROUTE = _OfPoint(
    frozenset((POINT_NAME,)),
    "a route",
    "weights, features and a threshold",
    "for example route left when dot(coef[t,*], x[i,*]) <= bias[t];",
)

VALUE = _OfPoint(
    frozenset((POINT_NAME,)),
    "the value of a leaf",
    "a constant, and a coefficient for each feature",
    "for example predict value base[l] + dot(slope[l,*], x[i,*]);",
)


def route(resolver: Resolver, node: n.Route) -> RouteSpec:
    """The rule at branch t for point i; both names are bound by the statement itself."""
    scope = Scope({POINT_NAME: POINT, BRANCH_NAME: NODE})
    if node.probability is not None:
        chance = resolver.number(node.probability, scope)
        _require_logistic(chance, ROUTE)
        return RouteSpec(None, "", None, chance, node.span)
    assert node.left is not None and node.right is not None and node.op is not None
    if node.op not in ("<=", "<", ">=", ">"):
        place = mark_span(node.span, (node.left.span, node.right.span), (node.op,))
        raise Fault("E206", f"a route compares with <=, <, >= or >, not '{node.op}'", place)
    left = resolver.number(node.left, scope)
    right = resolver.number(node.right, scope)
    for side in (left, right):
        _order(side, ROUTE)
    return RouteSpec(left, node.op, right, None, node.span)


def predict(resolver: Resolver, node: n.Predict) -> PredictSpec:
    """What leaf l predicts, of point i where it is a value; the statement binds both names."""
    scope = Scope({LEAF_NAME: NODE})
    if node.kind == "distribution":
        return _distribution(resolver, node, scope)
    if node.kind == "value":
        value = resolver.number(node.value, Scope({LEAF_NAME: NODE, POINT_NAME: POINT}))
        _order(value, VALUE)
        return PredictSpec(node.kind, value, node.span)
    value = resolver.resolve(node.value, scope, CLASS)
    if value.sort != NUMBER and not _is_answered(value.sort):
        expected = "a class, its number, a value of a group or an element of a listed set"
        raise Fault("E204", f"expected {expected}, not {value.sort}", node.value.span)
    if value.sort == NUMBER:
        resolver.linker.require_classes("predict class", node.span)
    over = value.sort if isinstance(value.sort, Element) else CLASS
    return PredictSpec(node.kind, value, node.span, over)


def _is_answered(sort: Sort) -> bool:
    """Whether leaves can answer elements of this sort: classes, values of a group, and elements
    that the text lists."""
    return sort == CLASS or is_group(sort) or is_listed(sort)


def _distribution(resolver: Resolver, node: n.Predict, scope: Scope) -> PredictSpec:
    """A distribution: a vector with the probability of each element that leaves can answer."""
    needed = "a distribution is a vector over the classes"
    value, over = vector(resolver, node.value, CLASS_NAME, needed, scope, "label[l,*]")
    element = over.sort.element if isinstance(over.sort, SetOf) else over.sort
    if not isinstance(element, Element) or not _is_answered(element):
        raise Fault("E204", f"{needed}, but this one is over {over.sort}", node.value.span)
    return PredictSpec(node.kind, value, node.span, element)


def _require_logistic(e: t.Typed, point: _OfPoint) -> None:
    """A Fault unless e is logistic(…) of what is affine in the features of the point."""
    if isinstance(e, t.At) and e.symbol.role in (Role.LET, Role.TERM) and e.symbol.value:
        names = e.symbol.domain.names or e.symbol.parameters
        pairs = zip(names, e.arguments, strict=True)
        inner = frozenset(n for n, a in pairs if isinstance(a, t.Bound) and a.name in point.names)
        _require_logistic(e.symbol.value, point.inside(inner))
        return
    if isinstance(e, t.Call) and e.function == "logistic" and _order(e.arguments[0], point) == 1:
        return
    message = (
        "the probability of going left is logistic(…) of what is affine in the point's features"
    )
    remedy = "for example route left with probability logistic(dot(coef[t,*], x[i,*]) - bias[t]);"
    raise Fault("E206", message, e.span, remedy)


def _order(e: t.Typed, point: _OfPoint) -> int:
    """1 if e is linear in the point's features, 0 if it does not depend on them, else a Fault.

    A new row has features and nothing else, so the point may stand in x[i,j] and, as an index, in
    category[i,c] only; and a split has weights and a threshold, so it is affine, and so is the
    value of a leaf. What is indexed by a category counts as a sum of weights over the categories,
    one of which is the point's.
    """
    if isinstance(e, t.At):
        return _order_of_table(e, point)
    if isinstance(e, t.Negation):
        return _order(e.operand, point)
    if isinstance(e, t.Arithmetic):
        left, right = _order(e.left, point), _order(e.right, point)
        if e.op in "+-":
            return max(left, right)
        if left + right > 1 or (right and e.op == "/") or (left and e.op == "^"):
            raise _not_affine(e, point)
        return left + right
    if isinstance(e, t.Choice):
        _apart(e.condition, point)
        return max(_order(e.then, point), _order(e.otherwise, point))
    if isinstance(e, t.Reduction) and e.op == "sum":
        for part in e.inside[1:]:
            _apart(part, point)
        return _order(e.body, point.inside(point.names - {b.name for b in e.binders}))
    if isinstance(e, t.Bound) and e.name in point.names:
        raise _only_features(e, point)
    for part in e.inside:
        _apart(part, point)
    return 0


def _order_of_table(e: t.At, point: _OfPoint) -> int:
    symbol, arguments = e.symbol, e.arguments
    means_point = [isinstance(a, t.Bound) and a.name in point.names for a in arguments]
    if symbol.role is Role.DATA and symbol.name == "x" and arguments:
        if not means_point[0]:
            raise _only_features(e, point)
        _apart(arguments[1], point)
        return 1
    if symbol.role is Role.DATA and symbol.name == "missing" and any(means_point):
        message = f"{point.subject} cannot ask whether a value is missing"
        remedy = "write  missing side;  in the data block: then each split has a side for them"
        raise Fault("E206", message, e.span, remedy)
    own = [_own_category(argument, point) for argument in arguments]
    for argument, is_point, is_own in zip(arguments, means_point, own, strict=True):
        if not (is_point or is_own):
            _apart(argument, point)
    if any(own):
        if any(means_point) or sum(own) > 1:
            raise _not_affine(e, point)
        return 1
    if symbol.role in (Role.LET, Role.TERM) and symbol.value is not None:
        names = symbol.domain.names or symbol.parameters
        inner = frozenset(n for n, own in zip(names, means_point, strict=True) if own)
        return _order(symbol.value, point.inside(inner))
    if any(means_point):
        raise _only_features(e, point)
    return 0


def _own_category(e: t.Typed, point: _OfPoint) -> bool:
    """Whether e is category[i,c] of the rule's point."""
    return is_category(e) and isinstance(e.parts[0], t.Bound) and e.parts[0].name in point.names


def _apart(e: t.Typed, point: _OfPoint) -> None:
    """An expression that does not depend on the point's features."""
    if _order(e, point):
        raise _not_affine(e, point)


def _not_affine(e: t.Typed, point: _OfPoint) -> Fault:
    message = f"{point.subject} is affine in the features of the point: {point.affine}"
    return Fault("E206", message, e.span, point.example)


def _only_features(e: t.Typed, point: _OfPoint) -> Fault:
    message = f"{point.subject} may use only x[i,j] of the point and, as an index, category[i,c]"
    return Fault("E206", message, e.span, point.example)


# -------------------------------------------------------------------------------------- categories


def is_category(e: t.Typed) -> bool:
    """Whether e is category[i,c] for any point and feature."""
    return isinstance(e, t.At) and e.symbol.role is Role.DATA and e.symbol.name == "category"


def over_categories(e: t.At) -> t.Typed | None:
    """The sum for a table with category[i,c] among its indices; None for any other table."""
    place = next((k for k, argument in enumerate(e.arguments) if is_category(argument)), None)
    if place is None:
        return None
    own = e.arguments[place]
    assert isinstance(own, t.At)
    point, feature = own.arguments
    one = t.Bound(name=CATEGORY_NAME, of=CATEGORY, span=own.span)
    categories = t.Call(
        function="categories", arguments=(feature,), of=SetOf(CATEGORY), span=own.span
    )
    entry = replace(e, arguments=(*e.arguments[:place], one, *e.arguments[place + 1 :]))
    has = t.At(symbol=INDICATOR, arguments=(point, one), span=own.span)
    body = t.Arithmetic(op="*", left=entry, right=has, span=e.span)
    return t.Reduction(
        op="sum", binders=(t.Binder(CATEGORY_NAME, categories),), body=body, span=e.span
    )
