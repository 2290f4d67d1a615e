"""The table of a study as cells of text, and as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treemip.core.files.atomic import replacing, together
from treemip.study.sweeps.comparison import Case, record, short_names
from treemip.study.sweeps.folder import csv_text
from treemip.study.sweeps.measures import ACCURACY
from treemip.writers.render.mathematics.notation import escaped

HEADS = (
    *("data", "depth", "formulation", "proven", "gap", "measure"),
    *("train", "test", "deviation", "test R2", "features", "seconds", "solver"),
)
NAMES = frozenset(["data", "depth", "formulation", "measure", "solver"])
"""Columns of names, which stand left; numbers stand right."""

NOTHING, NOT_RUN = "-", "not run"


def heads_of(cases: Sequence[Case]) -> tuple[str, ...]:
    """HEADS without those that say nothing where all cases are compared by accuracy."""
    if any(case.measure != ACCURACY for case in cases):
        return HEADS
    return tuple(head for head in HEADS if head not in ("measure", "test R2"))


def cells(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """A line of cells for each case, under `heads_of`; - where there is no number, and the solver
    is NOT_RUN where a formulation does not take the table."""
    wanted = [HEADS.index(head) for head in heads_of(cases)]
    return [tuple(line[k] for k in wanted) for line in _lines(cases)]


def _lines(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    names = short_names([case.data for case in cases])
    return [
        (
            names[case.data],
            case.depth,
            case.formulation,
            f"{case.proven}/{case.runs}" if case.runs else NOTHING,
            NOTHING if case.gap is None else f"{100 * case.gap:.3g} %",
            case.measure.title if case.runs else NOTHING,
            *(_score(case, each) for each in (case.train_score, case.test_score, case.deviation)),
            _number(case.test_r2, ".3f"),
            _number(case.features, ".1f"),
            f"{case.seconds:.1f}" if case.runs else NOTHING,
            ", ".join(case.solvers) or (NOTHING if case.runs else NOT_RUN),
        )
        for case in cases
    ]


def _score(case: Case, value: float | None) -> str:
    return _number(value, ".3f" if case.measure == ACCURACY else ".5g")


def _number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def notes(cases: Sequence[Case]) -> list[str]:
    """A line for each formulation that has no tree in a run on a table, with the reason."""
    names = short_names([case.data for case in cases])
    groups: dict[tuple[str, str, str], list[Case]] = {}
    for case in cases:
        if case.message is not None:
            key = (names[case.data], case.formulation, case.message)
            groups.setdefault(key, []).append(case)
    lines = []
    for (data, formulation, message), of in groups.items():
        runs, trees = sum(case.runs for case in of), sum(case.trees for case in of)
        what = f"{runs - trees} of {runs} runs without a tree" if runs else "not run"
        lines.append(f"{formulation} on {data}: {what}: {message}")
    return lines


def csv_of(cases: Sequence[Case]) -> str:
    """Numbers in full, data as paths."""
    rows = [record(case) for case in cases]
    return csv_text(list(rows[0]), rows)


def markdown(cases: Sequence[Case]) -> str:
    heads = heads_of(cases)
    rule = ["---" if head in NAMES else "---:" for head in heads]
    lines = [heads, rule, *([_in_markdown(cell) for cell in row] for row in cells(cases))]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    remarks = [f"* {_in_markdown(line)}\n" for line in notes(cases)]
    return text + ("\n" + "".join(remarks) if remarks else "")


def _in_markdown(text: str) -> str:
    for mark in "\\|*_`<":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def latex(cases: Sequence[Case]) -> str:
    """A tabular for \\usepackage{booktabs}, a rule between tables and depths."""
    columns = "".join("l" if head in NAMES else "r" for head in heads_of(cases))
    lines = ["% \\usepackage{booktabs}", f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
    lines.append(" & ".join(heads_of(cases)) + r" \\")
    before: tuple[str, ...] = ()
    for row in cells(cases):
        if row[:2] != before:
            lines.append("\\midrule")
        before = row[:2]
        lines.append(
            " & ".join("--" if cell == NOTHING else escaped(cell) for cell in row) + r" \\"
        )
    lines += ["\\bottomrule", "\\end{tabular}"]
    lines += [f"\n{escaped(' '.join(line.split()))}" for line in notes(cases)]
    return "\n".join(lines) + "\n"


NAME = "comparison"
WRITERS = {"csv": csv_of, "md": markdown, "tex": latex}


def write_comparison(cases: Sequence[Case], folder: Path) -> None:
    """comparison.csv, .md and .tex in a folder, all or none. Raises E603."""
    with together():
        for suffix, text in WRITERS.items():
            with replacing(folder / f"{NAME}.{suffix}") as file:
                file.write(text(cases).encode())
