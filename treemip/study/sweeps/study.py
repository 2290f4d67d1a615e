"""A study of formulations: from their names and tables to the runs of a sweep.

The spec of each formulation and table is a first spec, as `treemip init` writes it: the label, the
columns and what becomes of missing values follow from the table alone, the encoding of numbers from
the formulation's own requirements. Folds take the place of its training part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from treemip.api.program import Program
from treemip.core.files.atomic import replacing
from treemip.core.resolve.formulations import formulation_named
from treemip.core.resolve.module_files import module_folders
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse
from treemip.core.syntax.printing.expressions import quoted
from treemip.study.init.first_spec import DEEPEST, first_spec, path_from
from treemip.study.sweeps.axes import DATA, FOLD, axes_of, table_names
from treemip.study.sweeps.plan import Plan, planned
from treemip.study.sweeps.run import MEASURED, Row, Run
from treemip.study.sweeps.sweep import demand_folds

FORMULATION, DEPTH = "formulation", "depth"

REFUSED = "refused"
"""The status of a formulation that does not take a table."""

SPECS = "specs"

OF_THE_STUDY = ("E301", "E902")
"""Codes of what is wrong whatever the formulation: a table, a label, a setting."""


_SIZE_OF_PART = re.compile(r"(?<=;) +# learn from \d+ of \d+ rows$", re.M)
"""The comment of a first spec on its training part, which folds take the place of."""


@dataclass(frozen=True)
class Study:
    """What is compared on what.

    data: paths from the current folder. depths: 1 to 10. folds, seed: number of folds and their
    seed. label: the column with the classes, guessed for each table where it is None. objective:
    in place of each formulation's own, with or without `minimize`. settings: arguments of
    `Compiled.solve` for all runs. include: folders to look for formulations and modules in.
    formulations: names, or paths from the current folder.
    """

    formulations: Sequence[str]
    data: Sequence[str]
    depths: Sequence[str] = ("2",)
    folds: int = 5
    seed: int = 0
    label: str | None = None
    objective: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    include: Sequence[str | Path] = ()


def study_plan(study: Study) -> Plan:
    """The runs of a study, by table, formulation, depth and fold.

    A formulation that does not take a table has a row with the status `refused` for each depth.
    Raises TreemipError for what is wrong with every formulation, and all refusals where there
    is nothing to run.
    """
    axes = axes_of({DATA: study.data, FORMULATION: study.formulations, DEPTH: study.depths})
    for name in axes[FORMULATION]:
        formulation_named(name, include=study.include)
    _demand_depths(axes[DEPTH])
    demand_folds(study.folds, study.seed)
    objective = None if study.objective is None else _statement(study.objective)
    runs: list[Run] = []
    rows: list[Row] = []
    refusals: dict[str, Diagnostic] = {}
    for data, name in table_names(axes[DATA]).items():
        for formulation in axes[FORMULATION]:
            values = {DATA: name, FORMULATION: formulation}
            try:
                runs += _runs(study, Path(data), values, axes[DEPTH], objective)
            except TreemipError as error:
                first = error.diagnostics[0]
                if first.code in OF_THE_STUDY:
                    raise
                refusals |= {each.message: each for each in error.diagnostics}
                rows += [_refused_row({**values, DEPTH: depth}, first) for depth in axes[DEPTH]]
    if not runs:
        raise TreemipError(refusals.values())
    return Plan(tuple(runs), (DATA, FORMULATION, DEPTH, FOLD), frozenset({FOLD}), tuple(rows))


def _runs(
    study: Study,
    path: Path,
    values: dict[str, str],
    depths: Sequence[str],
    objective: str | None,
) -> list[Run]:
    """The runs of one formulation and one table, which is the file `path`."""
    formulation, folder = values[FORMULATION], path.absolute().parent
    least = min(map(int, depths))
    text = first_spec(path, folder, study.label, formulation, least, include=study.include).text
    text = _SIZE_OF_PART.sub("", text)
    if objective is not None:
        text += f"\n{objective}\n"
    modules = module_folders(folder, study.include)
    program = Program(Source(f"{formulation}, {path.name}", text), (), folder, modules=modules)
    folds = (study.folds, study.seed)
    plan = planned(program, {DEPTH: tuple(depths)}, study.settings, folds)
    return [replace(run, values={**values, **run.values}) for run in plan.runs]


def _refused_row(values: dict[str, str], reason: Diagnostic) -> Row:
    measured = dict.fromkeys(MEASURED)
    message = f"{reason.code}: {reason.message}"
    known = {"status": REFUSED, "message": message, "seconds": 0.0, "key": ""}
    return {**values, FOLD: "", **measured, **known}


def write_specs(plan: Plan, folder: Path) -> None:
    """TABLE-FORMULATION.tree in `folder`/specs: the spec of the first fold. Raises E603."""
    specs = folder / SPECS
    names = _names_of_files([run.values[DATA] for run in plan.runs])
    titles = _names_of_files([run.values[FORMULATION] for run in plan.runs])
    first = {(run.values[DATA], run.values[FORMULATION]): run for run in reversed(plan.runs)}
    specs.mkdir(exist_ok=True)
    for (data, formulation), run in first.items():
        with replacing(specs / f"{names[data]}-{titles[formulation]}.tree") as file:
            file.write(_moved(run, specs).encode())


def _names_of_files(paths: Sequence[str]) -> dict[str, str]:
    """Names for files by path: those of the paths without suffixes, equal ones numbered."""
    names: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        name = stem = Path(path).name.split(".", 1)[0]
        number = 1
        while name in names.values():
            number += 1
            name = f"{stem}-{number}"
        names[path] = name
    return names


def _moved(run: Run, folder: Path) -> str:
    """The spec of a run with the paths of its data and formulation as a spec in `folder` writes
    them."""
    text = run.text
    for statement in reversed(parse(Source(run.name, text)).statements):
        if isinstance(statement, n.Data):
            path, place = statement.path, statement.span
        elif isinstance(statement, n.Split) and statement.by and statement.by.is_path:
            path, place = statement.by.text, statement.by.span
        else:
            continue
        moved = quoted(path_from(folder, Path(run.base) / path))
        text = text[: place.start] + text[place.start :].replace(quoted(path), moved, 1)
    return text


# ------------------------------------------------------------------------------ checks


def _demand_depths(depths: Sequence[str]) -> None:
    for depth in depths:
        if not (depth.isascii() and depth.isdecimal() and 1 <= int(depth) <= DEEPEST):
            raise refused(f"the depth is {depth}", f"give whole numbers from 1 to {DEEPEST}")


def _statement(objective: str) -> str:
    """The objective as a statement. Raises E1xx for its syntax, E902 for other statements."""
    text = objective.strip().rstrip(";")
    if text.split(None, 1)[:1] not in (["minimize"], ["maximize"]):
        text = f"minimize {text}"
    statements = parse(Source("--objective", f"{text};")).statements
    if len(statements) != 1 or not isinstance(statements[0], n.Objective):
        raise refused(f"'{objective}' is not an objective", "such as misclassified + 0.1 * splits")
    return f"{text};"
