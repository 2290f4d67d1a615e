"""`fair: parity(sex, 0.1);`: a copy of a module for one requirement, with its arguments in place.

The module is any that `use` could name. Its parameters are its `param`s without indices, by place
or by name. One whose value is a text, such as `param column = "a column"`, stands for a name or an
element, which an argument must give and which is put wherever the parameter is mentioned; the text
says what is expected. The others are numbers: an argument is their new value.

What the copy declares is named after the requirement, so that one text can ask for a module twice:
the `let rate` of `fair` is `fair_rate`, and so are its rows, but for those that have the module's
name, which get the requirement's. Whatever is said of a copy of a library's text is said of the
line that asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from treemip.core.resolve.settings.data_spec import as_column
from treemip.core.source.diagnostic import Fault, Fix
from treemip.core.source.span import Span
from treemip.core.source.suggest import Suggestion, did_you_mean
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span

ALLOWED = (
    n.Param, n.SetDeclaration, n.TreeDeclaration, n.Var, n.Let, n.Term, n.Subject, n.Drop,
    n.Requires, n.Use,
)  # fmt: skip
"""The statements of a module that can be asked for by a row."""


def asked_rows(file: n.File) -> Iterator[n.Constraint]:
    """The rows of a text that ask for a module, in its order."""
    for s in file.statements:
        if isinstance(s, n.Subject):
            yield from filter(_asks, s.constraints)


def without_asked(file: n.File) -> n.File:
    """A text without the rows that ask for a module, whose own rows stand in for them."""
    return replace(file, statements=tuple(_of_its_own(s) for s in file.statements))


def _of_its_own(s: n.Statement) -> n.Statement:
    if not isinstance(s, n.Subject):
        return s
    return replace(s, constraints=tuple(c for c in s.constraints if not _asks(c)))


def _asks(row: n.Constraint) -> bool:
    return isinstance(row.body, n.Asked)


def parameters(module: n.File) -> list[n.Param]:
    """What can be given in brackets, in the order of the text: what stands for something, and what
    is explained. Other numbers are the module's own, such as `up = 1`."""
    params = [s for s in module.statements if isinstance(s, n.Param) and s.domain is None]
    return [p for p in params if isinstance(p.value, n.String) or p.doc]


def signature(name: str, module: n.File) -> str:
    """`parity(column, limit = 0.1)`: a number that depends on other parameters is left out."""
    shown = []
    for p in parameters(module):
        if isinstance(p.value, n.String):
            shown.append(p.name)
        elif isinstance(p.value, n.Number):
            shown.append(f"{p.name} = {p.value.text}")
    return f"{name}({', '.join(shown)})"


def copied(asking: n.Constraint, module: n.File, taken: frozenset[str], shipped: bool) -> n.File:
    """The module for one requirement. taken: names that the asking text declares, which no index of
    the copy may hide. shipped: of the library, so that places are those of the requirement.

    Raises Fault: E203 for an argument too many or missing, E209 for statements that a requirement
    cannot have and for one with indices, E209 and E211 for names of arguments.
    """
    body = asking.body
    assert isinstance(body, n.Asked)
    if asking.domain is not None:
        message = f"'{body.module.text}' is asked for once, not for each index"
        raise Fault("E209", message, asking.domain.span, "leave out the { }")
    for s in module.statements:
        if not isinstance(s, ALLOWED):
            message = f"'{body.module.text}' cannot be asked for by a row, for what else it states"
            remedy = f"write: use {body.module.text};"
            raise Fault("E209", message, body.module.span, remedy)
    given = _given(body, module)
    for p in parameters(module):
        if p.name in given:
            _demand_choice(p, given[p.name], module, taken)
    return _Copy.of(asking, module, given, taken, shipped).file(module)


