"""A family of variables as a line of Python."""

from __future__ import annotations

from treemip.resolve.typed import Symbol
from treemip.scripts.heading import one_line
from treemip.scripts.python.expressions import PythonExpressions
from treemip.scripts.python.layout import WIDTH, called, index_tuple


def variable_line(write: PythonExpressions, s: Symbol) -> str:
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
    note = remark(s)
    return f"# {note}\n{line}" if note else line


def _ends(write: PythonExpressions, s: Symbol, bound: list[str]) -> list[str]:
    """`lower=…`, `upper=…`: numbers, or functions of the indices."""
    found = []
    for word, pick, ops in (("lower", "max", (">=", "=")), ("upper", "min", ("<=", "="))):
        ends = [write.text(e) for op, e in s.bounds if op in ops]
        if not ends:
            continue
        end = ends[0] if len(ends) == 1 else f"{pick}({', '.join(ends)})"
        head = f"lambda {', '.join(bound)}: " if any(e.free for _, e in s.bounds) else ""
        found.append(f"{word}={head}{end}")
    return found


def remark(s: Symbol) -> str:
    """What the paper calls a variable, and what it is."""
    symbol = f"{s.paper_symbol} in the paper" if s.paper_symbol else ""
    return one_line("; ".join(w for w in (symbol, s.doc) if w))
