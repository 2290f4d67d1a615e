"""example: a shipped spec with all that it reads, copied to a folder of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from shlex import quote

from treemip.api.shipped_examples import example_files
from treemip.cli.console import DONE, note, say_json, table, write_bytes
from treemip.core.resolve.examples import examples
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import fail, refused
from treemip.core.source.suggest import did_you_mean


def example(
    name: str = "", output: Path | None = None, force: bool = False, json: bool = False
) -> int:
    """Copy a shipped example with its data.

    Without a name, list the examples. Files keep their places: constraints/recall.tree finds
    data/credit-24.csv beside its folder. Files that are there and differ are not overwritten
    without --force.
    """
    known = examples()
    if not name:
        if output is not None or force:
            raise refused("no example is named", "`treemip example` lists those there are")
        if json:
            say_json(known)
        else:
            print(table([(f"  {key}", about) for key, about in known.items()]))
        return DONE
    key = name.removesuffix(".tree").removeprefix("specs/")
    if key not in known:
        ends = {one.rpartition("/")[2]: one for one in known}
        meant = ends.get(did_you_mean(key.rpartition("/")[2], ends).name)
        remedy = f"did you mean '{meant}'?" if meant else "`treemip example` lists those there are"
        raise refused(f"there is no example '{name}'", remedy)
    folder = output if output is not None else Path()
    copied = _copy(example_files(key), folder, force)
    if json:
        say_json({"spec": str(copied[0]), "files": [str(path) for path in copied]})
        return DONE
    for path in copied:
        note(str(path))
    spec, answer = quote(str(copied[0])), quote(str(copied[0].with_suffix(".json")))
    note(f"next: treemip solve {spec} -o {answer}")
    return DONE


def _copy(files: Sequence[Path], folder: Path, force: bool) -> list[Path]:
    """The copies, in the order of the files. Raises E603, before anything is written."""
    from treemip.core.files.atomic import together

    root = specs_path().resolve()
    places = [PurePosixPath(path.resolve().relative_to(root).as_posix()) for path in files]
    targets = [folder / place for place in places]
    contents = [path.read_bytes() for path in files]
    for target, content in zip(targets, contents, strict=True):
        if target.is_dir():
            message = f"'{target}' cannot be written: it is a folder"
            fail("E603", message, remedy="name another folder with -o")
        if not force and target.exists() and target.read_bytes() != content:
            message = f"'{target}' cannot be written: it exists, and is another file"
            fail("E603", message, remedy="name another folder with -o, or overwrite with --force")
    with together():
        for target, content in zip(targets, contents, strict=True):
            _make_folder(target.parent)
            write_bytes(target, content)
    return targets


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder '{folder}' cannot be made: {(error.strerror or str(error)).lower()}"
        fail("E603", message, remedy="name another folder with -o")
