"""From a spec and what varies to runs; all errors in either are reported before the first run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from treemip.answers.starts.warm_start import require_start
from treemip.api.program import Program, demand_kept
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.side_tables import files_beside
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, refused
from treemip.core.source.span import Source
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.strategy.settings import Settings
from treemip.core.strategy.solvers import require_known
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse
from treemip.study.sweeps.axes import (
    DATA,
    FOLD,
    SOLVE_OPTIONS,
    Axes,
    combinations,
    solve_option,
    table_names,
)
from treemip.study.sweeps.conflicts import (
    Folds,
    RowFolds,
    declared_parameters,
    demand_effect_beside_folds,
    demand_one_value_each,
)
from treemip.study.sweeps.run import MEASURED, Row, Run

SETTINGS = (*SOLVE_OPTIONS, "absolute_gap", "feasibility", "seed", "starts")
"""Arguments of `Compiled.solve` that a sweep takes for all of its runs."""


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep in the order of its table.

    names: of the columns that vary. repeats: those among them that only repeat a configuration,
    such as the seed of the training part; results are means over them. refused: rows of what
    cannot be run at all; they follow the runs. warnings: of all runs together. together:
    whether the runs of a fold are one piece of work; along: the column of the price that only the
    objective has, empty without one.
    """

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    repeats: frozenset[str]
    refused: tuple[Row, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    together: bool = False
    along: str = ""


def planned(
    program: Program,
    axes: Axes,
    settings: Mapping[str, Any],
    folds: Folds | RowFolds | None = None,
    shared: float | None = None,
) -> Plan:
    """The runs of all combinations of values.

    settings: arguments of `Compiled.solve` for all runs. folds: their number and their seed; the
    training part is then all but one of them, instead of what the spec says. Or the parts of the
    table's rows by the name of the fold. shared: the seconds that the runs of a fold share.
    Raises TreemipError for what is wrong whatever the run: the spec, each value, data files, and
    a value that another one would replace.
    """
    settings = {name: _as_option(name, value) for name, value in settings.items()}
    declared = declared_parameters(program.file)
    counted = (len(folds), None) if isinstance(folds, Mapping) else folds
    demand_one_value_each(program, axes, settings, counted)
    first = Run(
        name=program.source.name,
        text=program.source.text,
        base=str(program.base),
        values={},
        parameters=program.spec.overrides,
        settings=dict(settings),
        data_file=None if program.data_file is None else str(program.data_file),
        table=program.table,
        modules=program.spec.modules,
        shared=shared,
    )
    _demand_settings(settings)
    if isinstance(folds, Mapping):
        texts = dict.fromkeys(folds, with_training_part(first, ""))
    else:
        texts = {} if folds is None else _texts_of_folds(first, *folds)
    if texts:
        demand_effect_beside_folds(program, axes, next(iter(texts.values())))
        axes = {**axes, FOLD: tuple(texts)}
    digests = _digests(program, axes)
    names = table_names(axes.get(DATA, ()))
    runs = [_run(first, one, declared, texts, digests, names) for one in combinations(axes)]
    if isinstance(folds, Mapping):
        runs = [replace(run, parts=folds[run.values[FOLD]]) for run in runs]
    _check_each_value(runs, axes)
    repeats = _repeats(program.file) & set(axes)
    columns = tuple(column_of(name) for name in axes)
    repeated = frozenset(column_of(name) for name in repeats)
    return Plan(tuple(runs), columns, repeated, warnings=_warnings(program))


def _warnings(program: Program) -> tuple[Diagnostic, ...]:
    """W605, once for all runs: what is proven of selected points, and what is counted."""
    select = program.spec.strategy.select
    if select is None:
        return ()
    message = (
        f"each run states its model over the points of 'select {select.kind}', and what is proven "
        "of it holds for these alone; errors and scores are those of all training points"
    )
    return (Diagnostic("W605", message, select.span, severity=Severity.WARNING),)


def column_of(name: str) -> str:
    """The column of a name that varies: `vary_gap` beside the column of results called so."""
    return f"vary_{name}" if name in MEASURED else name


def _run(
    first: Run,
    values: dict[str, str],
    declared: frozenset[str],
    texts: dict[str, str],
    digests: dict[str | None, str],
    names: dict[str, str],
) -> Run:
    """names: what results call the tables, by their paths."""
    given, settings = dict(first.parameters), dict(first.settings)
    text, data_file = first.text, first.data_file
    for name, value in values.items():
        if name == FOLD and texts:
            text = texts[value]
        elif name in declared:
            given[name] = value
        elif name == DATA:
            data_file = str(Path(value).absolute())
        elif name in SOLVE_OPTIONS:
            settings[name] = solve_option(name, value)
        else:
            given[name] = value
    shown = {column_of(name): value for name, value in values.items()}
    other_table = DATA in values and DATA not in declared
    return replace(
        first,
        text=text,
        values=shown | ({DATA: names[values[DATA]]} if other_table else {}),
        parameters=tuple(given.items()),
        settings=settings,
        data_file=data_file,
        table=None if other_table else first.table,
        data_digest=digests[data_file],
    )


def _repeats(file: n.File) -> frozenset[str]:
    """`fold`, `seed`, and the parameters in their places in `train`."""
    names = {FOLD, "seed"}
    for statement in file.statements:
        for setting in statement.settings if isinstance(statement, n.Data) else ():
            words = [word.name for group in setting.groups for word in group]
            if setting.key == "train" and "fold" in words[:1]:
                names.add(words[1] or "")
            if setting.key == "train" and len(words) > 2 and words[-2] == "seed":
                names.add(words[-1] or "")
    return frozenset(names)


# ------------------------------------------------------------------------------ folds


def _texts_of_folds(run: Run, count: int, seed: int | None) -> dict[str, str]:
    """The spec's text for each fold, by its number."""
    part = f"of {count} seed {seed or 0}"
    return {str(k): with_training_part(run, f"fold {k} {part}") for k in range(1, count + 1)}


def with_training_part(run: Run, words: str) -> str:
    """The spec's text with another `train` setting, so that a fold is in all that follows from it;
    with no words, without one.

    Raises E902 for a spec without data.
    """
    source = Source(run.name, run.text)
    data = next((s for s in parse(source).statements if isinstance(s, n.Data)), None)
    if data is None:
        raise refused("the spec has no data to split into folds", "add a data block")
    stated = f"train {words};" if words else ""
    for setting in data.settings:
        if setting.key == "train":
            return _replaced(run.text, setting.span.start, setting.span.end, stated)
    if not words:
        return run.text
    return _replaced(run.text, data.span.end - 1, data.span.end - 1, f"{stated} ")


def _replaced(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


# ------------------------------------------------------------------------------ checks


def _check_each_value(runs: list[Run], axes: Axes) -> None:
    """Raise what is wrong with the spec under each value, the others being the first of theirs.

    Of many numbers only the least and the greatest are checked: a fault of one between them shows
    in its run. The data are read once for each file; a value of theirs that only the
    training part of one run lacks (E309) is that run's own.
    """
    base, telling = runs[0].values, _telling_values(axes)
    files: set[str | None] = set()
    for run in runs:
        changed = [(name, value) for name, value in run.values.items() if value != base[name]]
        if len(changed) > 1 or not telling.issuperset(changed):
            continue
        program = run.program()
        _check_settings(run.settings)
        if run.data_file in files:
            continue
        files.add(run.data_file)
        try:
            _ = program.data
        except TreemipError as error:
            if any(d.code != "E309" for d in error.diagnostics):
                raise (_without_fold_place(error) if FOLD in axes else error) from None


def _without_fold_place(error: TreemipError) -> TreemipError:
    """The error; what it says of a fold is without its place, which no user wrote."""
    return TreemipError(
        Diagnostic.outside(one.code, one.message, one.remedy) if one.code == "E306" else one
        for one in error.diagnostics
    )


def _telling_values(axes: Axes) -> set[tuple[str, str]]:
    """Columns with the values to check: all texts, and the least and the greatest number."""
    telling: set[tuple[str, str]] = set()
    for name, values in axes.items():
        numbers = [value for value in values if _is_number(value)]
        chosen = {value for value in values if value not in numbers}
        if numbers:
            chosen |= {min(numbers, key=float), max(numbers, key=float)}
        shown = table_names(values) if name == DATA else {}
        telling |= {(column_of(name), shown.get(value, value)) for value in chosen}
    return telling


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _demand_settings(settings: Mapping[str, Any]) -> None:
    """E902 for what is no setting of a run."""
    for name, value in settings.items():
        if name not in SETTINGS:
            hint = did_you_mean(name, SETTINGS) or f"the settings are {listed(SETTINGS, 20)}"
            raise refused(f"a sweep has no setting '{name}'", hint)
        if not isinstance(value, str | int | float):
            raise refused(f"the setting '{name}' is {value!r}", "give a number or a name")


def _as_option(name: str, value: Any) -> Any:
    """A whole number as the float that the command line makes of it, so that keys are the same."""
    return float(value) if SOLVE_OPTIONS.get(name) is float and isinstance(value, int) else value


def _check_settings(settings: Mapping[str, Any]) -> None:
    """E902 for an unknown solver or start, and for numbers out of range."""
    Settings(**settings).limits(log=False)
    require_known(settings.get("solver", "auto"))
    require_start(settings.get("start"))


def _digests(program: Program, axes: Axes) -> dict[str | None, str]:
    """SHA-256 by data file, None standing for the spec's own data.

    That of the parameters' tables is behind each of them.
    """
    tables = dict.fromkeys(files_beside(program.spec))
    behind = "".join(f" {_digest_of_file(program.base / path)}" for path in tables)
    return {path: digest + behind for path, digest in _data_digests(program, axes).items()}


def _data_digests(program: Program, axes: Axes) -> dict[str | None, str]:
    data = program.spec.data
    own = None if program.data_file is None else str(program.data_file)
    digests: dict[str | None, str] = {own: "", None: ""}
    if DATA in axes and DATA not in declared_parameters(program.file):
        paths = [Path(value).absolute() for value in axes[DATA]]
        return {str(path): _digest_of_file(path) for path in paths}
    if program.table is not None and data is not None:
        demand_kept(program.table)
        digests[own] = _digest_of_columns(program.table, data.label.text)
    elif data is not None:
        digests[own] = _digest_of_file(program.base / data.path)
    return digests


def _digest_of_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"'{path}' cannot be read: {reason}"
        raise TreemipError(Diagnostic.outside("E301", message)) from None


def _digest_of_columns(table: Any, label: str) -> str:
    from treemip.core.instance.data_frames import columns_of

    if isinstance(table, RawTable):
        return table.digest
    digest = hashlib.sha256()
    for name, column in columns_of(table, label=label).items():
        values = column if column.dtype != object else np.array([repr(v) for v in column])
        digest.update(f"{name}\0{values.dtype}\0{len(values)}\0".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
