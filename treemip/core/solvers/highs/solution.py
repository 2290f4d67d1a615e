"""HiGHS's solution files, and its words for how a solve ended."""

from __future__ import annotations

import numpy as np

from treemip.core.files.solution_files import LONG, Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status

STATUS: dict[bytes, Status] = {
    b"Optimal": "optimal",
    b"Infeasible": "infeasible",
    b"Unbounded": "unbounded",
    b"Primal infeasible or unbounded": "infeasible_or_unbounded",
    b"Time limit reached": "time_limit",
    b"Interrupted by user": "interrupted",
    b"Interrupted by HiGHS": "interrupted",
    b"Iteration limit reached": "solver_limit",
    b"Solution limit reached": "solver_limit",
    b"Memory limit reached": "solver_limit",
    b"Bound on objective reached": "solver_limit",
    b"Target for objective reached": "solver_limit",
}
"""HiGHS says "Optimal" also when the gap it was given is reached, 0.01 % if none was."""


HEAD = b"Model status\n"
BESIDE = b"Objective_bound ", b"MIP_rel_gap "
SPARSE = b" sparse"
DIGITS = 13


def _recognises(head: bytes) -> bool:
    return head.replace(b"\r\n", b"\n").startswith(HEAD)


def _read(text: Text) -> SolutionFile:
    """HiGHS's default solution file (`solution_file`, style 0) and its sparse one (style 4).

    ::

        Model status
        Optimal

        # Primal solution values
        Feasible
        Objective 21
        # Columns 3
        go_left(1,2) 1
        ...
        # Rows 1
        ...

    Numbers of columns and rows are stated, so a file that was cut is found out. The sparse style
    says ``# Columns -2`` for two columns that are not 0, from 1.16 on ``# Columns -2 sparse``, then
    ``name value index``, and no rows; where all columns are 0, it ends with ``# Columns 0``.
    From 1.16 on, two lines beside the objective of a model with integers have its bound and gap.
    Values have 13 digits after the point at most.
    """
    words = text.line(1)
    at = _expect(text, 3, b"# Primal solution values")
    kind = text.line(at)
    if kind not in (b"None", b"Feasible", b"Infeasible"):
        text.fail(at, "the primal solution is 'None', 'Feasible' or 'Infeasible' in this format")
    status, kept = outcome(STATUS.get(words), kind == b"Feasible")
    if not kept:
        return SolutionFile(text.path, PLAIN.name, status, complete=True, digits=DIGITS)
    objective = _objective(text, at + 1)
    columns = at + 2
    while text.line(columns).startswith(BESIDE):
        columns += 1
    names, values, complete = _columns(text, columns)
    return SolutionFile(text.path, PLAIN.name, status, complete, DIGITS, objective, names, values)


def _expect(text: Text, number: int, words: bytes) -> int:
    if text.line(number) != words:
        text.fail(number, f"expected '{words.decode()}' here")
    return number + 1


def _objective(text: Text, number: int) -> float:
    word, _, value = text.line(number).partition(b" ")
    if word != b"Objective":
        text.fail(number, "expected 'Objective' and its value here")
    return float(text.numbers([value], number)[0])


