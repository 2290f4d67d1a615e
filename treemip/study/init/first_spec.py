"""A first spec for a table: what becomes of its columns, and a formulation that takes them.

What a formulation wants of the features is not known here: settings are tried in turn until its own
requirements hold. A text is compiled before it is given out, with its constraint to try, so that it
checks and solves as it stands.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from treemip.api.program import loads
from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import Unreadable
from treemip.core.instance.labels import is_quantity
from treemip.core.instance.survey import MOST_CLASSES, ColumnSurvey, classes_of
from treemip.core.resolve.formulations import Formulation, formulation_named
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, refused
from treemip.study.init.first_spec_survival import (
    USUAL_OF_SURVIVAL,
    Survival,
    SurvivalAsked,
    demand_no_survival,
)
from treemip.study.init.first_spec_table import TableRead, read_for_spec
from treemip.study.init.first_spec_text import BINARY, PLAIN, SCALED, Draft
from treemip.study.init.first_spec_treatments import (
    USUAL_OF_TREATMENTS,
    Treatments,
    demand_treatments,
)

USUAL = ("oct", "binoct")
"""Without a formulation: the first of these that has no warning about the table."""

USUAL_OF_NUMBERS = ("ort",)
"""The same for a label that is a measurement."""

MANY = 20_000
"""Rows above which the first formulation that compiles is taken: among so many some values are
always close together, and telling them apart takes far more time."""

DEEPEST = 10


@dataclass(frozen=True)
class FirstSpec:
    """The text of a spec, its label with what speaks for it (empty for one that was given), whether
    that is a number, the number of rows of each of its values, and the formulation.

    roles: columns in place of a label; `label` is then that of the treatments or events.
    unlabelled: how many rows are left out because they have no label. passed_over: what speaks
    against the formulations that would have come first; empty where there are none.
    """

    text: str
    label: str
    why: str
    number: bool
    classes: dict[str, int]
    formulation: str
    roles: Treatments | Survival | None = None
    unlabelled: int = 0
    passed_over: str = ""


def first_spec(
    data: Path,
    folder: Path,
    label: str | None = None,
    formulation: str | None = None,
    depth: int = 2,
    separator: str | None = None,
    include: Sequence[str | Path] = (),
    treatments: Treatments | None = None,
    apart: Mapping[str, str] = MappingProxyType({}),
    whole: bool = False,
    survival: SurvivalAsked | None = None,
) -> FirstSpec:
    """A spec in `folder` for a table.

    The label is a number where the formulation predicts values, or, without one, where it looks
    like a measurement; else it names classes.
    formulation: a name, or a path from the current folder. include: folders to look for it in.
    treatments: the spec has no label then; its leaves choose treatments. apart: columns that are
    neither label nor features, with the reason. whole: without a training part. survival: what is
    said of times and events, of which a formulation that learns from them guesses the rest.
    Raises TreemipError: E301 for a table that cannot be read, E902 for a label, formulation or
    depth that it cannot have, and E3xx to E5xx for what the formulation refuses.
    """
    wanted = None if formulation is None else formulation_named(formulation, folder, include)
    if not 1 <= depth <= DEEPEST:
        raise refused(f"the depth is {depth}", f"give a depth from 1 to {DEEPEST}")
    other = "--label" if label is not None else "--treatment" if treatments is not None else None
    if survival is None:
        demand_no_survival(wanted)
    times = None if survival is None else survival.by(wanted, other)
    demand_treatments(wanted, treatments)
    try:
        read = read_for_spec(data, separator, label, wanted, times or treatments, apart)
    except Unreadable as error:
        message = f"'{data}': {error.message}"
        raise TreemipError(Diagnostic.outside("E301", message, error.remedy)) from None
    if not read.columns.features:
        reasons = read.columns.reasons or "a table needs a label and at least one other column"
        message = f"'{data}' has no column to split on beside '{read.target.name}'"
        raise refused(message, reasons)
    draft = _draft(read, path_from(folder, data), wanted, depth, whole)
    usual = _usual(draft)
    candidates = [wanted] if wanted else [formulation_named(n, folder, include) for n in usual]
    return _first_that_compiles(draft, candidates, folder, include)


def _draft(
    read: TableRead, data: str, wanted: Formulation | None, depth: int, whole: bool
) -> Draft:
    """Raises E902 for a label that cannot be one, or that the formulation cannot learn."""
    target, unlabelled = read.target.name, _unlabelled(read)
    features, dropped = _with_values(read, unlabelled)
    classes = classes_of(read.table[target])
    quantity = number = False
    if read.roles is None:
        quantity = is_quantity(Levels.of(read.table[target]), sum(classes.values()))
        number = quantity if wanted is None else wanted.predicts_values
        if number and not read.target.numeric:
            message = f"the label '{target}' holds text, and {_name(wanted)} predicts numbers"
            raise refused(message, "name another label: --label")
        _demand_values(target, classes, number, None if wanted is None else wanted.name)
    return Draft(
        data=data,
        label=target,
        why=read.why,
        classes=classes,
        number=number,
        quantity=quantity,
        features=features,
        dropped=dropped,
        marks=read.columns.marks,
        missing={one.name: read.table[one.name].missing for one in features},
        label_missing=unlabelled,
        separator=read.separator,
        depth=depth,
        roles=read.roles,
        whole=whole,
    )


def _unlabelled(read: TableRead) -> np.ndarray:
    """The rows without a label, or without what else is learned, bool (N,): they are left out."""
    missing: np.ndarray = np.any([read.table[name].missing for name in read.targets], axis=0)
    return missing


def _with_values(
    read: TableRead, unlabelled: np.ndarray
) -> tuple[list[ColumnSurvey], dict[str, list[str]]]:
    """The features that have a value in some row that is learned from, and all others by the
    reason."""
    columns = read.columns
    empty = [f.name for f in columns.features if (read.table[f.name].missing | unlabelled).all()]
    if not empty:
        return columns.features, columns.dropped
    reason = "no value where the label has one"
    left = [one for one in columns.features if one.name not in empty]
    return left, {**columns.dropped, reason: empty}


def _name(wanted: Formulation | None) -> str:
    return "the formulation" if wanted is None else wanted.name


def _usual(draft: Draft) -> Sequence[str]:
    """Formulations to try where none is given."""
    if isinstance(draft.roles, Survival):
        return (USUAL_OF_SURVIVAL,)
    if draft.roles is not None:
        return (USUAL_OF_TREATMENTS,)
    return USUAL_OF_NUMBERS if draft.number else USUAL


def _demand_values(
    label: str, classes: dict[str, int], number: bool, formulation: str | None
) -> None:
    """E902 for a label with less than two values, or with about as many classes as rows."""
    rows = sum(classes.values())
    if len(classes) == 1:
        what = "value" if number else "class"
        raise refused(
            f"the label '{label}' has a single {what}, '{next(iter(classes))}', in all {rows} rows",
            f"a tree needs two {'values' if number else 'classes'} or more: name another column"
            " with --label",
        )
    if not classes:
        raise refused(f"the label '{label}' has no value in any row", "name another one: --label")
    if not number and len(classes) > MOST_CLASSES and 2 * len(classes) > rows:
        raise refused(
            f"the label '{label}' has {len(classes)} different values in {rows} rows",
            f"{formulation or 'a tree'} predicts classes: make a column of a few classes, such as "
            "low and high, or take a formulation that predicts numbers, such as ort",
        )


def path_from(folder: Path, data: Path) -> str:
    """The data's path as a spec in `folder` writes it. A link in that folder keeps its name."""
    there, here = Path(os.path.abspath(data)), Path(os.path.abspath(folder))
    if there.is_relative_to(here):
        return there.relative_to(here).as_posix()
    try:
        return Path(os.path.relpath(data.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return data.resolve().as_posix()


# --------------------------------------------------------------------------------------- trials


def _first_that_compiles(
    draft: Draft, named: list[Formulation], folder: Path, include: Sequence[str | Path]
) -> FirstSpec:
    """Of the formulations in question the first without a warning, else the first that compiles;
    of a table with more than MANY rows always that one.

    Raises the errors of the first one where none does.
    """
    failures: list[TreemipError] = []
    warned: list[FirstSpec] = []
    against: list[str] = []
    for formulation in named:
        try:
            text, warnings = _compiled(draft, formulation, folder, include)
        except TreemipError as error:
            failures.append(error)
            against.append(error.diagnostics[0].message)
            continue
        spec = FirstSpec(
            text,
            draft.label,
            draft.why,
            draft.number,
            draft.classes,
            formulation.name,
            draft.roles,
            int(draft.label_missing.sum()),
            "; ".join(against),
        )
        if not warnings or len(draft.label_missing) > MANY:
            return spec
        warned.append(spec)
        against.append(f"{formulation.name} warns: {warnings[0]}")
    if not warned:
        raise failures[0]
    return warned[0]


def _compiled(
    draft: Draft, formulation: Formulation, folder: Path, include: Sequence[str | Path]
) -> tuple[str, list[str]]:
    """The first text that compiles with its constraint, and its warnings.

    Raises what the formulation says of the table under the last settings.
    """
    splits, written = formulation.splits, formulation.written
    if draft.number and "squared" in formulation.parameters:
        written = f"{written}(squared = 1)"  # which the exact engine proves
    refusals: list[TreemipError] = []
    for numbers in (PLAIN, SCALED, BINARY) if splits == "univariate" else (SCALED, BINARY):
        for constraint in draft.constraints():
            text = draft.text(written, splits, numbers, constraint, commented=False)
            try:
                compiled = loads(text, base=folder, include=include).compile()
            except TreemipError as error:
                refusals.append(error)
                if _is_of_the_table(error):
                    break
                continue
            warnings = [w.message for w in compiled.warnings if w.severity is Severity.WARNING]
            return draft.text(written, splits, numbers, constraint), warnings
    raise _misfit(formulation.name, next(filter(_is_of_the_table, reversed(refusals)), refusals[0]))


def _is_of_the_table(error: TreemipError) -> bool:
    """Whether the formulation refuses the table, whatever the constraint."""
    return error.diagnostics[0].code == "E307"


def _misfit(formulation: str, refusal: TreemipError) -> TreemipError:
    """The refusal without its place, which is in a text that the user has not seen."""
    return TreemipError(
        Diagnostic.outside(
            one.code, f"{formulation} does not take this table: {one.message}", one.remedy
        )
        for one in refusal.diagnostics
    )
