"""check, fmt: commands on texts, which need no solver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treemip.cli.console import (
    BAD_INPUT,
    DONE,
    NOT_VERIFIED,
    complain,
    note,
    parameters,
    read_spec,
    say,
    say_json,
    write_text,
)
from treemip.core.resolve.gather import OF_A_SPEC
from treemip.core.resolve.module_files import module_folders
from treemip.core.source.as_json import as_json
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.source.render import visible
from treemip.core.source.suggest import listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse


def check(
    file: Sequence[Path],
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: bool = False,
    json: bool = False,
) -> int:
    """Find all that is wrong in specs.

    The text alone is checked, with its modules and the library; --data reads the data and evaluates
    what is known from it as well, and says why no exact engine takes the spec. --json has each
    message with its place and, where there is one, the text with its quick fix.
    """
    given, worst, told = parameters(parameter), DONE, []
    for path in file:
        found, problems = "", list[Diagnostic]()
        try:
            found, problems = _checked(path, given, include, data)
        except TreemipError as error:
            problems = list(error.diagnostics)
            worst = BAD_INPUT
        told.append(
            {"file": str(path), "found": found, "problems": [as_json(one) for one in problems]}
        )
        if not json:
            complain(problems)
            if found:
                say(f"{path}: {found}")
    if json:
        say_json(told)
    return worst


def _checked(
    path: Path, given: tuple[tuple[str, str], ...], include: Sequence[Path], data: bool
) -> tuple[str, list[Diagnostic]]:
    """What is said of a spec without errors, and its warnings."""
    from treemip.api.program import Program

    base, source = path.resolve().parent, read_spec(path)
    if _is_formulation(parse(source)):
        return _checked_alone(path, source.text, include)
    program = Program(source, given, base, modules=module_folders(base, include))
    warnings, found = list(program.spec.warnings), "fine"
    if data:
        from treemip.api.data_check import checked_instance
        from treemip.api.engines import engine_note

        instance = checked_instance(program)
        warnings += instance.warnings
        if instance.data is not None:
            points, features = instance.table.x.shape
            table = instance.table
            label = {"number": "a label of numbers", "none": "no label"}
            what = label.get(table.label_kind, f"{len(table.classes)} classes")
            found += f"; {points} points, {features} features, {what}"
        if note := engine_note(instance, lambda: program.compile().checked):
            warnings.append(note)
    return found, warnings


def _is_formulation(file: n.File) -> bool:
    """Whether a text is a formulation that specs name, and no spec with a formulation in it."""
    return file.header is not None and not any(type(s) in OF_A_SPEC for s in file.statements)


def _checked_alone(path: Path, text: str, include: Sequence[Path]) -> tuple[str, list[Diagnostic]]:
    """A formulation, as a spec sees it that names it."""
    from treemip.study.lsp.view import look

    view = look(path.resolve(), text, include=include)
    if any(one.severity is Severity.ERROR for one in view.problems):
        raise TreemipError(view.problems)
    left = view.linker.left_to_spec.values() if view.linker is not None else ()
    names = [name for nodes in left for name in nodes]
    needs = f"; the spec has to declare {listed(names)}" if names else ""
    said = f"fine; a formulation, checked as in a spec that names it{needs}"
    return said, list(view.problems)


def fmt(file: Sequence[Path], check: bool = False) -> int:
    """Lay .tree files out, in place. Comments stay."""
    from treemip.core.syntax.format import format_text

    code = DONE
    for path in file:
        try:
            laid_out = format_text(read_spec(path))
            if laid_out.encode() == path.read_bytes():
                continue
            if check:
                note(visible(f"{path} is not in layout"))
                code = max(code, NOT_VERIFIED)
            else:
                write_text(path, laid_out)
                note(visible(f"{path} rewritten"))
        except TreemipError as error:
            complain(error.diagnostics)
            code = BAD_INPUT
    return code
