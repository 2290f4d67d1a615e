"""A first spec for a table: what becomes of its columns, and a formulation that takes them.

What a formulation wants of the features is not known here: settings are tried in turn until its own
requirements hold. A text is compiled before it is given out, with its constraint to try, so that it
checks and solves as it stands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from treemip.api.program import loads
from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import Unreadable
from treemip.core.instance.labels import is_quantity
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.survey import (
    MOST_CLASSES,
    ColumnSurvey,
    classes_of,
    guess_label,
    guess_number,
    read_guessing,
    survey,
    unlikely_label,
    words_of,
)
from treemip.core.instance.written_numbers import demand_plain_numbers
from treemip.core.resolve.formulations import Formulation, formulation_named
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, refused
from treemip.core.source.suggest import did_you_mean, listed
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

DEEPEST = 10


@dataclass(frozen=True)
class FirstSpec:
    """The text of a spec, its label with what speaks for it (empty for one that was given), whether
    that is a number, the number of rows of each of its values, and the formulation.

    treatments: whether the values are treatments; `label` is then their column. unlabelled: how
    many rows are left out because they have no label. passed_over: what speaks against the
    formulations that would have come first; empty where there are none.
    """

    text: str
    label: str
    why: str
    number: bool
    classes: dict[str, int]
    formulation: str
    treatments: bool = False
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
) -> FirstSpec:
    """A spec in `folder` for a table.

    The label is a number where the formulation predicts values, or, without one, where it looks
    like a measurement; else it names classes.
    formulation: a name, or a path from the current folder. include: folders to look for it in.
    treatments: the spec has no label then; its leaves choose treatments. apart: columns that are
    neither label nor features, with the reason. whole: without a training part.
    Raises TreemipError: E301 for a table that cannot be read, E902 for a label, formulation or
    depth that it cannot have, and E3xx to E5xx for what the formulation refuses.
    """
    wanted = None if formulation is None else formulation_named(formulation, folder, include)
    if not 1 <= depth <= DEEPEST:
        raise refused(f"the depth is {depth}", f"give a depth from 1 to {DEEPEST}")
    demand_treatments(wanted, treatments)
    try:
        read = _read(data, separator, label, wanted, treatments, apart)
    except Unreadable as error:
        message = f"'{data}': {error.message}"
        raise TreemipError(Diagnostic.outside("E301", message, error.remedy)) from None
    target, columns = read.target.name, read.columns
    classes = classes_of(read.table[target])
    if not columns.features:
        reasons = columns.reasons or "a table needs a label and at least one other column"
        raise refused(f"'{data}' has no column to split on beside '{target}'", reasons)
    quantity = is_quantity(Levels.of(read.table[target]), sum(classes.values()))
    number = quantity if wanted is None else wanted.predicts_values
    quantity, number = (quantity, number) if treatments is None else (False, False)
    if number and not read.target.numeric:
        message = f"the label '{target}' holds text, and {formulation} predicts numbers"
        raise refused(message, "name another label: --label")
    _demand_values(target, classes, number, formulation)
    draft = Draft(
        data=path_from(folder, data),
        label=target,
        why=read.why,
        classes=classes,
        number=number,
        quantity=quantity,
        features=columns.features,
        dropped=columns.dropped,
        marks=columns.marks,
        missing={one.name: read.table[one.name].missing for one in columns.features},
        label_missing=np.any([read.table[name].missing for name in read.targets], axis=0),
        separator=read.separator,
        depth=depth,
        treatments=treatments,
        whole=whole,
    )
    usual = USUAL_OF_NUMBERS if number else USUAL
    usual = usual if treatments is None else (USUAL_OF_TREATMENTS,)
    candidates = [formulation_named(name, folder, include) for name in usual]
    return _first_that_compiles(draft, [wanted] if wanted else candidates, folder, include)


@dataclass(frozen=True)
class _Read:
    """A table and what is in its columns. target: the label or the treatments, with `why` it is
    that one. targets: that column, and those of outcomes and propensities. separator: None where
    the spec need not name it."""

    table: RawTable
    target: ColumnSurvey
    why: str
    targets: tuple[str, ...]
    columns: _Columns
    separator: str | None


def _read(
    data: Path,
    separator: str | None,
    label: str | None,
    wanted: Formulation | None,
    treatments: Treatments | None,
    apart: Mapping[str, str],
) -> _Read:
    """Raises Unreadable, and E902 for a label or treatments that the table does not have."""
    raw, separator, named = read_guessing(data, separator)
    surveys = [_surveyed(raw, name) for name in raw.names]
    if treatments is not None:
        treatments.demand(surveys)
        chosen, why, targets = treatments.treatment, "", treatments.columns
    else:
        for name in apart:
            if name not in raw.names:
                raise _unknown("column", name, list(raw.names))
            if name == label:
                raise refused(f"'{name}' is the label and the column {apart[name]}", "name another")
        may_be_label = [one for one in surveys if one.name not in apart]
        chosen, why = _label(label, may_be_label, data, wanted)
        targets = (chosen,)
    features = [one for one in surveys if one.name not in apart]
    columns = _Columns.of(features, targets, frozenset(raw[chosen].texts.levels))
    for name, reason in apart.items():
        columns.dropped.setdefault(reason, []).append(name)
    marked = read_table(data, separator, columns.marks) if columns.marks else raw
    target = next(one for one in surveys if one.name == chosen)
    return _Read(marked, target, why, targets, columns, separator if named else None)


def _no_label(odd: ColumnSurvey) -> TreemipError:
    """For a column that is no label, whatever its name says."""
    if odd.levels <= 1:
        return refused(
            f"the column '{odd.name}' is named like a label, but has a single value",
            "a tree needs two classes or more: name the column that has them with --label",
        )
    return refused(
        f"the column '{odd.name}' is named like a label, but has {odd.levels} different values",
        f"to learn all of them: --label {odd.name}; else name another column",
    )


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


def _surveyed(raw: RawTable, name: str) -> ColumnSurvey:
    """Raises Unreadable where a spec would take the column for something else than it is."""
    column = raw[name]
    one = survey(column, name)
    if not one.numeric:
        demand_plain_numbers(name, words_of(column))
    if "\n" in name:
        raise Unreadable("a column's name has a line break", "rename it")
    return one


def _label(
    label: str | None, surveys: list[ColumnSurvey], data: Path, wanted: Formulation | None
) -> tuple[str, str]:
    names = [one.name for one in surveys]
    if label is not None:
        if label not in names:
            raise _unknown("column", label, names)
        return label, ""
    if wanted is not None and wanted.predicts_values:
        if guess := guess_number(surveys):
            return guess
        message = f"no column of '{data}' has numbers with many values"
        raise refused(message, f"name the label with --label; the columns are {listed(names, 40)}")
    if odd := unlikely_label(surveys):
        raise _no_label(odd)
    guess = guess_label(surveys)
    if guess is None and wanted is None:
        guess = guess_number(surveys)
    if guess is None:
        message = f"no column of '{data}' looks like a label: 2 to 20 values, each several times"
        raise refused(message, f"name it with --label; the columns are {listed(names, 40)}")
    return guess


# -------------------------------------------------------------------------------------- columns

IDS = re.compile(r"id|index|key|row|rownames|nr|no|uuid|guid|unnamed.*|.*[ _.-](id|nr|no|key)")
"""Names, in small letters, of columns that number the rows where all values differ."""

MOST_TEXTS = 50
"""Values of a column of text; one with more would be as many 0/1 columns."""


@dataclass(frozen=True)
class _Columns:
    """What becomes of all columns but the label. dropped: names by the reason."""

    features: list[ColumnSurvey]
    dropped: dict[str, list[str]]
    marks: tuple[str, ...]

    @classmethod
    def of(
        cls, surveys: list[ColumnSurvey], targets: Sequence[str], classes: frozenset[str]
    ) -> _Columns:
        """targets: the label, or what else is no feature. classes: all texts of the first of them,
        those for a missing one included."""
        by_name = {one.name: one for one in surveys}
        given = [by_name[name] for name in targets]
        features: list[ColumnSurvey] = []
        dropped: dict[str, list[str]] = {}
        for one in surveys:
            if one in given:
                continue
            reason = _no_feature(one, classes - frozenset(given[0].marks))
            if reason:
                dropped.setdefault(reason, []).append(one.name)
            else:
                features.append(one)
        marks = sorted({mark for one in (*given, *features) for mark in one.marks})
        return cls(features, dropped, tuple(marks))

    @property
    def reasons(self) -> str:
        return "; ".join(f"{listed(names)}: {why}" for why, names in self.dropped.items())


def _no_feature(one: ColumnSurvey, classes: frozenset[str]) -> str:
    """Why a column can be no feature of a first spec; empty where it can."""
    if one.levels <= 1:
        return "a single value"
    if one.distinct and (one.running or IDS.fullmatch(one.name.lower())):
        return "numbers the rows"
    if not one.numeric and one.levels > MOST_TEXTS and one.unread:
        return f"{one.unread}: save them as plain numbers to split on them"
    if not one.numeric and one.levels > MOST_TEXTS:
        return "a name or text, different in most rows" if _mostly(one) else "too many values"
    if one.infinite:
        return "infinite values"
    if classes & frozenset(one.marks):
        return "its mark for a missing value is a class"
    return ""


def _mostly(one: ColumnSurvey) -> bool:
    return 2 * one.levels > one.rows


# --------------------------------------------------------------------------------------- trials


def _first_that_compiles(
    draft: Draft, named: list[Formulation], folder: Path, include: Sequence[str | Path]
) -> FirstSpec:
    """Of the formulations in question the first without a warning, else the first that compiles.

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
            draft.treatments is not None,
            int(draft.label_missing.sum()),
            "; ".join(against),
        )
        if not warnings:
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


def _unknown(what: str, name: str, known: list[str]) -> TreemipError:
    return refused(
        f"there is no {what} '{name}'",
        did_you_mean(name, known) or f"the {what}s are {listed(known, 40)}",
    )
