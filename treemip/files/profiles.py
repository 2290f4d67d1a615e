"""What each solver's readers take of a model file, beyond the portable core.

The core (see mps.py and lp.py) says every bound, splits every range of an LP file in two rows, and
keeps to characters, lengths and layouts that ten readers take alike, so none of that is in a
profile. A profile is what was seen when its reader was given a probe and the answer was the right
one; tests/emit/test_profiles.py gives the probes to every reader that is installed.
"""

from __future__ import annotations

from typing import Literal

from treemip.frozen import dataclass
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed

StartForm = Literal["values", "cplex", "scip", "cbc", "highs"]
OrderForm = Literal["gurobi", "cplex"]


@dataclass(frozen=True)
class Reads:
    """One format in one reader: quadratic objectives and rows, indicators, special ordered sets
    of type 1, sections of cuts."""

    objective: bool = False
    rows: bool = False
    indicators: bool = False
    sos: bool = False
    lazy: bool = False
    user: bool = False


@dataclass(frozen=True)
class Profile:
    """A solver by `name`, called `title` in messages; a format it does not read is None.

    `start` and `order`: how its files of start values and of branching priorities are written.
    """

    name: str
    title: str
    mps: Reads
    lp: Reads | None
    start: StartForm | None = None
    order: OrderForm | None = None

    @property
    def indicators(self) -> bool:
        """Whether implications may stay: where one format has no indicators, none may."""
        return self.mps.indicators and self.lp is not None and self.lp.indicators

    @property
    def sos(self) -> bool:
        """Whether implications may become special ordered sets: both formats have them."""
        return self.mps.sos and self.lp is not None and self.lp.sos


EVERYTHING = Reads(objective=True, rows=True, indicators=True, sos=True, lazy=True, user=True)
SQUARES = Reads(objective=True)
NOTHING_MORE = Reads()

PORTABLE = Profile(
    # CBC's LP reader drops products without a word, so portable LP files have none.
    "portable",
    "portable files",
    mps=SQUARES,
    lp=NOTHING_MORE,
)

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        PORTABLE,
        # HiGHS takes LAZYCONS for a row named AZYCONS.
        Profile("highs", "HiGHS", SQUARES, SQUARES, start="highs"),
        # User Cuts in LP switch SCIP's check of the row before them off.
        Profile(
            "scip",
            "SCIP",
            EVERYTHING,
            Reads(objective=True, rows=True, indicators=True, sos=True, lazy=True),
            start="scip",
        ),
        # CBC solves a quadratic objective, but reports its linear part as the optimum.
        # It reads special ordered sets and calls optimal what is not, by the probe as well; of 40
        # random models with a few of them it ended two in an abort.
        Profile("cbc", "CBC", NOTHING_MORE, NOTHING_MORE, start="cbc"),
        Profile("glpk", "GLPK", NOTHING_MORE, NOTHING_MORE),
        Profile("gurobi", "Gurobi", EVERYTHING, EVERYTHING, start="values", order="gurobi"),
        Profile("cplex", "CPLEX", EVERYTHING, EVERYTHING, start="cplex", order="cplex"),
        Profile("xpress", "Xpress", EVERYTHING, EVERYTHING),
        Profile("copt", "COPT", EVERYTHING, EVERYTHING, start="values"),
        # MOSEK fixes the binary of an LP indicator at 1, and has no sections of cuts.
        Profile("mosek", "MOSEK", Reads(objective=True, rows=True), SQUARES),
        # What lp_solve calls LP is another language.
        Profile("lp_solve", "lp_solve", NOTHING_MORE, None),
    )
}


def profile_named(name: str) -> Profile:
    """The profile; E902 with the nearest name when there is none."""
    if name not in PROFILES:
        raise TreemipError(
            Diagnostic.outside(
                "E902",
                f"there is no profile of a solver '{name}'",
                did_you_mean(name, PROFILES) or f"there are {listed(PROFILES)}",
            )
        )
    return PROFILES[name]


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
    for profile in PROFILES.values():
        cells = [f"`{profile.name}`"]
        for part in parts:
            formats = (("MPS", profile.mps), ("LP", profile.lp))
            cells.append(", ".join(n for n, r in formats if r is not None and getattr(r, part)))
        cells += ["yes" if profile.start else "", "yes" if profile.order else ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
