"""The table of a first spec: which column is the label, and what becomes of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treemip.core.instance.columns import Unreadable
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.survey import (
    ColumnSurvey,
    guess_label,
    guess_number,
    read_guessing,
    survey,
    unlikely_label,
    words_of,
)
from treemip.core.instance.written_numbers import demand_plain_numbers
from treemip.core.resolve.formulations import Formulation
from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.study.init.first_spec_survival import Survival, SurvivalAsked
from treemip.study.init.first_spec_treatments import Treatments


@dataclass(frozen=True)
class TableRead:
    """A table and what is in its columns. target: the label, the treatments or the events,
    with `why` it is that one. targets: that column, and others that are no features. roles: of
    columns in place of a label. separator: None where
    the spec need not name it."""

    table: RawTable
    target: ColumnSurvey
    why: str
    targets: tuple[str, ...]
    columns: ColumnRoles
    separator: str | None
    roles: Treatments | Survival | None = None


def read_for_spec(
    data: Path,
    separator: str | None,
    label: str | None,
    wanted: Formulation | None,
    roles: Treatments | SurvivalAsked | None,
    apart: Mapping[str, str],
) -> TableRead:
    """Raises Unreadable, and E902 for a label or treatments that the table does not have."""
    raw, separator, named = read_guessing(data, separator)
    surveys = [_surveyed(raw, name) for name in raw.names]
    found = None if roles is None else roles.of(raw, surveys)
    if found is not None:
        chosen, why, targets = found.target, "", found.columns
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
    columns = ColumnRoles.of(features, targets, frozenset(raw[chosen].texts.levels))
    for name, reason in apart.items():
        columns.dropped.setdefault(reason, []).append(name)
    marked = read_table(data, separator, columns.marks) if columns.marks else raw
    target = next(one for one in surveys if one.name == chosen)
    mark = separator if named else None
    return TableRead(marked, target, why, targets, columns, mark, found)


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
class ColumnRoles:
    """What becomes of all columns but the label. dropped: names by the reason."""

    features: list[ColumnSurvey]
    dropped: dict[str, list[str]]
    marks: tuple[str, ...]

    @classmethod
    def of(
        cls, surveys: list[ColumnSurvey], targets: Sequence[str], classes: frozenset[str]
    ) -> ColumnRoles:
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


def _unknown(what: str, name: str, known: list[str]) -> TreemipError:
    return refused(
        f"there is no {what} '{name}'",
        did_you_mean(name, known) or f"the {what}s are {listed(known, 40)}",
    )
