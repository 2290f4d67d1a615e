"""Typed expressions as Python over indexed sets, the same text for every target.

Variables are looked up (`reach[i, l]`), definitions are called (`total(l)`), products of variables
go through `times`, and abs, max and min of variables through a function of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from treemip.model.text import number
from treemip.resolve import typed as t
from treemip.resolve.sorts import Degree, Element, Number, Sort
from treemip.resolve.symbols import Role, Symbol
from treemip.scripts.known import Known
from treemip.scripts.names import Names
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span

CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
RELATIONS = {"=": "==", "!=": "!=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}
LETTERS = {"point": "i", "feature": "j", "class": "k", "node": "t"}
TREE_SETS = ("ancestors", "left_ancestors", "right_ancestors", "leaves_under")
OF_ONE_ELEMENT = {
    *("left", "right", "parent", "depth", "ord", "mid", "lo", "hi", "next", "least_gap"),
    *(*TREE_SETS, "last_branches_under", "thresholds", "class_thresholds", "categories"),
}
IN_PYTHON = {
    "abs": "abs({})",
    "round": "round({})",
    "exp": "math.exp({})",
    "log": "math.log({})",
    "sqrt": "math.sqrt({})",
    "floor": "math.floor({})",
    "ceil": "math.ceil({})",
    "logistic": "logistic({})",
}


@dataclass(frozen=True)
class Auxiliary:
    """abs, max, min or norminf of variables, as the function `name` of its free indices."""

    name: str
    expression: t.Call | t.Reduction
    parameters: tuple[str, ...]


class Expressions:
    """Writes expressions and keeps what it mentioned: symbols to define, data to export."""

    def __init__(self, known: Known, names: Names) -> None:
        self.known, self.names = known, names
        self.symbols: dict[Symbol, None] = {}
        self.auxiliaries: dict[tuple[Span, str], Auxiliary] = {}
        self.loads: dict[str, str] = {}  # names of data, and how each is read
        self.notes: dict[str, str] = {}
        self.scope: dict[str, tuple[str, t.Binder | None]] = {}

    # ------------------------------------------------------------------- scopes

    @contextmanager
    def binding(self) -> Iterator[None]:
        """What is bound inside is forgotten after."""
        before = dict(self.scope)
        try:
            yield
        finally:
            self.scope = before

    def bind(self, name: str, sort: Sort | None = None, binder: t.Binder | None = None) -> str:
        """A bound name as the script has it; `*` becomes a letter."""
        wish = name
        if name.startswith("*"):
            of = sort.of if isinstance(sort, Element) else ""
            wish = LETTERS.get(of, "v")
        own = {said for key, (said, _) in self.scope.items() if key != name}
        said = self.names.bound(wish, own)
        self.scope[name] = said, binder
        return said

    def clauses(self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...]) -> list[str]:
        """`for i in points`, `if …`; what is bound stays so until the scope ends."""
        said = []
        for k, b in enumerate(binders):
            over = self.text(b.set, OR)
            said.append(f"for {self.bind(b.name, b.element, b)} in {over}")
            conditions = [*(guard if k == 0 else ()), *b.conditions]
            said += [f"if {self.text(c, OR)}" for c in conditions]
        return said

    # --------------------------------------------------------------- expressions

    def text(self, e: t.Typed, least: int = CHOICE) -> str:
        """The expression, in brackets where it binds less than `least`."""
        said, binds = getattr(self, "_" + type(e).__name__.lower())(e)
        return said if binds >= least else f"({said})"

    def _const(self, e: t.Const) -> tuple[str, int]:
        text = number(e.value)
        if text in ("inf", "-inf"):
            return f"{text.replace('inf', 'infinity')}", ATOM if e.value > 0 else SIGN
        return text, SIGN if text.startswith("-") else ATOM

    def _literal(self, e: t.Literal) -> tuple[str, int]:
        return repr(self.known.element(e)), ATOM

    def _bound(self, e: t.Bound) -> tuple[str, int]:
        return self.scope[e.name][0], ATOM

    def _localset(self, e: t.LocalSet) -> tuple[str, int]:
        return self.scope[e.name][0], ATOM

    def _negation(self, e: t.Negation) -> tuple[str, int]:
        return f"-{self.text(e.operand, SIGN)}", SIGN

    def _arithmetic(self, e: t.Arithmetic) -> tuple[str, int]:
        both = e.left.degree and e.right.degree
        if e.op in "+-":
            right = self.text(e.right, SUM if e.op == "+" else PRODUCT)
            return f"{self.text(e.left, SUM)} {e.op} {right}", SUM
        if e.op == "*" and both:
            return f"times({self.text(e.left)}, {self.text(e.right)})", ATOM
        if e.op in "*/":
            if e.right.degree and e.op == "/":
                raise refused(e, "a quotient of variables")
            return f"{self.text(e.left, PRODUCT)} {e.op} {self.text(e.right, SIGN)}", PRODUCT
        if e.left.degree:
            base = self.text(e.left)
            return f"times({base}, {base})", ATOM
        return f"{self.text(e.left, ATOM)} ** {self.text(e.right, SIGN)}", POWER

    def _choice(self, e: t.Choice) -> tuple[str, int]:
        then, condition = self.text(e.then, OR), self.text(e.condition, OR)
        return f"{then} if {condition} else {self.text(e.otherwise, CHOICE)}", CHOICE

    def _comparison(self, e: t.Comparison) -> tuple[str, int]:
        return (
            f"{self.text(e.left, SUM)} {RELATIONS[e.op]} {self.text(e.right, SUM)}",
            COMPARISON,
        )

    def _member(self, e: t.Member) -> tuple[str, int]:
        sign = "not in" if e.negated else "in"
        return f"{self.text(e.item, SUM)} {sign} {self.text(e.set, SUM)}", COMPARISON

    def _logic(self, e: t.Logic) -> tuple[str, int]:
        if e.op == "not":
            return f"not {self.text(e.operands[0], NOT)}", NOT
        level = AND if e.op == "and" else OR
        return f" {e.op} ".join(self.text(p, level + 1) for p in e.operands), level

    # --------------------------------------------------------------------- sets

    def _baseset(self, e: t.BaseSet) -> tuple[str, int]:
        name = self.names.of(("set", e.name), e.name)
        if name not in self.loads:
            self.known.add_value(name, e)
            self.loads[name] = f'data["{name}"]'
        return name, ATOM

    def _rangeset(self, e: t.RangeSet) -> tuple[str, int]:
        return f"whole({self.text(e.lower)}, {self.text(e.upper)})", ATOM

    def _comprehension(self, e: t.Comprehension) -> tuple[str, int]:
        with self.binding():
            clauses = " ".join(self.clauses((e.binder,), e.guard))
            return f"[{self.scope[e.binder.name][0]} {clauses}]", ATOM

    # ----------------------------------------------------------- declared things

    def _at(self, e: t.At) -> tuple[str, int]:
        s = e.symbol
        arguments = [self.text(a) for a in e.arguments]
        inside = ", ".join(arguments)
        if s.role in (Role.LET, Role.TERM):
            return f"{self.function(s)}({inside})", ATOM
        if s.role is Role.VARIABLE:
            if s.extension is not None and not self._inside(e):
                return f"{self.extended(s)}({inside})", ATOM
            self.symbols[s] = None
            return (f"{self.of(s)}[{inside}]" if inside else self.of(s)), ATOM
        if s.role is Role.DATA:
            return self._loaded(s, inside, self.known.add_data)
        return self._loaded(s, inside, self.known.add_symbol)

    def _loaded(self, s: Symbol, inside: str, add: object) -> tuple[str, int]:
        name = self.of(s)
        if name not in self.loads:
            assert callable(add)
            add(name, s)
            self.loads[name] = f'table("{name}")' if inside else f'data["{name}"]'
            self.notes[name] = s.doc
        return (f"{name}[{inside}]" if inside else name), ATOM

    def of(self, s: Symbol) -> str:
        return self.names.of(s, s.name)

    def function(self, s: Symbol) -> str:
        """The name of a definition, which the script will have."""
        self.symbols[s] = None
        return self.of(s)

    def extended(self, s: Symbol) -> str:
        """The function that is the variable on its own indices and its extension elsewhere."""
        self.symbols[s] = None
        assert s.extension is not None
        self.symbols[s.extension] = None
        return self.names.of(("extended", s), f"{s.name}_at")

    def _inside(self, e: t.At) -> bool:
        """Whether the indices are those of the declaration, as far as the text shows."""
        domain = e.symbol.domain
        if domain.guard:
            return False
        for argument, own in zip(e.arguments, domain.binders, strict=True):
            if own.conditions or own.set.free:
                return False
            binder = self.scope[argument.name][1] if isinstance(argument, t.Bound) else None
            if not whole_sort(own) and (binder is None or binder.set != own.set):
                return False
        return True

    # --------------------------------------------------------------- reductions

    def _reduction(self, e: t.Reduction) -> tuple[str, int]:
        if e.degree is Degree.PIECEWISE and e.op != "sum":
            return self._auxiliary(e), ATOM
        if e.degree > Degree.PIECEWISE or (e.degree and e.op != "sum"):
            raise refused(e, f"'{e.op}' of what is {e.body.degree}")
        with self.binding():
            clauses = " ".join(self.clauses(e.binders, e.guard))
            if e.op in ("argmax", "argmin"):
                return self._extreme_item(e, clauses), ATOM
            body = self.text(e.body, OR)
            said = f"{body} {clauses}"
            if e.op == "norminf":
                return f"largest(abs({body}) {clauses})", ATOM
            names = {"max": "largest", "min": "smallest", "prod": "math.prod", "sum": "sum"}
            function = "quicksum" if e.degree else names[e.op]
            return f"{function}({said})", ATOM

    def _extreme_item(self, e: t.Reduction, clauses: str) -> str:
        """The first item with the greatest or least value, as Python's max and min have it."""
        (binder,) = e.binders
        name = self.scope[binder.name][0]
        body = self.text(e.body, OR)
        return f"{e.op[3:]}([{name} {clauses}], key=lambda {name}: {body})"

    def _auxiliary(self, e: t.Call | t.Reduction) -> str:
        if e.local:
            raise refused(e, "a function of variables over a set of `let … in`")
        kind = e.function if isinstance(e, t.Call) else e.op
        if (e.span, kind) not in self.auxiliaries:
            count = sum(key[1] == kind for key in self.auxiliaries) + 1
            name = self.names.fresh(f"{kind}_{count}")
            self.auxiliaries[e.span, kind] = Auxiliary(name, e, tuple(sorted(e.free)))
        found = self.auxiliaries[e.span, kind]
        return f"{found.name}({', '.join(self.scope[p][0] for p in found.parameters)})"

    # ---------------------------------------------------------------- functions

    def _call(self, e: t.Call) -> tuple[str, int]:
        name = e.function
        if e.degree is Degree.PIECEWISE:
            return self._auxiliary(e), ATOM
        if e.degree > Degree.PIECEWISE:
            raise refused(e, f"'{name}' of variables")
        if name == "card":
            return f"len({self.text(e.arguments[0])})", ATOM
        if name == "point":
            return self.text(e.arguments[0]), ATOM  # a point is called by its row
        if name in ("max", "min"):
            inside = ", ".join(self.text(a) for a in e.arguments)
            return f"{name}({inside})", ATOM
        if name in IN_PYTHON:
            return IN_PYTHON[name].format(self.text(e.arguments[0])), ATOM
        if name == "level":
            return self._level(e), ATOM
        if name in ("inner", "max_depth"):
            return self._tree(e), ATOM
        if name in OF_ONE_ELEMENT:
            return f"{self._element_table(e, name)}[{self.text(e.arguments[0])}]", ATOM
        if e.free or e.local:
            raise refused(e, f"'{name}' of a bound index")
        return self._value(e), ATOM

    def _element_table(self, e: t.Call, function: str) -> str:
        sort = e.arguments[0].sort
        assert isinstance(sort, Element)
        kind, _, tree = sort.of.partition(":")
        wish = f"{function}_of_{tree}" if kind == "tree" else function
        if function == "ord":
            wish = f"order_of_{tree or kind}"
        name = self.names.of(("call", function, sort), wish)
        if name not in self.loads:
            self.known.add_call(name, function, e)
            self.loads[name] = f'table("{name}")'
        return name

    def _level(self, e: t.Call) -> str:
        node = t.BaseSet(name="nodes", of=e.of, span=e.span)  # type: ignore[arg-type]
        bound = t.Bound(name="t", of=Element("node"), span=e.span)
        depth = self._element_table(
            t.Call(function="depth", arguments=(bound,), of=Number(), span=e.span), "depth"
        )
        t_ = self.names.bound("t", {said for said, _ in self.scope.values()})
        wanted = self.text(e.arguments[0], SUM)
        return f"[{t_} for {t_} in {self.text(node)} if {depth}[{t_}] == {wanted} - 1]"

    def _tree(self, e: t.Call) -> str:
        tree = e.arguments[0]
        assert isinstance(tree, t.At)
        if e.function == "max_depth":
            if tree.arguments:
                raise refused(e, "'max_depth' of one tree of a family")
            return self._value(e)
        name = self.names.of(("inner", tree.symbol), f"inner_of_{tree.symbol.name}")
        inside = ", ".join(self.text(a) for a in tree.arguments)
        if name not in self.loads:
            self.known.add_forests(name, tree.symbol)
            self.loads[name] = f'table("{name}")' if inside else f'data["{name}"]'
        return f"{name}[{inside}]" if inside else name

    def _value(self, e: t.Call) -> str:
        """A call without bound names, evaluated now."""
        words = "_".join([e.function, *(_plain(a) for a in e.arguments)])
        said = " ".join(e.span.text.split())
        name = self.names.of(("value", e.function, said), words)
        if name not in self.loads:
            self.known.add_value(name, e)
            self.loads[name] = f'data["{name}"]'
        return name


def whole_sort(binder: t.Binder) -> bool:
    """Whether its set has every element of the sort there is."""
    names = ("points", "features", "classes", "nodes")
    return isinstance(binder.set, t.BaseSet) and binder.set.name in names


def _plain(e: t.Typed) -> str:
    if isinstance(e, t.Literal):
        return e.text
    return e.symbol.name if isinstance(e, t.At) else ""


def refused(e: t.Typed, what: str) -> TreemipError:
    return TreemipError(
        Diagnostic(
            "E601",
            f"{what} cannot be exported",
            e.span,
            "write the model itself instead: treemip compile -o model.mps",
        )
    )
