"""GLPK's solution for machines, from ``glpsol -w FILE``.

::

    c Status:     INTEGER OPTIMAL
    s mip 5 9 o -39.8125714285714
    i 1 2
    ...
    j 1 1
    ...
    e o f

The line ``s`` has the kind (mip, bas or ipt), numbers of rows and columns, one or two letters of
status, and the objective; ``j`` lines the columns by number: they have no names. A basic solution
has a column's status before its value. Values have 15 digits.
"""

from __future__ import annotations

from treemip.model.answer import Status
from treemip.read.solution import Format, SolutionFile, Text, outcome

DIGITS = 15
END = b"e o f"
KINDS = {b"mip": (1, 2), b"bas": (2, 3), b"ipt": (1, 2)}
"""How many letters of status, and where a column's value stands on its line."""

STATUS: dict[tuple[bytes, ...], Status] = {
    (b"mip", b"o"): "optimal",
    (b"mip", b"f"): "feasible",
    (b"mip", b"n"): "infeasible",
    (b"bas", b"f", b"f"): "optimal",
    (b"bas", b"f", b"n"): "unbounded",
    (b"bas", b"f", b"i"): "feasible",
    (b"bas", b"f", b"u"): "feasible",
    (b"bas", b"n", b"u"): "infeasible",
    (b"bas", b"n", b"f"): "infeasible",
    (b"bas", b"n", b"n"): "infeasible",
    (b"bas", b"n", b"i"): "infeasible",
    (b"ipt", b"o"): "optimal",
    (b"ipt", b"n"): "infeasible",
}
"""Kind and letters: o optimal, f feasible, i infeasible, n none exists, u undefined; of a basic
solution the second letter is the dual's."""


def _recognises(head: bytes) -> bool:
    return head.startswith((b"c Problem:", b"s mip ", b"s bas ", b"s ipt "))


def _read(text: Text) -> SolutionFile:
    if text.lines[-1:] != [END]:
        text.fail_cut()
    at = next((k for k, line in enumerate(text.lines) if not line.startswith(b"c")), 0)
    words = text.line(at).split()
    letters, value_at = KINDS.get(b"".join(words[1:2]), (0, 0))
    if words[:1] != [b"s"] or not letters or len(words) != letters + 5:
        text.fail(at, "expected 's', kind, numbers of rows and columns, status and objective here")
    said = STATUS.get((words[1], *words[4:-1]), "no_solution")
    status, kept = outcome(said, said in ("optimal", "feasible"))
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    first, columns = at + 1 + text.whole(words[2], at), text.whole(words[3], at)
    if len(text.lines) != first + columns + 1:
        text.fail(
            at, f"the file has not the {words[2].decode()} rows and {columns} columns it states"
        )
    cells = []
    for number in range(1, columns + 1):
        tokens = text.line(first + number - 1).split(b" ")
        if tokens[:2] != [b"j", b"%d" % number] or len(tokens) <= value_at:
            text.fail(first + number - 1, f"expected column {number} here")
        cells.append(tokens[value_at])
    objective = float(text.numbers([words[-1]], at)[0])
    values = text.numbers(cells, first)
    return SolutionFile(
        text.path, FORMAT.name, status, True, DIGITS, objective, None, values, ordinal=True
    )


FORMAT = Format("GLPK", _recognises, _read)
