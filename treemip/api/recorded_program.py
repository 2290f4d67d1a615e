"""The spec that a saved tree records, as a program, and the data that were asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.api.program import folders_of
from treemip.api.store import module_of
from treemip.core.resolve.module_files import KeptTexts, module_folders
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.core.resolve.settings.data_spec import DataSpec


def recorded_program(document: dict[str, Any], path: str | Path) -> Program:
    """The spec that a tree.json records, resolved, with its data where they are found: from the
    file's folder, from the current one, or beside the file.

    Raises E701, and E1xx and E2xx of the spec.
    """
    try:
        spec = document["spec"]
        base, file, here = spec["base"], spec.get("data_file"), Path(path).parent
        if not isinstance(base, str) or not isinstance(file, str | None):
            raise TypeError
        places = [(here / base, here / (file or "")), (Path(base), Path(file or ""))]
        places.append((here, here / Path(file or "").name))
        programs = (_program(spec, folder, file and table) for folder, table in places)
        first = next(programs)
        if first.spec.data is None or spec["from_memory"] is not False or _has_data(first):
            return first
        return next(filter(_has_data, programs), first)
    except ValueError as error:
        raise not_recorded(path, str(error)) from None
    except (KeyError, TypeError, AttributeError):
        raise not_recorded(path, "it does not record the spec it was made from") from None


def _program(spec: dict[str, Any], base: Path, data_file: str | Path | None) -> Program:
    """Raises KeyError, TypeError, AttributeError or ValueError where it is not recorded."""
    from treemip.api.program import Program

    source = Source(str(spec["name"]), spec["text"])
    if not isinstance(source.text, str):
        raise TypeError
    given = [(str(k), str(v)) for k, v in spec["parameters"].items()]
    if any(key not in spec for key in ("sha256", "data_sha256", "from_memory")):
        raise KeyError
    if not isinstance(spec.get("tables_sha256", {}), dict):
        raise TypeError
    kept = KeptTexts(tuple(module_of(saved) for saved in spec.get("modules", ())))
    return Program(source, given, base, data_file=data_file, modules=kept)


def _has_data(program: Program) -> bool:
    assert program.spec.data is not None
    return os.path.isfile(program.base / program.spec.data.path)


def data_asked(program: Program, path: str | Path, data: str | Path | None) -> DataSpec:
    """The data block of a recorded spec, over `data` where that is given. Raises E301 where it is
    not, and the recorded file is not found."""
    assert program.spec.data is not None
    if data is not None:
        return replace(program.spec.data, path=str(Path(data).resolve()))
    if not _has_data(program):
        name = Path(program.spec.data.path).name
        message = f"'{Path(path).name}' was learned from '{name}', and there is no such file"
        remedy = "put it beside the tree's file, or name it by --data"
        raise TreemipError(Diagnostic.outside("E301", message, remedy))
    return program.spec.data


def other_modules(program: Program, include: Iterable[str | Path]) -> list[Diagnostic]:
    """A warning for each module whose file says something else than the text in tree.json."""
    folders = module_folders(program.base, folders_of(include))
    warnings = []
    for module in program.spec.modules:
        reference = n.Reference(
            text=module.reference,
            is_path=module.is_path,
            span=program.source.span(0, 0),
        )
        try:
            now = next(folders.candidates(reference, module.named_by), None)
        except TreemipError:
            continue  # the tree needs no file
        if now is not None and now.text != module.text:
            message = f"the module '{now.path}' is not the one that the tree was solved with"
            remedy = "the text in the tree's file is taken; solve again for that of the module"
            warning = Diagnostic("W707", message, None, remedy, severity=Severity.WARNING)
            warnings.append(warning)
    return warnings


def not_recorded(path: str | Path, why: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E701", f"'{path}' cannot be verified: {why}"))
