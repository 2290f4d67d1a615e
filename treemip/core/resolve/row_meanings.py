"""What a variable means where the spec's rows say it.

`count[l] = …` for each l says what `count` is in every solution. `worst >= errors[g]` for each g,
where `worst` is in no other row and has a price in the objective, says that it is their greatest:
no tree has a better value with another. A variable that should be as large as rows from above allow
is the least of these. Neither needs a `means` clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treemip.core.resolve import typed as t
from treemip.core.resolve.circles import closure, definition, rests_on, symbols_in
from treemip.core.resolve.constants import Constants
from treemip.core.resolve.other_names import sets_of
from treemip.core.resolve.sorts import NUMBER
from treemip.core.resolve.spec import Constraint, ObjectiveSpec
from treemip.core.resolve.typed import Role, Symbol, TypedDomain
from treemip.core.source.diagnostic import Fault


def read_off_rows(
    variables: Iterable[Symbol],
    rows: Iterable[Constraint],
    objective: ObjectiveSpec | None,
    of_tree: Iterable[t.Typed],
) -> None:
    """Give variables without a meaning the one that rows imply.

    of_tree: what the route and `predict` read. The variables in it are the tree itself; what a
    meaning rests on must be these, or have a meaning.
    """
    read = closure((s for e in of_tree for s in symbols_in(e)), definition)
    tree = {s for s in read if s.role is Role.VARIABLE}
    unsaid = [v for v in variables if v.means is None and v not in tree]
    families, found = list(rows), True
    while found:  # one may be said by way of another
        found = False
        for variable in [v for v in unsaid if v.means is None]:
            meaning = _equal(variable, families) or _extreme(variable, families, objective)
            if meaning is not None and _is_known(meaning, variable, tree):
                variable.means, found = meaning, True


def _equal(variable: Symbol, rows: list[Constraint]) -> Symbol | None:
    """By a row `v[i] = …` for each of its indices."""
    for row in rows:
        for own, other in _sides(row, variable, "="):
            if len(own.arguments) == len(row.domain.binders):
                return _meaning(variable, row.domain, own, other)
    return None


def _extreme(
    variable: Symbol, rows: list[Constraint], objective: ObjectiveSpec | None
) -> Symbol | None:
    """The greatest of what is below, by rows `v[i] >= …` alone, where less of it is better; or the
    least of what is above, by rows `v[i] <= …`, where more is; and any number will do."""
    about = [row for row in rows if _speaks_of(row.sides, variable)]
    several = len(about) != 1 and variable.domain.binders
    if not about or several or any(op == "=" for op, _ in variable.bounds):
        return None
    if objective is None or objective.then or variable.kind != "continuous":
        return None
    sign = 1.0 if objective.sense == "minimize" else -1.0
    price = _price(objective.value, variable)
    if price is None:
        return None
    above = sign * price < 0 or (price == 0 and any(_sides(about[0], variable, "<=")))
    way, function = ("<=", "min") if above else (">=", "max")
    values = [limit for op, limit in variable.bounds if op == way]
    if any(limit.free for limit in values):
        return None
    for row in about:
        below = list(_sides(row, variable, way))
        if len(below) != 1 or _speaks_of([below[0][1]], variable):
            return None
        own, other = below[0]
        rest = tuple(b for b in row.domain.binders if b.name not in own.free)
        if rest:
            other = t.Reduction(op=function, binders=rest, body=other, span=other.span)
        values.append(other)
    value = values[0]
    if len(values) > 1:
        value = t.Call(function=function, arguments=tuple(values), of=NUMBER, span=values[-1].span)
    return _meaning(variable, about[0].domain, own, value)


def _sides(row: Constraint, variable: Symbol, op: str) -> Iterator[tuple[t.At, t.Typed]]:
    """The two sides of a row that always holds and has the variable, at each of its indices, alone
    on one side: that side first, which is `op` the other."""
    relation = row.relation
    if row.guards or row.local_sets or relation.op2 is not None:
        return
    turned = {"<=": ">=", ">=": "<=", "=": "="}
    for own, other, way in (
        (relation.left, relation.right, relation.op),
        (relation.right, relation.left, turned[relation.op]),
    ):
        if way != op or not isinstance(own, t.At) or own.symbol is not variable:
            continue
        if _is_each(own, row.domain):
            yield own, other


def _is_each(own: t.At, domain: TypedDomain) -> bool:
    """Whether there is a row for each index of the variable, for any value of the other indices."""
    by_name = {b.name: b for b in domain.binders}
    names = [a.name if isinstance(a, t.Bound) else "" for a in own.arguments]
    if len({*names}) < len(names) or not by_name.keys() >= {*names}:
        return False
    over = TypedDomain(tuple(by_name[name] for name in names))
    sets = sets_of(domain) is not None and sets_of(over)
    alone = all(not b.free for b in domain.binders)
    return alone and sets == sets_of(own.symbol.domain)


def _meaning(variable: Symbol, domain: TypedDomain, own: t.At, value: t.Typed) -> Symbol:
    """The meaning of a variable, by the names that its indices have in a row."""
    by_name = {b.name: b for b in domain.binders}
    names = [a.name for a in own.arguments if isinstance(a, t.Bound)]
    over = TypedDomain(tuple(by_name[name] for name in names))
    meaning = Symbol(variable.name, Role.LET, variable.sorts, domain=over, span=value.span)
    meaning.value, meaning.degree, meaning.sort = value, value.degree, value.sort
    return meaning


def _is_known(meaning: Symbol, variable: Symbol, tree: set[Symbol]) -> bool:
    """Whether a tree determines a meaning: it depends on no variable without one, nor on itself."""
    behind = closure(symbols_in(meaning.value), lambda s: () if s in tree else rests_on(s))
    unsaid = (s for s in behind - tree if s.role is Role.VARIABLE and s.means is None)
    return variable not in behind and not any(unsaid)


def _speaks_of(expressions: Iterable[t.Typed], variable: Symbol) -> bool:
    return any(variable in closure(symbols_in(e), definition) for e in expressions)


def _price(e: t.Typed, variable: Symbol) -> float | None:
    """A number with the sign of the variable's coefficients in an expression, 0 without any.

    None if their signs differ or the text alone does not determine them.
    """
    if not _speaks_of([e], variable):
        return 0.0
    match e:
        case t.At() if e.symbol is variable:
            return 1.0
        case t.At() if e.symbol.value is not None and not e.symbol.parameters:
            return _price(e.symbol.value, variable)
        case t.Negation():
            price = _price(e.operand, variable)
            return None if price is None else -price
        case t.Reduction(op="sum"):
            return _price(e.body, variable)
        case t.Arithmetic(op="+" | "-"):
            left, right = _price(e.left, variable), _price(e.right, variable)
            if left is None or right is None:
                return None
            right = right if e.op == "+" else -right
            return None if left * right < 0 else left + right
        case t.Arithmetic(op="*" | "/"):
            times, rest = (e.right, e.left) if _speaks_of([e.left], variable) else (e.left, e.right)
            number, price = _number(times), _price(rest, variable)
            if number is None or price is None or (e.op == "/" and rest is e.right):
                return None
            return price * (number if e.op == "*" or number == 0 else 1 / number)
    return None


def _number(e: t.Typed) -> float | None:
    """The value of an expression, where the text alone says it."""
    try:
        value = Constants().value(e)
    except Fault:
        return None
    return None if value is None else float(value)
