"""A first spec for a table of treatments: which columns are meant, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treemip.api.statement_text import renamed
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.survey import ColumnSurvey
from treemip.core.resolve.formulations import Formulation
from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax.nodes import mentioned
from treemip.core.syntax.printing.expressions import quoted

USUAL_OF_TREATMENTS = "prescriptive_ipw"

MOST_TREATMENTS = 20
"""A column with more values says something else than who got which treatment."""

UNTREATED = frozenset(["0", "no", "none", "false", "control", "placebo", "untreated", "usual"])
"""Values, in small letters, that stand for no treatment: not what there is a budget for."""

SHARES = """
# Each treatment's probability is its share of the points. This is right for randomized trials only.
param share {k in treatments} = card({i in points : treatment[i] = k}) / card(points);
param propensity {i in points} = share[treatment[i]];
"""


@dataclass(frozen=True)
class Treatments:
    """Columns of a table: the treatment of each point, its outcome, and the probability of that
    treatment. randomized: every point received a treatment with the same probabilities."""

    treatment: str
    outcome: str
    propensity: str | None = None
    randomized: bool = False

    @classmethod
    def asked(
        cls,
        label: str | None,
        treatment: str | None,
        outcome: str | None,
        propensity: str | None,
        randomized: bool,
    ) -> Treatments | None:
        """What options ask for; None for a spec with a label. Raises E902 for what they miss."""
        if treatment is None:
            stray = {"outcome": outcome, "propensity": propensity, "randomized": randomized or None}
            for name, given in stray.items():
                if given is not None:
                    raise refused(
                        f"--{name} is for treatments", "name their column: --treatment NAME"
                    )
            return None
        if label is not None:
            raise refused(
                "a spec for treatments has no label", "leave out --label; --outcome names a number"
            )
        if outcome is None:
            raise refused("--treatment needs an outcome column", "name it: --outcome NAME")
        if propensity is None and not randomized:
            raise refused(
                "nothing says with what probability a point received its treatment",
                "name the column of these probabilities: --propensity NAME; or, if treatments were"
                " given at random, with the same probabilities to all: --randomized",
            )
        if propensity is not None and randomized:
            raise refused("--propensity and --randomized exclude each other", "leave out one")
        return cls(treatment, outcome, propensity, randomized)

    @property
    def numbers(self) -> dict[str, str]:
        """Columns of numbers by the names that formulations have for them."""
        known = {"outcome": self.outcome, "propensity": self.propensity}
        return {name: column for name, column in known.items() if column is not None}

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.treatment, *self.numbers.values())

    @property
    def target(self) -> str:
        """The column whose values are counted."""
        return self.treatment

    gaps = "a gap in treatment, outcome or propensity"

    def told(self, counts: dict[str, int]) -> str:
        """A note on the columns, for the screen. counts: rows by treatment."""
        return f"treatments '{self.treatment}' ({', '.join(counts)})"

    def data_lines(self, counts: dict[str, int]) -> Iterator[str]:
        """What the data block says in place of a label."""
        yield "label none;"
        yield f"# treatments: {sizes_text(counts)}"
        yield f"group {renamed({'treatment': self.treatment})};"
        yield "# outcome: larger values are better"
        if self.propensity is not None:
            yield "# propensity: the probability of the treatment that the row received"
        yield f"number {renamed(self.numbers)};"
        yield "# add to drop what is known only after the treatment"

    def of(self, raw: RawTable, surveys: list[ColumnSurvey]) -> Treatments:
        """Itself, for a table that has the columns. Raises E902."""
        self.demand(surveys)
        return self

    def demand(self, surveys: list[ColumnSurvey]) -> None:
        """E902 for columns that are not there, named twice, no numbers, or no treatments."""
        by_name = {one.name: one for one in surveys}
        for name, column in {"treatment": self.treatment, **self.numbers}.items():
            if column not in by_name:
                remedy = did_you_mean(column, by_name) or f"the columns are {listed(by_name, 40)}"
                raise refused(f"there is no column '{column}'", remedy)
            if name != "treatment" and not by_name[column].numeric:
                raise refused(
                    f"the column '{column}' holds text, and --{name} needs numbers",
                    f"name another column: --{name}",
                )
        if len(set(self.columns)) < len(self.columns):
            raise refused(
                "--treatment, --outcome and --propensity name the same column twice",
                "name a different column for each",
            )
        values = by_name[self.treatment].levels
        if not 2 <= values <= MOST_TREATMENTS:
            count = "a single value" if values == 1 else f"{values} different values"
            raise refused(
                f"the column '{self.treatment}' has {count}",
                f"treatments are 2 to {MOST_TREATMENTS} values: "
                "name another column with --treatment",
            )

    def constraint(self, shares: dict[str, int]) -> str:
        """A side constraint to try: at most half of the points may have the rarest treatment.

        shares: the number of points by treatment.
        """
        given = [name for name in shares if name.lower() not in UNTREATED] or [*shares]
        treated = min(given, key=lambda name: shares[name])
        rows = f"sum {{i in points}} prescribed[i,{quoted(treated)}]"
        return f"budget: {rows} <= 0.5 * card(points);"

    @property
    def statements(self) -> Iterator[str]:
        """What follows the split."""
        yield "# With predicted outcomes of all treatments, prescriptive_dr is another choice."
        if self.randomized:
            yield from SHARES.split("\n")[:-1]


def sizes_text(counts: dict[str, int]) -> str:
    """`no (15), yes (9)` on one line."""
    return " ".join(", ".join(f"{name} ({k})" for name, k in counts.items()).split())


def demand_treatments(wanted: Formulation | None, treatments: Treatments | None) -> None:
    """E902 for a formulation that reads columns of treatments where none are named, for one that
    does not choose treatments where they are, and for one that needs predicted outcomes."""
    if wanted is None:
        return
    names = frozenset(mentioned(wanted.statements))
    if treatments is None and "treatment" in names:
        raise refused(
            f"{wanted.name} learns who should be given which treatment",
            "name the columns of treatments and outcomes: --treatment NAME --outcome NAME",
        )
    if treatments is not None and "treatment" not in names:
        raise refused(
            f"{wanted.name} does not choose treatments", f"take {USUAL_OF_TREATMENTS}, the default"
        )
    if treatments is not None and "predicted_outcome" in names:
        raise refused(
            f"{wanted.name} needs predicted outcomes, and a first spec has none",
            f"take {USUAL_OF_TREATMENTS}, and for {wanted.name} add to its spec a param"
            " predicted_outcome {i in points, k in treatments}",
        )