def _columns(text: Text, number: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Names and values under ``# Columns N``, and whether these are all columns."""
    count = _count(text, number, b"# Columns ", SPARSE)
    first, stop = number + 1, number + 1 + abs(count)
    sparse = count < 0 or text.line(number).endswith(SPARSE) or first == len(text.lines)
    width = 3 if sparse else 2
    if stop > len(text.lines):
        text.fail_cut()
    tokens = [line.split(b" ") for line in text.lines[first:stop]]
    for k, token in enumerate(tokens):
        if len(token) != width:
            text.fail(first + k, "expected a column's name and value here")
    values = text.numbers([token[1] for token in tokens], first)
    names = np.array([token[0] for token in tokens], "S") if tokens else np.zeros(0, "S1")
    if not sparse:
        rows = _count(text, stop, b"# Rows ")
        text.line(stop + rows)
    return names, values, not sparse


def _count(text: Text, number: int, words: bytes, after: bytes = b"") -> int:
    line = text.line(number)
    digits = line.removeprefix(words).removesuffix(after)
    plain = digits.removeprefix(b"-")
    if digits == line or not plain.isdigit() or len(plain) > LONG:
        text.fail(number, f"expected '{words.decode()}' and a number here")
    return int(digits)


PLAIN = Format("HiGHS", _recognises, _read)


TABLE_DIGITS = 6
MODEL_STATUS, OBJECTIVE = b"Model status: ", b"Objective value: "


def _is_table(head: bytes) -> bool:
    first, _, rest = head.replace(b"\r\n", b"\n").partition(b"\n")
    return first == b"Columns" and rest.split()[:2] == [b"Index", b"Status"]


def _read_table(text: Text) -> SolutionFile:
    """HiGHS's table of columns and rows (`write_solution_style` 1).

    ::

        Columns
            Index Status        Lower        Upper       Primal         Dual  Type        Name
                0                   0            4            4               Integer     x1
        Rows
            Index ...

        Model status: Optimal

        Objective value: 21

    Values have 6 significant digits only. The rows and the two lines at the end must be there, and
    the columns be numbered from 0, so a file that was cut is found out. Whether values violate rows
    is not said: those of a linear model count as a solution only when it was solved to optimality.
    """
    try:
        stop = text.lines.index(b"Rows")
    except ValueError:
        text.fail_cut()
    words, objective_line = _ending(text, stop)
    names, cells, integer = _table(text, stop)
    valued = [cell != b"" for cell in cells]
    found = any(valued) or not cells
    status, kept = outcome(STATUS.get(words), found and (integer or words == b"Optimal"))
    if not kept:
        return SolutionFile(text.path, TABLE.name, status, complete=True, digits=TABLE_DIGITS)
    if not all(valued):
        text.fail(2 + valued.index(False), "this column has no value, others have")
    values = text.numbers(cells, 2)
    value = text.line(objective_line).removeprefix(OBJECTIVE)
    objective = float(text.numbers([value], objective_line)[0])
    return SolutionFile(
        text.path,
        TABLE.name,
        status,
        True,
        TABLE_DIGITS,
        objective,
        np.array(names, "S"),
        values,
    )


def _ending(text: Text, start: int) -> tuple[bytes, int]:
    """The model's status, and the line of the objective, which come after all rows."""
    for number in range(start, len(text.lines)):
        if text.lines[number].startswith(MODEL_STATUS):
            if not text.line(number + 2).startswith(OBJECTIVE):
                text.fail(number + 2, f"expected '{OBJECTIVE.decode().strip()}' here")
            return text.lines[number].removeprefix(MODEL_STATUS), number + 2
    text.fail_cut()


def _table(text: Text, stop: int) -> tuple[list[bytes], list[bytes], bool]:
    """Names and values of the columns, a value empty where none is printed; any integer?"""
    header = text.line(1)
    edges = [header.find(word) + len(word) for word in (b"Upper", b"Primal", b"Dual")]
    if min(edges) < 6:
        text.fail(1, "expected the headings Upper, Primal and Dual here")
    above, primal, dual = edges
    typed = b" Type " in header  # a linear model's table has no such column
    names, cells, integer = [], [], False
    for number in range(2, stop):
        line = text.lines[number]
        fields = line.split()
        if len(fields) < 4 or fields[0] != b"%d" % (number - 2) or line[above : above + 1] != b" ":
            text.fail(number, f"expected column {number - 2} of the table here")
        names.append(fields[-1])
        cells.append(line[above:primal].strip())
        integer = integer or (typed and line[dual:].split()[:1] != [b"Continuous"])
    return names, cells, integer


TABLE = Format("HiGHS table", _is_table, _read_table)
