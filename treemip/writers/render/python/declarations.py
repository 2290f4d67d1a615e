"""Variables, definitions, functions of variables and rows of a spec as statements of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import indent

from treemip.core.instance.instance import Instance
from treemip.core.lower.frame import Frame
from treemip.core.lower.model_columns import sort_of
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NUMBER, Degree, Element
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Symbol
from treemip.writers.render.expressions import AND, SIGN, SUM
from treemip.writers.render.names import whole_sort
from treemip.writers.render.python.dialect import Auxiliary, PythonDialect
from treemip.writers.render.python.layout import BREAK, STEP, WIDTH, called, index_tuple, returned
from treemip.writers.render.reformulations import Ranges, ReformFacts, implied, remark, rows
from treemip.writers.render.tables import Table, plain
from treemip.writers.render.text import about, one_line, refused


def variable_line(write: PythonDialect, s: Symbol) -> str:
    """`coef = variables("coef", [(t, j) for …], "continuous", lower=-1)`, with its comment."""
    with write.scope.opened():
        clauses = write.clauses(s.domain.binders, s.domain.guard)
        bound = [write.scope[n] for n in s.domain.names]
        parts = [f'"{s.name}"']
        if bound:
            parts.append(f"[{index_tuple(bound)} {' '.join(clauses)}]")
        parts.append(f'"{s.kind or "continuous"}"')
        parts += _ends(write, s, bound)
    name = write.of(s)
    room = WIDTH - len(f"{name} = ")
    line = f"{name} = {called('variables' if bound else 'scalar', parts, room)}"
    note = one_line(about(s))
    return f"# {note}\n{line}" if note else line


def _ends(write: PythonDialect, s: Symbol, bound: list[str]) -> list[str]:
    """`lower=…`, `upper=…`: numbers, or functions of the indices."""
    limits = []
    for word, pick, ops in (("lower", "max", (">=", "=")), ("upper", "min", ("<=", "="))):
        ends = [write.text(e) for op, e in s.bounds if op in ops]
        if not ends:
            continue
        end = ends[0] if len(ends) == 1 else f"{pick}({', '.join(ends)})"
        head = f"lambda {', '.join(bound)}: " if any(e.free for _, e in s.bounds) else ""
        limits.append(f"{word}={head}{end}")
    return limits


def definition(write: PythonDialect, s: Symbol) -> str:
    """A let or term; outside its own indices it is the vocabulary's extension."""
    assert s.value is not None
    names = s.parameters or s.domain.names
    with write.scope.opened(empty=True):
        for name in s.parameters:
            write.scope.bind(name)
        for binder in () if s.parameters else s.domain.binders:
            write.scope.bind(binder.name, binder.element, binder)
        inside = write.scope.index(tuple(names))
        note = one_line(f"{s.doc} {s.tag}")
        lines = [f"# {note}"] if note else []
        if s.degree is Degree.NONLINEAR and s.domain.binders:
            lines.append("@shared")
        lines.append(f"def {write.of(s)}({inside}):")
        if s.extension is not None:
            lines += _elsewhere(write, s, inside)
        lines.append(returned(write.text(s.value)))
    return "\n".join(lines)


def _elsewhere(write: PythonDialect, s: Symbol, inside: str) -> list[str]:
    assert s.extension is not None
    tests = [write.text(c, AND) for c in s.domain.guard if write.settled(c) is None]
    for b in s.domain.binders:
        if not whole_sort(b):
            tests.append(f"{write.scope[b.name]} in {write.text(b.set, SUM)}")
        tests += [write.text(c, AND) for c in b.conditions]
    if not tests:
        return []
    outside = f"not ({' and '.join(tests)})"
    if len(tests) == 1 and (member := re.fullmatch(r"(\w+) in (\w+)", tests[0])):
        outside = f"{member[1]} not in {member[2]}"
    return [f"{STEP}if {outside}:", f"{STEP * 2}return {write.function(s.extension)}({inside})"]


def extended(write: PythonDialect, s: Symbol) -> str:
    """A variable that the vocabulary extends; empty where nothing mentions its extension."""
    if s.extension is None or s.extension not in write.symbols:
        return ""
    names = [write.names.bound(n, set()) for n in s.domain.names]
    inside = ", ".join(names)
    own = write.of(s)
    return (
        f"def {write.extension(s)}({inside}):\n"
        f"{STEP}if ({inside}) in {own}:\n{STEP * 2}return {own}[{inside}]\n"
        f"{STEP}return {write.function(s.extension)}({inside})"
    )