def _given(body: n.Asked, module: n.File) -> dict[str, n.Expr]:
    """The arguments by the parameters that they are for."""
    known = {p.name: p for p in parameters(module)}
    form = signature(body.module.text, module)
    found: dict[str, n.Expr] = {}
    for place, argument in enumerate(body.arguments):
        name = argument.name or (list(known)[place] if place < len(known) else None)
        if name is None or argument.key is not None:
            message = f"'{body.module.text}' takes fewer arguments"
            raise Fault("E203", message, argument.span, f"write: {form}")
        at = word_span(argument.span, name)
        if name not in known:
            hint = did_you_mean(name, known)
            message = f"'{body.module.text}' has no parameter '{name}'"
            raise Fault("E211", message, at, f"write: {form}", hint)
        if name in found:
            raise Fault("E209", f"'{name}' is given twice", at, f"write: {form}")
        found[name] = argument.value
    for name, p in known.items():
        if isinstance(p.value, n.String) and name not in found:
            message = f"'{body.module.text}' lacks its '{name}': {p.value.value}"
            raise Fault("E203", message, body.span, f"write: {form}")
    return found


def _demand_choice(p: n.Param, argument: n.Expr, module: n.File, taken: frozenset[str]) -> None:
    """Raises Fault where a parameter such as `direction = "up or down"`, whose words are parameters
    of the module, is given a text, or a name that neither these nor the names `taken` have."""
    if not isinstance(p.value, n.String):
        return
    choices = p.value.value.split(" or ")
    words = {s.name for s in module.statements if isinstance(s, n.Param)}
    if len(choices) < 2 or not words.issuperset(choices):
        return
    remedy = f"write {p.value.value}"
    if isinstance(argument, n.String):
        right = argument.value in choices
        fix = Fix.write(argument.span, argument.value) if right else None
        message = f"the {p.name} is a word without quotes"
        raise Fault("E204", message, argument.span, remedy, fix=fix)
    if isinstance(argument, n.Name) and argument.name not in {*choices, *taken}:
        message = f"unknown {p.name} '{argument.name}'"
        raise Fault("E201", message, argument.span, remedy, did_you_mean(argument.name, choices))


