"""CBC, called as a program: https://github.com/coin-or/Cbc."""

from __future__ import annotations

import numpy as np

from treemip.core.files.profiles import NOTHING_MORE, Caps, StartForm
from treemip.core.files.solution_files import NO_NAMES, Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status
from treemip.core.model.tolerances import CBC_TEXT, CBC_ZERO
from treemip.core.solving.solver import Call, LogPatterns, Solver
from treemip.core.source.reading import read_bytes

# ------------------------------------------------------------------------------- its solution files

SUFFIX = ".saved"
"""Of the binary file that `saveSolution` writes beside the text: values to the last bit."""
EXACT = 17  # digits that tell any two numbers apart
HEAD = 8  # bytes


def saved_values(path: str, index: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    """All columns' values beside the text file at `path`, float64 (columns,).

    Two int32, the numbers of rows and columns; then float64: the objective, each row's activity
    and dual, each column's value and reduced cost (CoinParam's saveSolution in CBC 2.10).

    index int64 and values float64 (listed,): the columns that the text lists. None where there is
    no such file, or it does not agree with the text, since it may be an older run's.
    """
    try:
        raw = read_bytes(path + SUFFIX)
    except OSError:
        return None
    rows, columns = np.frombuffer(raw[:HEAD], np.int32).tolist() if len(raw) >= HEAD else (-1, -1)
    if min(rows, columns) < 0 or len(raw) != HEAD + 8 * (1 + 2 * rows + 2 * columns):
        return None
    found = np.frombuffer(raw, np.float64, columns, HEAD + 8 * (1 + 2 * rows))
    if len(index) and index[-1] >= columns:
        return None
    text = np.zeros(columns)
    text[index] = values
    allowed = CBC_TEXT * np.abs(text) + np.where(text == 0, CBC_ZERO, 0.0)
    return found if (np.abs(found - text) <= allowed).all() else None


DIGITS = 8
OBJECTIVE_IS = b" - objective value "
RELAXATION = b" (no integer solution - continuous used)"

STATUS: dict[bytes, Status] = {
    b"Optimal": "optimal",
    b"Optimal (within gap tolerance)": "gap_limit",
    b"Infeasible": "infeasible",
    b"Integer infeasible": "infeasible",
    b"Unbounded": "unbounded",
    b"Stopped on time": "time_limit",
    b"Stopped on ctrl-c": "interrupted",
    b"Stopped on iterations": "solver_limit",  # nodes and solutions as well
    b"Stopped on difficulties": "solver_limit",
}
"""Read through: cbc 2.10 says "iterations" also after Ctrl-C."""


def _recognises(head: bytes) -> bool:
    words, found, _ = head.partition(b"\n")[0].partition(OBJECTIVE_IS)
    return bool(found) and words.removesuffix(RELAXATION) in STATUS | {b"Status unknown": None}


def _read(text: Text) -> SolutionFile:
    """CBC's solution file, from its command ``solution FILE``.

    ::

        Optimal - objective value -39.81257143
              0 go_left(12,1)                    1                  -4.125
        **    8 objective_constant               0                    -2.5

    Index, name, value and reduced cost; two stars mark a value outside its bounds. Columns where
    value and reduced cost are 0 are left out, and their number is not stated; that the columns come
    in order is all that tells of lost lines here. With ``printingOptions all`` the rows come first,
    numbered from 0 as well. Without an incumbent CBC writes the relaxation's values and says so.
    Values have 8 digits; those of a file that ``saveSolution`` wrote beside it have all.
    """
    text.demand_line_end()
    words, _, value = text.line(0).partition(OBJECTIVE_IS)
    incumbent = not words.endswith(RELAXATION)
    status, kept = outcome(STATUS.get(words.removesuffix(RELAXATION)), incumbent)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=False, digits=DIGITS)
    objective = float(text.numbers([value.strip()], 0)[0])
    names, index, values = _columns(text)
    exact = saved_values(text.path, index, values)
    digits = DIGITS if exact is None else EXACT
    values = values if exact is None else exact[index]
    return SolutionFile(text.path, FORMAT.name, status, False, digits, objective, names, values)


def _columns(text: Text) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Names, indices and values of the columns: the last stretch of rising indices."""
    tokens = [line.removeprefix(b"**").split() for line in text.lines[1:]]
    for k, token in enumerate(tokens):
        if len(token) != 4:
            text.fail(1 + k, "expected a column's index, name, value and reduced cost here")
    index = np.array([text.whole(t[0], 1 + k) for k, t in enumerate(tokens)], np.int64)
    falls = np.flatnonzero(np.diff(index) <= 0) + 1
    if len(falls) > 1 or (len(falls) and (index[: falls[0]] != np.arange(falls[0])).any()):
        text.fail(1 + int(falls[-1]), "the indices fall here: these are not one solution's columns")
    first = int(falls[0]) if len(falls) else 0
    text.numbers([token[3] for token in tokens], 1)
    values = text.numbers([token[2] for token in tokens], 1)[first:]
    names = [token[1] for token in tokens[first:]]
    return np.array(names, "S") if names else NO_NAMES, index[first:], values


FORMAT = Format("CBC", _recognises, _read)


# --------------------------------------------------------------------------------------- the solver

START = StartForm(
    "Stopped on iterations - objective value 0", before=b" ", behind=b" 0", numbered=True
)
"""Its own solution file, for the command `mipstart`."""

SOLVER = Solver(
    "cbc",
    "CBC",
    # It solves a quadratic objective, but reports its linear part as the optimum. It reads special
    # ordered sets and calls optimal what is not, by the probe as well; of 40 random models with a
    # few of them it ended two in an abort.
    Caps(mps=NOTHING_MORE, lp=NOTHING_MORE, start=START),
    order=40,
    install="apt install coinor-cbc, or https://github.com/coin-or/Cbc",
    formats=(FORMAT,),
    program=Call(
        ("cbc",),
        (
            "{model}",
            "timeMode",
            "elapsed",
            "{options}",
            "{start}",
            "solve",
            "solution",
            "{solution}",
            "saveSolution",
            f"{{solution}}{SUFFIX}",
        ),
        {
            "time": ("sec", "{value}"),
            "gap": ("ratio", "{value}"),
            "absolute_gap": ("allow", "{value}"),
            "threads": ("threads", "{value}"),
            "seed": ("randomCbcSeed", "{value}", "randomSeed", "{value}"),
            "feasibility": ("primalT", "{value}", "integerT", "{value}"),
        },
        start=(START, ("mips", "{start}")),
        log=LogPatterns(
            status={
                r"^Result - Stopped on time limit": "time_limit",
                r"^Result - User ctrl-c": "interrupted",
            },
            bound=r"^Lower bound: +(\S+)$",
            nodes=r"^Enumerated nodes: +(\d+)$",
            version=r"^Version: (\S+)",
            accepted=r"^Cbc0045I MIPStart provided solution",
        ),
    ),
)
