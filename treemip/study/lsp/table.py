"""What a spec's data say of it: columns, values, parameters, and what `check --data` reports.

A file is read once for each state it is in on the disk, and not at all where it is large.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from treemip.api.data_check import checked_instance
from treemip.api.engines import engine_note
from treemip.api.program import Program
from treemip.core.instance.columns import Column, Unreadable
from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.side_tables import read
from treemip.core.resolve.module_files import module_folders
from treemip.core.resolve.sorts import Sort, is_group
from treemip.core.source.confined import permit
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.scan import string_span
from treemip.study.lsp.view import Edited, View

LARGEST = 50_000_000
"""Bytes of a data file that is read."""

LARGEST_MODEL = 500_000
"""Points times features times nodes of a spec that engines are asked about."""

KEPT = 8
"""Files whose columns are kept."""

SHOWN = 200
"""Values of a column, at most, that are offered."""


FEW = 20
"""Numbers of a column, at most, that are offered."""


@dataclass(frozen=True)
class ColumnFacts:
    """about: a line on its cells. levels: its distinct texts, none where there are many."""

    name: str
    about: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataFacts:
    """What the data say of a text.

    columns: of the file. names: elements by their sort, "class", "feature", "category",
    "group:sex". parameters: their values as text. problems: what is wrong, with warnings. about: a
    line on the table. bound: the spec over its data, where both are sound.
    """

    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    about: str = ""
    bound: tuple[Program, Instance] | None = field(default=None, compare=False, repr=False)

    def elements(self, sort: Sort | None) -> tuple[str, ...]:
        """The texts that name elements of a sort."""
        return self.names.get(getattr(sort, "of", ""), ())


NOTHING = DataFacts()


class TableCache:
    """Tables by their file, its state on the disk, and how its cells are read."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[object, ...], RawTable] = OrderedDict()
        self.reads = 0

    def table(
        self, path: Path, separator: str | None = None, marks: tuple[str, ...] = ()
    ) -> RawTable:
        """Raises Unreadable, also for a file that is too large to be read here."""
        try:
            permit(path)
            state = os.stat(path)
        except PermissionError as error:
            raise Unreadable(f"the file cannot be read: {error.strerror}") from None
        except (OSError, ValueError):
            raise Unreadable("there is no such file", f"looked for at {path}") from None
        if state.st_size > LARGEST:
            size = f"it has {state.st_size / 1e6:.0f} MB, and an editor reads {LARGEST / 1e6:.0f}"
            raise Unreadable(size, "use treemip check --data")
        key = (str(path), state.st_mtime_ns, state.st_size, separator, marks)
        if key not in self._tables:
            self.reads += 1
            self._tables[key] = read_table(path, separator, marks)
            while len(self._tables) > KEPT:
                self._tables.popitem(last=False)
        self._tables.move_to_end(key)
        return self._tables[key]


def data_facts(view: View, cache: TableCache, edited: Edited | None = None) -> DataFacts:
    """What the data of a text say. Its problems are found where the text itself has none."""
    if view.data is None or view.part or not view.data.path:
        return NOTHING
    base, spec = view.path.parent, view.data
    try:
        raw = cache.table(base / spec.path, spec.separator, spec.marks)
    except Unreadable as fault:
        message = f"'{spec.path}': {fault.message}"
        problem = Diagnostic("E301", message, string_span(spec.span), fault.remedy)
        return DataFacts(problems=() if view.problems or _only_large(fault) else (problem,))
    facts = DataFacts(column_facts(raw), about=f"{raw.count} rows, {len(raw)} columns")
    return facts if view.spec is None else _bound(view, raw, facts, edited or {})


def _only_large(fault: Unreadable) -> bool:
    return fault.remedy.startswith("use treemip")


def column_facts(raw: RawTable) -> dict[str, ColumnFacts]:
    """What is known of each column."""
    found = {}
    for name in raw.names:
        try:
            found[name] = _facts(name, raw[name])
        except (Unreadable, ValueError):
            found[name] = ColumnFacts(name, "neither numbers nor text")
    return found


