"""A slow second reading of typed expressions: loops over tuples, polynomials as dicts.

Shares nothing with the room lower but the typed tree and the tables of the data; trees are walked
by their children alone. A polynomial is {(): constant, (column,): a, (column, column): q}, a
column being ("name", id, ...) for a variable and ("abs" | "max" | "min" | "norminf", arguments)
for a piecewise expression.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from treemip.core.instance.instance import Instance
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import SEPARATED
from treemip.core.resolve.sorts import Element, Sort
from treemip.core.resolve.spec import Constraint, Guard
from treemip.core.resolve.typed import Role, Symbol, TypedDomain

Poly = dict[tuple, float]
Env = dict[str, object]


def plain(value: object) -> Poly:
    return value if isinstance(value, dict) else {(): float(value)}  # type: ignore[arg-type]


def known(value: object) -> float:
    if isinstance(value, dict):
        assert set(clean(value)) <= {()}
    return value.get((), 0.0) if isinstance(value, dict) else value  # type: ignore[return-value]


def add(a: Poly, b: Poly, factor: float = 1.0) -> Poly:
    found = dict(a)
    for key, value in b.items():
        found[key] = found.get(key, 0.0) + factor * value
    return found


def times(a: Poly, b: Poly) -> Poly:
    found: Poly = {}
    for k, v in a.items():
        for key, value in b.items():
            both = tuple(sorted(k + key, key=repr))
            found[both] = found.get(both, 0.0) + v * value
    return found


def clean(poly: Poly) -> Poly:
    return {k: v for k, v in poly.items() if abs(v) > 1e-12}


def frozen(poly: Poly) -> tuple:
    """A polynomial as part of a column's name, rounded so that the order of sums is no matter."""
    return tuple(sorted(((k, round(v, 7)) for k, v in clean(poly).items()), key=repr))


