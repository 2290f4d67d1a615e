"""What a command, an argument and an option are, and how an option is read from its line.

An option is a line of two texts. The first is how it is spelled, with a placeholder of its value:
`-o --output FILE`. Dots behind the placeholder say that it may be repeated; behind two spaces
stands what a shell proposes, where that is not all files. The second is its help, which ends with
what holds without the option: one that takes a value and has no default has to be given.
Omitted options use the command function's defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Kind = Callable[[str], Any]


Lines = dict[str, str]
"""Options as they are written here: the help of each by its spelling."""


KINDS: dict[str, Kind] = {
    "FILE": Path,
    "FOLDER": Path,
    "N": int,
    "K": int,
    "SECONDS": float,
    "SHARE": float,
    "DISTANCE": float,
}
"""What the text of a value becomes, by its placeholder; others stay texts."""


KEYS = {
    "-p": "parameter",
    "--for": "target",
    "--to": "target",
    "--map": "map_file",
    "--format": "format_",
}
"""The parameters of the commands' functions that are not called like their options."""


@dataclass(frozen=True)
class Argument:
    """A word that belongs to no option. key: the parameter of the command's function. complete: as
    of an option."""

    key: str
    help: str
    complete: str
    kind: Kind = Path
    required: bool = True
    several: bool = False

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"'{self.key.upper()}...'" if self.several else f"'{self.key.upper()}'"


@dataclass(frozen=True)
class Option:
    """names: its spellings, separated by spaces, the long one last. value: its placeholder in the
    help; lower-case words separated by bars are the only values accepted; empty for a flag.
    several: it may be repeated. default: what holds without the option, as the help says it.
    complete: the values that a shell proposes: words, patterns of files and the lists of
    `completion.py`; those of `value` need not be named.
    """

    names: str
    value: str
    help: str
    default: str
    several: bool
    complete: str

    @classmethod
    def read(cls, spelling: str, text: str) -> Option:
        """An option from its line in this table."""
        form, _, proposed = spelling.partition("  ")
        words = form.removesuffix("...").split()
        value = "" if words[-1].startswith("-") else words.pop()
        about, _, default = text.partition(" Default: ")
        files = "*" if KINDS.get(value) is Path else ""
        several = form.endswith("...")
        return cls(
            " ".join(words), value, about, default.removesuffix("."), several, proposed or files
        )

    @property
    def name(self) -> str:
        """The long name."""
        return self.names.split()[-1]

    @property
    def key(self) -> str:
        """The parameter of the command's function."""
        return KEYS.get(self.name) or self.name.lstrip("-").replace("-", "_")

    @property
    def kind(self) -> Kind:
        return KINDS.get(self.value, str)

    @property
    def required(self) -> bool:
        return bool(self.value) and not self.default

    @property
    def title(self) -> str:
        """Its name in messages."""
        return " / ".join(f"'{name}'" for name in self.names.split())

    @property
    def choices(self) -> list[str]:
        """The only values that it takes; none where any text is one."""
        return self.value.split("|") if self.value.islower() else []


@dataclass(frozen=True)
class Command:
    """function: MODULE.NAME in this folder; a process imports the module of its own command only.

    group: under which the overview shows it. about: the first line of its function's docstring,
    which the overview has without an import of the function. lines: its options, by the heading of
    their group in the help; without headings they are the "options". given: whether the function
    wants to know which options stand on the command line.
    """

    function: str
    group: str
    about: str
    example: str
    arguments: tuple[Argument, ...]
    lines: Lines | dict[str, Lines]
    given: bool = False

    @cached_property
    def options(self) -> dict[str, tuple[Option, ...]]:
        """By the heading of their group."""
        groups: dict[str, Any] = self.lines
        if groups and not isinstance(next(iter(groups.values())), Mapping):
            groups = {"options": groups}
        return {
            title: tuple(map(Option.read, *zip(*lines.items(), strict=True)))
            for title, lines in groups.items()
        }

    @property
    def all_options(self) -> list[Option]:
        return [option for group in self.options.values() for option in group]