def _facts(name: str, column: Column) -> ColumnFacts:
    missing = int(column.missing.sum())
    gaps = f", {missing} missing" if missing else ""
    numbers = column.numbers[~np.isnan(column.numbers)]
    levels = column.texts.levels
    shown = levels if len(levels) <= SHOWN else ()
    if len(numbers) and len(numbers) + missing == len(column):
        about = f"numbers from {numbers.min():g} to {numbers.max():g}{gaps}"
        return ColumnFacts(name, about, shown if len(shown) <= FEW else ())
    return ColumnFacts(name, f"{len(levels)} values{gaps}", shown)


def _bound(view: View, raw: RawTable, facts: DataFacts, edited: Edited) -> DataFacts:
    """With what follows from the spec and its data."""
    assert view.spec is not None
    folders = module_folders(view.path.parent, edited=edited)
    names, parameters, problems, bound = {}, {}, list[Diagnostic](), None
    try:
        program = Program(Source(view.name, view.text), base=view.path.parent, modules=folders)
        program.data = read(program.spec, program.base, raw=raw)
        if program.data is not None:
            names = _names(program.data.train)
        instance = checked_instance(program)
        parameters = {
            s.name: t for s in instance.spec.parameters if (t := _value(instance, s.name))
        }
        problems, bound = list(instance.warnings), (program, instance)
    except TreemipError as error:
        problems = list(error.diagnostics)
    return DataFacts(facts.columns, names, parameters, tuple(problems), facts.about, bound)


def with_engines(facts: DataFacts) -> DataFacts:
    """The facts with the note why no exact engine takes the spec (W609), which may take seconds;
    unchanged where nothing is to be said, and where the model is large."""
    if facts.bound is None:
        return facts
    program, instance = facts.bound
    facts = replace(facts, bound=None)
    if instance.data is None or instance.topology is None:
        return facts
    if instance.table.x.size * instance.topology.size > LARGEST_MODEL:
        return facts
    try:
        note = engine_note(instance, lambda: program.compile().checked)
    except TreemipError as error:  # of rows, which an engine asked for
        return replace(facts, problems=(*facts.problems, *error.diagnostics))
    return facts if note is None else replace(facts, problems=(*facts.problems, note))


def _names(table: Table) -> dict[str, tuple[str, ...]]:
    """Names of elements by sort, of each at most `SHOWN`."""
    names: dict[str, tuple[str, ...]] = {
        "class": table.classes,
        "feature": table.features,
        "categorical feature": tuple(table.categorical),
        "category": table.category_names,
    }
    names |= {f"group:{name}": levels for name, (_, levels) in table.groups.items()}
    return {sort: values[:SHOWN] for sort, values in names.items()}


def _value(instance: Instance, name: str) -> str:
    """A parameter's value; of one with indices its shape and range."""
    values = instance.values.get(name)
    if values is None or values.ragged is not None or values.tuples is not None:
        return ""
    array = np.asarray(values.values)
    if array.size == 1:
        return f"{array.reshape(-1)[0]:g}" if array.dtype.kind in "fiu" else ""
    if not array.size or array.dtype.kind not in "fiu":
        return ""
    return f"{array.size} values from {array.min():g} to {array.max():g}"


def kept_names(new: DataFacts, old: DataFacts) -> DataFacts:
    """Facts with the names and values that were known before of the same table, while a text has
    errors and is not bound to it."""
    if new.names or not old.names or new.columns.keys() != old.columns.keys():
        return new
    return replace(new, names=old.names, parameters=old.parameters)


def elements_of(facts: DataFacts, sort: Sort | None) -> tuple[str, ...]:
    """Names of elements of a sort; of a group those of its column where nothing is bound."""
    found = facts.elements(sort)
    if not found and is_group(sort):
        column = facts.columns.get(getattr(sort, "name", ""))
        found = column.levels if column is not None else ()
    return found