class Reference:
    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.domains: dict[int, list[tuple]] = {}

    # ------------------------------------------------------------------ expressions

    def value(self, e: t.Typed, env: Env) -> object:
        """A polynomial, an element's id, a truth value."""
        return getattr(self, "at_" + type(e).__name__.lower())(e, env)

    def at_const(self, e: t.Const, env: Env) -> object:
        return float(e.value)

    def at_literal(self, e: t.Literal, env: Env) -> object:
        return self.instance.names(e.element).index(e.text)

    def at_bound(self, e: t.Bound, env: Env) -> object:
        return env[e.name]

    def at_negation(self, e: t.Negation, env: Env) -> object:
        return times({(): -1.0}, plain(self.value(e.operand, env)))

    def at_arithmetic(self, e: t.Arithmetic, env: Env) -> object:
        left, right = plain(self.value(e.left, env)), plain(self.value(e.right, env))
        if e.op in "+-":
            return add(left, right, 1.0 if e.op == "+" else -1.0)
        if e.op == "*":
            return times(left, right)
        if e.op == "/":
            return times(left, {(): 1.0 / known(right)})
        power = known(right)
        if set(left) <= {()}:
            return {(): known(left) ** power}
        assert power in (1, 2)
        return left if power == 1 else times(left, left)

    def at_choice(self, e: t.Choice, env: Env) -> object:
        return self.value(e.then if self.value(e.condition, env) else e.otherwise, env)

    def at_comparison(self, e: t.Comparison, env: Env) -> object:
        a, b = known(self.value(e.left, env)), known(self.value(e.right, env))
        tests = {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
        return tests[e.op]

    def at_logic(self, e: t.Logic, env: Env) -> object:
        parts = (self.value(o, env) for o in e.operands)
        if e.op == "not":
            return not next(parts)
        return any(parts) if e.op == "or" else all(parts)

    def at_member(self, e: t.Member, env: Env) -> object:
        return (self.value(e.item, env) in self.value(e.set, env)) != e.negated  # type: ignore[operator]

    def at_reduction(self, e: t.Reduction, env: Env) -> object:
        inner = [(b, self.value(e.body, b)) for b in self.bindings(e.binders, e.guard, env)]
        if e.op in ("argmax", "argmin"):
            sign = 1 if e.op == "argmin" else -1
            best = min(inner, key=lambda pair: sign * known(pair[1]))
            return best[0][e.binders[0].name]
        parts = [plain(value) for _, value in inner]
        if e.op == "sum":
            total: Poly = {}
            for part in parts:
                total = add(total, part)
            return total
        if e.op == "prod":
            return {(): math.prod(known(p) for p in parts)}
        return self.piecewise(e.op, parts)

    def piecewise(self, op: str, parts: list[Poly]) -> Poly:
        if all(set(clean(p)) <= {()} for p in parts):
            numbers = [known(p) for p in parts]
            empty = {"max": -math.inf, "min": math.inf, "norminf": 0.0}
            if not numbers:
                return {(): empty[op]}
            if op in ("abs", "norminf"):
                return {(): max(map(abs, numbers))}
            return {(): max(numbers) if op == "max" else min(numbers)}
        return {((op, tuple(frozen(p) for p in parts)),): 1.0}

    # --------------------------------------------------------------------- domains

    def bindings(
        self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...], env: Env
    ) -> Iterator[Env]:
        if not all(self.value(g, env) for g in guard):
            return
        if not binders:
            yield env
            return
        first, *rest = binders
        for item in self.value(first.set, env):  # type: ignore[attr-defined]
            inner = {**env, first.name: item}
            if all(self.value(c, inner) for c in first.conditions):
                yield from self.bindings(tuple(rest), (), inner)

    def domain(self, domain: TypedDomain) -> list[tuple]:
        """All index tuples, in order."""
        if id(domain) not in self.domains:
            found = self.bindings(domain.binders, domain.guard, {})
            self.domains[id(domain)] = [tuple(env[n] for n in domain.names) for env in found]
        return self.domains[id(domain)]

    def at_comprehension(self, e: t.Comprehension, env: Env) -> object:
        return [b[e.binder.name] for b in self.bindings((e.binder,), e.guard, env)]

    def at_rangeset(self, e: t.RangeSet, env: Env) -> object:
        low, high = (known(self.value(part, env)) for part in (e.lower, e.upper))
        return [float(k) for k in range(math.ceil(low), math.floor(high) + 1)]

    def at_localset(self, e: t.LocalSet, env: Env) -> object:
        return env["local " + e.name]

    def at_baseset(self, e: t.BaseSet, env: Env) -> object:
        instance = self.instance
        table, forest = instance.table, instance.topology
        if e.name in SEPARATED:
            return []  # before a solve
        if e.name == "points":
            return list(range(len(table.y)))
        if e.name in ("features", "classes"):
            return list(range(len(getattr(table, e.name))))
        if e.name == "categorical_features":
            return list(range(len(table.categorical)))
        assert forest is not None
        nodes, branch = range(forest.size), [c >= 0 for c in forest.left]
        if e.name == "nodes":
            return list(nodes)
        if e.name in ("branches", "leaves"):
            return [n for n in nodes if branch[n] == (e.name == "branches")]
        if e.name == "last_branches":
            return [
                n
                for n in nodes
                if branch[n] and not any(map(branch.__getitem__, self.children(forest, n)))
            ]
        side = forest.left if e.name == "left_children" else forest.right
        return sorted(int(c) for c in side if c >= 0)

    # ------------------------------------------------------------- declared things

    def at_at(self, e: t.At, env: Env) -> object:
        arguments = tuple(self.value(a, env) for a in e.arguments)
        return self.declared(e.symbol, arguments)

    def declared(self, symbol: Symbol, arguments: tuple) -> object:
        if symbol.parameters:
            return self.value(symbol.value, dict(zip(symbol.parameters, arguments, strict=True)))  # type: ignore[arg-type]
        if symbol.role is Role.DATA:
            return self.data(symbol.name, arguments)
        at = tuple(known(a) for a in arguments)
        if symbol.domain.binders and at not in self.domain(symbol.domain):
            assert symbol.extension is not None, (symbol, at)
            symbol = symbol.extension
        if symbol.role is Role.VARIABLE:
            return {((symbol.name, *at),): 1.0}
        assert symbol.value is not None
        return self.value(symbol.value, dict(zip(symbol.domain.names, at, strict=True)))

    def data(self, name: str, at: tuple) -> object:
        table = self.instance.table
        if name == "x":
            return {(): float(table.x[at])}
        if name == "weight":
            return {(): float(table.weight[at])}
        if name == "class_count":
            return {(): float(sum(k == at[0] for k in table.y))}
        if name == "category":
            point, column = at
            codes = list(table.categorical.values())[column][0]
            return self.categories(column)[int(codes[point])]
        return int((table.y if name == "y" else table.groups[name][0])[at])

    # -------------------------------------------------------------------- functions

    def at_call(self, e: t.Call, env: Env) -> object:
        name = e.function
        if name in ("abs", "max", "min"):
            return self.piecewise(name, [plain(self.value(a, env)) for a in e.arguments])
        if name == "root":
            return 0
        if name in ("positive", "negative"):
            named = self.instance.data.positive  # type: ignore[union-attr]
            positive = 1 if named is None else named
            return positive if name == "positive" else 1 - positive
        if name in ("inner", "max_depth"):
            return self.of_tree(name, e.arguments[0], env)
        if name == "sorted":
            table = e.arguments[0]
            assert isinstance(table, t.At) and table.symbol.name == "class_count"
            counts = sorted(known(self.data("class_count", (k,))) for k in self.classes())
            return {(): counts[int(known(self.value(e.arguments[1], env))) - 1]}
        argument = self.value(e.arguments[0], env)
        if name == "card":
            return {(): float(len(argument))}  # type: ignore[arg-type]
        if name == "ord":
            return {(): argument + 1.0}  # type: ignore[operator]
        if name == "categories":
            assert isinstance(argument, int)
            return self.categories(argument)
        if name in ("thresholds", "least_gap"):
            column = sorted(set(self.instance.table.x[:, argument].tolist()))
            if name == "thresholds":
                return [a + (b - a) / 2 for a, b in pairwise(column)]
            gaps = [b - a for a, b in pairwise(column) if b - a > 1e-5]
            return {(): min(gaps, default=1.0)}
        if name in ("round", "floor", "ceil"):
            return {
                (): float(
                    {"round": round, "floor": math.floor, "ceil": math.ceil}[name](known(argument))
                )
            }
        if name == "level":
            nodes = range(self.instance.topology.size)  # type: ignore[union-attr]
            return [n for n in nodes if self.depth("node", n) == known(argument) - 1]
        return self.of_node(name, e.arguments[0].sort, argument)

    def categories(self, column: int) -> list[int]:
        """Numbers that run through all kept columns."""
        counts = [len(names) for _, names in self.instance.table.categorical.values()]
        return list(range(sum(counts[:column]), sum(counts[: column + 1])))

    def classes(self) -> range:
        return range(len(self.instance.table.classes))

    def of_tree(self, name: str, tree: t.Typed, env: Env) -> object:
        assert isinstance(tree, t.At)
        forest = self.instance.trees[tree.symbol.name]
        inner = [n for n in range(forest.size) if forest.left[n] >= 0]
        if tree.arguments or not tree.symbol.domain.binders:
            at = tuple(known(self.value(a, env)) for a in tree.arguments)
            family = self.domain(tree.symbol.domain).index(at) if at else 0
            inner = [n for n in inner if forest.family[n] == family]
        if name == "inner":
            return inner
        sort = "tree:" + tree.symbol.name
        return {(): float(max((self.depth(sort, n) for n in inner), default=-1))}

    def forest(self, sort: str):  # type: ignore[no-untyped-def]
        return self.instance.topology if sort == "node" else self.instance.trees[sort[5:]]

    @staticmethod
    def children(forest, node: int) -> list[int]:  # type: ignore[no-untyped-def]
        return [int(c[node]) for c in (forest.left, forest.right) if c[node] >= 0]

    def above(self, sort: str, node: int) -> list[tuple[int, str]]:
        """Ancestors from the root down with the side that leads to the node."""
        forest, found = self.forest(sort), []
        while True:
            ups = [p for p in range(forest.size) if node in self.children(forest, p)]
            if not ups:
                return found[::-1]
            found.append((ups[0], "left" if forest.left[ups[0]] == node else "right"))
            node = ups[0]

    def depth(self, sort: str, node: int) -> int:
        return len(self.above(sort, node))

    def under(self, sort: str, node: int) -> list[int]:
        """The node and all below it, from left to right."""
        forest = self.forest(sort)
        return [node, *(n for c in self.children(forest, node) for n in self.under(sort, c))]

    def of_node(self, name: str, of: Sort, node: object) -> object:
        assert isinstance(of, Element) and isinstance(node, int)
        sort, forest = of.of, self.forest(of.of)
        if name == "depth":
            return {(): float(self.depth(sort, node))}
        if name in ("left", "right"):
            return int(getattr(forest, name)[node])
        if name == "parent":
            return self.above(sort, node)[-1][0]
        if name.endswith("ancestors"):
            side = name.removesuffix("ancestors").removesuffix("_")
            return [n for n, s in self.above(sort, node) if side in ("", s)]
        if name in ("leaves_under", "last_branches_under"):
            leaf = name == "leaves_under"
            return [n for n in self.under(sort, node) if self.is_wanted(forest, n, leaf)]
        return {(): float(forest.values[name][node])}

    def is_wanted(self, forest, node: int, leaf: bool) -> bool:  # type: ignore[no-untyped-def]
        below = self.children(forest, node)
        if leaf:
            return not below
        return bool(below) and not any(self.children(forest, c) for c in below)


