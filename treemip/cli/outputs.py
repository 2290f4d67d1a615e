"""Where a command writes, checked before the work begins: hours of solving need a place to go.

No output may be a file that the command reads, or another one of its outputs. Files are compared
by what they are, not by name: links, `./` and letters of either case lead to the same file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from treemip.core.files.atomic import is_stream
from treemip.core.resolve.module_files import ModuleText
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.syntax import nodes as n


def demand_writable(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """E603 where an output has no place, is one of the `inputs` or is another output.

    outputs: all files that the command will write, those that it names itself included.
    """
    taken: dict[str, Path] = {}
    read = [path for path in inputs if _is_file(path)]
    for output in outputs:
        if output is None or is_stream(output):
            continue
        try:
            why, remedy = _unwritable(output, read)
        except OSError as error:
            why, remedy = (error.strerror or str(error)).lower(), "choose another name"
        if why:
            raise _refusal(f"'{output}' cannot be written: {why}", remedy)
        first = taken.setdefault(_identity(output), output)
        if first is not output:
            message = f"'{first}' and '{output}' are the same file"
            if str(first) == str(output):
                message = f"the command would write two files named '{output}'"
            raise _refusal(message, "give each output its own name")


def demand_new(output: Path, force: bool, option: str = "with -o") -> None:
    """E603 where the output exists and is to stay. option: where its name is given."""
    if output.exists() and not force:
        remedy = f"choose another name {option}, or overwrite it with --force"
        raise _refusal(f"'{output}' cannot be written: it exists", remedy)


def demand_outside(output: Path | None, folder: Path) -> None:
    """E603 where the output is in a folder that is for other files of the command."""
    if output is not None and os.path.dirname(os.path.realpath(output)) == os.path.realpath(folder):
        message = f"'{output}' cannot be written: the folder '{folder}' is for the solver's files"
        raise _refusal(message, "choose a place outside it")


def files_read(spec: Path, file: n.File, modules: Iterable[ModuleText] = ()) -> list[Path]:
    """The files behind a spec: its text, its modules, its data and the library."""
    from treemip.core.resources import library_path

    base = spec.resolve().parent
    data = [base / s.path for s in file.statements if isinstance(s, n.Data)]
    used = [base / module.path for module in modules]
    return [spec, *data, *used, *library_path().rglob("*.tree")]


def _unwritable(output: Path, inputs: list[Path]) -> tuple[str, str]:
    """Why an output cannot be written and what to do; empty where it can. Raises OSError."""
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        return "there is no such folder", f"create it first: mkdir -p '{folder}'"
    if output.is_dir():
        return "it is a folder", "name a file in it"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"no write permission in the folder '{folder}'", "choose another place"
    with tempfile.TemporaryFile(dir=folder):  # rights alone do not tell of /proc or a full disk
        pass
    try:
        there = os.stat(output)
    except FileNotFoundError:
        return "", ""
    if any(os.path.samestat(there, os.stat(path)) for path in inputs):
        return "the command reads it", "choose another name"
    if any(_is_sent_to(number, there) for number in (1, 2)):
        return "the command's output is redirected to it", "choose another name"
    return "", ""


def _is_sent_to(number: int, there: os.stat_result) -> bool:
    """Whether the descriptor is that file, as after `> file`."""
    try:
        return os.path.samestat(os.fstat(number), there)
    except OSError:
        return False


def _identity(output: Path) -> str:
    """One text for all names of a file, whether it exists or not."""
    real = os.path.realpath(output)
    try:
        found = os.stat(real)
    except OSError:
        return os.path.normcase(real)
    return f"{found.st_dev}:{found.st_ino}"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # such a name is nobody's, and its reader will say so
        return False


def _refusal(message: str, remedy: str) -> TreemipError:
    return TreemipError(Diagnostic.outside("E603", message, remedy))
