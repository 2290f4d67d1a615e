"""What each solver's readers take of a model file, beyond the portable core.

The core (see mps/writer.py and lp.py) says every bound, splits every range of an LP file in two
rows, and keeps to characters, lengths and layouts that ten readers take alike, so none of that is
in a profile. A profile is what was seen when its reader was given a probe and the answer was the
right one; tests/files/test_profiles.py gives the probes to every reader that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treemip.core.registry import solvers
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import did_you_mean, listed


@dataclass(frozen=True)
class StartForm:
    """How a file of start values is written: `head`, in which {} is the number of values; for each
    value what stands before the name, between name and value, and behind it; `tail`. `numbered`:
    a line begins with the column's number, from 0."""

    head: str
    before: bytes = b"\n"
    between: bytes = b" "
    behind: bytes = b""
    tail: str = ""
    numbered: bool = False


MST = StartForm("# MIP start")
"""A name and its value a line, as Gurobi and COPT take it."""


@dataclass(frozen=True)
class OrderForm:
    """How a file of branching priorities is written: `head`, `before` each name, `tail`."""

    head: bytes
    before: bytes
    tail: bytes


@dataclass(frozen=True)
class Reads:
    """What one reader takes: quadratic objectives and rows, indicators, special ordered sets of
    type 1, sections of cuts; a solver in memory also nonlinear functions (the model's tape), and
    it may lack integer variables."""

    objective: bool = False
    rows: bool = False
    indicators: bool = False
    sos: bool = False
    lazy: bool = False
    user: bool = False
    nonlinear: bool = False
    integers: bool = True


EVERYTHING = Reads(objective=True, rows=True, indicators=True, sos=True, lazy=True, user=True)
SQUARES = Reads(objective=True)
NOTHING_MORE = Reads()


@dataclass(frozen=True)
class Caps:
    """What a solver takes: `mps` and `lp` by its readers of these files, None where it has none;
    `model` in memory, by its Python package, where that is another thing than in MPS.

    `start` and `order`: its files of start values and of branching priorities. `lazy`: it takes
    rows that are separated while it runs.
    """

    mps: Reads | None = None
    lp: Reads | None = None
    model: Reads | None = None
    start: StartForm | None = None
    order: OrderForm | None = None
    lazy: bool = False

    @property
    def in_memory(self) -> Reads:
        """What it takes in memory; of nothing that is said, linear rows and integers."""
        return self.model or self.mps or NOTHING_MORE

    @property
    def indicators(self) -> bool:
        """Whether implications may stay: where one format has no indicators, none may."""
        return self.in_files("indicators")

    @property
    def sos(self) -> bool:
        """Whether implications may become special ordered sets: both formats have them."""
        return self.in_files("sos")

    @property
    def products(self) -> bool:
        """Whether products of variables may be anywhere: both formats have them in rows too."""
        return self.in_files("objective") and self.in_files("rows")

    def in_files(self, part: str) -> bool:
        """Whether both file formats have a part, a field of `Reads`."""
        return all(reads is not None and getattr(reads, part) for reads in (self.mps, self.lp))


@dataclass(frozen=True)
class Profile:
    """Whom a file is for: a solver by `name`, called `title` in messages, and what it takes."""

    name: str
    title: str
    caps: Caps


# CBC's LP reader drops products without a word, so portable LP files have none.
PORTABLE = Profile("portable", "portable files", Caps(mps=SQUARES, lp=NOTHING_MORE))


def profiles() -> Mapping[str, Profile]:
    """The portable profile, then that of each solver that reads MPS files; those that read no LP
    files come last."""
    readers = [solver for solver in solvers().values() if solver.caps.mps is not None]
    ordered = sorted(readers, key=lambda solver: solver.caps.lp is None)
    return {profile.name: profile for profile in (PORTABLE, *ordered)}


def profile_named(name: str) -> Profile:
    """The profile; E902 with the nearest name when there is none."""
    known = profiles()
    if name not in known:
        fail(
            "E902",
            f"there is no profile for a solver '{name}'",
            remedy=did_you_mean(name, known) or f"there are {listed(known)}",
        )
    return known[name]


def reader_of(profile: Profile, form: str) -> str:
    """Words for messages: `SCIP's LP reader`."""
    if profile is PORTABLE:
        return f"portable {form}"
    return f"{profile.title}'s {form} reader"


def table() -> str:
    """All profiles as Markdown, for docs/formats.md."""
    parts = ("objective", "rows", "indicators", "sos", "lazy", "user")
    lines = [
        "| `--for` | quadratic objective | quadratic rows | indicators | SOS1 "
        "| lazy constraints | user cuts | start file | priorities |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for profile in profiles().values():
        caps, cells = profile.caps, [f"`{profile.name}`"]
        for part in parts:
            formats = (("MPS", caps.mps), ("LP", caps.lp))
            cells.append(", ".join(n for n, r in formats if r is not None and getattr(r, part)))
        cells += ["yes" if caps.start else "", "yes" if caps.order else ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
