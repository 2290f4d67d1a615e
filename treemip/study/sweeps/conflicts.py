"""Values that are given twice: what varies and is fixed too, and what the folds replace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treemip.api.program import Program
from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.source.suggest import listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import scan
from treemip.study.sweeps.axes import DATA, FOLD, SOLVE_OPTIONS, Axes

SEED = "seed"

Folds = tuple[int, int | None]
"""Their number, and their seed where one is given."""

RowFolds = Mapping[str, bytes]
"""By the fold's name, of each row of the table in which part it is, as `Rows` has it."""


def declared_parameters(file: n.File) -> frozenset[str]:
    """The names of the spec's own parameters."""
    return frozenset(s.name for s in file.statements if isinstance(s, n.Param))


def demand_one_value_each(
    program: Program, axes: Axes, settings: Mapping[str, Any], folds: Folds | None
) -> None:
    """E902 for a name that varies and is fixed too, and for a seed of the folds given twice."""
    declared = declared_parameters(program.file)
    fixed = dict(program.spec.overrides)
    for name in axes:
        option = name in SOLVE_OPTIONS and name not in declared
        if name in fixed:
            raise _twice(name, f"-p {name}={fixed[name]}")
        if option and settings.get(name) is not None:
            raise _twice(name, f"--{name.replace('_', '-')} {_shown(settings[name])}")
        if name == DATA and name not in declared and program.data_file is not None:
            raise _twice(name, "--data")
        if name == DATA and name not in declared and program.table is not None:
            raise _twice(name, "a table in memory")
    if folds is not None:
        _demand_free_folds(axes, declared, folds[0])
        _demand_one_seed(axes, fixed, declared, folds[1])


def _twice(name: str, where: str) -> TreemipError:
    return refused(f"'{name}' is set twice, by --vary and by {where}", "keep one of the two")


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _demand_free_folds(axes: Axes, declared: frozenset[str], count: int) -> None:
    """E902 where a name stands for the number of the fold already."""
    if FOLD in declared:
        message = f"the spec has a parameter '{FOLD}', the name of the column of the folds"
        raise refused(message, "rename the parameter")
    if FOLD in axes:
        message = f"'{FOLD}' cannot vary: a cross-validation solves all {count} folds"
        raise refused(message, "leave it out; --folds K sets their number")


def _demand_one_seed(
    axes: Axes, fixed: Mapping[str, str], declared: frozenset[str], seed: int | None
) -> None:
    if seed is None or SEED in declared:
        return
    if SEED in axes:
        raise _twice(SEED, f"--seed {seed}")
    if SEED in fixed:
        message = f"the folds have two seeds, --seed {seed} and -p seed={fixed[SEED]}"
        raise refused(message, "keep one of the two")


def demand_effect_beside_folds(program: Program, axes: Axes, text: str) -> None:
    """E902 for a value of a parameter that only the spec's training part mentions.

    text: the spec with the training part of a fold in its place.
    """
    names = [*axes, *(name for name, _ in program.spec.overrides)]
    words = [lexeme.text for lexeme in scan(text) if lexeme.kind == "name"]
    before = [lexeme.text for lexeme in scan(program.source.text) if lexeme.kind == "name"]
    lost = [
        name
        for name in names
        if name in declared_parameters(program.file) and words.count(name) == 1 < before.count(name)
    ]
    if lost:
        verb = "have" if len(lost) > 1 else "has"
        raise refused(
            f"{listed(lost)} {verb} no effect: the folds replace the spec's training part",
            "leave it out; set the folds by --folds and --seed, or --vary seed=1,2",
        )