def rows_of(constraint: Constraint, reference: Reference) -> Iterator[tuple[str, tuple, list]]:
    """(suffix, index, [polynomial, low, high, guard]) of every row, in order."""
    relation = constraint.relation
    pairs = [("", relation.left, relation.op, relation.right)]
    between = relation.right2 is not None
    outer_known = between and not (relation.left.degree or relation.right2.degree)  # type: ignore[union-attr]
    if between:
        pairs = [
            ("_first", relation.left, relation.op, relation.right),
            ("_second", relation.right, relation.op2, relation.right2),
        ]
    domain = constraint.domain
    made: dict[str, list] = {}
    for bound in reference.bindings(domain.binders, domain.guard, {}):
        env = bound
        for name, found in constraint.local_sets:
            env = env | {"local " + name: reference.value(found, env)}
        guard = None
        if constraint.guards:
            guard = joined([guard_of(one, reference, env) for one in constraint.guards])
        at = tuple(env[n] for n in domain.names)
        bodies = []
        for suffix, left, op, right in pairs:
            body = add(plain(reference.value(left, env)), plain(reference.value(right, env)), -1.0)
            bodies.append((suffix, body, op))
        if outer_known:
            low, high = (known(reference.value(x, env)) for x in (relation.left, relation.right2))  # type: ignore[arg-type]
            body = plain(reference.value(relation.right, env))
            low, high = (low, high) if relation.op == "<=" else (high, low)
            made.setdefault("", []).append((at, row(body, low, high, guard)))
            continue
        for suffix, body, op in bodies:
            low = 0.0 if op in (">=", "=") else -math.inf
            high = 0.0 if op in ("<=", "=") else math.inf
            made.setdefault(suffix, []).append((at, row(body, low, high, guard)))
    for suffix, rows in made.items():
        for at, one in rows:
            yield suffix, at, one


def guard_of(guard: Guard, reference: Reference, env: Env) -> tuple[Poly, float]:
    value = known(reference.value(guard.value, env))
    return clean(plain(reference.value(guard.left, env))), value


def joined(guards: list[tuple[Poly, float]]) -> tuple[Poly, float]:
    """One guard; several as the number of those that hold, less all but one of them."""
    if len(guards) == 1:
        return guards[0]
    total: Poly = {(): 1.0 - len(guards)}
    for guard, value in guards:
        total = add(total, {(): 1.0 - value})
        total = add(total, guard, 2 * value - 1)
    return clean(total), 1.0


def row(body: Poly, low: float, high: float, guard: object) -> list:
    constant = body.get((), 0.0)
    body = clean({k: v for k, v in body.items() if k})
    return [body, low - constant, high - constant, guard]
