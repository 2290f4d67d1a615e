"""Where the texts of modules come from: folders that are searched, or texts kept from before.

A text of the package's library names modules of the library only. All other texts are searched
for beside the text that names them, then in the folders of `-I`, then in those of TREEMIP_PATH.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from treemip.core.source.confined import exists
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Source
from treemip.core.source.suggest import listed

if TYPE_CHECKING:
    from treemip.core.syntax import nodes as n

SPEC = "spec"
"""The name of the spec's own text among its modules."""

SUFFIX = ".tree"
VARIABLE = "TREEMIP_PATH"

_SPEC = re.compile(r"^\s*(?:data|topology|split)\b", re.MULTILINE)


@dataclass(frozen=True)
class ModuleText:
    """A module from outside of the package, as one text names it.

    named_by: the path of that text, empty for the spec. reference: the name or path written there.
    path: of the file, from the spec's folder where it lies in it, else absolute.
    """

    named_by: str
    reference: str
    path: str
    text: str = field(repr=False)

    @property
    def is_path(self) -> bool:
        """Whether the reference is a path, not a name."""
        return PurePosixPath(self.path).name != self.reference + SUFFIX

    @property
    def is_spec(self) -> bool:
        """Whether the text states what only a spec does."""
        return _SPEC.search(self.text) is not None


class ModuleTexts(Protocol):
    """Where a spec's modules come from, apart from the library."""

    def candidates(self, module: n.Reference, named_by: str) -> Iterator[ModuleText]:
        """The texts of that name or path, the first choice first. Raises TreemipError (E901)."""

    def names(self, named_by: str) -> list[str]:
        """The names of all modules, for suggestions."""

    def places(self, module: n.Reference, named_by: str) -> str:
        """Where `candidates` looks, for a message; empty where it looks nowhere."""


@dataclass(frozen=True)
class KeptTexts:
    """Texts that were found before: those of a resolved spec, or of a tree.json."""

    texts: tuple[ModuleText, ...] = ()

    def candidates(self, module: n.Reference, named_by: str) -> Iterator[ModuleText]:
        key = (named_by, module.text)
        return (one for one in self.texts if (one.named_by, one.reference) == key)

    def names(self, named_by: str) -> list[str]:
        return []

    def places(self, module: n.Reference, named_by: str) -> str:
        return ""


@dataclass(frozen=True)
class ModuleFolders:
    """Folders on disk. base: of the spec, absolute. others: searched after the naming text's.

    edited: texts that stand in for files, by their absolute path: not saved yet in an editor.
    """

    base: Path
    others: tuple[Path, ...] = ()
    edited: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def candidates(self, module: n.Reference, named_by: str) -> Iterator[ModuleText]:
        file = module.text if module.is_path else module.text + SUFFIX
        for folder in self._folders(named_by):
            path = os.path.normpath(folder / file)
            if path in self.edited:
                yield ModuleText(named_by, module.text, self._shown(path), self.edited[path])
            elif exists(path) and (module.is_path or not os.path.isdir(path)):
                text = Source.read(_from_here(path)).text
                yield ModuleText(named_by, module.text, self._shown(path), text)

    def names(self, named_by: str) -> list[str]:
        found: dict[str, None] = {}
        for folder in self._folders(named_by):
            try:
                paths = sorted(folder.glob("*" + SUFFIX))
            except OSError:
                continue
            found |= dict.fromkeys(path.stem for path in paths)
        return list(found)

    def places(self, module: n.Reference, named_by: str) -> str:
        file = module.text if module.is_path else module.text + SUFFIX
        folders = [_from_here(folder) for folder in self._folders(named_by)]
        named = listed(folder for folder in folders if folder != os.curdir)
        here = ["this folder"] if os.curdir in folders else []
        return f"there is no '{file}' in {', '.join(filter(None, [*here, named]))}"

    def _folders(self, named_by: str) -> Iterator[Path]:
        folders = (((self.base / named_by).parent if named_by else self.base), *self.others)
        return iter(dict.fromkeys(folders))

    def _shown(self, path: str) -> str:
        from_base = os.path.relpath(path, self.base)
        inside = not from_base.startswith(os.pardir)
        return (Path(from_base) if inside else Path(path)).as_posix()


def module_folders(
    base: Path, include: Iterable[str | Path] = (), edited: Mapping[str, str] | None = None
) -> ModuleFolders:
    """The folders for a spec in `base`: those of `include`, then those of TREEMIP_PATH.

    edited: see `ModuleFolders`.

    Raises E902 for one of `include` that is not there.
    """
    given = [Path(folder) for folder in include]
    for folder in given:
        if not folder.is_dir():
            message = f"there is no folder '{folder}' to look for modules in"
            remedy = "-I and include name folders, relative to the current one"
            fail("E902", message, remedy=remedy)
    set_up = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    others = tuple(p.absolute() for p in (*given, *set_up))
    return ModuleFolders(base.absolute(), others, edited or {})


def _from_here(place: str | Path) -> str:
    """A path for a message: from the current folder where it lies in it."""
    path = os.path.relpath(place)
    return str(place) if path.startswith(os.pardir) else path