CALLED = {"abs": "absolute", "max": "maximum", "min": "minimum", "norminf": "maximum"}


def auxiliary(write: PythonDialect, a: Auxiliary, ranges: str) -> str:
    """The function of an auxiliary; `ranges` names the table of its arguments' ranges, or is ''."""
    e = a.expression
    with write.scope.opened(empty=True):
        for name in a.parameters:
            write.scope.bind(name, sort_of(e, name))
        inside = write.scope.index(a.parameters)
        index = index_tuple([write.scope[p] for p in a.parameters])
        parts = [f'"{a.name}"', index, _arguments(write, e)]
    if ranges:
        parts.append(f"{ranges}[{inside}]" if write.data.tables[ranges].columns else ranges)
    function = e.function if isinstance(e, t.Call) else e.op
    quoted = one_line(e.span.text)
    lines = ["@cache", f"def {a.name}({inside}):", f"{STEP}# {quoted}"]
    return "\n".join([*lines, returned(f"{CALLED[function]}({', '.join(parts)})")])


def _arguments(write: PythonDialect, e: t.Call | t.Reduction) -> str:
    if isinstance(e, t.Call):
        arguments = write.texts(e.arguments)
        return arguments if e.function == "abs" else f"[{arguments}]"
    with write.scope.opened():
        clauses = " ".join(write.clauses(e.binders, e.guard))
        if e.op == "norminf":
            return f"[sign * {write.text(e.body, SIGN)} {clauses} for sign in (1, -1)]"
        return f"[{write.text(e.body, SUM)} {clauses}]"


def ranges_table(instance: Instance, a: Auxiliary, blocks: list[Ranges]) -> Table:
    """[least, greatest] of each argument of a function, by the function's indices."""
    doubled = isinstance(a.expression, t.Reduction) and a.expression.op == "norminf"
    rows: dict[tuple[object, ...], list[object]] = {}
    for block in blocks:
        for r in range(len(block.offsets) - 1):
            pairs = zip(block.sorts, block.columns, strict=True)
            labels = tuple(label(instance, a, sort, c[r]) for sort, c in pairs)
            own = slice(block.offsets[r], block.offsets[r + 1])
            ends = list(zip(block.low[own], block.high[own], strict=True))
            if doubled:
                ends = [p for low, high in ends for p in ((low, high), (-high, -low))]
            rows[labels] = [[plain(low), plain(high)] for low, high in ends]
    columns = tuple(list(c) for c in zip(*rows, strict=True))
    return Table(columns, list(rows.values()), (NUMBER,) * len(columns))


def label(instance: Instance, a: Auxiliary, sort: str, value: float) -> object:
    """What scripts call an element, from its label in the model."""
    if sort == "class":
        return instance.table.classes[int(value) - 1]
    if sort == "feature":
        return instance.table.features[int(value) - 1]
    if sort.startswith("set:"):
        return instance.names(Element(sort))[int(value) - 1]
    if sort in ("point", "node", "number"):
        return plain(value)
    raise refused(a.expression, f"a function that must be attained for each {sort}")


def constraint_lines(write: PythonDialect, c: Constraint, facts: ReformFacts) -> str:
    """Loops over the domain around one `state(…)`; empty where the domain is."""
    binders, guard = c.domain.binders, c.domain.guard
    frame, _ = write.data.evaluator.sets.expand(binders, guard, Frame.empty())
    if not frame.size:
        return ""
    with write.scope.opened(empty=True):
        lines = [f"# {remark(c)}"]
        depth = 0
        for clause in write.clauses(binders, guard):
            lines.append(f"{STEP * depth}{clause}:")
            depth += 1
        for name, local_set in c.local_sets:
            over = write.text(local_set)
            lines.append(f"{STEP * depth}{write.scope.bind(name)} = {over}")
        bound = [write.scope[n] for n in c.domain.names]
        parts = [f'"{c.name}"', index_tuple(bound) if bound else "()"]
        parts += _relations(write, c, facts, frame)
    lines.append(indent(called("state", parts, WIDTH - len(STEP) * depth), STEP * depth))
    return "\n".join(lines)


def _relations(
    write: PythonDialect, c: Constraint, facts: ReformFacts, frame: Frame
) -> Iterator[str]:
    """The rows of one index: one, or two for an equation with a big-M and for two ends."""
    for row in rows(c):
        stated = [row] if not c.guards else implied(write, c, row, facts, frame)
        for one in stated:
            yield BREAK.join(one.pieces(write))