@dataclass(frozen=True)
class _Copy:
    """What becomes of the nodes of a module.

    place: where each node is said to be; None where it was. texts: what stands for a parameter.
    names, rows and indices: new names of declarations, of families of rows, of bound names.
    """

    place: Span | None
    texts: Mapping[str, n.Expr]
    values: Mapping[str, n.Expr]
    names: Mapping[str, str]
    rows: Mapping[str, str]
    indices: Mapping[str, str]
    asking: n.Constraint

    @classmethod
    def of(
        cls,
        asking: n.Constraint,
        module: n.File,
        given: Mapping[str, n.Expr],
        taken: frozenset[str],
        shipped: bool,
    ) -> _Copy:
        body = asking.body
        assert isinstance(body, n.Asked)
        stand = {p.name for p in parameters(module) if isinstance(p.value, n.String)}
        nodes = [*inside(module)]
        declared = {d.name for d in nodes if isinstance(d, n.Declaration)} - stand
        rows = {c.name for c in nodes if isinstance(c, n.Constraint)}
        names = {name: f"{asking.name}_{name}" for name in declared - rows}
        main = body.module.text
        bound = {name for b in nodes if isinstance(b, n.Binder) for name in b.names}
        bound |= {one.name for one in nodes if isinstance(one, n.LocalSet)}
        return cls(
            place=body.span if shipped else None,
            texts={k: _own(v, names) for k, v in given.items() if k in stand},
            values={k: _own(v, names) for k, v in given.items() if k not in stand},
            names=names,
            rows={r: asking.name if r == main else f"{asking.name}_{r}" for r in rows},
            indices={name: _free(name, taken) for name in bound & taken},
            asking=asking,
        )

    def file(self, module: n.File) -> n.File:
        kept = []
        for s in module.statements:
            if isinstance(s, n.Param) and s.name in self.texts:
                continue
            if isinstance(s, n.Param) and s.name in self.values:
                kept.append(replace(self.node(s), value=self.values[s.name]))
            else:
                kept.append(self.node(s))
        return replace(self.node(replace(module, statements=())), statements=tuple(kept))

    def node(self, part: Any) -> Any:
        """A part of the module's syntax tree as it is in the copy."""
        if isinstance(part, tuple):
            return tuple(self.node(item) for item in part)
        if isinstance(part, Span):
            return part if self.place is None else self.place
        if not isinstance(part, n.Node):
            return part
        if isinstance(part, n.Name) and part.name in self.texts and part.arguments is None:
            return self._given(part)
        made = replace(part, **{f.name: self.node(getattr(part, f.name)) for f in fields(part)})
        return self._renamed(made)

    def _given(self, part: n.Name) -> n.Expr:
        """The argument for a parameter; of `column[i]` the table that the argument names."""
        value = self.texts[part.name]
        if part.indices is None:
            plain = isinstance(value, n.Name | n.String | n.Number | n.Group)
            return value if plain else n.Group(inner=value, span=value.span)
        if not isinstance(value, n.Name) or value.arguments or value.indices:
            message, fix = "a column is named without quotes here", None
            remedy = "write the name of a group of the data block, such as sex"
            if isinstance(value, n.String) and re.fullmatch(r"\w+", value.value):
                fix, remedy = Fix.write(value.span, value.value), f"write {value.value}"
            elif isinstance(value, n.String):
                name = re.sub(r"\W+", "_", value.value, flags=re.ASCII).strip("_")
                name = name if name[:1].isalpha() else f"group_{name}".rstrip("_")
                group = f"group {name} from {as_column(value.value)};"
                remedy = f"write  {group}  in the data block, and {name} here"
            raise Fault("E204", message, value.span, remedy, fix=fix)
        return replace(value, indices=self.node(part.indices))

    def _renamed(self, part: n.Node) -> n.Node:
        if isinstance(part, n.Constraint):
            name = self.rows[part.name]
            if name == self.asking.name:
                at = self.asking.name_span
                return replace(part, name=name, name_span=at, tag=self.asking.tag or part.tag)
            return replace(part, name=name)
        if isinstance(part, n.Drop):
            names = tuple(self.rows.get(name, name) for name in part.names)
            when = tuple(self.names.get(name, name) for name in part.when)
            return replace(part, names=names, when=when)
        if isinstance(part, n.Binder):
            return replace(part, names=tuple(self.indices.get(name, name) for name in part.names))
        if isinstance(part, n.Name | n.LocalSet) and part.name in self.indices:
            return replace(part, name=self.indices[part.name])
        if isinstance(part, n.Name | n.Press | n.Declaration):
            return replace(part, name=self.names.get(part.name, part.name))
        return part


def _own(value: n.Expr, names: Mapping[str, str]) -> n.Expr:
    """An argument; a bare name that the module declares, such as `up`, is the module's."""
    plain = isinstance(value, n.Name) and value.arguments is None and value.indices is None
    if plain and isinstance(value, n.Name) and value.name in names:
        return replace(value, name=names[value.name])
    return value


def inside(part: Any) -> Iterator[n.Node]:
    """A node and all nodes in it."""
    if isinstance(part, tuple):
        for item in part:
            yield from inside(item)
    elif isinstance(part, n.Node):
        yield part
        for f in fields(part):
            yield from inside(getattr(part, f.name))


def _free(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_"
    return name


def unknown(body: n.Asked, known: list[str], is_known_call: bool, places: str) -> Fault:
    """E210 for a name that no module has."""
    name = body.module.text
    hint: str | Suggestion = did_you_mean(name, known)
    if is_known_call:
        message = f"'{name}' is no requirement by itself: a row has a relation"
        return Fault("E210", message, body.span, f"write: {body.span.text} <= 1")
    message = f"unknown requirement '{name}'"
    remedy = "treemip list modules shows those of the library"
    return Fault("E210", message, body.module.span, "; ".join(filter(None, (places, remedy))), hint)
