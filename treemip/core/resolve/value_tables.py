"""Tables of values for a parameter: by level of the tree, by names of its indices, from a file."""

from __future__ import annotations

from typing import TypeGuard

from treemip.core.resolve import typed as t
from treemip.core.resolve.link import Scope
from treemip.core.resolve.names import check_listed, meant
from treemip.core.resolve.resolver import Resolver
from treemip.core.resolve.sorts import NODE, NUMBER, Element, Number, is_listed, named_by_text
from treemip.core.resolve.typed import TypedDomain
from treemip.core.resolve.typed_tables import FileTable, Key, Table
from treemip.core.source.diagnostic import Fault, Related
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n


def value_table(
    resolver: Resolver, node: n.Param, domain: TypedDomain, scope: Scope
) -> t.Typed | None:
    """`level(1: a, 2: b)`, `table("age": a, default = b)` or `table(file = "prices.csv")`.

    None for any other value.
    """
    if _is_by_level(node.value):
        return _by_level(resolver, node.value, domain, scope)
    if is_table(node.value) and not resolver.linker.declares("table"):
        if not domain.binders:
            message = "table(…) needs a parameter with an index"
            remedy = f"param {node.name} {{j in features}} = table(…);"
            raise Fault("E204", message, node.value.span, remedy)
        tables = _Tables(resolver, node.name, domain, scope)
        if any(a.name == "file" for a in node.value.arguments or ()):
            return tables.from_file(node.value)
        return tables.table(node.value, 0)
    return None


# ------------------------------------------------------------------------------------ by level


def _is_by_level(value: n.Expr) -> TypeGuard[n.Name]:
    return (
        isinstance(value, n.Name)
        and value.name == "level"
        and bool(value.arguments)
        and all(isinstance(a.key, n.Number) for a in value.arguments or ())
    )


def _by_level(resolver: Resolver, value: n.Name, domain: TypedDomain, scope: Scope) -> t.Typed:
    """level(1: a, 2: b) over a node index t: if depth(t) = 0 then a else b.

    So the last value given also holds for all deeper levels.
    """
    nodes = [b for b in domain.binders if b.element == Element("node")]
    if not nodes:
        raise Fault("E204", "level(…) needs a parameter indexed by nodes", value.span)
    assert value.arguments is not None
    where = t.Bound(name=nodes[0].name, of=nodes[0].element, span=value.span)
    depth = t.Call(function="depth", arguments=(where,), of=NUMBER, span=value.span)
    chain: t.Typed | None = None
    _check_levels(value)
    levels = [(a, a.key) for a in value.arguments if isinstance(a.key, n.Number)]
    for argument, key in sorted(levels, key=lambda pair: pair[1].value)[::-1]:
        item = resolver.known(argument.value, scope, "a parameter")
        if chain is None:
            chain = item
            continue
        level = t.Const(value=key.value - 1, span=argument.span)
        test = t.Comparison(op="=", left=depth, right=level, span=argument.span)
        chain = t.Choice(condition=test, then=item, otherwise=chain, span=argument.span)
    assert chain is not None
    return chain


def _check_levels(value: n.Name) -> None:
    """The levels are 1, 2, … without gaps or repeats."""
    keys = [a.key for a in value.arguments or () if isinstance(a.key, n.Number)]
    for wanted, key in enumerate(sorted(keys, key=lambda k: k.value), start=1):
        if key.value != wanted:
            message = f"the levels run 1, 2, … without gaps or repeats, but this is {key.text}"
            raise Fault("E203", message, key.span, "level(1: a, 2: b) is a at the root and b below")


# ------------------------------------------------------------------------------------- by name


FILE_ARGUMENTS = ("file", "value", "columns", "separator", "default")
"""Arguments of a table from a file, beside the names of its indices."""


def is_table(value: n.Expr) -> TypeGuard[n.Name]:
    return isinstance(value, n.Name) and value.name == "table" and value.arguments is not None


