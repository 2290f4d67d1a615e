"""Expressions by form: names bound, sorts and degrees checked, vectors written out as sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import FUNCTION_NAMES
from treemip.core.resolve.calls import call
from treemip.core.resolve.link import Scope
from treemip.core.resolve.names import check_listed, meant, meant_fix, other_set, plain_name
from treemip.core.resolve.resolver import Resolver, as_number, resolve_domain
from treemip.core.resolve.sorts import NUMBER, Element, SetOf, Sort, is_listed, named_by_text
from treemip.core.resolve.typed_sets import Section, Tuples, declared
from treemip.core.source.diagnostic import Fault
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n


def _require_choice(e: t.Reduction) -> None:
    """A Fault for an argmax or argmin in which every element has the same value. A literal number
    asks for the first element."""
    first, *others = e.binders
    name, conditions = first.name, (c for b in e.binders for c in b.conditions)
    depends = (e.body.free, *(c.free for c in conditions), *(b.free for b in others))
    if isinstance(e.body, t.Const) or any(name in free for free in depends):
        return
    message = f"every element has the same value in this {e.op}: it does not depend on '{name}'"
    remedy = f"write an expression with the index {name}"
    raise Fault("E206", message, e.body.span, remedy)


class Expressions(Resolver):
    """Resolves expressions of every form."""

    def resolve(self, node: n.Expr, scope: Scope, expected: Sort | None = None) -> t.Typed:
        return self._FORMS[type(node)](self, node, scope, expected)

    # ------------------------------------------------------------------ leaves

    def _number(self, node: n.Number, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Const(value=node.value, span=node.span)

    def _string(self, node: n.String, scope: Scope, expected: Sort | None) -> t.Typed:
        if named_by_text(expected):
            assert isinstance(expected, Element)
            if is_listed(expected):
                check_listed(self.linker, node, expected)
            else:
                self.linker.require("data", node.value, node.span)
            return t.Literal(text=node.value, element=expected, span=node.span)
        message = f'the text "{node.value}" is not allowed here'
        if expected is not None:
            needed = "a set" if isinstance(expected, SetOf) else expected
            message = f'expected {needed}, not the text "{node.value}"'
        remedy = 'a text names a class, a feature or a group value, as in y[i] = "good"'
        raise Fault("E204", message, node.span, remedy)

    def _all(self, node: n.All, scope: Scope, expected: Sort | None) -> t.Typed:
        message = "'*' stands for a whole vector, which only dot, norm1, norminf and normsq take"
        remedy = "write a sum, such as sum {j in features} coef[t,j]"
        raise Fault("E206", message, node.span, remedy)

    def _name(self, node: n.Name, scope: Scope, expected: Sort | None) -> t.Typed:
        if (
            node.arguments is not None
            and node.name in FUNCTION_NAMES
            and node.name not in scope.bound
            and not self.linker.declares(node.name)
        ):
            return call(self, node, scope)
        return plain_name(self, node, scope, expected)

    def _group(self, node: n.Group, scope: Scope, expected: Sort | None) -> t.Typed:
        return self.resolve(node.inner, scope, expected)

    # -------------------------------------------------------------- arithmetic

    def _negative(self, node: n.Negative, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Negation(operand=self.number(node.operand, scope), span=node.span)

    def _binary(self, node: n.Binary, scope: Scope, expected: Sort | None) -> t.Typed:
        left, right = self.number(node.left, scope), self.number(node.right, scope)
        return t.Arithmetic(op=node.op, left=left, right=right, span=node.span)

    def _choice(self, node: n.Choice, scope: Scope, expected: Sort | None) -> t.Typed:
        condition = self.condition(node.condition, scope)
        then = self.resolve(node.then, scope, expected)
        otherwise = self.resolve(node.otherwise, scope, expected)
        if then.sort != otherwise.sort:
            message = f"'then' is {then.sort} but 'else' is {otherwise.sort}"
            raise Fault("E204", message, node.otherwise.span)
        return t.Choice(condition=condition, then=then, otherwise=otherwise, span=node.span)

    def _reduction(self, node: n.Reduction, scope: Scope, expected: Sort | None) -> t.Typed:
        domain, inner = resolve_domain(self, node.domain, scope)
        if not domain.binders:
            raise Fault("E206", f"'{node.op}' needs something to range over", node.domain.span)
        body = self.number(node.body, inner)
        typed = t.Reduction(
            op=node.op, binders=domain.binders, guard=domain.guard, body=body, span=node.span
        )
        if node.op in ("argmax", "argmin"):
            _require_choice(typed)
        return typed

    # -------------------------------------------------------------------- sets

    def _comprehension(self, node: n.Comprehension, scope: Scope, expected: Sort | None) -> t.Typed:
        # card({i in points : …}) inside sum {i in points} … means its own i
        for name in (name for binder in node.domain.binders for name in binder.names):
            scope = scope.without(name)
        domain, _ = resolve_domain(self, node.domain, scope)
        if not domain.binders:
            message = "a set used as a value needs an index, as in {i in points : y[i] = k}"
            raise Fault("E206", message, node.span)
        if len(domain.binders) > 1:
            return Tuples(binders=domain.binders, guard=domain.guard, span=node.span)
        return t.Comprehension(binder=domain.binders[0], guard=domain.guard, span=node.span)

    def _texts(self, node: n.Texts, scope: Scope, expected: Sort | None) -> t.Typed:
        message = "a list of texts is not a set here: nothing says what its texts name"
        remedy = (
            'write  {j in features : j in {"age", "bmi"}}  for some of the features, or give a set '
            'of its own a name: set treatments = {"a", "b"};'
        )
        raise Fault("E206", message, node.span, remedy)

    def _tuple(self, node: n.Tuple, scope: Scope, expected: Sort | None) -> t.Typed:
        raise Fault("E206", "a tuple can only be asked for in a set: (i, k) in pairs", node.span)

    def _range(self, node: n.Range, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.RangeSet(
            lower=self.number(node.lower, scope),
            upper=self.number(node.upper, scope),
            span=node.span,
        )

    # -------------------------------------------------------------- conditions

    def _comparison(self, node: n.Comparison, scope: Scope, expected: Sort | None) -> t.Typed:
        first = self._compare(node.left, node.op, node.right, node.span, scope)
        if node.op2 is None or node.right2 is None:
            return first
        second = self._compare(node.right, node.op2, node.right2, node.span, scope)
        return t.Logic(op="and", operands=(first, second), span=node.span)

    def _compare(self, left: n.Expr, op: str, right: n.Expr, span: Span, scope: Scope) -> t.Typed:
        if isinstance(left, n.String) and not isinstance(right, n.String):
            b = self.resolve(right, scope)
            a = self.resolve(left, scope, b.sort)
        else:
            a = self.resolve(left, scope)
            b = self.resolve(right, scope, a.sort)
        if a.sort != b.sort:
            remedy = meant(left, b.sort) or meant(right, a.sort) or other_set(a.sort, b.sort)
            remedy = remedy or as_number(a, b)
            fix = meant_fix(left, b.sort) or meant_fix(right, a.sort)
            raise Fault("E204", f"{a.sort} is compared with {b.sort}", span, remedy, fix=fix)
        if a.sort != NUMBER and op not in ("=", "!="):
            raise Fault("E204", f"'{op}' compares numbers, not {a.sort}", span, "use = or !=")
        return t.Comparison(op=op, left=a, right=b, span=span)

    def _member(self, node: n.Member, scope: Scope, expected: Sort | None) -> t.Typed:
        if isinstance(node.set, n.Texts):
            return self._among(node, node.set, scope)
        if isinstance(node.item, n.Tuple):
            return self._member_tuple(node, node.item, scope)
        members = self.set(node.set, scope)
        item = self._item(node.item, members, scope)
        return t.Member(item=item, set=members, negated=node.negated, span=node.span)

    def _item(self, node: n.Expr, members: t.Typed, scope: Scope) -> t.Typed:
        """The item that is looked up in a set, with the sort of the set's elements."""
        assert isinstance(members.sort, SetOf)
        wanted = members.sort.element
        item = self.resolve(node, scope, wanted)
        if item.sort != wanted:
            remedy = meant(node, wanted) or other_set(item.sort, wanted)
            message, fix = f"{item.sort} cannot be in {members.sort}", meant_fix(node, wanted)
            raise Fault("E204", message, node.span, remedy, fix=fix)
        return item

    def _member_tuple(self, node: n.Member, item: n.Tuple, scope: Scope) -> t.Typed:
        """`(i, k) in pairs`: whether k continues i in the set."""
        tuples = declared(self.any_set(node.set, scope), len(item.parts), node.span)
        prefix: tuple[t.Typed, ...] = ()
        for part in item.parts[:-1]:
            section = Section(tuples=tuples, prefix=prefix, span=node.set.span)
            prefix = (*prefix, self._item(part, section, scope))
        section = Section(tuples=tuples, prefix=prefix, span=node.set.span)
        last = self._item(item.parts[-1], section, scope)
        return t.Member(item=last, set=section, negated=node.negated, span=node.span)

    def _among(self, node: n.Member, texts: n.Texts, scope: Scope) -> t.Typed:
        """`j in {"age", "bmi"}`: whether it is one of those that the texts name."""
        item = self.resolve(node.item, scope)
        tests = tuple(
            t.Comparison(
                op="!=" if node.negated else "=",
                left=item,
                right=self.resolve(text, scope, item.sort),
                span=node.span,
            )
            for text in texts.texts
        )
        if len(tests) == 1:
            return tests[0]
        return t.Logic(op="and" if node.negated else "or", operands=tests, span=node.span)

    def _all_of(self, node: n.AllOf, scope: Scope, expected: Sort | None) -> t.Typed:
        parts = tuple(self.condition(p, scope) for p in node.parts)
        return t.Logic(op="and", operands=parts, span=node.span)

    def _any_of(self, node: n.AnyOf, scope: Scope, expected: Sort | None) -> t.Typed:
        parts = tuple(self.condition(p, scope) for p in node.parts)
        return t.Logic(op="or", operands=parts, span=node.span)

    def _negated(self, node: n.Negated, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Logic(op="not", operands=(self.condition(node.operand, scope),), span=node.span)

    _FORMS: ClassVar[dict[type, Callable[..., t.Typed]]] = {
        n.Number: _number,
        n.String: _string,
        n.All: _all,
        n.Name: _name,
        n.Group: _group,
        n.Negative: _negative,
        n.Binary: _binary,
        n.Choice: _choice,
        n.Reduction: _reduction,
        n.Comprehension: _comprehension,
        n.Texts: _texts,
        n.Tuple: _tuple,
        n.Range: _range,
        n.Comparison: _comparison,
        n.Member: _member,
        n.AllOf: _all_of,
        n.AnyOf: _any_of,
        n.Negated: _negated,
    }
