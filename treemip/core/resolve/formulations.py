"""Formulations by the names that users give them outside of a spec: `oct`, or a file's path."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from treemip.core.resolve.gather import gather
from treemip.core.resolve.module_files import SUFFIX, ModuleText, module_folders
from treemip.core.resolve.modules import formulation_names, library_module
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError, fail
from treemip.core.source.span import Source
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n

ASKED = "<formulation>"
"""The text that a name alone is, where no spec has it."""


@dataclass(frozen=True)
class Formulation:
    """A formulation and all that it uses, as a spec in some folder names it.

    name: as the user gave it. written: what stands behind `by` in the spec. statements: its own,
    then those of the modules that it uses. texts: those from outside the library.
    """

    name: str
    written: str
    statements: tuple[n.Statement, ...]
    texts: tuple[ModuleText, ...] = ()

    @property
    def splits(self) -> str:
        """The kind of its splits."""
        return self.header.kind

    @property
    def header(self) -> n.Header:
        return next(s for s in self.statements if isinstance(s, n.Header))

    @property
    def predicts_values(self) -> bool:
        """Whether its leaves predict numbers."""
        return any(isinstance(s, n.Predict) and s.kind == "value" for s in self.statements)

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.statements if isinstance(s, n.Param))


def is_file(name: str) -> bool:
    """Whether a user's name for a formulation is the path of a file."""
    return name.endswith(SUFFIX)


def written(name: str) -> str:
    """A user's name for a formulation as a spec writes it: the path of a file in quotes."""
    return _reference(name, is_file(name)).written


def formulation_named(
    name: str, folder: Path = Path(), include: Iterable[str | Path] = ()
) -> Formulation:
    """The formulation that a user's name means for a spec in `folder`.

    A path is from the current folder; a name is looked up in the current folder, in those of
    `include` and of TREEMIP_PATH, and in the library. Raises TreemipError: E902 if there is none,
    or the errors in its text.
    """
    folders = module_folders(folder, include)
    reference = _reference(name)
    if is_file(name) or not _in_library(name):
        path = next((p for p in _paths(name, folders.others) if os.path.isfile(p)), None)
        if path is None:
            _fail_unknown(name)
        reference = _reference(_from(folder, path), is_path=True)
    report = Report()
    empty = n.File(statements=(), span=reference.span)
    gathered = gather(empty, reference, report, folders)
    if report.errors:
        raise TreemipError([_outside(one) for one in report.errors])
    statements = tuple(
        s for m in gathered.modules[1:-1] for s in m.file.statements if m.owner != "spec"
    )
    return Formulation(name, reference.written, statements, gathered.texts)


def _outside(fault: Diagnostic) -> Diagnostic:
    """The fault without places in the name that was asked for, since no text contains it."""
    related = tuple(one for one in fault.related if one.span.source.name != ASKED)
    span = None if fault.span is None or fault.span.source.name == ASKED else fault.span
    return replace(fault, span=span, related=related)


def _in_library(name: str) -> bool:
    return name in formulation_names() and library_module(name) is not None


def _paths(name: str, others: Iterable[Path]) -> list[Path]:
    if is_file(name):
        return [Path(name)]
    return [folder / (name + SUFFIX) for folder in (Path(), *others)]


def _reference(text: str, is_path: bool = False) -> n.Reference:
    source = Source(ASKED, text)
    return n.Reference(text=text, is_path=is_path, span=source.span(0, len(text)))


def _from(folder: Path, path: Path) -> str:
    """A path as a text in `folder` writes it."""
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # on another drive
        return path.absolute().as_posix()


def _fail_unknown(name: str) -> NoReturn:
    known, remedy = formulation_names(), "the path is from this folder"
    if not is_file(name):
        remedy = did_you_mean(name, known) or f"there are {listed(known, 40)}"
    fail("E902", f"there is no formulation '{name}'", remedy=remedy)