class _Tables:
    """The table of a parameter, and those within it for its other indices."""

    def __init__(self, resolver: Resolver, name: str, domain: TypedDomain, scope: Scope) -> None:
        self.resolver, self.name, self.domain, self.scope = resolver, name, domain, scope

    def table(self, node: n.Name, at: int) -> Table:
        """The table over the index at a position of the domain. Raises Fault (E203, E204, E309)."""
        binder = self.domain.binders[at]
        sort = _named_sort(binder, node)
        keys: dict[str | float, Key] = {}
        values: list[t.Typed] = []
        default = None
        for argument in node.arguments or ():
            if argument.name == "default" and default is None:
                default = self._default(argument.value, at)
                continue
            key = self._key(argument, binder, sort)
            if keys.setdefault(key.name, key) is not key:
                related = (Related(keys[key.name].span, "first here"),)
                message = f"{key.span.text} has two values"
                raise Fault("E202", message, key.span, related=related)
            values.append(self._value(argument.value, at))
        if not values and default is None:
            raise Fault("E203", "the table has no values", node.span, _example(binder))
        index = t.Bound(name=binder.name, of=sort, span=node.span)
        return Table(
            index=index,
            keys=tuple(keys.values()),
            values=tuple(values),
            default=default,
            span=node.span,
        )

    def from_file(self, node: n.Name) -> FileTable:
        """The table that a file has, by the names of its columns. Raises Fault (E203, E204)."""
        binders, names = self.domain.binders, self.domain.names
        sorts = [_named_sort(binder, node) for binder in binders]
        given = self._arguments(node)
        header = self._header(given["columns"]) if "columns" in given else None
        if header is not None and "value" in given:
            message = "a table has a column of values, or a column for each element of an index"
            raise Fault("E203", message, given["value"].span, "leave out 'value' or 'columns'")
        if header is not None and names[header] in given:
            message = f"the elements of {names[header]} are the names of columns already"
            raise Fault("E203", message, given[names[header]].span, "leave it out")
        texts = {
            name: _text(argument)
            for name, argument in given.items()
            if name not in ("columns", "default")
        }
        self.resolver.linker.require("data", texts["file"], node.span)
        indices = tuple(
            t.Bound(name=b.name, of=sort, span=node.span)
            for b, sort in zip(binders, sorts, strict=True)
        )
        default = given.get("default")
        return FileTable(
            indices=indices,
            path=texts["file"],
            keys=tuple(texts.get(name) for name in names),
            value=texts.get("value"),
            header=header,
            separator=texts.get("separator"),
            default=self._default(default.value, len(names) - 1) if default else None,
            span=node.span,
        )

    def _arguments(self, node: n.Name) -> dict[str, n.Argument]:
        """The arguments by name, each once."""
        known = (*FILE_ARGUMENTS, *self.domain.names)
        given: dict[str, n.Argument] = {}
        for argument in node.arguments or ():
            name = argument.name or ""
            if name not in known:
                message = "a table takes its values from a file or lists them, not both"
                if name:
                    message = f"a table from a file has no argument '{name}'"
                remedy = f"its arguments are {listed(known)}"
                raise Fault("E203", message, argument.span, remedy, did_you_mean(name, known))
            if given.setdefault(name, argument) is not argument:
                raise Fault("E203", f"the argument '{name}' is given twice", argument.span)
        return given

    def _header(self, node: n.Argument) -> int:
        """The position of the index whose elements the header names."""
        names, value = self.domain.names, node.value
        if isinstance(value, n.Name) and value.name in names and value.indices is None:
            return names.index(value.name)
        remedy = f"the indices are {listed(names)}: columns = {names[-1]}"
        raise Fault("E203", "'columns' takes the name of an index", value.span, remedy)

    def _key(self, node: n.Argument, binder: t.Binder, sort: Element | Number) -> Key:
        if node.name is not None or node.key is None:
            message = "this value has no name"
            if node.name is not None:
                message = f"a table has no argument '{node.name}'"
            if node.name == "default":
                message = "a table has one default value"
            raise Fault("E203", message, node.span, _example(binder))
        key = node.key
        if isinstance(key, n.Number) is not isinstance(sort, Number):
            message = f"the table is over {binder.name}, {sort}, but this is {_kind(key)}"
            raise Fault("E204", message, key.span, meant(key, sort) or _example(binder))
        if isinstance(key, n.String) and isinstance(sort, Element):
            if is_listed(sort):
                check_listed(self.resolver.linker, key, sort)
            else:
                self.resolver.linker.require("data", key.value, key.span)
        return Key(name=key.value, of=sort, span=key.span)

    def _value(self, node: n.Expr, at: int) -> t.Typed:
        """A number, or for all indices but the last a table over the next one."""
        left = self.domain.names[at + 1 :]
        if left and is_table(node):
            return self.table(node, at + 1)
        if left:
            message = f"'{self.name}' also has the index {left[0]}: a table stands here"
            raise Fault("E203", message, node.span, 'for example  "a": table("b": 1, "c": 2)')
        if is_table(node):
            message = f"'{self.name}' has no index for another table"
            raise Fault("E203", message, node.span, "write a number")
        value = self.resolver.known(node, self.scope, "a value of a table")
        return self._number(value, node)

    def _default(self, node: n.Expr, at: int) -> t.Typed:
        if is_table(node):
            return self._value(node, at)
        return self._number(self.resolver.known(node, self.scope, "a default value"), node)

    def _number(self, value: t.Typed, node: n.Expr) -> t.Typed:
        if value.sort != NUMBER:
            raise Fault("E204", f"a table has numbers, not {value.sort}", node.span)
        return value


def _text(node: n.Argument) -> str:
    if isinstance(node.value, n.String):
        return node.value.value
    example = "prices.csv" if node.name == "file" else "price"
    message = f"'{node.name}' takes a text"
    raise Fault("E204", message, node.value.span, f'for example  {node.name} = "{example}"')


def _named_sort(binder: t.Binder, node: n.Name) -> Element | Number:
    """The sort of an index whose elements a table can name."""
    sort = binder.element
    if isinstance(sort, Number) or (isinstance(sort, Element) and named_by_text(sort)):
        return sort
    message = f"a table cannot name the elements of {binder.name}, each {sort}"
    remedy = "level(1: a, 2: b) gives a value for each level" if sort == NODE else ""
    raise Fault("E204", message, node.span, remedy)


def _example(binder: t.Binder) -> str:
    key = "1" if isinstance(binder.element, Number) else '"a"'
    return f"a table over {binder.name} is written  table({key}: 0.1, …, default = 1)"


def _kind(key: n.Number | n.String) -> str:
    return "a number" if isinstance(key, n.Number) else "a text"
