"""abs, max, min and norminf of variables as cached functions that make a variable and its rows."""

from __future__ import annotations

from treemip.instance.instance import Instance
from treemip.resolve import typed as t
from treemip.resolve.sorts import NUMBER, Sort
from treemip.scripts.decided import Ranges
from treemip.scripts.expressions import SIGN, SUM, Auxiliary
from treemip.scripts.heading import one_line
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import STEP, index_tuple, returned
from treemip.scripts.refusal import refused
from treemip.scripts.tables import Table, plain

CALLED = {"abs": "absolute", "max": "maximum", "min": "minimum", "norminf": "maximum"}


def auxiliary(write: PythonExpressions, a: Auxiliary, ranges: str) -> str:
    """The function of an auxiliary; `ranges` names the table of its arguments' ranges, or is ''."""
    e = a.expression
    with write.scope.opened(empty=True):
        for name in a.parameters:
            write.scope.bind(name, sort_of(e, name))
        inside = write.scope.index(a.parameters)
        index = index_tuple([write.scope[p] for p in a.parameters])
        parts = [f'"{a.name}"', index, _arguments(write, e)]
    if ranges:
        parts.append(f"{ranges}[{inside}]" if write.known.tables[ranges].columns else ranges)
    function = e.function if isinstance(e, t.Call) else e.op
    quoted = one_line(e.span.text)
    lines = ["@cache", f"def {a.name}({inside}):", f"{STEP}# {quoted}"]
    return "\n".join([*lines, returned(f"{CALLED[function]}({', '.join(parts)})")])


def _arguments(write: PythonExpressions, e: t.Call | t.Reduction) -> str:
    if isinstance(e, t.Call):
        said = write.texts(e.arguments)
        return said if e.function == "abs" else f"[{said}]"
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
    if sort in ("point", "node", "number"):
        return plain(value)
    raise refused(a.expression, f"a function that must be attained for each {sort}")


def sort_of(e: t.Typed, name: str) -> Sort | None:
    """The sort of a free name, from where it is mentioned."""
    if isinstance(e, t.Bound) and e.name == name:
        return e.of
    return next((s for p in e.inside if name in p.free and (s := sort_of(p, name))), None)
