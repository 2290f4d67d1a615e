"""What is said of a solver outside this process: how it is called, and what its log tells.

Arguments are templates: ``{model}``, ``{solution}``, ``{start}`` are files, ``{options}`` stands
for all options that were asked for, ``{value}`` in an option for its number and ``{whole}`` for
that rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from treemip.frozen import dataclass
from treemip.model.answer import Status

Options = Mapping[str, tuple[str, ...]]
"""Arguments by field of `Limits`."""


@dataclass(frozen=True)
class Told:
    """What a log tells, as patterns of which the last match counts.

    `status` by pattern, the later ones in the table weighing more; one group each: `bound` in
    the file's sense, `nodes`, `version`. `accepted`: that the start was taken. `unlicensed`: what
    is said where there is no licence, or one for smaller models only.
    """

    status: Mapping[str, Status] = field(default_factory=dict)
    bound: str = ""
    nodes: str = ""
    version: str = ""
    accepted: str = ""
    unlicensed: str = ""


@dataclass(frozen=True)
class Call:
    """One way of calling a solver: by `programs` on PATH, the first that is there is run.

    `always`: options that are always given, unless a limit replaces them. `start`: the
    profile whose form of start files it takes, and its arguments; None when it takes none.
    `prints`: the solution is on stdout, not in a file. `suffix`: of the solution file.
    """

    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    options: Options
    always: Options = field(default_factory=dict)
    start: tuple[str, tuple[str, ...]] | None = None
    told: Told = Told()
    suffix: str = ".sol"
    prints: bool = False


@dataclass(frozen=True)
class Installed:
    """A solver: its calls, by program and by Python package, and what installs it.

    `products`: a quadratic objective and quadratic rows are taken. `serial`: it has one thread,
    which fits every limit of threads. `licence`: where one is had, and where it is looked for.
    """

    name: str
    title: str
    install: str
    program: Call | None = None
    package: str = ""
    package_call: Call | None = None
    products: bool = False
    serial: bool = False
    licence: str = ""
